import Foundation

/// Makes one value of a record type out of nothing, and notes the coding keys for which it asks, with the kinds of their columns.
///
/// Numbers are 0, texts and lists empty, optionals nil. Of an enum it takes the first case.
final class BlankRecord: Decoder, PathlessCoding {
  private(set) var keys: [(name: String, tag: UInt8?, kind: ColumnKind?)] = []
  /// The type of all coding keys; nil before the first, and where a record uses several types.
  private(set) var keyType: ObjectIdentifier?

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if keys.isEmpty { keyType = ObjectIdentifier(type) } else if keyType != ObjectIdentifier(type) { keyType = nil }
    return KeyedDecodingContainer(Properties<Key>(blank: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.noProperties }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.noProperties }

  private static let noProperties = StoreError(.misuse, "it has no properties by name")

  static func reason(_ error: any Error) -> String {
    if case DecodingError.dataCorrupted(let context) = error { return context.debugDescription }
    return "\(error)"
  }

  func note<T>(_ key: some CodingKey, _ type: T.Type, _ kind: ColumnKind?) {
    guard !keys.contains(where: { $0.name == key.stringValue }) else { return }
    let isLength = type == Double.self && ColumnName.of(key.stringValue).hasSuffix("_seconds")
    keys.append((key.stringValue, tag(of: key), isLength ? .seconds : kind))
  }

  /// A value for a property, and the kind of its column.
  static func value<T: Decodable>(of type: T.Type) -> (value: Result<T, any Error>, kind: ColumnKind?) {
    let within = BlankValue()
    if type is any JSONColumn.Type { within.kind = .json }
    return (Result { try within.value(type) }, within.kind)
  }

  private struct Properties<Key: CodingKey>: FlatProperties {
    let blank: BlankRecord
    var allKeys: [Key] { [] }
    func contains(_: Key) -> Bool { true }

    // Not nil: of an optional that is asked for in two steps, the second tells the kind.
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      let found = BlankRecord.value(of: type)
      blank.note(key, type, found.kind)
      do {
        return try found.value.get()
      } catch {
        throw StoreError(
          .misuse, "no blank value of its property \(key.stringValue), \(T.self), can be made (\(BlankRecord.reason(error)))")
      }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      blank.note(key, type, BlankRecord.value(of: type).kind)
      return nil
    }
  }

  static let nested = StoreError(.misuse, "it decodes properties of its properties itself")
}

/// A part of a coder of records, which tells no path: an error names the column.
protocol PathlessCoding {}

extension PathlessCoding {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
}

/// The properties of a record, none of which is decoded as several.
protocol FlatProperties: KeyedDecodingContainerProtocol, PathlessCoding {}

extension FlatProperties {
  func nestedContainer<Nested: CodingKey>(keyedBy _: Nested.Type, forKey _: Key) throws -> KeyedDecodingContainer<Nested> {
    throw BlankRecord.nested
  }
  func nestedUnkeyedContainer(forKey _: Key) throws -> any UnkeyedDecodingContainer { throw BlankRecord.nested }
  func superDecoder() throws -> any Decoder { throw BlankRecord.nested }
  func superDecoder(forKey _: Key) throws -> any Decoder { throw BlankRecord.nested }
}

/// Makes a blank value of one column. Whether the value asks for one value or for a container tells the kind.
private final class BlankValue: Decoder, PathlessCoding {
  var kind: ColumnKind?
  private var depth = 0

  func value<T: Decodable>(_ type: T.Type) throws -> T {
    // A value that contains itself has no end.
    guard depth < 32 else { throw StoreError(.misuse, "it has no end") }
    depth += 1
    defer { depth -= 1 }
    if type == UUID.self { return found(.id, same(UUID.zero, as: T.self)) }
    if type == Date.self { return found(.date, same(Date(timeIntervalSince1970: 0), as: T.self)) }
    if type == Data.self { return found(.bytes, same(Data(), as: T.self)) }
    if type == URL.self { return found(.text, same(URL(fileURLWithPath: "/"), as: T.self)) }
    if type == String.self { return found(.text, same("", as: T.self)) }
    if type == Bool.self { return found(.flag, same(false, as: T.self)) }
    if type == Double.self { return found(.number, same(0 as Double, as: T.self)) }
    if type == Float.self { return found(.number, same(0 as Float, as: T.self)) }
    if let whole = type as? any FixedWidthInteger.Type, let zero = whole.init(truncatingIfNeeded: 0) as? T { return found(.number, zero) }
    do {
      return try T(from: self)
    } catch {
      guard let cases = type as? any CaseIterable.Type, let first = Self.first(cases) as? T else { throw error }
      return first
    }
  }

  private static func first<Cases: CaseIterable>(_: Cases.Type) -> Any? { Cases.allCases.first }

  private func found<T>(_ kind: ColumnKind, _ value: T) -> T {
    self.kind = self.kind ?? kind
    return value
  }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members<Key>(within: found(.json, self)))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Elements(within: found(.json, self)) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(within: self) }

  private struct Single: SingleValueDecodingContainer, PathlessCoding {
    let within: BlankValue
    func decodeNil() -> Bool { true }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try within.value(type) }
  }

  private struct Elements: UnkeyedDecodingContainer, PathlessCoding {
    let within: BlankValue
    var currentIndex = 0
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    mutating func decodeNil() throws -> Bool { true }
    // Some values, such as a point, take their numbers without asking how many there are.
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try within.value(type) }
    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      try within.container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { self }
    mutating func superDecoder() throws -> any Decoder { within }
  }

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol, PathlessCoding {
    let within: BlankValue
    func contains(_: Key) -> Bool { true }

    /// An enum with values wants the key of one case. Keys of one byte are the cases of an enum, and 0 is the first.
    var allKeys: [Key] {
      guard MemoryLayout<Key>.size == 1 else { return [] }
      return [same(0 as UInt8, as: Key.self)]
    }

    func decodeNil(forKey _: Key) throws -> Bool { true }
    func decode<T: Decodable>(_ type: T.Type, forKey _: Key) throws -> T { try within.value(type) }
    func decodeIfPresent<T: Decodable>(_: T.Type, forKey _: Key) throws -> T? { nil }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey _: Key) throws -> KeyedDecodingContainer<Nested> {
      try within.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey _: Key) throws -> any UnkeyedDecodingContainer { try within.unkeyedContainer() }
    func superDecoder() throws -> any Decoder { within }
    func superDecoder(forKey _: Key) throws -> any Decoder { within }
  }
}
