import Foundation

/// Binds records that are derived from `Codable`: each property to the parameter where its key stands.
final class RowEncoder: Encoder, PathlessCoding {
  fileprivate let binder: Binder
  fileprivate let derived: DerivedColumns
  /// The number of the record's first parameter.
  fileprivate let first: Int32
  /// The parameter that a value of its own type binds now; nil while the record itself is encoded.
  fileprivate var single: Int32?
  /// A value of one parameter asked for a container of several: it is JSON.
  fileprivate var wantsJSON = false
  private lazy var json = RecordJSON.encoder()

  init(_ binder: Binder, _ derived: DerivedColumns, first: Int32) {
    (self.binder, self.derived, self.first) = (binder, derived, first)
  }

  func bind(_ record: some Encodable) throws {
    // What the record does not encode is NULL, and not the value of the statement's last use.
    for index in first..<(first + Int32(derived.names.count)) { try binder.null(index) }
    do {
      try record.encode(to: self)
    } catch let error as EncodingError {
      throw StoreError(.invalidValue, "a \(type(of: record)) cannot be stored", cause: error)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    guard single == nil else {
      wantsJSON = true
      return KeyedEncodingContainer(Refusing<Key>())
    }
    return KeyedEncodingContainer(Properties<Key>(encoder: self, places: derived.places(of: type)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    wantsJSON = true
    return Refusing<NoKey>()
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    guard let single else {
      wantsJSON = true
      return Refusing<NoKey>()
    }
    return Single(encoder: self, index: single)
  }

  @inline(__always)
  fileprivate func bind<T: Encodable>(_ value: T, _ index: Int32) throws {
    if T.self == UUID.self { return try binder.id(same(value, as: UUID.self), index) }
    if T.self == Date.self { return try binder.date(same(value, as: Date.self), index) }
    if T.self == String.self { return try binder.text(same(value, as: String.self), index) }
    if T.self == Int.self { return try binder.integer(same(value, as: Int.self), index) }
    if T.self == Int64.self { return try binder.int64(same(value, as: Int64.self), index) }
    if T.self == Double.self { return try finite(same(value, as: Double.self), index) }
    if T.self == Bool.self { return try binder.int64(same(value, as: Bool.self) ? 1 : 0, index) }
    try otherValue(value, index)
  }

  private func otherValue<T: Encodable>(_ value: T, _ index: Int32) throws {
    switch value {
    case let value as Data: try binder.data(value, index)
    case let value as Float: try finite(Double(value), index)
    case let value as URL: try binder.text(value.absoluteString, index)
    case let value as any FixedWidthInteger: try binder.integer(value, index)
    default: try ownValue(value, index)
    }
  }

  private func finite(_ value: Double, _ index: Int32) throws {
    try Binder.checkFinite(value)
    try binder.double(value, index)
  }

  /// A value that encodes itself: as one value, or as JSON.
  private func ownValue<T: Encodable>(_ value: T, _ index: Int32) throws {
    let outer = single
    defer { single = outer }
    let kind = derived.kind(at: Int(index - first))
    if kind == .json, !(value is any JSONColumn) { return try jsonText(value, index) }
    (single, wantsJSON) = (index, false)
    do {
      try value.encode(to: self)
      guard wantsJSON else { return }
    } catch  where wantsJSON {}
    wantsJSON = false
    // As JSON text it would be read as the one value that other values of its type are.
    if let kind, kind != .json {
      throw StoreError(
        .invalidValue, "a \(type(of: value)) is sometimes one value and sometimes a list or an object",
        suggestion: "Make the property a StoredJSON.")
    }
    try jsonText(value, index)
  }

  private func jsonText(_ value: some Encodable, _ index: Int32) throws {
    let data: Data
    do {
      data = try json.encode(value)
    } catch {
      throw StoreError(.invalidValue, "a \(type(of: value)) cannot be written as JSON", cause: error)
    }
    try binder.text(String(decoding: data, as: UTF8.self), index)
  }

  fileprivate func index(of key: some CodingKey) throws -> Int32 {
    guard let place = derived.place(of: key) else {
      throw StoreError(.misuse, "the property \(key.stringValue) has no column: a blank record did not ask for it")
    }
    return first + place
  }
}

private struct Properties<Key: CodingKey>: KeyedEncodingContainerProtocol, PathlessCoding {
  let encoder: RowEncoder
  let places: UnsafePointer<Int32>?

  @inline(__always)
  private func index(_ key: Key) throws -> Int32 {
    if let places, let tag = tag(of: key) {
      let place = places[Int(tag)]
      if place >= 0 { return encoder.first + place }
    }
    return try encoder.index(of: key)
  }

  mutating func encodeNil(forKey key: Key) throws { try encoder.binder.null(index(key)) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder.bind(value, index(key)) }
  mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    if let value { try encoder.bind(value, index(key)) }
  }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy _: Nested.Type, forKey _: Key) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(Refusing<Nested>())
  }
  mutating func nestedUnkeyedContainer(forKey _: Key) -> any UnkeyedEncodingContainer { Refusing<NoKey>() }
  mutating func superEncoder() -> any Encoder { Refusing<NoKey>() }
  mutating func superEncoder(forKey _: Key) -> any Encoder { Refusing<NoKey>() }
}

private struct Single: SingleValueEncodingContainer, PathlessCoding {
  let encoder: RowEncoder
  let index: Int32
  mutating func encodeNil() throws { try encoder.binder.null(index) }
  mutating func encode<T: Encodable>(_ value: T) throws { try encoder.bind(value, index) }
}

private enum NoKey: String, CodingKey { case none }

/// Stands where a container cannot be had, because `Encoder` has no error for that: every value throws.
private struct Refusing<Key: CodingKey>: KeyedEncodingContainerProtocol, UnkeyedEncodingContainer, SingleValueEncodingContainer, Encoder,
  PathlessCoding
{
  var count: Int { 0 }
  private var refusal: StoreError { BlankRecord.nested }

  mutating func encodeNil() throws { throw refusal }
  mutating func encode<T: Encodable>(_: T) throws { throw refusal }
  mutating func encodeNil(forKey _: Key) throws { throw refusal }
  mutating func encode<T: Encodable>(_: T, forKey _: Key) throws { throw refusal }
  func container<Other: CodingKey>(keyedBy _: Other.Type) -> KeyedEncodingContainer<Other> { KeyedEncodingContainer(Refusing<Other>()) }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  mutating func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type) -> KeyedEncodingContainer<Other> { container(keyedBy: type) }
  mutating func nestedContainer<Other: CodingKey>(keyedBy type: Other.Type, forKey _: Key) -> KeyedEncodingContainer<Other> {
    container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  mutating func nestedUnkeyedContainer(forKey _: Key) -> any UnkeyedEncodingContainer { self }
  mutating func superEncoder() -> any Encoder { self }
  mutating func superEncoder(forKey _: Key) -> any Encoder { self }
}
