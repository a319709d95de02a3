public import Foundation
public import Holdfast

/// Reads the fields of one JSON object, and remembers the first error. The record with an error goes into quarantine, and reading the
/// document goes on.
///
/// ```swift
/// var fields = JSONFields(keys: ["id", "title", "year"])
/// try scanner.object { key, value in
///   switch fields.number(of: key) {
///   case 0: id = try fields.id("id", &value)
///   case 1: title = try fields.text("title", &value)
///   case 2: year = try fields.int64OrNil("year", &value)
///   default: unknown.append((key.string, value))
///   }
/// }
/// fields.requireFirst(2)
/// ```
/// Each reader takes one value. For a value of a wrong kind it remembers an error, and returns an empty text, 0, false or nil. Readers that
/// end in `OrNil` return nil for `null`. All readers throw only `JSONScanError`, when the document itself is damaged. `key` is for the
/// message.
public struct JSONFields {
  /// The first error, for people; nil while there is none.
  public private(set) var problem: String?
  /// Bit n is set when the object had the nth key of `keys`.
  private var seen: UInt64 = 0
  /// The keys that this object may have.
  private let keys: [StaticString]

  /// Makes a reader for an object with these keys, the required ones first. At most 64.
  public init(keys: [StaticString]) { self.keys = keys }

  /// Remembers an error, unless there is one already.
  public mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// The index of a key in `keys`; nil for an unknown key. A key that the object has twice is an error, because either value could be the
  /// right one.
  public mutating func number(of key: JSONKey) -> Int? {
    guard let number = keys.firstIndex(where: { key == $0 }) else { return nil }
    let bit = UInt64(1) << UInt64(number)
    if seen & bit != 0 { fail("\(keys[number]) stands twice") }
    seen |= bit
    return number
  }

  /// Remembers an error when one of the first `count` keys was missing.
  public mutating func requireFirst(_ count: Int) {
    for (number, key) in keys.prefix(count).enumerated() where seen & (UInt64(1) << UInt64(number)) == 0 { fail("\(key) is missing") }
  }

  /// A text.
  public mutating func text(_ key: String, _ value: inout JSONScanner) throws -> String {
    try read(key, .string, "a text", "", &value) { try $0.string() }
  }

  /// A text, or null.
  public mutating func textOrNil(_ key: String, _ value: inout JSONScanner) throws -> String? {
    try isNull(key, &value) ? nil : text(key, &value)
  }

  /// A number.
  public mutating func double(_ key: String, _ value: inout JSONScanner) throws -> Double {
    try read(key, .number, "a number", 0, &value) { try $0.double() }
  }

  /// A number, or null.
  public mutating func doubleOrNil(_ key: String, _ value: inout JSONScanner) throws -> Double? {
    try isNull(key, &value) ? nil : double(key, &value)
  }

  /// True or false.
  public mutating func bool(_ key: String, _ value: inout JSONScanner) throws -> Bool {
    try read(key, .bool, "true or false", false, &value) { try $0.bool() }
  }

  /// A whole number. A number outside `range` is an error.
  public mutating func int64(
    _ key: String, _ value: inout JSONScanner, in range: ClosedRange<Int64> = .min ... .max
  ) throws -> Int64 {
    let number: Int64 = try read(key, .number, "a whole number", 0, &value) { value in
      // A number that is not whole is an error of this record only. Reading the document goes on.
      let start = value
      do {
        return try value.int64()
      } catch is JSONScanError {
        value = start
        _ = try value.skip()
        return nil
      }
    }
    if !range.contains(number) { fail("\(key) should be from \(range.lowerBound) to \(range.upperBound)") }
    return number
  }

  /// A whole number, or null.
  public mutating func int64OrNil(
    _ key: String, _ value: inout JSONScanner, in range: ClosedRange<Int64> = .min ... .max
  ) throws -> Int64? {
    try isNull(key, &value) ? nil : int64(key, &value, in: range)
  }

  /// Bytes, as base64 text without line breaks; or null.
  public mutating func base64OrNil(_ key: String, _ value: inout JSONScanner) throws -> Data? {
    guard try !isNull(key, &value) else { return nil }
    let text = try text(key, &value)
    guard problem == nil else { return nil }
    if let data = Data(base64Encoded: text) { return data }
    fail("\(key) should be bytes in base64")
    return nil
  }

  /// An id, in upper or lower case.
  public mutating func id(_ key: String, _ value: inout JSONScanner) throws -> Written<UUID>? {
    let text = try text(key, &value)
    guard problem == nil else { return nil }
    if let id = Written(id: text) { return id }
    fail("\(key) is not an id: \(text.prefix(60))")
    return nil
  }

  /// An id, or null.
  public mutating func idOrNil(_ key: String, _ value: inout JSONScanner) throws -> Written<UUID>? {
    try isNull(key, &value) ? nil : id(key, &value)
  }

  /// A date in ISO 8601, as `DateCodec.parseISO8601(_:)` reads it.
  public mutating func date(_ key: String, _ value: inout JSONScanner) throws -> Written<Date>? {
    let text = try text(key, &value)
    guard problem == nil else { return nil }
    if let date = Written(date: text) { return date }
    fail("\(key) is not a date: \(text.prefix(60))")
    return nil
  }

  /// A date in ISO 8601, or null.
  public mutating func dateOrNil(_ key: String, _ value: inout JSONScanner) throws -> Written<Date>? {
    try isNull(key, &value) ? nil : date(key, &value)
  }

  /// An object of texts, as JSON text with sorted keys.
  public mutating func textMap(_ key: String, _ value: inout JSONScanner) throws -> StoredJSON<[String: String]> {
    guard case .object(let members) = try tree(key, &value) else {
      fail("\(key) should be an object")
      return .empty
    }
    if members.isEmpty { return .empty }
    for (name, member) in members {
      guard case .string = member else {
        fail("\(key).\(name) should be a text")
        return .empty
      }
    }
    return StoredJSON(text: JSONValue.object(members).canonicalText())
  }

  /// A value of any kind, as a tree. A key that an object has twice is an error of this record only.
  public mutating func tree(_ key: String, _ value: inout JSONScanner) throws -> JSONValue {
    let start = value
    do {
      return try value.value()
    } catch {
      value = start
      // Throws again when the document itself is damaged.
      _ = try value.skip()
      fail("\(key) cannot be read: \(error.expected)")
      return .null
    }
  }

  private func isNull(_ key: String, _ value: inout JSONScanner) throws -> Bool {
    guard try value.peek() == .null else { return false }
    _ = try value.skip()
    return true
  }

  private mutating func read<T>(
    _ key: String, _ kind: JSONKind, _ wanted: String, _ otherwise: T, _ value: inout JSONScanner,
    _ body: (inout JSONScanner) throws -> T?
  ) throws -> T {
    guard try value.peek() == kind else {
      _ = try value.skip()
      fail("\(key) should be \(wanted)")
      return otherwise
    }
    if let result = try body(&value) { return result }
    fail("\(key) should be \(wanted)")
    return otherwise
  }
}
