import Foundation

/// Names of properties whose values are secret: telemetry takes such a property as `(secret)`.
///
/// Names are compared without case, and without anything but letters and digits: `API-Key` is `apikey`. Secret is every name that
/// contains one of `words`, the names `token`, `jwt` and `pin`, and those that an app adds. So `openai_api_key` is secret, and
/// `prompt_tokens` is not.
public struct SecretProperties: Sendable, Hashable {
  /// What stands in the place of a secret.
  public static let mask = "(secret)"

  /// A name that contains one of these is secret.
  public static let words = [
    "apikey", "secret", "password", "passwd", "passphrase", "passcode", "credential", "authorization", "bearer", "cookie", "privatekey",
    "accesskey", "accesstoken", "authtoken", "refreshtoken", "sessiontoken", "idtoken",
  ]

  /// Without names of an app.
  public static let standard = SecretProperties()

  private var names: Set<String> = ["token", "jwt", "pin"]

  /// - Parameter more: names that are secret, too; each is a whole name.
  public init(adding more: [String] = []) {
    for name in more { names.insert(Self.plain(name)) }
  }

  /// Whether the value under this name is secret.
  public func contains(_ name: String) -> Bool {
    let name = Self.plain(name)
    return names.contains(name) || Self.words.contains(where: name.contains)
  }

  /// What of a name is compared.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}
