internal import CHoldfast
internal import GRDBSQLite

/// A full-text index, as a file's schema tells it. Its words come from a text, so nothing is lost when it is made again.
struct SearchIndex: Sendable {
  let name: String
  /// The statement that made it.
  let sql: String

  /// The suffixes of the tables in which FTS5 keeps an index.
  static let shadows = ["_data", "_idx", "_content", "_docsize", "_config"]

  /// Nil when `sql` makes something else.
  init?(_ name: String, _ sql: String) {
    guard sql.hasPrefix("CREATE VIRTUAL TABLE"), SQLTokens.of(sql).drop(while: { $0 != "using" }).dropFirst().first == "fts5" else {
      return nil
    }
    (self.name, self.sql) = (name, sql)
  }

  /// The full-text indexes of a file.
  static func all(_ query: TextQuery) throws -> [SearchIndex] {
    try query("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' ORDER BY name")
      .compactMap { row in
        guard let name = row[0], let sql = row[1] else { return nil }
        return SearchIndex(name, sql)
      }
  }

  /// Whether another table holds the text. An index that keeps its own text, or none, cannot be filled again.
  var hasTextElsewhere: Bool {
    let words = sql.lowercased().filter { !$0.isWhitespace }
    return words.contains("content=") && !words.contains("content=''") && !words.contains("content=\"\"")
  }

  /// Compares the index with the indexed text. Rank 1 does so even when that text is in another table.
  var comparing: String { "INSERT INTO \(quoted(name)) (\(quoted(name)), rank) VALUES ('integrity-check', 1)" }

  /// Fills the index from its text.
  var filling: String { "INSERT INTO \(quoted(name)) (\(quoted(name))) VALUES ('rebuild')" }

  /// Whether SQLite can open the index, as far as the index's tables tell when they are read as plain tables. FTS5 does not read them here:
  /// older versions of it end the process at some damaged pages. Damaged pages are no answer: the check of the file finds them.
  func isReadable(_ names: (String) -> Bool, _ query: TextQuery) throws -> Bool {
    let needed = ["_data", "_idx", "_config"] + (sql.lowercased().contains("columnsize") ? [] : ["_docsize"])
    guard needed.allSatisfy({ names(name + $0) }) else { return false }
    let found: [String?]?
    do {
      // The structure of the index is the row 10.
      found = try query(
        """
        SELECT (SELECT v FROM \(quoted(name + "_config")) WHERE k = 'version'), (SELECT 1 FROM \(quoted(name + "_data")) WHERE id = 10)
        """
      ).first
    } catch let error as StoreError where error.code == .misuse {
      return false
    } catch let error as StoreError where error.code == .damaged {
      return true
    }
    guard let found, let version = found.first ?? nil, found.last ?? nil != nil else { return false }
    // `secure-delete`, which came with SQLite 3.42, writes the format 5.
    return version == "4" || version == "5" && sqlite3_libversion_number() >= 3_042_000
  }

  /// Drops the index, whatever state its tables are in.
  func drop(on handle: OpaquePointer, _ run: (String) throws -> Void) throws {
    do {
      return try run("DROP TABLE \(quoted(name))")
    } catch  where [.damaged, .misuse].contains(StoreError(error).code) {
      // FTS5 drops no index that it cannot open.
    }
    // Apple's SQLite protects the schema and the tables of an index.
    let wasDefensive = holdfast_defensive(handle, 0)
    defer { _ = holdfast_defensive(handle, wasDefensive) }
    try run("PRAGMA writable_schema = ON")
    defer { try? run("PRAGMA writable_schema = RESET") }
    try run("DELETE FROM sqlite_schema WHERE type = 'table' AND name = \(literal(name))")
    try run("PRAGMA writable_schema = RESET")
    for suffix in Self.shadows { try run("DROP TABLE IF EXISTS \(quoted(name + suffix))") }
  }

  /// Makes the index anew, and fills it.
  func make(_ run: (String) throws -> Void) throws {
    try run(sql)
    try run(filling)
  }

  /// What an error of `comparing` tells; nil where this program lacks the app's own tokenizer, and cannot tell.
  static func finding(_ error: StoreError) -> String? {
    if error.message.contains("no such tokenizer") { return nil }
    let differs = error.sqliteCode.map { $0 & 0xFF == SQLITE_CORRUPT } ?? false
    return differs ? "the search index differs from its text" : "the search index cannot be read: \(error.message)"
  }
}
