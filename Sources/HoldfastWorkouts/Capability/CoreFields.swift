import Foundation
import Holdfast
import HoldfastTransfer

/// Reads the values of one JSON object, and remembers the first problem.
///
/// Each reader takes one value. For a value of a wrong kind it remembers a problem, and returns an empty text, 0, false or nil. All readers
/// throw only `JSONScanError`, when the document itself is damaged. `name` is for the message.
struct CoreFields {
  /// The first problem, for people; nil while there is none.
  private(set) var problem: String?
  /// Bit n is set when the object had the nth key of `keys`.
  private var seen: UInt64 = 0
  private let keys: [StaticString]

  /// - Parameter keys: the keys that the object may have, the required ones first. At most 64.
  init(keys: [StaticString]) { self.keys = keys }

  /// Remembers a problem, unless there is one already.
  mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// The index of a key in `keys`; nil for an unknown key. A key that the object has twice is a problem, because either value could be the
  /// right one.
  mutating func number(of key: JSONKey) -> Int? {
    guard let number = keys.firstIndex(where: { key == $0 }) else { return nil }
    let bit = UInt64(1) << UInt64(number)
    if seen & bit != 0 { fail("\(keys[number]) appears twice") }
    seen |= bit
    return number
  }

  /// Remembers a problem when one of the first `count` keys was missing.
  mutating func requireFirst(_ count: Int) {
    for (number, key) in keys.prefix(count).enumerated() where seen & (UInt64(1) << UInt64(number)) == 0 { fail("\(key) is missing") }
  }

  mutating func text(_ name: String, _ value: inout JSONScanner) throws -> String {
    try read(name, .string, "a text", "", &value) { try $0.string() }
  }

  mutating func double(_ name: String, _ value: inout JSONScanner) throws -> Double {
    try read(name, .number, "a number", 0, &value) { try $0.double() }
  }

  mutating func bool(_ name: String, _ value: inout JSONScanner) throws -> Bool {
    try read(name, .bool, "true or false", false, &value) { try $0.bool() }
  }

  mutating func int64(_ name: String, _ value: inout JSONScanner) throws -> Int64 {
    try read(name, .number, "a whole number", 0, &value) { value in
      // A number that is not whole is a problem of this value only. Reading the document goes on.
      let start = value
      do {
        return try value.int64()
      } catch is JSONScanError {
        value = start
        _ = try value.skip()
        return nil
      }
    }
  }

  /// An id, in upper or lower case.
  mutating func id(_ name: String, _ value: inout JSONScanner) throws -> UUID? {
    try read(name, "an id", &value) { IDCodec.parse($0) }
  }

  /// A date in ISO 8601.
  mutating func date(_ name: String, _ value: inout JSONScanner) throws -> Date? {
    try read(name, "a date", &value) { Written<Date>(date: $0)?.value }
  }

  private mutating func read<T>(
    _ name: String, _ wanted: String, _ value: inout JSONScanner, _ body: (String) -> T?
  ) throws -> T? {
    let text = try text(name, &value)
    guard problem == nil else { return nil }
    if let result = body(text) { return result }
    fail("\(name) is not \(wanted): \(text.prefix(60))")
    return nil
  }

  private mutating func read<T>(
    _ name: String, _ kind: JSONKind, _ wanted: String, _ otherwise: T, _ value: inout JSONScanner,
    _ body: (inout JSONScanner) throws -> T?
  ) throws -> T {
    guard try value.peek() == kind else {
      _ = try value.skip()
      fail("\(name) should be \(wanted)")
      return otherwise
    }
    if let result = try body(&value) { return result }
    fail("\(name) should be \(wanted)")
    return otherwise
  }
}
