internal import Holdfast

/// The members of one line of a body, each taken once. `finish()` ends a line in which a member that nothing takes is an error, because what it
/// says would be lost. Only the head of an answer is not ended so: a newer server may add a member there.
///
/// A member that is null counts as left out.
struct WireObject {
  private var members: [String: JSONValue]

  /// - Throws: `.invalidSource` for anything but one JSON object, for more than 512 levels, and for an object that has a key twice.
  init(_ line: some Sequence<UInt8>) throws {
    let value = try JSONDocument(Array(line)).whole { try $0.value() }
    guard case .object(let members) = value else { throw Self.wrong("it is not a JSON object") }
    self.members = members
  }

  mutating func take(_ name: String) -> JSONValue? {
    let value = members.removeValue(forKey: name)
    return value == .null ? nil : value
  }

  /// - Throws: `.invalidSource` for anything but a whole number of this range, without a point.
  mutating func number(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
    guard let value = take(name) else { return nil }
    guard case .integer(let number) = value, range.contains(number) else {
      throw Self.wrong("\"\(name)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func text(_ name: String) throws -> String? {
    guard let value = take(name) else { return nil }
    guard case .string(let text) = value else { throw Self.wrong("\"\(name)\" is not a string") }
    return text
  }

  mutating func flag(_ name: String) throws -> Bool? {
    guard let value = take(name) else { return nil }
    guard case .bool(let flag) = value else { throw Self.wrong("\"\(name)\" is neither true nor false") }
    return flag
  }

  mutating func object(_ name: String) throws -> [String: JSONValue]? {
    guard let value = take(name) else { return nil }
    guard case .object(let members) = value else { throw Self.wrong("\"\(name)\" is not an object") }
    return members
  }

  mutating func list(_ name: String) throws -> [JSONValue]? {
    guard let value = take(name) else { return nil }
    guard case .array(let elements) = value else { throw Self.wrong("\"\(name)\" is not a list") }
    return elements
  }

  /// - Throws: `.invalidSource` when members are left.
  func finish() throws {
    guard let name = members.keys.min() else { return }
    throw Self.wrong("it has a member that does not belong there: \(JSONValue.string(String(name.prefix(64))).canonicalText())")
  }

  /// - Throws: `.invalidSource` when the member was left out.
  static func required<T>(_ name: String, _ value: T?) throws -> T {
    guard let value else { throw wrong("\"\(name)\" is missing") }
    return value
  }

  static func wrong(_ message: String) -> StoreError { StoreError(.invalidSource, message) }
}
