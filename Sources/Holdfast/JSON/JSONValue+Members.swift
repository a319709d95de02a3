extension JSONValue {
  /// Parses JSON text. Nil when the text is not valid JSON.
  public init?(json text: String) {
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    guard let value = try? scanner.value(), (try? scanner.finish()) != nil else { return nil }
    self = value
  }

  /// The value of a number without a fraction, however it is written; nil for any other value, and for numbers beyond 64 bits.
  public var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// The value of a finite number; nil for any other value, and for an integer that a `Double` cannot hold exactly.
  public var finiteNumber: Double? {
    switch self {
    case .integer(let number): Double(exactly: number)
    case .double(let number) where number.isFinite: number
    default: nil
    }
  }

  /// The elements of an array of strings; nil for any other value.
  public var texts: [String]? {
    guard case .array(let elements) = self else { return nil }
    let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return texts.count == elements.count ? texts : nil
  }
}

extension [String: JSONValue] {
  /// Parses the text of one JSON object. Nil when the text is not valid JSON, or another value.
  public init?(json text: String) {
    guard case .object(let members)? = JSONValue(json: text) else { return nil }
    self = members
  }

  /// The string of a member; nil when the member is missing or not a string.
  public func string(_ key: String) -> String? {
    if case .string(let text)? = self[key] { text } else { nil }
  }
}
