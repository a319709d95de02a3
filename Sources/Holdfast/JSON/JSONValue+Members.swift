extension JSONValue {
  /// What a text of JSON says. Nil when it is no JSON.
  public init?(json text: String) {
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    guard let value = try? scanner.value(), (try? scanner.finish()) != nil else { return nil }
    self = value
  }

  /// A number without a fraction, however it is written; nil for anything else, and for what 64 bits do not hold.
  public var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// A finite number; nil for anything else, and for a whole one that a `Double` does not hold.
  public var finiteNumber: Double? {
    switch self {
    case .integer(let number): Double(exactly: number)
    case .double(let number) where number.isFinite: number
    default: nil
    }
  }

  /// The texts of a list of nothing else.
  public var texts: [String]? {
    guard case .array(let elements) = self else { return nil }
    let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return texts.count == elements.count ? texts : nil
  }
}

extension [String: JSONValue] {
  /// The members of the one object that `text` is. Nil when it is anything else, or no JSON.
  public init?(json text: String) {
    guard case .object(let members)? = JSONValue(json: text) else { return nil }
    self = members
  }

  /// The text of a member; nil when there is none, or it is no text.
  public func string(_ key: String) -> String? {
    if case .string(let text)? = self[key] { text } else { nil }
  }
}
