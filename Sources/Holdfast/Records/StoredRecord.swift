internal import Foundation

/// One row of one table as a Swift value.
///
/// A `Codable` type needs nothing more: columns, reading and binding follow from its properties.
///
/// ```swift
/// struct Note: StoredRecord, Codable, Identifiable {
///   static let table = "notes"
///   var id: UUID
///   var text: String
///   var dueAt: Date?          // due_at, INTEGER milliseconds
///   var labels: [String]      // JSON text
/// }
/// ```
/// A column has the name of its coding key in snake case: `dueAt` is `due_at`, `collectionID` is `collection_id`. `CodingKeys` give other
/// names, and leave properties out. Stored are: `UUID` as lowercase text; `Date` as INTEGER milliseconds since 1970; `Data` as BLOB; `Bool`
/// as 0 or 1; whole numbers as INTEGER; `Double` and `Float`, finite; `String`; `URL` as text; enums and structs with a raw value, and other
/// values that encode themselves as one of these; optionals of all these, nil as NULL; and any other `Codable` value as JSON text with
/// sorted keys and RFC 3339 dates. A number beyond `Int64`, infinity, NaN and a date outside the years 1 to 9999 throw `.invalidValue`.
///
/// Dates are rounded to the millisecond when they are bound. So a record as loaded equals the one that was saved after rounding: a date of
/// `Date()` differs from its stored value by less than a millisecond. Where that matters, round with `DateCodec.rounded`, or take
/// `Writer.currentDate()`.
///
/// A `Double` whose column ends in `_seconds` is a length of time for programs that show the table.
///
/// To find the columns, one value is decoded from nothing: numbers 0, empty texts and lists, nil, the first case of an enum that is
/// `CaseIterable`. A type that cannot be made from them is `.misuse` when the store is opened: make that property optional, or its enum
/// `CaseIterable`.
///
/// Words of SQL are fine as names: `var order: Int` is the column `order`.
///
/// A type that is not `Codable`, nests a struct as several columns, or is read by the hundred thousand, writes all three itself. `init(row:)`
/// reads the columns and `encode(into:)` binds them. Both go in the order of `columns`, with one call per column. A debug build compares
/// the three when the first record of the type is written. When a store is migrated, `init(row:)` also reads invented values, which tell the
/// kind of each column: it must throw what it cannot read, and not trap.
///
/// ```swift
/// struct Tag: StoredRecord {
///   static let table = "tags"
///   static let columns = ["collection_id", "tag"]
///   static let key = ["collection_id", "tag"]
///   var collectionID: UUID
///   var tag: String
///   init(row: inout StoredRow) throws { collectionID = try row.id(); tag = try row.text() }
///   func encode(into values: inout Values) throws { try values.id(collectionID); try values.text(tag) }
/// }
/// ```
/// An id is a UUID or a whole number. A new record whose number SQLite chooses has the id nil: `var id: Int64?`. Its number is then
/// `Writer.lastInsertedID`.
public protocol StoredRecord: Sendable {
  /// The table's name in the schema.
  static var table: String { get }
  /// The columns of this record, in the order of `init(row:)` and `encode(into:)`. No write changes the table's other columns.
  static var columns: [String] { get }
  /// The columns that identify a row: a UNIQUE or PRIMARY KEY of the table. Default `["id"]`.
  static var key: [String] { get }
  /// Columns that an upsert writes into a new row and does not change in an existing row. Use it for a parent that never changes, whose
  /// index need not be updated then. Default: none.
  static var insertOnly: [String] { get }
  init(row: inout StoredRow) throws
  func encode(into values: inout Values) throws
}

extension StoredRecord {
  /// One id, called `id`.
  public static var key: [String] { ["id"] }
  /// None.
  public static var insertOnly: [String] { [] }
}

extension StoredRecord where Self: Codable {
  /// The columns of the coding keys, in the order in which `init(from:)` asks for them. Empty where they cannot be derived, which opening
  /// and every use tell as `.misuse`.
  public static var columns: [String] { (try? DerivedColumns.of(Self.self))?.names ?? [] }

  /// Reads the record's columns by their coding keys.
  public init(row: inout StoredRow) throws { self = try row.derived(Self.self) }

  /// Binds the record's values by their coding keys.
  public func encode(into values: inout Values) throws {
    let derived = try DerivedColumns.of(Self.self)
    guard Self.columns == derived.names else { throw RowDecoder.onlyPart(Self.self) }
    try RowEncoder(values.binder, derived, first: values.skip(derived.names.count)).bind(self)
  }
}

extension StoredRecord {
  /// - Throws: `.misuse` with the reason when the columns follow from `Codable` and cannot be found.
  static func checkColumns() throws {
    guard columns.isEmpty else { return }
    func check<Record: Codable>(_ type: Record.Type) throws { _ = try DerivedColumns.of(type) }
    if let derived = Self.self as? any Codable.Type { try check(derived) }
  }
}
