import ArgumentParser
import Foundation
import Holdfast

/// A condition on one field of a list, as a person types it: `year>=1998`. The field is named as in the JSON document of a line.
struct Condition: Sendable {
  enum Sign: String, CaseIterable {
    case equal = "="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case more = ">"
    case atLeast = ">="
    case contains = "~"
  }

  static let signs = Sign.allCases.map(\.rawValue).joined(separator: ", ")
  private static let letters: Set<Character> = ["=", "!", "<", ">", "~"]

  let field: String
  let sign: Sign
  let text: String
  private let folded: String
  private let number: JSONValue?

  /// - Throws: `ValidationError` that names the signs.
  init(typed: String) throws {
    let start = typed.firstIndex(where: Self.letters.contains) ?? typed.endIndex
    let end = typed[start...].firstIndex { !Self.letters.contains($0) } ?? typed.endIndex
    field = typed[..<start].trimmingCharacters(in: .whitespaces)
    text = typed[end...].trimmingCharacters(in: .whitespaces)
    folded = SortText.folded(text)
    number = Self.number(text)
    guard !field.isEmpty, let sign = Sign(rawValue: String(typed[start..<end])) else {
      throw ValidationError("\"\(typed)\" is no condition: write a field, one of \(Self.signs) (contains), and a text or a number.")
    }
    self.sign = sign
  }

  /// Whether numbers can be compared with the text.
  var suitsNumbers: Bool { sign == .contains || text.isEmpty || number != nil }

  /// A finite number in decimal form. Swift also reads `0x10`, `inf` and `nan`.
  private static func number(_ text: String) -> JSONValue? {
    guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains) else { return nil }
    return Int64(text).map(JSONValue.integer) ?? Double(text).flatMap { $0.isFinite ? .double($0) : nil }
  }

  /// Whether a value fulfils the condition. Of a list of values one must; for `!=` all.
  ///
  /// Texts compare without case and accents, numbers as numbers. An unknown value equals an empty text, and is neither less nor more. A UUID
  /// equals its beginnings of eight characters and more, as tables show them.
  func holds(for value: JSONValue) -> Bool {
    if case .array(let values) = value { return sign == .unequal ? values.allSatisfy(holds) : values.contains(where: holds) }
    return switch sign {
    case .equal: equals(value)
    case .unequal: !equals(value)
    case .contains: contains(value)
    case .less: compares(value) { $0 < $1 }
    case .atMost: compares(value) { !($1 < $0) }
    case .more: compares(value) { $1 < $0 }
    case .atLeast: compares(value) { !($0 < $1) }
    }
  }

  private func equals(_ value: JSONValue) -> Bool {
    switch value {
    case .null: text.isEmpty
    case .bool, .array, .object: value.canonicalText() == text
    case .string(let found) where text.utf8.count >= 8 && IDCodec.parse(found) != nil: found.lowercased().hasPrefix(text.lowercased())
    case .integer, .double, .string: compares(value) { !($0 < $1) && !($1 < $0) }
    }
  }

  private func contains(_ value: JSONValue) -> Bool {
    switch value {
    case .null: text.isEmpty
    case .string(let found): folded.isEmpty || SortText.folded(found).contains(folded)
    default: value.canonicalText().contains(text)
    }
  }

  /// False where the text is no value of the same kind.
  private func compares(_ value: JSONValue, _ body: (OrderedValue, OrderedValue) -> Bool) -> Bool {
    let wanted: JSONValue?
    switch value {
    case .string: wanted = .string(text)
    case .integer, .double: wanted = number
    default: wanted = nil
    }
    guard let one = OrderedValue(value), let other = wanted.flatMap(OrderedValue.init) else { return false }
    return body(one, other)
  }
}

/// A value as lists order it: numbers, then texts without case and accents, then others by their JSON.
enum OrderedValue: Comparable {
  case integer(Int64)
  case real(Double)
  case text(String)
  case other(String)

  /// Nil for an unknown value.
  init?(_ value: JSONValue) {
    switch value {
    case .null: return nil
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(SortText.folded(text))
    default: self = .other(value.canonicalText())
    }
  }

  static func < (one: OrderedValue, other: OrderedValue) -> Bool {
    switch (one, other) {
    case (.integer(let first), .integer(let second)): first < second
    case (.integer(let first), .real(let second)): Double(first) < second
    case (.real(let first), .integer(let second)): first < Double(second)
    case (.real(let first), .real(let second)): first < second
    case (.text(let first), .text(let second)), (.other(let first), .other(let second)): first < second
    default: one.rank < other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .integer, .real: 0
    case .text: 1
    case .other: 2
    }
  }
}
