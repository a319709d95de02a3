import Foundation
import Holdfast

/// Names of secret values. Telemetry records and sends `(secret)` instead of such a value; a preference with such a name is
/// refused, and is not sent. Only names are compared; values are not searched.
///
/// Names are compared without case, and only by letters and digits: `API-Key` is `apikey`. A name is secret if it contains one
/// of `words`, ends with one of `endings`, is one of `token`, `id_token`, `pwd`, `jwt` and `pin`, or was added by the app. A
/// name that ends with one of `measures` only describes a secret, and is not secret; `others` are ordinary words. So
/// `openai_api_key` and `sessionToken` are secret, and `prompt_tokens`, `time_to_first_token` and `api_key_count` are not.
public struct SecretProperties: Sendable, Hashable {
  /// The text that replaces a secret.
  public static let mask = "(secret)"

  /// A name that contains one of these is secret.
  public static let words = [
    "apikey", "secret", "password", "passwd", "passphrase", "passcode", "credential", "authorization", "bearer", "cookie", "privatekey",
    "accesskey", "signingkey", "encryptionkey", "apitoken", "accesstoken", "authtoken", "refreshtoken", "hftoken", "huggingfacetoken",
  ]

  /// A name that ends with one of these is secret. With an `s` at the end it counts a model's tokens: `session_tokens`.
  public static let endings = [
    "sessiontoken", "usertoken", "clienttoken", "devicetoken", "pushtoken", "securitytoken", "csrftoken", "xsrftoken", "githubtoken",
    "deploytoken", "bottoken", "jwttoken", "fcmtoken", "firebasetoken", "dbpwd", "userpwd", "openaikey", "authkey",
  ]

  /// Words that begin like one of `words`, but mean something else.
  public static let others = ["secretary", "secretaries", "passwordless", "cookiebanner"]

  /// A name that ends with one of these gives a number, a size, a kind or a time, and is not secret.
  public static let measures = [
    "count", "length", "size", "limit", "budget", "used", "usage", "persecond", "type", "status", "state", "consent", "policy", "expiry",
    "expiration", "expires", "expiresin", "expiresat", "createdat", "updatedat", "changedat", "required", "enabled", "attempts",
  ]

  /// The usual secret names alone.
  public static let standard = SecretProperties()

  private var names: Set<String> = ["token", "idtoken", "pwd", "jwt", "pin"]

  /// The usual secret names, and those of an app.
  ///
  /// - Parameter more: further secret names; each is compared as a whole.
  public init(adding more: [String] = []) {
    for name in more { names.insert(Self.plain(name)) }
  }

  /// Whether the value under this name is secret.
  public func contains(_ name: String) -> Bool {
    var name = Self.plain(name)
    if names.contains(name) { return true }
    for other in Self.others where name.contains(other) { name = name.replacingOccurrences(of: other, with: "") }
    guard Self.holdsWord(name) || Self.endings.contains(where: name.hasSuffix) else { return false }
    return !Self.measures.contains(where: name.hasSuffix)
  }

  /// The value with `mask` instead of every member with a secret name, at any depth. Null, true, false and an empty text are kept.
  func masked(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members): .object(masked(members))
    case .array(let elements): .array(elements.map(masked))
    default: value
    }
  }

  func masked(_ members: [String: JSONValue]) -> [String: JSONValue] {
    var masked = members
    for (name, value) in members {
      switch value {
      case .null, .bool, .string(""): break
      default: masked[name] = contains(name) ? .string(Self.mask) : self.masked(value)
      }
    }
    return masked
  }

  /// The part of a name that is compared.
  static func plain(_ name: String) -> String {
    guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return name.lowercased().filter { $0.isLetter || $0.isNumber } }
    let letters: [UInt8] = name.utf8.compactMap { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: nil
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  private static let wordBytes = words.map { Array($0.utf8) }

  /// Whether a plain name contains one of `words`.
  private static func holdsWord(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.allSatisfy({ $0 < 0x80 }) else { return words.contains(where: name.contains) }
    return wordBytes.contains { word in
      guard bytes.count >= word.count else { return false }
      return (0...bytes.count - word.count).contains { start in
        bytes[start] == word[0] && bytes[start..<start + word.count].elementsEqual(word)
      }
    }
  }
}
