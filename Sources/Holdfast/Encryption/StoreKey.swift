public import Foundation

/// The key of an encrypted store: 32 random bytes, from which no other key is derived. Without it the store cannot be read.
///
/// ```swift
/// options.key = try StoreKey(keychain.data(for: "library"))
/// ```
/// No description of a key shows its bytes, so no log and no error can.
public struct StoreKey: Sendable, Equatable {
  /// The 32 bytes, for the place where the app keeps them.
  public let bytes: Data

  /// - Throws: `.invalidValue` for another number of bytes than 32. A password is no key: derive one from it, with a function made for that.
  public init(_ bytes: Data) throws {
    guard bytes.count == 32 else {
      throw StoreError(
        .invalidValue, "the key of a store has \(bytes.count) bytes instead of 32",
        suggestion: "Make one with StoreKey.random(), and keep it.")
    }
    self.bytes = Data(bytes)
  }

  /// A key as text: 64 hexadecimal digits, or Base64. White space around it does not count.
  ///
  /// - Throws: `.invalidValue` for other texts; the error does not contain the text.
  public init(text: String) throws {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    // 64 hexadecimal digits are valid Base64, too, but not of 32 bytes.
    guard let bytes = SHA256Hex.data(hex: text) ?? Data(base64Encoded: text), bytes.count == 32 else {
      throw StoreError(
        .invalidValue, "the text is not a key: a key is 32 bytes, as 64 hexadecimal digits or in Base64",
        suggestion: "Make one with `openssl rand -hex 32`, and keep it.")
    }
    self.bytes = bytes
  }

  /// A new key, of the system's random bytes. Keep `bytes` before a store is made with it.
  public static func random() -> StoreKey { StoreKey(unchecked: Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })) }

  private init(unchecked bytes: Data) { self.bytes = bytes }
}

extension StoreKey: CustomStringConvertible, CustomReflectable {
  /// Always `a key`.
  public var description: String { "a key" }
  /// Without the bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
