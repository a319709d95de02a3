internal import CHoldfast
public import Foundation
internal import GRDBSQLite

/// The current row of a statement. Each call reads the next column and checks its type, so a damaged value is an error that names the
/// column, never a wrong value.
///
/// A row is valid only in the closure or initialiser that receives it.
public struct StoredRow: ~Copyable {
  let statement: OpaquePointer
  private var next: Int32 = 0

  init(_ statement: OpaquePointer) { self.statement = statement }

  mutating func rewind() { next = 0 }

  /// The number of columns read so far.
  package var columnsRead: Int { Int(next) }

  /// A TEXT value. Throws for NULL, for another type, and for text that is not UTF-8.
  public mutating func text() throws -> String {
    let column = advance()
    let value = value(column)
    guard sqlite3_value_type(value) == SQLITE_TEXT else { throw unexpected(column, "text") }
    return try string(value, column)
  }

  /// A TEXT value, or nil for NULL.
  public mutating func textOrNil() throws -> String? {
    let column = advance()
    let value = value(column)
    switch sqlite3_value_type(value) {
    case SQLITE_TEXT: return try string(value, column)
    case SQLITE_NULL: return nil
    default: throw unexpected(column, "text")
    }
  }

  /// An INTEGER value.
  public mutating func int64() throws -> Int64 {
    let column = advance()
    let value = value(column)
    guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw unexpected(column, "an integer") }
    return sqlite3_value_int64(value)
  }

  /// An INTEGER value, or nil for NULL.
  public mutating func int64OrNil() throws -> Int64? {
    let column = advance()
    let value = value(column)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return sqlite3_value_int64(value)
    case SQLITE_NULL: return nil
    default: throw unexpected(column, "an integer")
    }
  }

  /// An INTEGER value. Throws when it does not fit into `Int`.
  public mutating func int() throws -> Int {
    let value = try int64()
    guard let value = Int(exactly: value) else { throw unexpected(next - 1, "an integer of this platform's size") }
    return value
  }

  /// An INTEGER value that is 0 or 1.
  public mutating func bool() throws -> Bool {
    switch try int64() {
    case 0: return false
    case 1: return true
    default: throw unexpected(next - 1, "0 or 1")
    }
  }

  /// A REAL value, or an INTEGER value as a number.
  public mutating func double() throws -> Double {
    let column = advance()
    let value = value(column)
    switch sqlite3_value_type(value) {
    case SQLITE_FLOAT, SQLITE_INTEGER: return sqlite3_value_double(value)
    default: throw unexpected(column, "a number")
    }
  }

  /// A REAL or INTEGER value, or nil for NULL.
  public mutating func doubleOrNil() throws -> Double? {
    let column = advance()
    let value = value(column)
    switch sqlite3_value_type(value) {
    case SQLITE_FLOAT, SQLITE_INTEGER: return sqlite3_value_double(value)
    case SQLITE_NULL: return nil
    default: throw unexpected(column, "a number")
    }
  }

  /// An id: UUID text, in either case.
  public mutating func id() throws -> UUID {
    let column = advance()
    let value = value(column)
    guard sqlite3_value_type(value) == SQLITE_TEXT, let id = uuid(value) else { throw unexpected(column, "a UUID") }
    return id
  }

  /// An id, or nil for NULL.
  public mutating func idOrNil() throws -> UUID? {
    let column = advance()
    let value = value(column)
    switch sqlite3_value_type(value) {
    case SQLITE_NULL: return nil
    case SQLITE_TEXT:
      guard let id = uuid(value) else { throw unexpected(column, "a UUID") }
      return id
    default: throw unexpected(column, "a UUID")
    }
  }

  /// A date: INTEGER milliseconds since 1970, within the years 1 to 9999.
  public mutating func date() throws -> Date {
    let milliseconds = try int64()
    guard let date = DateCodec.date(milliseconds: milliseconds) else { throw unexpected(next - 1, "a date") }
    return date
  }

  /// A stored date as INTEGER milliseconds since 1970, within the years 1 to 9999: sums of such numbers do not overflow. For statistics over
  /// many rows, where making a `Date` of each costs more than the sum.
  public mutating func milliseconds() throws -> Int64 {
    let milliseconds = try int64()
    guard DateCodec.range.contains(milliseconds) else { throw unexpected(next - 1, "a date") }
    return milliseconds
  }

  /// A date, or nil for NULL.
  public mutating func dateOrNil() throws -> Date? {
    guard let milliseconds = try int64OrNil() else { return nil }
    guard let date = DateCodec.date(milliseconds: milliseconds) else { throw unexpected(next - 1, "a date") }
    return date
  }

  /// A BLOB value.
  public mutating func data() throws -> Data {
    let column = advance()
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { throw unexpected(column, "bytes") }
    guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
  }

  /// A BLOB value, or nil for NULL.
  public mutating func dataOrNil() throws -> Data? {
    if sqlite3_column_type(statement, next) == SQLITE_NULL {
      next += 1
      return nil
    }
    return try data()
  }

  /// JSON text, not decoded. Text that does not decode is found by `decoded()`, and by the integrity check.
  public mutating func json<Content>(_: Content.Type = Content.self) throws -> StoredJSON<Content> {
    StoredJSON(text: try text())
  }

  /// Skips a TEXT value with exactly these bytes, and returns true. Otherwise, and for nil, stays and returns false.
  ///
  /// For a scan in the order of a column that has the same text in many rows.
  public mutating func skip(_ text: [UInt8]?) -> Bool {
    guard let text else { return false }
    let value = value(next)
    guard sqlite3_value_type(value) == SQLITE_TEXT, let bytes = sqlite3_value_text(value), Int(sqlite3_value_bytes(value)) == text.count,
      text.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, bytes, text.count) == 0 } ?? true })
    else { return false }
    next += 1
    return true
  }

  /// A value of any type.
  public mutating func value() throws -> SQLValue {
    let column = advance()
    let value = value(column)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_TEXT: return .text(try string(value, column))
    case SQLITE_NULL: return .null
    default:
      next -= 1
      return .blob(try data())
    }
  }

  @inline(__always)
  private mutating func advance() -> Int32 {
    let column = next
    next = column &+ 1
    return column
  }

  /// The value of a column. One call finds type, content and length, where each `sqlite3_column_…` call searches again. SQLite calls such a
  /// value unprotected: two threads may not use it at once, and a row is never on two threads.
  @inline(__always)
  private func value(_ column: Int32) -> OpaquePointer? { sqlite3_column_value(statement, column) }

  @inline(__always)
  private func uuid(_ value: OpaquePointer?) -> UUID? {
    guard let bytes = sqlite3_value_text(value) else { return nil }
    return IDCodec.parse(UnsafeRawPointer(bytes), count: Int(sqlite3_value_bytes(value)))
  }

  @inline(__always)
  private func string(_ value: OpaquePointer?, _ column: Int32) throws -> String {
    guard let bytes = sqlite3_value_text(value) else { throw unexpected(column, "text") }
    let count = Int(sqlite3_value_bytes(value))
    let buffer = UnsafeBufferPointer(start: bytes, count: count)
    if #available(iOS 26, macOS 26, *) {
      guard let text = try? UTF8Span(validating: buffer.span) else { throw unexpected(column, "UTF-8 text") }
      return String(copying: text)
    }
    // This initialiser silently repairs text that is not UTF-8. A repaired text is longer or has other bytes.
    let string = String(decoding: buffer, as: UTF8.self)
    guard string.utf8.elementsEqual(buffer) else { throw unexpected(column, "UTF-8 text") }
    return string
  }

  /// The error for a value of the right type that is not `wanted`, in the column that was read last.
  func unexpected(_ wanted: String) -> StoreError { unexpected(next - 1, wanted) }

  @inline(never)
  private func unexpected(_ column: Int32, _ wanted: String) -> StoreError {
    // The statement may give the column another name.
    let name =
      (holdfast_origin(statement, column, 1) ?? sqlite3_column_name(statement, column)).map { String(cString: $0) } ?? "column \(column)"
    let type =
      switch sqlite3_column_type(statement, column) {
      case SQLITE_NULL: "NULL"
      case SQLITE_INTEGER: "an integer"
      case SQLITE_FLOAT: "a real number"
      case SQLITE_BLOB: "bytes"
      default: "text"
      }
    var error = StoreError(.decoding, "\(name) should hold \(wanted), and holds \(type) that is not")
    if type != "text" { error.message = "\(name) should hold \(wanted), and holds \(type)" }
    (error.column, error.table) = (name, table(column))
    // The first column of a record is its key, which is enough to find the row.
    guard let key = (0..<sqlite3_column_count(statement)).first(where: { table($0) == error.table }) else { return error }
    if sqlite3_column_type(statement, key) == SQLITE_BLOB {
      let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, key), count: Int(sqlite3_column_bytes(statement, key)))
      error.row = "x'\(bytes.prefix(32).map { String(format: "%02x", $0) }.joined())'"
    } else if let first = sqlite3_column_text(statement, key) {
      error.row = String(cString: first)
    }
    return error
  }

  /// The table of which the statement reads a column; nil for an expression, and where SQLite does not tell.
  private func table(_ column: Int32) -> String? {
    holdfast_origin(statement, column, 0).map { String(cString: $0) }
  }
}
