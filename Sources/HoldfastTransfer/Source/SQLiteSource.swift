public import Foundation
internal import GRDBSQLite
import Holdfast

/// A SQLite database of another program, read as data.
///
/// Reads a private copy of the file and its log, which is removed with the value: SQLite never opens the original, nothing
/// appears beside it, and not a byte of it changes. Nothing that a column declares is believed.
/// Not `Sendable`: one task at a time. A row that is given out may be kept and sent.
public final class SQLiteSource {
  /// What to sort by.
  public struct Order: Sendable, Hashable {
    let column: String
    let ignoresCase: Bool

    /// As SQLite sorts: NULL, numbers, text by its bytes, blobs.
    public static func column(_ name: String) -> Order { Order(column: name, ignoresCase: false) }
    /// The same, with the letters A to Z in either case as one.
    public static func ignoringCase(_ name: String) -> Order { Order(column: name, ignoresCase: true) }
  }

  /// The names of its tables, without SQLite's own, and without those that make up another one's index.
  public private(set) var tables: [String] = []
  /// What its program wrote as its version; 0 where it wrote none.
  package private(set) var userVersion: Int64 = 0
  private let connection: RawConnection
  private var handle: OpaquePointer { connection.handle }
  private let copy: PrivateCopy
  private let path: String
  /// By the bytes of their names: to Swift two spellings of ä are one text, to SQLite they are two tables.
  private var outlines: [[UInt8]: Outline] = [:]
  private var names: Set<String> = []
  /// Prepared, and not in use, by the bytes of their SQL: preparing a statement takes longer than reading a few rows.
  private var idle: [[UInt8]: OpaquePointer] = [:]
  private static let idleLimit = 256

  /// How a table is read.
  private struct Outline {
    let columns: [String]
    let shape: SQLiteRow.Shape
    /// All columns in lower case.
    let present: Set<String>
    let hasRowID: Bool
  }

  /// Whether a file is a SQLite database, by its first bytes. False for one that is not there or may not be read.
  public static func isDatabase(_ url: URL) -> Bool { SourceFiles.isDatabase(url) }

  /// Copies the file, opens the copy and checks that its pages hang together.
  ///
  /// - Throws: `.invalidSource` when it is not a database or is damaged; `.verificationFailed` when it changed since `source`
  ///   was made; what copying a file can throw.
  public init(_ source: ImportSource) throws {
    guard Self.isDatabase(source.url) else { throw StoreError(.invalidSource, "\(source.url.path) is not a SQLite database") }
    copy = try PrivateCopy(of: source)
    path = source.url.path
    do {
      // SQLite itself may write to the copy: it undoes what a crash left half done. Statements may not.
      connection = try ConnectionFactory.plain(copy.url.path, writable: true)
    } catch let error as StoreError {
      throw StoreError(.invalidSource, "\(path) cannot be read: \(error.message)", cause: error)
    }
    // No value is longer than the file, but one that is made up: by a generated column, for example.
    connection.limitValues(to: DurableFile.size(copy.url.path) + 1 << 20)
    standInForCollations()
    // An index may be of an expression, and SQLite trusts its own functions of JSON in none of another's: this connection has no others,
    // and what they can do is to answer.
    for pragma in ["query_only = 1", "cell_size_check = 1"] { try step("PRAGMA \(pragma)") { _ in } }
    try check()
    try step("PRAGMA user_version") { userVersion = sqlite3_column_int64($0, 0) }
    try step("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name") {
      if case .text(let name) = Self.value($0, 0).value, !name.hasPrefix("sqlite_") { tables.append(name) }
    }
    names = Set(tables.map { $0.asciiLowercased })
  }

  /// SQLite checks no index whose collation nobody has given it. Nothing is asked by such an index, so any order will do.
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

  /// Refuses a store of Holdfast's: it is opened, and not imported.
  ///
  /// - Throws: `.wrongKind`.
  public func refuseStore() throws {
    guard tables.contains("holdfast_schemas") else { return }
    throw StoreError(.wrongKind, "\(path) is a Holdfast library already", suggestion: "Open it, or choose another file to import.")
  }

  /// The columns of a table in their order; empty when there is no such table.
  public func columns(of table: String) throws -> [String] { try outline(of: table)?.columns ?? [] }

  /// How many rows a table has; 0 when there is no such table.
  public func count(of table: String) throws -> Int {
    guard try outline(of: table) != nil else { return 0 }
    var count = 0
    try step("SELECT count(*) FROM \(Self.name(table))") { count = Int(clamping: sqlite3_column_int64($0, 0)) }
    return count
  }

  /// Calls `body` with each row, without keeping them; the same rows in the same order each time.
  ///
  /// No row when there is no such table. Columns that the table does not have are not sorted by, and rows that are otherwise
  /// equal come in the order of their row ids.
  /// - Parameters:
  ///   - only: The columns to read; nil: all.
  ///   - match: Only rows that store this value in this column; none when there is no such column.
  /// - Throws: `.invalidSource` when the file is damaged; what `body` throws.
  public func rows(
    of table: String, only: [String]? = nil, where match: (column: String, value: String)? = nil, orderedBy order: [Order] = [],
    _ body: (SQLiteRow) throws -> Void
  ) throws {
    guard let outline = try outline(of: table), match.map({ outline.present.contains($0.column) }) != false else { return }
    let shape =
      only.map { only in SQLiteRow.Shape(table: table, columns: outline.columns.filter { only.contains($0.asciiLowercased) }) }
      ?? outline.shape
    let chosen = shape.columns
    var sql = Self.select(chosen, of: table, hasRowID: outline.hasRowID)
    if let match { sql += " WHERE \(Self.name(match.column)) = ?" }
    let keys =
      order.filter { outline.present.contains($0.column) }.map { Self.name($0.column) + ($0.ignoresCase ? " COLLATE NOCASE" : "") }
      + (outline.hasRowID ? ["rowid"] : outline.columns.map(Self.name))
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

  /// Rows on a page that cannot be reached would be missing, and nobody would know. Values that break a constraint of the
  /// schema are for the importer to judge.
  private func check() throws {
    try step("PRAGMA quick_check(100)") { statement in
      guard case .text(let finding) = Self.value(statement, 0).value, finding.hasPrefix("*** in database") else { return }
      throw StoreError(
        .invalidSource, "\(path) is damaged: \(finding.split(separator: "\n").dropFirst().first ?? "its pages do not hang together")",
        suggestion: "Recover what is readable into another file with SQLite's own shell (.recover) and import that. This one is as it was.")
    }
  }

  /// Nil when there is no such table.
  private func outline(of table: String) throws -> Outline? {
    if let known = outlines[Array(table.utf8)] { return known }
    // A view of this name may have rows without end.
    guard names.contains(table.asciiLowercased) else { return nil }
    var columns: [String] = []
    try step("SELECT name FROM pragma_table_info(?)", binding: table) {
      if case .text(let name) = Self.value($0, 0).value { columns.append(name) }
    }
    guard !columns.isEmpty else { return nil }
    let outline = Outline(
      columns: columns, shape: SQLiteRow.Shape(table: table, columns: columns), present: Set(columns.map { $0.asciiLowercased }),
      hasRowID: prepares("SELECT rowid FROM \(Self.name(table))"))
    outlines[Array(table.utf8)] = outline
    return outline
  }

  private static func select(_ columns: [String], of table: String, hasRowID: Bool) -> String {
    "SELECT \(hasRowID ? "rowid" : "NULL")\(columns.map { ", " + name($0) }.joined()) FROM \(name(table))"
  }

  private func step(_ sql: String, binding text: String? = nil, _ body: (OpaquePointer) throws -> Void) throws {
    let key = Array(sql.utf8)
    let statement = try idle.removeValue(forKey: key) ?? prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      // Rows of the same table may be read while they are read. A pragma does its work while it is prepared.
      if sql.hasPrefix("SELECT"), idle[key] == nil, idle.count < Self.idleLimit {
        idle[key] = statement
      } else {
        sqlite3_finalize(statement)
      }
    }
    if let text {
      var values = Values(copyingInto: statement)
      try values.text(text)
    }
    while true {
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
      return String(validating: bytes, as: UTF8.self).map { (.text($0), false) } ?? (.blob(Data(bytes)), true)
    case SQLITE_BLOB:
      let blob = sqlite3_column_blob(statement, column)
      return (.blob(blob.map { Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, column))) } ?? Data()), false)
    default: return (.null, false)
    }
  }

  private static func name(_ name: String) -> String { SQLiteRow.quoted(name) }
}
