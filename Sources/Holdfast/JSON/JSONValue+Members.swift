extension [String: JSONValue] {
  /// The members of the one object that `text` is. Nil when it is anything else, or no JSON.
  public init?(json text: String) {
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    guard case .object(let members)? = try? scanner.value(), (try? scanner.finish()) != nil else { return nil }
    self = members
  }

  /// The text of a member; nil when there is none, or it is no text.
  public func string(_ key: String) -> String? {
    if case .string(let text)? = self[key] { text } else { nil }
  }
}
