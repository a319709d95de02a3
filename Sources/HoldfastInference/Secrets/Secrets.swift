import Foundation
public import Holdfast

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

extension InferenceStore {
  /// Seals a text and stores it under a name; replaces an earlier secret of this name.
  ///
  /// Exports, logs, errors and telemetry never contain it.
  /// - Throws: `.encryptionUnavailable` when the store has no `SecretKey`; `.wrongKey` when its key is not 32 bytes long; `.constraint`
  ///   for an empty name.
  public func setSecret(_ value: String, named name: String) async throws {
    let sealed = try seal(value, named: name)
    try await store.write { try Self.setSecret(sealed, named: name, in: $0) }
  }

  /// Opens a secret; nil, without asking for the key, when there is none of this name.
  ///
  /// - Parameter reason: why it is read, for the audit; see `auditsSecrets`.
  /// - Throws: `.encryptionUnavailable` when there is one and the store has no `SecretKey`; `.wrongKey` when it was sealed with
  ///   another key; `.damaged` when the sealed bytes were changed. With `auditsSecrets` also the errors of writing: a secret is not opened
  ///   without its entry.
  public func secret(named name: String, reason: String? = nil) async throws -> String? {
    try open(try await looking { try sealedSecret(named: name, for: reason, in: $0) }, named: name)
  }

  /// Deletes a secret; needs no key. Returns whether there was one.
  @discardableResult
  public func deleteSecret(named name: String) async throws -> Bool { try await store.write { try Self.deleteSecret(named: name, in: $0) } }

  /// The names of all secrets, in order; needs no key.
  public func secretNames() async throws -> [String] { try await store.read { try Self.secretNames(in: $0) } }

  /// Seals the API's key and names it in the configuration. Nil deletes the named secret, unless another configuration names it, too.
  ///
  /// - Throws: as `setSecret(_:named:)`; `.notFound` when there is no such configuration.
  public func setAPIKey(_ key: String?, for configurationID: String = InferenceConfiguration.defaultID) async throws {
    let name = Self.apiKeyName(of: configurationID)
    let sealed = try key.map { try seal($0, named: name) }
    try await store.write { try Self.setAPIKey(sealed, for: configurationID, in: $0) }
  }

  /// The API's key that the configuration names; nil when it names none.
  ///
  /// - Parameter reason: why it is read, for the audit; see `auditsSecrets`.
  /// - Throws: as `secret(named:reason:)`.
  public func apiKey(for configurationID: String = InferenceConfiguration.defaultID, reason: String? = nil) async throws -> String? {
    let found = try await looking { reader -> (name: String, sealed: SealedSecret?)? in
      guard let name = try Self.apiKeyReference(of: configurationID, in: reader) else { return nil }
      return (name, try sealedSecret(named: name, for: reason, in: reader))
    }
    guard let (name, sealed) = found else { return nil }
    return try open(sealed, named: name)
  }

  /// Seals a text inside your transaction. The transaction waits for the key's closure, so that must not use this store, and
  /// other writers wait meanwhile.
  ///
  /// - Throws: as `setSecret(_:named:)`.
  public func setSecret(_ value: String, named name: String, in tx: Writer) throws {
    try Self.setSecret(try seal(value, named: name), named: name, in: tx)
  }

  /// Opens a secret inside your transaction; as `secret(named:reason:)`.
  ///
  /// - Throws: with `auditsSecrets` also `.readOnly` for a reader that is no `Writer`: it cannot write the entry.
  public func secret(named name: String, reason: String? = nil, in reader: Reader) throws -> String? {
    try open(try sealedSecret(named: name, for: reason, in: reader), named: name)
  }

  /// Seals the API's key inside your transaction, for example the one that saves its configuration; as `setAPIKey(_:for:)`,
  /// with the rule of `setSecret(_:named:in:)` for the key's closure.
  public func setAPIKey(_ key: String?, for configurationID: String = InferenceConfiguration.defaultID, in tx: Writer) throws {
    let sealed = try key.map { try seal($0, named: Self.apiKeyName(of: configurationID)) }
    try Self.setAPIKey(sealed, for: configurationID, in: tx)
  }

  /// Opens the API's key inside your transaction; as `apiKey(for:reason:)` and `secret(named:reason:in:)`.
  public func apiKey(
    for configurationID: String = InferenceConfiguration.defaultID, reason: String? = nil, in reader: Reader
  ) throws -> String? {
    guard let name = try Self.apiKeyReference(of: configurationID, in: reader) else { return nil }
    return try secret(named: name, reason: reason, in: reader)
  }

  static func apiKeyName(of configurationID: String) -> String { "api-key/\(configurationID)" }

  func seal(_ value: String, named name: String) throws -> SealedSecret {
    try SealedSecret(value, named: name, with: try neededKey(name))
  }

  private func open(_ sealed: SealedSecret?, named name: String) throws -> String? {
    guard let sealed else { return nil }
    return try sealed.open(named: name, with: try neededKey(name))
  }

  private func neededKey(_ name: String) throws -> SymmetricKey {
    guard let secretKey else {
      throw StoreError(
        .encryptionUnavailable, "there is no key for the secret \(name)",
        suggestion: "Give InferenceStore a SecretKey; secrets are never stored as they are.")
    }
    return try secretKey.key()
  }

  static func setSecret(_ secret: SealedSecret, named name: String, in tx: Writer) throws {
    try tx.execute(
      """
      INSERT INTO secrets (name, sealed, key_check, updated_at) VALUES (\(name), \(secret.sealed), \(secret.keyCheck), \(tx.currentDate()))
      ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, key_check = excluded.key_check, updated_at = excluded.updated_at
      """)
  }

  static func sealedSecret(named name: String, in reader: Reader) throws -> SealedSecret? {
    try reader.value("SELECT sealed, key_check FROM secrets WHERE name = \(name)") { row in
      SealedSecret(sealed: try row.data(), keyCheck: try row.data())
    }
  }

  /// The same, with an entry in the audit if `auditsSecrets`.
  private func sealedSecret(named name: String, for reason: String?, in reader: Reader) throws -> SealedSecret? {
    guard auditsSecrets else { return try Self.sealedSecret(named: name, in: reader) }
    guard let tx = reader as? Writer else {
      throw StoreError(.readOnly, "reading the secret \(name) is audited, and a read cannot write the entry", suggestion: "Use `write`.")
    }
    let secret = try Self.sealedSecret(named: name, in: tx)
    if secret != nil { try tx.recordAccess(to: "secrets", id: name, reason: reason) }
    return secret
  }

  /// Looks for a secret: in a write transaction if `auditsSecrets`, for the entry.
  private func looking<Found: Sendable>(
    as verb: StaticString = #function, _ body: @escaping @Sendable (Reader) throws -> Found
  ) async throws -> Found {
    if auditsSecrets { return try await store.write(as: verb) { try body($0) } }
    return try await store.read(as: verb, body)
  }

  /// Deletes a secret inside your transaction; as `deleteSecret(named:)`.
  public static func deleteSecret(named name: String, in tx: Writer) throws -> Bool {
    try tx.execute("DELETE FROM secrets WHERE name = \(name)") > 0
  }

  /// Reads the names of all secrets inside your transaction; as `secretNames()`.
  public static func secretNames(in reader: Reader) throws -> [String] {
    try reader.values("SELECT name FROM secrets ORDER BY name") { row in try row.text() }
  }

  static func setAPIKey(_ secret: SealedSecret?, for configurationID: String, in tx: Writer) throws {
    let name = apiKeyName(of: configurationID)
    if secret == nil { try deleteAPIKey(of: configurationID, in: tx) }
    let reference = secret == nil ? nil : name
    guard
      try tx.execute(
        "UPDATE configuration SET api_key_reference = \(reference), updated_at = \(tx.currentDate()) WHERE id = \(configurationID)") > 0
    else { throw StoreError(.notFound, "there is no configuration \(configurationID)", suggestion: "Save the configuration first.") }
    if let secret { try setSecret(secret, named: name, in: tx) }
  }

  /// Deletes the secret with a configuration's API key, unless another configuration names it, too.
  static func deleteAPIKey(of configurationID: String, in tx: Writer) throws {
    for name in Set([apiKeyName(of: configurationID), try apiKeyReference(of: configurationID, in: tx)].compactMap { $0 }) {
      let others = try tx.count("SELECT count(*) FROM configuration WHERE api_key_reference = \(name) AND id <> \(configurationID)")
      if others == 0 { _ = try deleteSecret(named: name, in: tx) }
    }
  }

  static func apiKeyReference(of configurationID: String, in reader: Reader) throws -> String? {
    try reader.value("SELECT api_key_reference FROM configuration WHERE id = \(configurationID)") { row in try row.textOrNil() } ?? nil
  }
}
