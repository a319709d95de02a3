import Foundation
import Holdfast
import HoldfastTransfer

// Statistics are `Codable`, and only their keys and dates differ from the core's: `workoutID` is `workout_id` there. Nothing of them
// is saved, so that what is nil may be absent.

/// Swift's coders with the core's keys and dates.
enum CoreCoder {
  /// - Throws: `EncodingError` for numbers that are not finite.
  static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      guard let milliseconds = DateCodec.milliseconds(date) else {
        throw EncodingError.invalidValue(date, .init(codingPath: encoder.codingPath, debugDescription: "no store holds it"))
      }
      try container.encode(DateCodec.iso8601(milliseconds, fraction: true))
    }
    var scanner = JSONScanner(JSONDocument(try encoder.encode(value)))
    return core(try scanner.value()).canonicalText()
  }

  /// The same with the core's keys, and ids in lower case, which Swift's coders write in upper case.
  private static func core(_ tree: JSONValue) -> JSONValue {
    switch tree {
    case .array(let elements): return .array(elements.map(core))
    case .object(let members):
      var object: [String: JSONValue] = [:]
      for (key, member) in members {
        let key = snake(key)
        if case .string(let id) = member, key == "id" || key.hasSuffix("_id") {
          object[key] = .string(id.lowercased())
        } else {
          object[key] = core(member)
        }
      }
      return .object(object)
    default: return tree
    }
  }

  /// - Throws: `DecodingError` for anything that is no `T`.
  static func value<T: Decodable>(_ type: T.Type, from tree: JSONValue) throws -> T {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .custom { Key(stringValue: camel($0.last?.stringValue ?? "")) }
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      if let date = Written(date: text)?.value { return date }
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "this is no date"))
    }
    return try decoder.decode(type, from: Data(tree.canonicalText().utf8))
  }

  private static func snake(_ key: String) -> String {
    var text = ""
    for character in key {
      if character.isUppercase, text.last?.isUppercase != true, !text.isEmpty { text.append("_") }
      text.append(character)
    }
    return text.lowercased()
  }

  private static func camel(_ key: String) -> String {
    let words = key.split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map { $0 == "id" ? "ID" : $0.capitalized }.joined()
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension JSONScanner {
  /// Reads what Swift's coders wrote.
  ///
  /// - Throws: `.invalidSource` with its path for anything else.
  mutating func coded<T: Decodable>(_ type: T.Type) throws -> T {
    let (path, start) = (self.path, offset)
    let tree = try value()
    do { return try CoreCoder.value(type, from: tree) } catch {
      var failure = StoreError(.invalidSource, "the value at \(path) cannot be read as \(type)", cause: error)
      failure.offset = start
      throw failure
    }
  }
}
