import Foundation

/// Reads records that are derived from `Codable`: one decoder for all rows of a statement, which reads each property where its key stands.
final class RowDecoder: Decoder, PathlessCoding {
  fileprivate let columns: RowColumns
  /// The record type of the last row.
  private var record: ObjectIdentifier?
  fileprivate var derived: DerivedColumns?
  /// The place of the record's first column in the row.
  fileprivate var first: Int32 = 0
  /// The column that a value of its own type reads now.
  fileprivate var single: Int32 = 0
  private lazy var json = RecordJSON.decoder()
  /// Whether a record, and not the value of one column, asks for its container.
  private var isAtRecord = false

  init(_ columns: RowColumns) { self.columns = columns }

  /// The record whose columns begin at `first`, and the number of its columns.
  func read<Record: StoredRecord & Codable>(_ type: Record.Type, at first: Int32) throws -> (Record, Int32) {
    if record != ObjectIdentifier(type) {
      let found = try DerivedColumns.of(type)
      // With columns written by hand and a derived reading, properties would get values of other columns.
      guard type.columns == found.names else { throw Self.onlyPart(type) }
      (derived, record) = (found, ObjectIdentifier(type))
    }
    self.first = first
    isAtRecord = true
    do {
      return (try Record(from: self), Int32(derived?.names.count ?? 0))
    } catch let error as DecodingError {
      throw StoreError(.decoding, "a row does not decode as \(type): \(BlankRecord.reason(error))", cause: error)
    }
  }

  static func onlyPart<Record: StoredRecord>(_ type: Record.Type) -> StoreError {
    StoreError(.misuse, "\(type) writes some of columns, init(row:) and encode(into:) itself, and not all three")
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard isAtRecord, let derived else { throw WantsJSON() }
    return KeyedDecodingContainer(Properties<Key>(decoder: self, columns: columns, places: derived.places(of: type), first: first))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw WantsJSON() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self, column: single) }

  /// The value of one column.
  @inline(__always)
  fileprivate func value<T: Decodable>(_ type: T.Type, _ column: Int32) throws -> T {
    if T.self == UUID.self { return same(try columns.id(column), as: T.self) }
    if T.self == Date.self { return same(try columns.date(column), as: T.self) }
    if T.self == String.self { return same(try columns.text(column), as: T.self) }
    if T.self == Int.self { return same(try columns.integer(column) as Int, as: T.self) }
    if T.self == Int64.self { return same(try columns.int64(column), as: T.self) }
    if T.self == Double.self { return same(try columns.double(column), as: T.self) }
    if T.self == Bool.self { return same(try columns.bool(column), as: T.self) }
    return try otherValue(type, column)
  }

  private func otherValue<T: Decodable>(_ type: T.Type, _ column: Int32) throws -> T {
    if T.self == Data.self { return same(try columns.data(column), as: T.self) }
    if T.self == Float.self { return same(Float(try columns.double(column)), as: T.self) }
    if let whole = type as? any FixedWidthInteger.Type, let number = try number(whole, column) as? T { return number }
    if T.self == URL.self {
      guard let url = URL(string: try columns.text(column)) else { throw columns.unexpected(column, "a URL", .text) }
      return same(url, as: T.self)
    }
    return try ownValue(type, column)
  }

  private func number<Number: FixedWidthInteger>(_: Number.Type, _ column: Int32) throws -> Any {
    try columns.integer(column) as Number
  }

  /// A value that decodes itself: out of one value of the column, or out of JSON.
  private func ownValue<T: Decodable>(_ type: T.Type, _ column: Int32) throws -> T {
    if derived?.kind(at: Int(column - first)) == .json, !(type is any JSONColumn.Type) { return try jsonValue(type, column) }
    let wasAtRecord = isAtRecord
    defer { isAtRecord = wasAtRecord }
    do {
      (single, isAtRecord) = (column, false)
      return try T(from: self)
    } catch is WantsJSON {
      return try jsonValue(type, column)
    } catch let error as DecodingError {
      throw refused(type, column, error)
    }
  }

  private func jsonValue<T: Decodable>(_ type: T.Type, _ column: Int32) throws -> T {
    let text = try columns.json(column)
    do {
      return try json.decode(type, from: Data(text.utf8))
    } catch {
      throw refused(type, column, error)
    }
  }

  private func refused<T>(_ type: T.Type, _ column: Int32, _ cause: any Error) -> StoreError {
    var error = columns.unexpected(column, "\(type)")
    error.cause = cause
    return error
  }
}

/// A value of one column asked for several: it is JSON.
private struct WantsJSON: Error {}

/// The standard library copies this for each property: a second reference would cost a load a tenth.
private struct Properties<Key: CodingKey>: FlatProperties {
  let decoder: RowDecoder
  let columns: RowColumns
  let places: UnsafePointer<Int32>?
  let first: Int32
  var allKeys: [Key] { decoder.derived?.all(Key.self) ?? [] }

  @inline(__always)
  private func column(_ key: Key) throws -> Int32 {
    if let places, let tag = tag(of: key) {
      let place = places[Int(tag)]
      if place >= 0 { return first + place }
    }
    return try named(key)
  }

  @inline(never)
  private func named(_ key: Key) throws -> Int32 {
    guard let place = decoder.derived?.place(of: key) else {
      throw StoreError(.misuse, "the property \(key.stringValue) has no column: a blank record did not ask for it")
    }
    return first + place
  }

  func contains(_ key: Key) -> Bool { decoder.derived?.place(of: key) != nil }
  func decodeNil(forKey key: Key) throws -> Bool { columns.isNull(try column(key)) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.value(type, column(key)) }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try unlessNull(type, key) }
  // The protocol has slower forms of its own for these.
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try unlessNull(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try unlessNull(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try unlessNull(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try unlessNull(type, key) }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try unlessNull(type, key) }

  @inline(__always)
  private func unlessNull<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    let column = try column(key)
    return columns.isNull(column) ? nil : try decoder.value(type, column)
  }
}

private struct Single: SingleValueDecodingContainer, PathlessCoding {
  let decoder: RowDecoder
  let column: Int32
  func decodeNil() -> Bool { decoder.columns.isNull(column) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type, column) }
}
