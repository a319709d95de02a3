internal import CHoldfast
public import Foundation
internal import GRDBSQLite

/// The current row of a statement. Each call reads the next column and checks its type, so a damaged value is an error that names the
/// column, never a wrong value.
///
/// A row is valid only in the closure or initialiser that receives it.
public struct StoredRow: ~Copyable {
  let columns: RowColumns
  var next: Int32 = 0
  /// Made for the first record that is derived from `Codable`, and used for all rows of the statement.
  var decoder: RowDecoder?

  init(_ statement: OpaquePointer) { columns = RowColumns(statement: statement) }

  mutating func rewind() { next = 0 }

  /// The number of columns read so far.
  package var columnsRead: Int { Int(next) }

  /// A TEXT value. Throws for NULL, for another type, and for text that is not UTF-8.
  public mutating func text() throws -> String { try columns.text(advance()) }
  /// A TEXT value, or nil for NULL.
  public mutating func textOrNil() throws -> String? { try columns.textOrNil(advance()) }

  /// An INTEGER value.
  public mutating func int64() throws -> Int64 { try columns.int64(advance()) }
  /// An INTEGER value, or nil for NULL.
  public mutating func int64OrNil() throws -> Int64? { try columns.int64OrNil(advance()) }
  /// An INTEGER value. Throws when it does not fit into `Int`.
  public mutating func int() throws -> Int { try columns.integer(advance()) }
  /// An INTEGER value, or nil for NULL. Throws when it does not fit into `Int`.
  public mutating func intOrNil() throws -> Int? {
    let column = advance()
    return columns.isNull(column) ? nil : try columns.integer(column)
  }

  /// An INTEGER value that is 0 or 1.
  public mutating func bool() throws -> Bool { try columns.bool(advance()) }
  /// An INTEGER value that is 0 or 1, or nil for NULL.
  public mutating func boolOrNil() throws -> Bool? {
    let column = advance()
    return columns.isNull(column) ? nil : try columns.bool(column)
  }

  /// A REAL value, or an INTEGER value as a number.
  public mutating func double() throws -> Double { try columns.double(advance()) }
  /// A REAL or INTEGER value, or nil for NULL.
  public mutating func doubleOrNil() throws -> Double? { try columns.doubleOrNil(advance()) }
  /// A length in seconds: a REAL or INTEGER value. Programs that show the store then write it as a length.
  public mutating func seconds() throws -> Double { try columns.double(advance(), .seconds) }
  /// A length in seconds, or nil for NULL.
  public mutating func secondsOrNil() throws -> Double? { try columns.doubleOrNil(advance(), .seconds) }

  /// An id: UUID text, in either case.
  public mutating func id() throws -> UUID { try columns.id(advance()) }
  /// An id, or nil for NULL.
  public mutating func idOrNil() throws -> UUID? { try columns.idOrNil(advance()) }

  /// A date: INTEGER milliseconds since 1970, within the years 1 to 9999.
  public mutating func date() throws -> Date { try columns.date(advance()) }
  /// A date, or nil for NULL.
  public mutating func dateOrNil() throws -> Date? { try columns.dateOrNil(advance()) }
  /// A stored date as INTEGER milliseconds since 1970, within the years 1 to 9999: sums of such numbers do not overflow. For statistics over
  /// many rows, where making a `Date` of each costs more than the sum.
  public mutating func milliseconds() throws -> Int64 {
    let column = advance()
    let milliseconds = try columns.int64(column, .date)
    guard DateCodec.range.contains(milliseconds) else { throw columns.unexpected(column, "a date", .date) }
    return milliseconds
  }

  /// A BLOB value.
  public mutating func data() throws -> Data { try columns.data(advance()) }
  /// A BLOB value, or nil for NULL.
  public mutating func dataOrNil() throws -> Data? {
    let column = advance()
    return columns.isNull(column) ? nil : try columns.data(column)
  }

  /// JSON text, not decoded. Text that does not decode is found by `decoded()`, and by the integrity check.
  public mutating func json<Content>(_: Content.Type = Content.self) throws -> StoredJSON<Content> {
    StoredJSON(text: try columns.json(advance()))
  }
  /// JSON text, not decoded, or nil for NULL.
  public mutating func jsonOrNil<Content>(_: Content.Type = Content.self) throws -> StoredJSON<Content>? {
    let column = advance()
    return columns.isNull(column) ? nil : StoredJSON(text: try columns.json(column))
  }

  /// Skips a TEXT value with exactly these bytes, and returns true. Otherwise, and for nil, stays and returns false.
  ///
  /// For a scan in the order of a column that has the same text in many rows.
  public mutating func skip(_ text: [UInt8]?) -> Bool {
    guard let text else { return false }
    let value = columns.value(next)
    guard sqlite3_value_type(value) == SQLITE_TEXT, let bytes = sqlite3_value_text(value), Int(sqlite3_value_bytes(value)) == text.count,
      text.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, bytes, text.count) == 0 } ?? true })
    else { return false }
    next += 1
    return true
  }

  /// Whether a derived record was read.
  var isDerived: Bool { decoder != nil }

  /// A record that is derived from `Codable`: its columns, from the next one on.
  mutating func derived<Record: StoredRecord & Codable>(_ type: Record.Type) throws -> Record {
    let decoder = decoder ?? RowDecoder(columns)
    self.decoder = decoder
    let (record, count) = try decoder.read(type, at: next)
    next += count
    return record
  }

  /// A value of any type.
  public mutating func value() throws -> SQLValue { try columns.any(advance()) }

  /// The error for a value of the right type that is not `wanted`, in the column that was read last.
  func unexpected(_ wanted: String) -> StoreError { columns.unexpected(next - 1, wanted) }

  @inline(__always)
  private mutating func advance() -> Int32 {
    let column = next
    next = column &+ 1
    return column
  }
}
