internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// Reads the columns of a statement's current row by their places, and checks type and form of each value. `StoredRow` reads one after the
/// other; the derived form of a record reads each where its coding key is.
struct RowColumns {
  let statement: OpaquePointer

  /// The value of a column. One call finds type, content and length, where each `sqlite3_column_…` call searches again. SQLite calls such a
  /// value unprotected: two threads may not use it at once, and a row is never on two threads.
  @inline(__always)
  func value(_ column: Int32) -> OpaquePointer? { sqlite3_column_value(statement, column) }

  @inline(__always)
  func isNull(_ column: Int32) -> Bool { sqlite3_value_type(value(column)) == SQLITE_NULL }

  @inline(__always)
  func text(_ column: Int32) throws -> String {
    let (value, type) = typed(column)
    return try text(value, type, column)
  }

  @inline(__always)
  func textOrNil(_ column: Int32) throws -> String? {
    let (value, type) = typed(column)
    return type == SQLITE_NULL ? nil : try text(value, type, column)
  }

  @inline(__always)
  func int64(_ column: Int32, _ kind: ColumnKind = .number) throws -> Int64 {
    let (value, type) = typed(column)
    return try int64(value, type, column, kind)
  }

  @inline(__always)
  func int64OrNil(_ column: Int32, _ kind: ColumnKind = .number) throws -> Int64? {
    let (value, type) = typed(column)
    return type == SQLITE_NULL ? nil : try int64(value, type, column, kind)
  }

  /// A whole number of a smaller type, or of one that has no negative numbers.
  @inline(__always)
  func integer<Number: FixedWidthInteger>(_ column: Int32) throws -> Number {
    let value = try int64(column)
    guard let number = Number(exactly: value) else { throw unexpected(column, Self.fitting) }
    return number
  }

  @inline(__always)
  func bool(_ column: Int32) throws -> Bool {
    switch try int64(column, .flag) {
    case 0: return false
    case 1: return true
    default: throw unexpected(column, "0 or 1", .flag)
    }
  }

  @inline(__always)
  func double(_ column: Int32, _ kind: ColumnKind = .number) throws -> Double {
    let (value, type) = typed(column)
    return try double(value, type, column, kind)
  }

  @inline(__always)
  func doubleOrNil(_ column: Int32, _ kind: ColumnKind = .number) throws -> Double? {
    let (value, type) = typed(column)
    return type == SQLITE_NULL ? nil : try double(value, type, column, kind)
  }

  @inline(__always)
  func id(_ column: Int32) throws -> UUID {
    let (value, type) = typed(column)
    return try id(value, type, column)
  }

  @inline(__always)
  func idOrNil(_ column: Int32) throws -> UUID? {
    let (value, type) = typed(column)
    return type == SQLITE_NULL ? nil : try id(value, type, column)
  }

  @inline(__always)
  func date(_ column: Int32) throws -> Date {
    guard let date = DateCodec.date(milliseconds: try int64(column, .date)) else { throw unexpected(column, "a date", .date) }
    return date
  }

  @inline(__always)
  func dateOrNil(_ column: Int32) throws -> Date? {
    guard let milliseconds = try int64OrNil(column, .date) else { return nil }
    guard let date = DateCodec.date(milliseconds: milliseconds) else { throw unexpected(column, "a date", .date) }
    return date
  }

  func data(_ column: Int32) throws -> Data {
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { throw unexpected(column, "bytes", .bytes) }
    guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
  }

  /// JSON text, not decoded.
  func json(_ column: Int32) throws -> String {
    let (value, type) = typed(column)
    guard type == SQLITE_TEXT else { throw unexpected(column, "JSON text", .json) }
    return try text(value, type, column)
  }

  /// A value of any type.
  func any(_ column: Int32) throws -> SQLValue {
    let (value, type) = typed(column)
    switch type {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_TEXT: return .text(try text(value, type, column))
    case SQLITE_NULL: return .null
    default: return .blob(try data(column))
    }
  }

  static let fitting = "a whole number of this property's type"

  /// Each further question for a type costs a load 4 %, so it is asked once.
  @inline(__always)
  private func typed(_ column: Int32) -> (OpaquePointer?, Int32) {
    let value = value(column)
    return (value, sqlite3_value_type(value))
  }

  @inline(__always)
  private func int64(_ value: OpaquePointer?, _ type: Int32, _ column: Int32, _ kind: ColumnKind) throws -> Int64 {
    guard type == SQLITE_INTEGER else { throw unexpected(column, kind == .date ? "a date" : "an integer", kind) }
    return sqlite3_value_int64(value)
  }

  @inline(__always)
  private func double(_ value: OpaquePointer?, _ type: Int32, _ column: Int32, _ kind: ColumnKind) throws -> Double {
    guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw unexpected(column, "a number", kind) }
    return sqlite3_value_double(value)
  }

  @inline(__always)
  private func id(_ value: OpaquePointer?, _ type: Int32, _ column: Int32) throws -> UUID {
    guard type == SQLITE_TEXT, let bytes = sqlite3_value_text(value),
      let id = IDCodec.parse(UnsafeRawPointer(bytes), count: Int(sqlite3_value_bytes(value)))
    else { throw unexpected(column, "a UUID", .id) }
    return id
  }

  @inline(__always)
  private func text(_ value: OpaquePointer?, _ type: Int32, _ column: Int32) throws -> String {
    guard type == SQLITE_TEXT, let bytes = sqlite3_value_text(value) else { throw unexpected(column, "text", .text) }
    let count = Int(sqlite3_value_bytes(value))
    let buffer = UnsafeBufferPointer(start: bytes, count: count)
    // Platform: UTF8Span is newer than the oldest system that Holdfast runs on.
    if #available(iOS 26, macOS 26, *) {
      guard let text = try? UTF8Span(validating: buffer.span) else { throw unexpected(column, "UTF-8 text", .text) }
      return String(copying: text)
    }
    guard let string = String(validUTF8: buffer) else { throw unexpected(column, "UTF-8 text", .text) }
    return string
  }

  /// The error for a value that is not `wanted`. `kind` is what the reader takes the column for.
  @inline(never)
  func unexpected(_ column: Int32, _ wanted: String, _ kind: ColumnKind? = nil) -> StoreError {
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
    var error = StoreError(.decoding, "\(name) should hold \(wanted), and holds \(type == "text" ? "text that is not" : type)")
    (error.column, error.table, error.columnKind) = (name, table(column), kind)
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
