/// A JSON value as a tree.
///
/// Values of different kinds are never equal: the integer 1 is not the double 1.0. Strings and keys compare as in Swift.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// A number written without a point and without an exponent that fits 64 bits.
  case integer(Int64)
  /// Any other number.
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The canonical text of this value: equal values have the same text. A scanner reads it back as an equal tree.
  ///
  /// Keys are ordered by their UTF-8 bytes. No white space. Only the escapes that JSON demands, so `/` is not escaped. A double is written
  /// as the shortest text that reads back as the same number, with a point or an exponent; -0.0 is written as `0.0`, because the two are
  /// equal. Infinity and NaN, which JSON lacks, become `null`.
  public func canonicalText() -> String {
    var text: [UInt8] = []
    // The pieces still to be written, the last first. A recursion could overflow the stack, because trees can be deep.
    var pending: [Piece] = [.value(self)]
    while let piece = pending.popLast() {
      switch piece {
      case .mark(let mark): text.append(mark)
      case .key(let key): Self.write(key, into: &text)
      case .value(let value): value.write(into: &text, &pending)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  init(_ number: JSONNumber) {
    if number.isWhole, let value = number.int64 { self = .integer(value) } else { self = .double(number.double) }
  }

  private enum Piece {
    case value(JSONValue)
    case key(String)
    case mark(UInt8)
  }

  private func write(into text: inout [UInt8], _ pending: inout [Piece]) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let value): text += (value ? "true" : "false").utf8
    case .integer(let value): text += value.description.utf8
    case .double(let value): text += (value == 0 ? "0.0" : value.isFinite ? value.description : "null").utf8
    case .string(let value): Self.write(value, into: &text)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      pending.append(.mark(UInt8(ascii: "]")))
      for (index, element) in elements.enumerated().reversed() {
        pending.append(.value(element))
        if index > 0 { pending.append(.mark(UInt8(ascii: ","))) }
      }
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      if sorted.allSatisfy({ !$0.value.isContainer }) {
        for (index, member) in sorted.enumerated() {
          if index > 0 { text.append(UInt8(ascii: ",")) }
          Self.write(member.key, into: &text)
          text.append(UInt8(ascii: ":"))
          member.value.write(into: &text, &pending)
        }
        text.append(UInt8(ascii: "}"))
        return
      }
      pending.append(.mark(UInt8(ascii: "}")))
      for (index, member) in sorted.enumerated().reversed() {
        pending += [.value(member.value), .mark(UInt8(ascii: ":")), .key(member.key)]
        if index > 0 { pending.append(.mark(UInt8(ascii: ","))) }
      }
    }
  }

  private var isContainer: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  private static func write(_ string: String, into text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    let isPlain: Bool? = string.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else { return false }
      text.append(contentsOf: bytes)
      return true
    }
    if isPlain == true { return text.append(UInt8(ascii: "\"")) }
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): text += #"\""#.utf8
      case UInt8(ascii: "\\"): text += #"\\"#.utf8
      case 0x08: text += #"\b"#.utf8
      case 0x09: text += #"\t"#.utf8
      case 0x0A: text += #"\n"#.utf8
      case 0x0C: text += #"\f"#.utf8
      case 0x0D: text += #"\r"#.utf8
      case ..<0x20: text += "\(#"\u00"#)\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

/// Builds a tree from a walk.
struct JSONTree: JSONVisitor {
  private(set) var root = JSONValue.null
  private var open: [Container] = []

  private struct Container {
    let isObject: Bool
    var elements: [JSONValue] = []
    var members: [String: JSONValue] = [:]
    /// The key of the member whose value is being read.
    var key = ""
  }

  mutating func open(_ kind: JSONKind) {
    open.append(Container(isObject: kind == .object))
  }

  mutating func close() {
    guard let container = open.popLast() else { return }
    add(container.isObject ? .object(container.members) : .array(container.elements))
  }

  mutating func key(_ token: JSONStringToken) throws(JSONTokenFailure) {
    guard let last = open.indices.last else { return }
    let key = token.string
    guard open[last].members[key] == nil else {
      let shown = JSONValue.string(String(key.unicodeScalars.prefix(64))).canonicalText()
      throw JSONTokenFailure(offset: token.start - 1, expected: "a key that the object does not have yet", found: "duplicate key \(shown)")
    }
    open[last].key = key
  }

  mutating func string(_ token: JSONStringToken) {
    add(.string(token.string))
  }

  mutating func number(_ number: JSONNumber) {
    add(JSONValue(number))
  }

  mutating func bool(_ value: Bool) { add(.bool(value)) }
  mutating func null() { add(.null) }

  private mutating func add(_ value: JSONValue) {
    guard let last = open.indices.last else {
      root = value
      return
    }
    if open[last].isObject {
      open[last].members[open[last].key] = value
    } else {
      open[last].elements.append(value)
    }
  }
}
