import Foundation
import Holdfast

/// The fields of one JSON object, read leniently: the first thing that is wrong is remembered, and the record goes into
/// quarantine for it, while the document is read on.
struct JSONFields {
  /// What is wrong, for a person.
  private(set) var problem: String?
  /// Bit n: the nth key of `keys` was there.
  private var seen: UInt32 = 0
  /// The keys that this object may have.
  private let keys: [StaticString]

  init(keys: [StaticString]) { self.keys = keys }

  mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// The number of a key among `keys`, or nil for one that is not known. A key that stands twice is a problem: which of
  /// the two is meant cannot be known.
  mutating func number(of key: JSONKey) -> Int? {
    guard let number = keys.firstIndex(where: { key == $0 }) else { return nil }
    let bit = UInt32(1) << UInt32(number)
    if seen & bit != 0 { fail("\(keys[number]) stands twice") }
    seen |= bit
    return number
  }

  /// The first `count` keys must have been there.
  mutating func requireFirst(_ count: Int) {
    for (number, key) in keys.prefix(count).enumerated() where seen & (UInt32(1) << UInt32(number)) == 0 { fail("\(key) is missing") }
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

  mutating func id(_ key: String, _ value: inout JSONScanner) throws -> Written<UUID>? {
    let text = try text(key, &value)
    guard problem == nil else { return nil }
    if let id = Written(id: text) { return id }
    fail("\(key) is not an id: \(text.prefix(60))")
    return nil
  }

  mutating func idOrNil(_ key: String, _ value: inout JSONScanner) throws -> Written<UUID>? {
    try isNull(key, &value) ? nil : id(key, &value)
  }

  mutating func date(_ key: String, _ value: inout JSONScanner) throws -> Written<Date>? {
    let text = try text(key, &value)
    guard problem == nil else { return nil }
    if let date = Written(date: text) { return date }
    fail("\(key) is not a date: \(text.prefix(60))")
    return nil
  }

  mutating func dateOrNil(_ key: String, _ value: inout JSONScanner) throws -> Written<Date>? {
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
  mutating func tagged<Kind: MemberDecodable>(
    _ key: String, _ value: inout JSONScanner, in document: JSONDocument
  ) throws -> Tagged<Kind> {
    let start = value
    guard case .object(var members) = try tree(key, &value), case .string(let type)? = members["type"] else {
      fail("\(key) should be an object with a type")
      return Tagged(type: "", payload: "{}")
    }
    guard Kind.knownTypes.contains(type) else {
      var raw = start
      return Tagged(type: type, payload: String(decoding: document.bytes(try raw.skip()), as: UTF8.self))
    }
    if Kind(type: type, members: members) == nil { fail("\(key) of the kind \(type) lacks what that kind carries") }
    members["type"] = nil
    return Tagged(type: type, payload: JSONValue.object(members).canonicalText())
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

/// A value with the text that the source has for it: verification compares the text with what the store gives back, so a
/// conversion that is wrong in both directions is found.
struct Written<Value: Sendable>: Sendable {
  let value: Value
  let text: JSONValue
}

extension Written<UUID> {
  /// Ids come in either case; they are compared in upper case, as the app wrote them.
  init?(id text: String) {
    guard let id = IDCodec.parse(text) else { return nil }
    self.init(value: id, text: .string(text.uppercased()))
  }
}

extension Written<Date> {
  /// Whole seconds in UTC are compared as they stand. Another way to write a time must mean the same to Foundation's parser,
  /// which shares nothing with the kit's; it is then compared in the first form.
  init?(date text: String) {
    guard let milliseconds = DateCodec.parseISO8601(text), let date = DateCodec.date(milliseconds: milliseconds) else { return nil }
    if text.utf8.count == 20, text.utf8.last == UInt8(ascii: "Z") {
      self.init(value: date, text: .string(text))
      return
    }
    guard Self.independentMilliseconds(text) == milliseconds else { return nil }
    self.init(value: date, text: .string(DateCodec.iso8601(milliseconds, fraction: milliseconds % 1000 != 0)))
  }

  /// Foundation reads at most three digits of a fraction: it gets the text without, and the digits are added to that.
  private static func independentMilliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard let whole = parts.first else { return nil }
    let digits = parts.count == 2 ? parts[1].prefix { $0.isNumber } : ""
    let zone = parts.count == 2 ? parts[1].dropFirst(digits.count) : ""
    guard let date = try? Date(String(whole + zone), strategy: Date.ISO8601FormatStyle()),
      let seconds = Int64(exactly: date.timeIntervalSince1970), seconds.magnitude < 1 << 40,
      let microseconds = Int64((digits + "000000").prefix(6))
    else { return nil }
    let exact = Double(seconds * 1000) + Double(microseconds) / 1000
    return Int64(exact.rounded(.toNearestOrAwayFromZero))
  }
}
