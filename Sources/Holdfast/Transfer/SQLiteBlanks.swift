internal import Crypto
public import Foundation
internal import GRDBSQLite

/// What must not stand in the copy of a database that an import keeps: keys of an API, for example.
///
/// Such a copy is a database with the same tables and rows, where other values stand in the place of those. It is made without the
/// file's free pages and logs, in which earlier values may stand, and is then read beside the source: all else must be equal. That the
/// texts are gone is proven without asking `blank` again: they are searched for in every byte of the copy's file and in every value, also
/// of SQLite's own tables. Where a column must not have the same value twice a number stands behind the second.
public struct SQLiteBlanks: Sendable {
  /// What the copy is without, for people: `secrets`.
  public let what: String
  /// The texts themselves.
  public let texts: [Data]
  /// Gives what stands in the place of such values, by column; empty for a row without any.
  public let blank: @Sendable (SQLiteRow) -> [String: SQLValue]

  /// - Parameters:
  ///   - texts: what must stand nowhere in the copy, neither so, nor in JSON, nor in UTF-16, nor in base64. One of fewer than 8 bytes
  ///     stands in others by chance, and is not searched for.
  ///   - blank: must give the same each time, and nothing for a row that has it already.
  public init(_ what: String, texts: [Data], blank: @escaping @Sendable (SQLiteRow) -> [String: SQLValue]) {
    self.what = what
    self.texts = texts
    self.blank = blank
  }

  /// Writes the copy to a name that is not taken, and proves it.
  ///
  /// - Throws: `.verificationFailed` when it is not equal in all else, or one of the texts stands in it; what copying and reading a
  ///   database can throw.
  func copy(_ source: ImportSource, to target: URL) throws {
    let original = try SQLiteSource(source)
    let numbered = try write(original, source, to: target)
    chmod(target.path, 0o600)
    try DurableFile.flush(target)
    try DurableFile.flushFolder(of: target)
    let copy = try SQLiteSource(ImportSource(target))
    let before = try hash(of: original) { row in row.with(blank(row).merging(numbered[Place(row)] ?? [:]) { _, other in other }) }
    let after = try hash(of: copy) { $0 }
    guard original.tables == copy.tables, before == after,
      try !original.tables.contains(where: { try hasBlanks(copy, $0, but: numbered) })
    else { throw StoreError(.verificationFailed, "\(target.path) is not \(source.url.path) without \(what)") }
    if let place = try place(in: copy, target) {
      throw StoreError(
        .verificationFailed, "\(what) of \(source.url.path) would stand in \(place) of its copy; nothing was imported",
        suggestion: "Take them out of the file, or import a copy without them.")
    }
  }

  /// Where one of the texts stands. What a row spreads over several pages is in no piece of the file, so values are searched, too.
  private func place(in copy: SQLiteSource, _ file: URL) throws -> String? {
    let needles = ByteNeedles(texts)
    guard !needles.isEmpty else { return nil }
    for suffix in [""] + SourceFiles.logs + ["-shm"] where FileManager.default.fileExists(atPath: file.path + suffix) {
      if try needles.stand(inFileAt: URL(fileURLWithPath: file.path + suffix)) { return "the file" }
    }
    for table in copy.tables {
      var place: String?
      try copy.rows(of: table) { row in
        guard place == nil else { return }
        for value in row.values {
          let bytes: [UInt8] =
            switch value {
            case .text(let text): Array(text.utf8)
            case .blob(let blob): Array(blob)
            default: []
            }
          if needles.stand(in: bytes) { place = row.path.description }
        }
      }
      if let place { return place }
    }
    // What is declared, statistics, and the tables of an index of words. A table without pages is the work of a module.
    let database = try ScratchDatabase(file, named: file.path)
    try database.run("PRAGMA trusted_schema = 0")
    let others = try database.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid")
    for table in ["sqlite_schema"] + others.filter({ !copy.tables.contains($0) }) {
      if try database.holds(needles, in: table) { return table }
    }
    return nil
  }

  /// A row, in the source and in the copy.
  private struct Place: Hashable {
    var table: String
    var rowID: Int64?

    init(_ row: SQLiteRow) { (table, rowID) = (row.table, row.rowID) }
  }

  /// Returns what stands in rows whose blanks another row of the table has already, by row and column.
  private func write(_ original: SQLiteSource, _ source: ImportSource, to target: URL) throws -> [Place: [String: SQLValue]] {
    let copy = try PrivateCopy(of: source)
    let database = try ScratchDatabase(copy.url, named: source.url.path)
    // What a trigger would change is not blanked, and a CHECK may want a key.
    try database.run("PRAGMA trusted_schema = 0")
    try database.run("PRAGMA ignore_check_constraints = 1")
    let triggers = try database.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
    let sql = try database.texts("SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
    for name in triggers { try database.run("DROP TRIGGER \(ScratchDatabase.name(name))") }
    var numbered: [Place: [String: SQLValue]] = [:]
    for table in original.tables {
      try original.rows(of: table) { row in
        for (column, value) in blank(row) {
          guard let id = row.rowID else {
            throw StoreError(.invalidSource, "\(source.url.path) has \(what) in \(table), which has no row ids")
          }
          let mark = row.isBrokenText(column) ? "CAST(? AS TEXT)" : "?"
          let update = "UPDATE \(ScratchDatabase.name(table)) SET \(ScratchDatabase.name(column)) = \(mark) WHERE rowid = ?"
          do {
            try database.run(update, [value, .integer(id)])
          } catch let error as StoreError where (error.cause as? StoreError)?.code == .constraint {
            let other = Self.value(value, numbered: id)
            try database.run(update, [other, .integer(id)])
            numbered[Place(row), default: [:]][column] = other
          }
        }
      }
    }
    for trigger in sql { try database.run(trigger) }
    try database.run("VACUUM INTO ?", [.text(target.path)])
    return numbered
  }

  private static func value(_ value: SQLValue, numbered number: Int64) -> SQLValue {
    switch value {
    case .text(let text): .text("\(text) \(number)")
    case .blob(let bytes): .blob(bytes + Data(" \(number)".utf8))
    default: value
    }
  }

  private func hasBlanks(_ source: SQLiteSource, _ table: String, but numbered: [Place: [String: SQLValue]]) throws -> Bool {
    var found = false
    try source.rows(of: table) { row in
      let own = numbered[Place(row)] ?? [:]
      found = found || blank(row).keys.contains { own[$0] == nil }
    }
    return found
  }

  /// Of all columns, rows and values, in their order.
  private func hash(of source: SQLiteSource, _ blanked: (SQLiteRow) -> SQLiteRow) throws -> String {
    var hasher = SHA256()
    func add(_ text: String) { hasher.update(data: Data("\(text.utf8.count) \(text)".utf8)) }
    for table in source.tables {
      add(table)
      for column in try source.columns(of: table) { add(column) }
      try source.rows(of: table) { row in
        add(row.path.description)
        add(blanked(row).json.canonicalText())
      }
    }
    return SHA256Hex.hex(hasher.finalize())
  }
}

extension SQLiteRow {
  /// The same row with other values in some columns.
  package func with(_ values: [String: SQLValue]) -> SQLiteRow {
    guard !values.isEmpty else { return self }
    var all = self.values
    var broken = brokenTexts
    for (column, value) in values {
      guard let index = shape.index(of: column) else { continue }
      all[index] = value
      // What is left of bytes that are no text may be one.
      guard broken.contains(index), case .blob(let bytes) = value, let text = String(validating: bytes, as: UTF8.self) else { continue }
      all[index] = .text(text)
      broken.removeAll { $0 == index }
    }
    return SQLiteRow(shape: shape, rowID: rowID, number: number, values: all, brokenTexts: broken)
  }
}

/// A database that is thrown away.
private final class ScratchDatabase {
  private let handle: OpaquePointer
  private let path: String

  init(_ url: URL, named path: String) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(url.path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close(opened)
      throw StoreError(.invalidSource, "\(path) cannot be read: \(String(cString: sqlite3_errstr(code)))")
    }
    handle = opened
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
  }

  deinit { sqlite3_close(handle) }

  func run(_ sql: String, _ bindings: [SQLValue] = []) throws { try step(sql, bindings) { _ in } }

  func texts(_ sql: String) throws -> [String] {
    var texts: [String] = []
    try step(sql, []) { if let text = sqlite3_column_text($0, 0) { texts.append(String(cString: text)) } }
    return texts
  }

  /// Whether one of the texts stands in a value of a table.
  func holds(_ needles: ByteNeedles, in table: String) throws -> Bool {
    var found = false
    try step("SELECT * FROM \(Self.name(table))", []) { statement in
      for column in 0..<sqlite3_column_count(statement) where !found {
        // As text in UTF-8, whatever the database's encoding is.
        let isText = sqlite3_column_type(statement, column) == SQLITE_TEXT
        let start = isText ? sqlite3_column_text(statement, column).map { UnsafeRawPointer($0) } : sqlite3_column_blob(statement, column)
        guard let start else { continue }
        found = needles.stand(in: Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))))
      }
    }
    return found
  }

  static func name(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }

  private func step(_ sql: String, _ bindings: [SQLValue], _ body: (OpaquePointer) -> Void) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure() }
    defer { sqlite3_finalize(statement) }
    var values = Values(statement, nil)
    for binding in bindings { try values.value(binding) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: body(statement)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private func failure() -> StoreError {
    let error = StoreError(sqliteCode: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    switch error.code {
    case .diskFull, .inputOutput, .permissionDenied, .deviceLocked: return error
    // An index that lacks rows, for example: reading tables does not need it, and changing them does.
    default: return StoreError(.invalidSource, "\(path) cannot be copied: \(error.message)", cause: error)
    }
  }
}
