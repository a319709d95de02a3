import Foundation
import Holdfast

/// Carries JSON that is written and read by hand through any of Foundation's coders.
struct JSONTree: Codable {
  private var value: JSONValue

  /// - Throws: `.invalidValue` for a value that JSON has no word for; `JSONScanError`, if what `write` does is no JSON.
  init(_ write: (inout JSONText) -> Void) throws {
    var text = JSONText()
    write(&text)
    var scanner = JSONScanner(JSONDocument(try text.checked()))
    value = try scanner.value()
  }

  /// Reads the same JSON again.
  ///
  /// - Throws: what `body` throws; `.invalidSource` in the place of a `JSONScanError`.
  func read<T>(_ body: (inout JSONScanner) throws -> T) throws -> T {
    var scanner = JSONScanner(JSONDocument(Array(value.canonicalText().utf8)))
    do { return try body(&scanner) } catch { throw StoreError.invalidJSON(error) }
  }

  private init(value: JSONValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Key.self) {
      var object: [String: JSONValue] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(JSONTree.self, forKey: key).value }
      value = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(JSONTree.self).value) }
      value = .array(array)
    } else {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        value = .null
      } else if let bool = try? single.decode(Bool.self) {
        value = .bool(bool)
      } else if let integer = try? single.decode(Int64.self) {
        value = .integer(integer)
      } else if let double = try? single.decode(Double.self) {
        value = .double(double)
      } else {
        value = .string(try single.decode(String.self))
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .object(let object):
      var members = encoder.container(keyedBy: Key.self)
      for (key, member) in object { try members.encode(JSONTree(value: member), forKey: Key(stringValue: key)) }
    case .array(let array):
      var elements = encoder.unkeyedContainer()
      for element in array { try elements.encode(JSONTree(value: element)) }
    case .null: try single(encoder) { try $0.encodeNil() }
    case .bool(let bool): try single(encoder) { try $0.encode(bool) }
    case .integer(let integer): try single(encoder) { try $0.encode(integer) }
    case .double(let double): try single(encoder) { try $0.encode(double) }
    case .string(let string): try single(encoder) { try $0.encode(string) }
    }
  }

  private func single(_ encoder: any Encoder, _ encode: (inout any SingleValueEncodingContainer) throws -> Void) throws {
    var container = encoder.singleValueContainer()
    try encode(&container)
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
