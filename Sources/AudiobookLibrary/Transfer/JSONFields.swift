import Foundation
import Holdfast

/// The fields of one JSON object, read leniently: the first thing that is wrong is remembered, and the record goes into
/// quarantine for it, while the document is read on.
struct JSONFields {
  /// What is wrong, for a person.
  private(set) var problem: String?
  private var seen: [String] = []

  mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// Notes the key, and a repetition of it: which of the two is meant cannot be known.
  mutating func note(_ key: String) {
    if seen.contains(key) { fail("\(key) stands twice") }
    seen.append(key)
  }

  func has(_ key: String) -> Bool { seen.contains(key) }

  mutating func require(_ keys: String...) {
    for key in keys where !seen.contains(key) { fail("\(key) is missing") }
  }

  mutating func text(_ key: String, _ value: inout JSONScanner) throws -> String {
    try read(key, .string, "a text", "", &value) { try $0.string() }
  }

  mutating func textOrNil(_ key: String, _ value: inout JSONScanner) throws -> String? {
    try isNull(key, &value) ? nil : text(key, &value)
  }

  mutating func double(_ key: String, _ value: inout JSONScanner) throws -> Double {
    try read(key, .number, "a number", 0, &value) { try $0.double() }
  }

  mutating func doubleOrNil(_ key: String, _ value: inout JSONScanner) throws -> Double? {
    try isNull(key, &value) ? nil : double(key, &value)
  }

  mutating func bool(_ key: String, _ value: inout JSONScanner) throws -> Bool {
    try read(key, .bool, "true or false", false, &value) { try $0.bool() }
  }

  mutating func int64(_ key: String, _ value: inout JSONScanner) throws -> Int64 {
    try read(key, .number, "a whole number", 0, &value) { value in
      // A number that is not whole is wrong in this record only; the document goes on.
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

  mutating func id(_ key: String, _ value: inout JSONScanner) throws -> UUID? {
    let text = try text(key, &value)
    if problem == nil, IDCodec.parse(text) == nil { fail("\(key) is not an id: \(text.prefix(60))") }
    return IDCodec.parse(text)
  }

  mutating func idOrNil(_ key: String, _ value: inout JSONScanner) throws -> UUID? {
    try isNull(key, &value) ? nil : id(key, &value)
  }

  mutating func date(_ key: String, _ value: inout JSONScanner) throws -> Date {
    let text = try text(key, &value)
    if let milliseconds = DateCodec.parseISO8601(text), let date = DateCodec.date(milliseconds: milliseconds) { return date }
    fail("\(key) is not a date: \(text.prefix(60))")
    return Date(timeIntervalSince1970: 0)
  }

  mutating func dateOrNil(_ key: String, _ value: inout JSONScanner) throws -> Date? {
    try isNull(key, &value) ? nil : date(key, &value)
  }

  /// A map of texts, as JSON text with sorted keys.
  mutating func textMap(_ key: String, _ value: inout JSONScanner) throws -> JSONColumn<[String: String]> {
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
    return JSONColumn(text: JSONValue.object(members).canonicalText())
  }

  /// `{"type": …, …}`: of a kind that is known its content without the type, of another the text word for word.
  mutating func tagged<Kind: TaggedKind>(
    _ key: String, _ value: inout JSONScanner, known: Set<String>, in document: JSONDocument
  ) throws -> Tagged<Kind> {
    let start = value
    var raw = start
    let original = document.bytes(try raw.skip())
    guard case .object(var members) = try tree(key, &value), case .string(let type)? = members["type"] else {
      fail("\(key) should be an object with a type")
      return Tagged(type: "", payload: "{}")
    }
    guard known.contains(type) else { return Tagged(type: type, payload: String(decoding: original, as: UTF8.self)) }
    members["type"] = nil
    let tagged = Tagged<Kind>(type: type, payload: JSONValue.object(members).canonicalText())
    if !tagged.isKnown { fail("\(key) of the kind \(type) lacks what that kind carries") }
    return tagged
  }

  /// A value as a tree. A key that stands twice in it is wrong in this record only.
  private mutating func tree(_ key: String, _ value: inout JSONScanner) throws -> JSONValue {
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
