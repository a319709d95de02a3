import Foundation
import Holdfast

/// Where an app keeps its keys.
struct Keychain {
  var stored: [String: Data] = [:]

  func bytes(named name: String) throws -> Data {
    guard let bytes = stored[name] else { throw StoreError(.notFound, "there is no key \(name)") }
    return bytes
  }
}

/// Opens an encrypted store, or makes one.
func encryptedStore(at url: URL, _ keychain: Keychain) throws -> Store {
  // snippet: encrypted-store
  var options = StoreOptions()
  options.key = try StoreKey(keychain.bytes(named: "notes"))
  let store = try Store.open(at: url, schemas: [Note.schema], options: options)
  // end
  return store
}

/// Encrypts a store that was plain.
func encryptingStore(at url: URL, with key: StoreKey) throws -> EncryptionReport {
  // snippet: encrypt-store
  let report = try Store.encrypt(at: url, with: key, plainFiles: .remove)
  // end
  return report
}
