public import Foundation
internal import GRDBSQLite
public import Holdfast

/// A SQLite database of another program, read as data.
///
/// Reads a private copy of the file and its log, which is removed with the value. SQLite never opens the original, no file appears beside
/// it, and no byte of it changes. Values are read as stored, whatever types their columns declare. Not `Sendable`: one task at a time. Rows
/// may be kept and sent.
public final class SQLiteSource {
  /// A column to sort by.
  public struct Order: Sendable, Hashable {
    let column: String
    let ignoresCase: Bool

    /// SQLite's own order: NULL, numbers, text by its bytes, blobs.
    public static func column(_ name: String) -> Order { Order(column: name, ignoresCase: false) }
    /// SQLite's order, with A to Z equal to a to z.
    public static func ignoringCase(_ name: String) -> Order { Order(column: name, ignoresCase: true) }
  }

  /// The names of the tables, without SQLite's own tables and the shadow tables of virtual tables.
  public private(set) var tables: [String] = []
  /// The `user_version` that the other program set; 0 when it set none.
  public private(set) var userVersion: Int64 = 0
  private let connection: RawConnection
  private var handle: OpaquePointer { connection.handle }
  /// The folder of the copy, which only its owner may read.
  private let folder: WorkingFolder
  private let path: String
  /// By the bytes of their names: two spellings of ä are one text to Swift, and two tables to SQLite.
  private var outlines: [[UInt8]: Outline] = [:]
  /// Prepared statements that are not in use, by the bytes of their SQL. Preparing a statement takes longer than reading a few rows.
  private var idle: [[UInt8]: OpaquePointer] = [:]
  private static let idleLimit = 256

  private struct Outline {
    let generated: [String]
    let shape: SQLiteRow.Shape
    /// The names of all columns, in lower case.
    let present: Set<String>
    let hasRowID: Bool
  }

  /// Whether a file is a SQLite database, by its first bytes. False for a file that is missing or may not be read.
  public static func isDatabase(_ url: URL) -> Bool {
    // Read through SQLite: the app may have the file open.
    (try? FileBytes(url).read(16)) == Data("SQLite format 3\0".utf8)
  }

  /// The name of a table or column in the form in which SQLite compares names: only the letters A to Z become lower case.
  public static func lowercased(_ name: String) -> String { name.asciiLowercased }

  /// Copies the file, opens the copy, and checks its pages.
  ///
  /// - Throws: `.invalidSource` when the file is not a database or is damaged; `.verificationFailed` when it changed after `source` was
  ///   made; the errors of copying a file.
  public init(_ source: ImportSource) throws {
    guard Self.isDatabase(source.url) else { throw StoreError(.invalidSource, "\(source.url.path) is not a SQLite database") }
    folder = try WorkingFolder(in: FileManager.default.temporaryDirectory, "source")
    let copy = folder.file("source.sqlite")
    try source.copy(to: copy)
    path = source.url.path
    do {
      // SQLite itself may write to the copy, to undo a transaction that a crash left. Statements may not write.
      connection = try ConnectionFactory.plain(copy.path, writable: true)
    } catch let error as StoreError {
      throw StoreError(.invalidSource, "\(path) cannot be read: \(error.message)", cause: error).naming(source.url)
    }
    // No stored value is longer than the file. A longer one is computed, for example by a generated column.
    connection.limitValues(to: DurableFile.size(copy.path) + 1 << 20)
    standInForCollations()
    // An index may use an expression with SQLite's JSON functions, which `trusted_schema = 0` would forbid. This connection has no
    // functions of its own, and SQLite's functions can only compute values.
    for pragma in ["query_only = 1", "cell_size_check = 1"] { try step("PRAGMA \(pragma)") { _ in } }
    try check()
    try step("PRAGMA user_version") { userVersion = sqlite3_column_int64($0, 0) }
    try step("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name") {
      if case .text(let name) = Self.value($0, 0).value, !name.hasPrefix("sqlite_") { tables.append(name) }
    }
  }

  /// Registers an order for unknown collations: SQLite cannot check an index without one. No query uses such an index.
  private func standInForCollations() {
    sqlite3_collation_needed(handle, nil) { _, database, _, name in
      sqlite3_create_collation_v2(
        database, name, SQLITE_UTF8, nil,
        { _, count, text, otherCount, other in
          guard let text, let other else { return count - otherCount }
          let order = memcmp(text, other, Int(min(count, otherCount)))
          return order == 0 ? count - otherCount : order
        }, nil)
    }
  }

  deinit {
    for statement in idle.values { sqlite3_finalize(statement) }
  }

  /// Refuses a Holdfast store, which is opened and not imported.
  ///
  /// - Throws: `.wrongKind` when the file is a Holdfast store.
  public func refuseStore() throws {
    guard tables.contains("holdfast_schemas") else { return }
    throw StoreError(.wrongKind, "\(path) is a Holdfast library already", suggestion: "Open it, or choose another file to import.")
  }

  /// What the database has, as the end of a sentence for people: `has the tables a, b`.
  public var found: String { Self.found(tables, at: URL(fileURLWithPath: path)) }

  /// The same for the tables of a database at `url`.
  public static func found(_ tables: [String], at url: URL) -> String {
    guard tables.isEmpty else { return "has the tables \(tables.prefix(12).joined(separator: ", "))" }
    let log = "\(url.lastPathComponent)-wal"
    return "has no tables; where a program had it open while it was copied, they are in the file \(log), which belongs beside it"
  }

  /// The columns of a table, in their order; empty when there is no such table.
  public func columns(of table: String) throws -> [String] { try outline(of: table)?.shape.columns ?? [] }

  /// The names of the columns of a table in lower case; empty when there is no such table.
  public func lowercasedColumns(of table: String) throws -> Set<String> { try outline(of: table)?.present ?? [] }

  /// The columns of a table whose values SQLite computes; `columns` has none of them.
  func generatedColumns(of table: String) throws -> [String] { try outline(of: table)?.generated ?? [] }

  /// The number of rows of a table; 0 when there is no such table.
  public func count(of table: String) throws -> Int {
    guard try outline(of: table) != nil else { return 0 }
    var count = 0
    try step("SELECT count(*) FROM \(quoted(table))") { count = Int(clamping: sqlite3_column_int64($0, 0)) }
    return count
  }

  /// Calls `body` with each row, and keeps none. Repeated calls give the same rows in the same order.
  ///
  /// A missing table has no rows. Missing columns are ignored in the order. Rows that are equal in the order come in the order of their row
  /// ids.
  /// - Parameters:
  ///   - only: The columns to read, in lower case; nil: all.
  ///   - match: Only rows with this value in this column; no row when the column is missing.
  /// - Throws: `.invalidSource` when the file is damaged; the errors of `body`.
  public func rows(
    of table: String, only: [String]? = nil, where match: (column: String, value: SQLValue)? = nil, orderedBy order: [Order] = [],
    _ body: (SQLiteRow) throws -> Void
  ) throws {
    guard let outline = try outline(of: table), match.map({ outline.present.contains($0.column) }) != false else { return }
    let shape =
      only.map { only in
        SQLiteRow.Shape(table: table, columns: (outline.shape.columns + outline.generated).filter { only.contains($0.asciiLowercased) })
      }
      ?? outline.shape
    let chosen = shape.columns
    let names = ([outline.hasRowID ? "rowid" : "NULL"] + chosen.map(quoted)).joined(separator: ", ")
    var sql = "SELECT \(names) FROM \(quoted(table))"
    if let match { sql += " WHERE \(quoted(match.column)) = ?" }
    let keys =
      order.filter { outline.present.contains($0.column) }.map { quoted($0.column) + ($0.ignoresCase ? " COLLATE NOCASE" : "") }
      + (outline.hasRowID ? ["rowid"] : outline.shape.columns.map(quoted))
    var number = 0
    try step("\(sql) ORDER BY \(keys.joined(separator: ", "))", binding: match?.value) { statement in
      var broken: [Int] = []
      let values = chosen.indices.map { index in
        let (value, isBroken) = Self.value(statement, Int32(clamping: index + 1))
        if isBroken { broken.append(index) }
        return value
      }
      let rowID: Int64? = if case .integer(let id) = Self.value(statement, 0).value { id } else { nil }
      try body(SQLiteRow(shape: shape, rowID: rowID, number: number, values: values, brokenTexts: broken))
      number += 1
    }
  }

  // MARK: SQLite

  /// Checks the pages, because rows on an unreachable page would be missing without an error. Values that break a constraint are left to
  /// the importer.
  private func check() throws {
    try step("PRAGMA quick_check(100)") { statement in
      guard case .text(let finding) = Self.value(statement, 0).value, finding.hasPrefix("*** in database") else { return }
      throw StoreError(
        .invalidSource, "\(path) is damaged: \(finding.split(separator: "\n").dropFirst().first ?? "its pages contradict each other")",
        suggestion: "Recover what is readable into another file with SQLite's own shell (.recover) and import that. This one is unchanged.")
    }
  }

  /// Nil when there is no such table.
  private func outline(of table: String) throws -> Outline? {
    if let known = outlines[Array(table.utf8)] { return known }
    // A view with this name could have endless rows.
    guard tables.contains(where: { $0.isSameName(as: table) }) else { return nil }
    var columns: [String] = []
    var generated: [String] = []
    try step("SELECT name, hidden FROM pragma_table_xinfo(?)", binding: .text(table)) {
      guard case .text(let name) = Self.value($0, 0).value else { return }
      switch Self.value($0, 1).value {
      case .integer(0): columns.append(name)
      case .integer(2), .integer(3): generated.append(name)
      default: break
      }
    }
    guard !columns.isEmpty else { return nil }
    let outline = Outline(
      generated: generated, shape: SQLiteRow.Shape(table: table, columns: columns), present: Set(columns.map { $0.asciiLowercased }),
      hasRowID: prepares("SELECT rowid FROM \(quoted(table))"))
    outlines[Array(table.utf8)] = outline
    return outline
  }

  private func step(_ sql: String, binding value: SQLValue? = nil, _ body: (OpaquePointer) throws -> Void) throws {
    let key = Array(sql.utf8)
    let statement = try idle.removeValue(forKey: key) ?? prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      // A table may be read while its rows are read: each statement is lent once. A pragma runs when it is prepared, and is not kept.
      if sql.hasPrefix("SELECT"), idle[key] == nil, idle.count < Self.idleLimit {
        idle[key] = statement
      } else {
        sqlite3_finalize(statement)
      }
    }
    if let value {
      var values = Values(copyingInto: statement)
      try values.value(value)
    }
    while true {
      // Stepped by hand: a private copy of another app's database, read-only.
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(statement)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure() }
    return statement
  }

  private func prepares(_ sql: String) -> Bool {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    return sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
  }

  private func failure() -> StoreError {
    let error = connection.failure()
    switch error.code {
    case .diskFull, .inputOutput, .permissionDenied, .deviceLocked: return error
    default: return StoreError(.invalidSource, "\(path) cannot be read: \(error.message)", cause: error)
    }
  }

  private static func value(_ statement: OpaquePointer, _ column: Int32) -> (value: SQLValue, isBrokenText: Bool) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return (.integer(sqlite3_column_int64(statement, column)), false)
    case SQLITE_FLOAT: return (.real(sqlite3_column_double(statement, column)), false)
    case SQLITE_TEXT:
      let text = sqlite3_column_text(statement, column)
      let bytes = UnsafeBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
      return String(validUTF8: bytes).map { (.text($0), false) } ?? (.blob(Data(bytes)), true)
    case SQLITE_BLOB:
      let blob = sqlite3_column_blob(statement, column)
      return (.blob(blob.map { Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, column))) } ?? Data()), false)
    default: return (.null, false)
    }
  }
}
