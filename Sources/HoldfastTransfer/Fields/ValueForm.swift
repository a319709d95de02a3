public import Foundation
public import Holdfast

/// The form in which a source writes one kind of value: reads the source's JSON, and writes a stored value as the source would.
///
/// Verification compares the written form. So a form writes the source's own notation, not its meaning: seconds since 2001 stay seconds
/// since 2001. The forms below serve most fields; an app makes its own form with `init(_:write:read:)`.
public struct ValueForm<Value: Sendable>: Sendable {
  /// The kind of value, for people: `a text`.
  public let what: String
  @usableFromInline let write: @Sendable (Value, _ said: JSONValue) -> JSONValue
  /// Reads the source's value, with the text to compare; nil for a value of another kind.
  public let read: @Sendable (JSONValue) -> Written<Value>?
  /// What a database's column of this form holds.
  @usableFromInline let column: ColumnForm

  /// Makes a form of an app's own.
  ///
  /// - Parameters:
  ///   - write: writes a stored value in the source's form.
  ///   - read: reads the value, with the text that `write` must return for it; nil for a value of another kind.
  public init(
    _ what: String, write: @escaping @Sendable (Value) -> JSONValue, read: @escaping @Sendable (JSONValue) -> Written<Value>?
  ) {
    self.init(what, .plain, writeAs: { value, _ in write(value) }, read: read)
  }

  /// Makes a form in which one value can be written in several ways.
  ///
  /// - Parameter writeAs: writes a stored value in the source's way; its second argument is the source's value.
  public init(
    _ what: String, writeAs: @escaping @Sendable (Value, JSONValue) -> JSONValue,
    read: @escaping @Sendable (JSONValue) -> Written<Value>?
  ) {
    self.init(what, .plain, writeAs: writeAs, read: read)
  }

  @usableFromInline
  init(
    _ what: String, _ column: ColumnForm, writeAs: @escaping @Sendable (Value, JSONValue) -> JSONValue,
    read: @escaping @Sendable (JSONValue) -> Written<Value>?
  ) {
    (self.what, self.column, self.write, self.read) = (what, column, writeAs, read)
  }

  /// A stored value in the source's form.
  @inlinable
  public func text(of value: Value) -> JSONValue { write(value, .null) }

  /// The same form without values for which `isRight` is false, for example a rating of 50 where only 0 to 5 is allowed.
  @inlinable
  public func only(_ what: String, _ isRight: @escaping @Sendable (Value) -> Bool) -> ValueForm {
    ValueForm(what, column, writeAs: write) { json in read(json).flatMap { isRight($0.value) ? $0 : nil } }
  }

  /// The same form, in which null means `value`.
  @inlinable
  public func otherwise(_ value: Value) -> ValueForm {
    ValueForm(what, column, writeAs: write) { json in
      json == .null ? Written(value: value, text: write(value, json)) : read(json)
    }
  }

  /// The same form, in which null means nil.
  @inlinable
  public var orNil: ValueForm<Value?> {
    ValueForm<Value?>(what, column) { value, said in
      value.map { write($0, said) } ?? .null
    } read: { json in
      json == .null ? Written(value: nil, text: .null) : read(json).map { Written(value: $0.value, text: $0.text) }
    }
  }

  /// The same form, in which null and one value of the source mean nil: an empty text, or 0.
  ///
  /// - Parameter nothing: that value, in the form of `text(of:)`.
  @inlinable
  public func orNil(also nothing: JSONValue) -> ValueForm<Value?> {
    let form = orNil
    return ValueForm<Value?>(form.what, column, writeAs: form.write) { json in
      form.read(json).map { $0.text == nothing ? Written(value: nil, text: .null) : $0 }
    }
  }

  /// The same form for another type.
  @inlinable
  public func map<Other>(
    _ make: @escaping @Sendable (Value) -> Other, back: @escaping @Sendable (Other) -> Value
  ) -> ValueForm<Other> {
    ValueForm<Other>(what, column) { value, said in
      write(back(value), said)
    } read: { json in
      read(json).map { Written(value: make($0.value), text: $0.text) }
    }
  }
}

/// How a column of another program's database holds a value that JSON has no kind for.
@usableFromInline
enum ColumnForm: Sendable {
  case plain
  /// A UUID as 16 bytes, or as text.
  case id
  /// JSON as text, or as the bytes of that text.
  case json
  /// Bytes.
  case bytes
}

// MARK: Texts

extension ValueForm<String> {
  /// A text.
  public static var text: ValueForm {
    ValueForm("a text", write: JSONValue.string) { json in
      if case .string(let text) = json { Written(value: text, text: json) } else { nil }
    }
  }

  /// A word that stands for one of the store's words. Other words stay unchanged.
  ///
  /// - Parameter words: the source's word, then the store's. When two words have one meaning, the first is compared.
  public static func text(_ words: [(theirs: String, ours: String)]) -> ValueForm {
    @Sendable func theirs(_ ours: String) -> JSONValue { .string(words.first { $0.ours == ours }?.theirs ?? ours) }
    return ValueForm("a text", write: theirs) { json in
      guard case .string(let text) = json else { return nil }
      let ours = words.first { $0.theirs == text }?.ours ?? text
      return Written(value: ours, text: theirs(ours))
    }
  }
}

extension ValueForm<String?> {
  /// A text. An empty text and null are nil.
  public static var filledText: ValueForm { ValueForm<String>.text.orNil(also: .string("")) }
}

extension ValueForm where Value: RawRepresentable, Value.RawValue == String {
  /// A text that is the raw value of a word. A text for which there is no word is wrong.
  public static var word: ValueForm {
    ValueForm("a text") { value in
      .string(value.rawValue)
    } read: { json in
      guard case .string(let text) = json, let word = Value(rawValue: text) else { return nil }
      return Written(value: word, text: json)
    }
  }
}

extension ValueForm<[String]> {
  /// A list of texts.
  public static var texts: ValueForm {
    ValueForm("a list of texts", .json) { texts, _ in
      .array(texts.map(JSONValue.string))
    } read: { json in
      json.texts.map { Written(value: $0, text: json) }
    }
  }
}

extension ValueForm<UUID> {
  /// An id, in upper or lower case; compared in upper case. In a database also 16 bytes.
  public static var id: ValueForm {
    ValueForm("a UUID", .id) { id, _ in
      .id(id)
    } read: { json in
      if case .string(let text) = json { Written(id: text) } else { nil }
    }
  }

  /// The number of a row in a table with numbers as keys. The id is derived from both: every import gives the same id, and so does a
  /// foreign key that names the same table.
  ///
  /// The id is `NewID.derived(from:)` of the table's name, a space and the number.
  public static func derived(from table: String) -> ValueForm {
    @Sendable func id(_ number: Int64) -> UUID { NewID.derived(from: "\(table) \(number)") }
    return ValueForm("a whole number") { value, said in
      said.wholeNumber.map(id) == value ? said : .id(value)
    } read: { json in
      json.wholeNumber.map { Written(value: id($0), text: json) }
    }
  }
}

extension ValueForm<Data> {
  /// Bytes in base64 without line breaks, or in a database the bytes themselves. A text that differs after decoding and encoding is wrong.
  public static var base64: ValueForm {
    ValueForm("bytes in base64", .bytes) { data, _ in
      .string(data.base64EncodedString())
    } read: { json in
      guard case .string(let text) = json, let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
      return Written(value: data, text: json)
    }
  }
}

// MARK: Numbers

extension ValueForm<Bool> {
  /// True or false, or a database's 1 or 0.
  public static var bool: ValueForm {
    ValueForm("true or false", write: JSONValue.bool) { json in
      switch json {
      case .bool(let flag): Written(value: flag, text: json)
      case .integer(let number) where number == 0 || number == 1: Written(value: number == 1, text: .bool(number == 1))
      default: nil
      }
    }
  }
}

extension ValueForm<Int64> {
  /// A number without a fraction, however it is written.
  public static var int64: ValueForm {
    ValueForm("a whole number", write: JSONValue.integer) { json in
      json.wholeNumber.map { Written(value: $0, text: .integer($0)) }
    }
  }
}

extension ValueForm<Int> {
  /// A number without a fraction, however it is written.
  public static var int: ValueForm {
    ValueForm("a whole number") {
      .integer(Int64($0))
    } read: { json in
      guard let number = json.wholeNumber, let value = Int(exactly: number) else { return nil }
      return Written(value: value, text: .integer(number))
    }
  }
}

extension ValueForm<Double> {
  /// A finite number. An integer that a `Double` cannot hold exactly is wrong.
  public static var double: ValueForm {
    ValueForm("a number", write: JSONValue.double) { json in
      json.finiteNumber.map { Written(value: $0, text: .double($0)) }
    }
  }

  /// Seconds in the source, stored as milliseconds. Compared after converting back, which changes at most the number's last two bits.
  public static var secondsAsMilliseconds: ValueForm {
    ValueForm("a number") {
      .double($0 / 1000)
    } read: { json in
      guard let seconds = json.finiteNumber else { return nil }
      let (stored, back) = (seconds * 1000, seconds * 1000 / 1000)
      guard stored.isFinite, abs(back - seconds) <= 2 * seconds.ulp else { return nil }
      return Written(value: stored, text: .double(back))
    }
  }
}

// MARK: Objects

extension ValueForm<[String: JSONValue]> {
  /// An object of any content.
  public static var object: ValueForm {
    ValueForm("an object", .json) { members, _ in
      .object(members)
    } read: { json in
      if case .object(let members) = json { Written(value: members, text: json) } else { nil }
    }
  }
}

extension ValueForm<StoredJSON<[String: String]>> {
  /// An object of texts, stored as JSON with sorted keys.
  public static var textMap: ValueForm {
    ValueForm("an object of texts", .json) { map, _ in
      [String: JSONValue](json: map.text).map(JSONValue.object) ?? .null
    } read: { json in
      guard case .object(let members) = json, members.values.allSatisfy({ if case .string = $0 { true } else { false } }) else {
        return nil
      }
      return Written(value: members.isEmpty ? .empty : StoredJSON(text: json.canonicalText()), text: json)
    }
  }
}
