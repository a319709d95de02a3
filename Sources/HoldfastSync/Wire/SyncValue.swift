internal import Foundation
package import Holdfast

/// One value of SQLite as canonical JSON: two values are equal where their texts have the same bytes.
///
/// `null`; an INTEGER as its digits, beyond 53 bits as `{"i":"…"}`, because many programs read JSON's numbers as doubles; a REAL with a point or
/// an exponent, infinity as `{"r":"inf"}` or `{"r":"-inf"}`; a TEXT as a string; a BLOB as `{"b":"…"}` in base64.
package enum SyncValue {
  private static let exact: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

  /// The canonical text of a value.
  package static func text(of value: SQLValue) -> ExactText { ExactText(json(of: value).canonicalText()) }

  private static func json(of value: SQLValue) -> JSONValue {
    switch value {
    case .null: .null
    case .integer(let number): exact.contains(number) ? .integer(number) : .object(["i": .string(String(number))])
    case .real(let number) where number.isFinite: .double(number)
    case .real(let number): .object(["r": .string(number < 0 ? "-inf" : "inf")])
    case .text(let text): .string(text)
    case .blob(let bytes): .object(["b": .string(bytes.base64EncodedString())])
    }
  }

  /// The value of a text in any form of JSON; nil for what no value of SQLite is.
  package static func value(of text: ExactText) -> SQLValue? { plain(text.text) ?? JSONValue(json: text.text).flatMap(value) }

  /// The value of the texts that need no reading of JSON: strings without an escape, and numbers of few digits.
  private static func plain(_ text: String) -> SQLValue? {
    var text = text
    return text.withUTF8 { bytes in
      if bytes.count >= 2, bytes[0] == UInt8(ascii: "\""), bytes[bytes.count - 1] == UInt8(ascii: "\"") {
        let content = UnsafeBufferPointer(rebasing: bytes[1..<bytes.count - 1])
        guard content.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else { return nil }
        return .text(String(decoding: content, as: UTF8.self))
      }
      guard 1...15 ~= bytes.count, bytes.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
        bytes.count == 1 || bytes[0] != UInt8(ascii: "0")
      else { return nil }
      return .integer(bytes.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
    }
  }

  /// The value of JSON; nil for what no value of SQLite is.
  package static func value(of json: JSONValue) -> SQLValue? {
    switch json {
    case .null: return .null
    case .integer(let number): return .integer(number)
    case .double(let number): return .real(number)
    case .string(let text): return .text(text)
    case .object(let members) where members.count == 1:
      if let digits = members.string("i"), let number = Int64(digits) { return .integer(number) }
      if let bytes = members.string("b").flatMap({ Data(base64Encoded: $0) }) { return .blob(bytes) }
      switch members.string("r") {
      case "inf": return .real(.infinity)
      case "-inf": return .real(-.infinity)
      default: return nil
      }
    default: return nil
    }
  }
}
