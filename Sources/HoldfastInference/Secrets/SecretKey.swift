public import Foundation
import Holdfast

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// Loads the key that seals an app's secrets: from the keychain, for example.
///
/// ```swift
/// let inference = try InferenceStore.open(at: url, secretKey: SecretKey { try keychain.key(for: "inference") })
/// ```
/// The closure is called each time that a secret is sealed or opened, on any thread, and its result is not kept.
public struct SecretKey: Sendable {
  private let load: @Sendable () throws -> Data

  /// A key that a closure loads.
  ///
  /// - Parameter load: returns 32 random bytes, the same each time. The verb rethrows its errors.
  public init(_ load: @escaping @Sendable () throws -> Data) { self.load = load }

  /// - Throws: `.wrongKey` when the key is not 32 bytes long.
  func key() throws -> SymmetricKey {
    let bytes = try load()
    guard bytes.count == 32 else {
      throw StoreError(
        .wrongKey, "the key for secrets has \(bytes.count) bytes instead of 32", suggestion: "Make one of 32 random bytes, and keep it.")
    }
    return SymmetricKey(data: bytes)
  }
}

/// A stored secret: AES-GCM with a random nonce, bound to its name, so that it cannot replace another secret.
struct SealedSecret {
  var sealed: Data
  /// Distinguishes a wrong key from a damaged secret, without revealing anything about the key.
  var keyCheck: Data

  init(sealed: Data, keyCheck: Data) {
    self.sealed = sealed
    self.keyCheck = keyCheck
  }

  init(_ value: String, named name: String, with key: SymmetricKey) throws {
    let box = try AES.GCM.seal(Data(value.utf8), using: key, authenticating: Data(name.utf8))
    // Nil only for nonces of another length than the one that `seal` chooses.
    guard let combined = box.combined else { throw StoreError(.invalidValue, "the secret \(name) cannot be sealed") }
    self.init(sealed: combined, keyCheck: Self.check(of: key))
  }

  func open(named name: String, with key: SymmetricKey) throws -> String {
    guard keyCheck == Self.check(of: key) else {
      throw StoreError(
        .wrongKey, "the secret \(name) was sealed with another key", suggestion: "Give the key it was sealed with, or set the secret again."
      )
    }
    do {
      let bytes: Data = try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Data(name.utf8))
      guard let text = String(validUTF8: bytes) else { throw CocoaError(.coderReadCorrupt) }
      return text
    } catch {
      throw StoreError(.damaged, "the secret \(name) is damaged", suggestion: "Set the secret again.")
    }
  }

  /// HKDF's output reveals nothing about its key (RFC 5869, section 2.3).
  private static func check(of key: SymmetricKey) -> Data {
    let derived = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data("holdfast secret key check".utf8), outputByteCount: 16)
    return derived.withUnsafeBytes { Data($0) }
  }
}
