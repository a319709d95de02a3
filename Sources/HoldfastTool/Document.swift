import Foundation
import Holdfast
import HoldfastTransfer

/// One JSON document as programs read it: `ok`, `schema`, and the members of the command.
///
/// Names in snake_case and sorted, ids in lower case, times as RFC 3339 in UTC, lengths in seconds, sizes in bytes.
/// Unknown values are `null`. Members may be added while `schema` stays 1.
struct Document {
  private let members: [String: JSONValue]

  init(ok: Bool, _ members: [String: JSONValue]) {
    self.members = members.merging(["ok": .bool(ok), "schema": .integer(1)]) { _, fixed in fixed }
  }

  /// Indented by two, with a line break at its end.
  var text: String { Self.text(.object(members), indent: "") + "\n" }

  /// The texts before and behind the elements of an array that is written as they come. Each element begins on a line of its own, indented
  /// by four; without elements the texts belong together.
  ///
  /// - Parameter name: the member that has the array.
  func around(_ name: String) -> (before: String, after: String) {
    func lines(_ isWanted: (String) -> Bool) -> [String] {
      let keys = members.keys.filter(isWanted).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return keys.map { "  \(JSONValue.string($0).canonicalText()): \(Self.text(members[$0] ?? .null, indent: "  "))" }
    }
    let before = lines { $0.utf8.lexicographicallyPrecedes(name.utf8) }.map { $0 + ",\n" }.joined()
    let after = lines { name.utf8.lexicographicallyPrecedes($0.utf8) }.map { ",\n" + $0 }.joined()
    return ("{\n\(before)  \(JSONValue.string(name).canonicalText()): [", "]\(after)\n}\n")
  }

  static func text(_ value: JSONValue, indent: String) -> String {
    let deeper = indent + "  "
    switch value {
    case .array(let elements) where !elements.isEmpty:
      return "[\n" + elements.map { deeper + text($0, indent: deeper) }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members) where !members.isEmpty:
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      let lines = sorted.map { "\(deeper)\(JSONValue.string($0.key).canonicalText()): \(text($0.value, indent: deeper))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    default:
      return value.canonicalText()
    }
  }
}

extension JSONValue {
  /// None for a value that is no object.
  var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

  static func number(_ number: Int) -> JSONValue { .integer(Int64(number)) }
  static func time(_ date: Date?) -> JSONValue { ShownValue.time(date).json }
  static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
  static func numbers(_ numbers: [String: Int]) -> JSONValue { .object(numbers.mapValues { .integer(Int64($0)) }) }
}
