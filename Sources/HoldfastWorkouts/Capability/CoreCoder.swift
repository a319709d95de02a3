import Foundation
import Holdfast

// Statistics are `Codable`; only their keys and dates differ from the core's JSON, where `workoutID` is `workout_id`. Nil
// values are absent. Statistics are only sent, never read.

/// Swift's encoder with the core's keys and dates.
enum CoreCoder {
  /// - Throws: `EncodingError` for numbers that are not finite.
  static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
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

  /// The same tree with ids in lower case; Swift's coders write them in upper case.
  private static func core(_ tree: JSONValue) -> JSONValue {
    switch tree {
    case .array(let elements): return .array(elements.map(core))
    case .object(let members):
      var object: [String: JSONValue] = [:]
      for (key, member) in members {
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
}
