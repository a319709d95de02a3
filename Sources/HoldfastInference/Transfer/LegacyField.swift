import Foundation
import Holdfast
import HoldfastTransfer

// The SDK's own databases say the same of a configuration, a model, a session in other words. One table a kind and a form says how each
// field is called there, how it goes into a row and how it comes back: reading, merging and verifying are loops over it.

/// One field of a record in one of the SDK's databases.
struct LegacyField<Row: Sendable>: Sendable {
  /// What a record without it is.
  enum Absence: Sendable {
    /// In quarantine.
    case fails
    /// One with the default, which is the private one: the source says nothing of it.
    case keeps
    /// One that says that there is none.
    case empties
  }

  /// As the source spells it; a point leads into an object: `routing.policy`.
  let name: String
  /// For people: a text.
  let what: String
  private(set) var absence: Absence
  /// Only where the record has this object, the field must be there.
  private(set) var object: String?
  /// The stored value in the source's form.
  let get: @Sendable (Row) -> JSONValue
  /// Puts what the source has into the row, and returns it in the form that `get` gives back; nil, with the row as it was, where it is
  /// of a wrong kind.
  let take: @Sendable (JSONValue, inout Row) -> JSONValue?
  /// Puts what the first row has into the second.
  let copy: @Sendable (Row, inout Row) -> Void

  init<Value: Sendable>(
    _ name: String, _ what: String, _ absence: Absence, _ path: any WritableKeyPath<Row, Value> & Sendable,
    get: @escaping @Sendable (Value) -> JSONValue, read: @escaping @Sendable (JSONValue) -> Written<Value>?
  ) {
    self.name = name
    self.what = what
    self.absence = absence
    self.get = { get($0[keyPath: path]) }
    take = { value, row in
      guard let written = read(value) else { return nil }
      row[keyPath: path] = written.value
      return written.text
    }
    copy = { $1[keyPath: path] = $0[keyPath: path] }
  }

  var required: Self { with { $0.absence = .fails } }

  /// Where the record has no such object, the row is left as it is.
  func required(in object: String) -> Self { with { $0.object = object } }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var field = self
    change(&field)
    return field
  }
}

extension LegacyField {
  typealias Path<Value> = any WritableKeyPath<Row, Value> & Sendable

  /// A field that may hold nothing, besides what `read` takes.
  private init<Value: Sendable>(
    optional name: String, _ what: String, _ path: Path<Value?>, get: @escaping @Sendable (Value) -> JSONValue,
    read: @escaping @Sendable (JSONValue) -> Written<Value>?
  ) {
    self.init(name, what, .empties, path) {
      $0.map(get) ?? .null
    } read: { value in
      if value == .null { return Written(value: nil, text: .null) }
      return read(value).map { Written(value: $0.value, text: $0.text) }
    }
  }

  // MARK: Texts

  static func text(_ name: String, _ path: Path<String>) -> Self {
    Self(name, "a text", .keeps, path, get: JSONValue.string, read: LegacyValue.text)
  }

  static func textOrNil(_ name: String, _ path: Path<String?>) -> Self {
    Self(optional: name, "a text", path, get: JSONValue.string, read: LegacyValue.text)
  }

  /// An empty text is none.
  static func filledText(_ name: String, _ path: Path<String?>) -> Self {
    let field = textOrNil(name, path)
    return Self(name, field.what, .empties, path) {
      JSONValue.text($0)
    } read: { value in
      if value == .null || value == .string("") { return Written(value: nil, text: .null) }
      return LegacyValue.text(value).map { Written(value: $0.value, text: $0.text) }
    }
  }

  /// A text that stands for one of ours.
  ///
  /// - Parameter words: the source's word first.
  static func text(_ name: String, _ path: Path<String>, words: [(theirs: String, ours: String)]) -> Self {
    @Sendable func theirs(_ ours: String) -> JSONValue { .string(words.first { $0.ours == ours }?.theirs ?? ours) }
    return Self(name, "a text", .keeps, path, get: theirs) { value in
      guard case .string(let text) = value else { return nil }
      let ours = words.first { $0.theirs == text }?.ours ?? text
      return Written(value: ours, text: theirs(ours))
    }
  }

  static func texts(_ name: String, _ path: Path<[String]>) -> Self {
    Self(name, "a list of texts", .keeps, path, get: LegacyValue.list, read: LegacyValue.texts)
  }

  static func textsOrNil(_ name: String, _ path: Path<[String]?>) -> Self {
    Self(optional: name, "a list of texts", path, get: LegacyValue.list, read: LegacyValue.texts)
  }

  static func id(_ name: String, _ path: Path<UUID>) -> Self {
    Self(name, "an id", .fails, path, get: JSONValue.id) { value in
      if case .string(let text) = value { Written(id: text) } else { nil }
    }
  }

  static func base64(_ name: String, _ path: Path<Data?>) -> Self {
    Self(optional: name, "bytes in base64", path) {
      .string($0.base64EncodedString())
    } read: { value in
      guard case .string(let text) = value, let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
      return Written(value: data, text: value)
    }
  }

  // MARK: Numbers

  static func bool(_ name: String, _ path: Path<Bool>) -> Self {
    Self(name, "true or false", .keeps, path, get: JSONValue.bool, read: LegacyValue.bool)
  }

  static func boolOrNil(_ name: String, _ path: Path<Bool?>) -> Self {
    Self(optional: name, "true or false", path, get: JSONValue.bool, read: LegacyValue.bool)
  }

  static func int(_ name: String, _ path: Path<Int>) -> Self {
    Self(name, "a whole number", .keeps, path, get: { .integer(Int64($0)) }, read: LegacyValue.int)
  }

  static func intOrNil(_ name: String, _ path: Path<Int?>) -> Self {
    Self(optional: name, "a whole number", path, get: { .integer(Int64($0)) }, read: LegacyValue.int)
  }

  static func int64(_ name: String, _ path: Path<Int64>) -> Self {
    Self(name, "a whole number", .keeps, path, get: JSONValue.integer, read: LegacyValue.int64)
  }

  static func int64OrNil(_ name: String, _ path: Path<Int64?>) -> Self {
    Self(optional: name, "a whole number", path, get: JSONValue.integer, read: LegacyValue.int64)
  }

  static func double(_ name: String, _ path: Path<Double>) -> Self {
    Self(name, "a number", .keeps, path, get: JSONValue.double, read: LegacyValue.double)
  }

  static func doubleOrNil(_ name: String, _ path: Path<Double?>) -> Self {
    Self(optional: name, "a number", path, get: JSONValue.double, read: LegacyValue.double)
  }

  /// A number of seconds that is stored as milliseconds.
  static func seconds(_ name: String, _ path: Path<Double>) -> Self {
    Self(name, "a number", .keeps, path, get: { .double($0 / 1000) }, read: LegacyValue.seconds)
  }

  static func secondsOrNil(_ name: String, _ path: Path<Double?>) -> Self {
    Self(optional: name, "a number", path, get: { .double($0 / 1000) }, read: LegacyValue.seconds)
  }

  // MARK: Dates and objects

  static func date(_ name: String, _ path: Path<Date>, _ dates: LegacyDates) -> Self {
    Self(name, "a date", .fails, path, get: dates.value, read: dates.read)
  }

  static func dateOrNil(_ name: String, _ path: Path<Date?>, _ dates: LegacyDates) -> Self {
    Self(optional: name, "a date", path, get: dates.value, read: dates.read)
  }

  static func object(_ name: String, _ path: Path<[String: JSONValue]>) -> Self {
    Self(name, "an object", .keeps, path, get: JSONValue.object, read: LegacyValue.object)
  }

  static func objectOrNil(_ name: String, _ path: Path<[String: JSONValue]?>) -> Self {
    Self(optional: name, "an object", path, get: JSONValue.object, read: LegacyValue.object)
  }

  /// Two texts, which `LegacyMembers.pair` has made one.
  static func thinkingTags(_ name: String, _ path: Path<ThinkingTags?>) -> Self {
    Self(optional: name, "a text before a model's thinking and one behind it", path) { tags in
      .object(["open": .string(tags.open), "close": .string(tags.close)])
    } read: { value in
      guard case .object(let members) = value, let open = members.string("open"), let close = members.string("close") else { return nil }
      return Written(value: ThinkingTags(open: open, close: close), text: value)
    }
  }
}
