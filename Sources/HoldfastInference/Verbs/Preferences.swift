public import Holdfast

extension InferenceStore {
  /// One preference; nil when there is none with this name.
  public func preference(named name: String) async throws -> UserPreference? {
    try await store.read { try Self.preference(named: name, in: $0) }
  }

  /// All preferences, by name.
  public func preferences() async throws -> [UserPreference] { try await store.read { try Self.preferences(in: $0) } }

  /// Stores a person's choice, and replaces an earlier one. The same value again changes nothing.
  ///
  /// - Parameter value: JSON of any kind, kept word for word.
  /// - Throws: `.constraint` for an empty name; `.invalidValue` for a value that is not JSON, and for a secret name, because
  ///   preferences are exported and sent. See `SecretProperties`.
  public func setPreference(_ value: String, named name: String) async throws {
    try await store.write { try Self.setPreference(value, named: name, secretProperties: secretProperties, in: $0) }
  }

  /// Deletes a preference. Returns whether there was one.
  @discardableResult
  public func deletePreference(named name: String) async throws -> Bool {
    try await store.write { try Self.deletePreference(named: name, in: $0) }
  }

  /// All preferences now, by name, and after each change of one.
  public func preferenceUpdates() -> Updates<[UserPreference]> {
    store.updates { try Self.preferences(in: $0) }
  }

  /// One preference now, and after each change of it; nil while there is none.
  public func preferenceUpdates(named name: String) -> Updates<UserPreference?> {
    store.updates { try Self.preference(named: name, in: $0) }
  }

  /// Reads one preference inside your transaction; as `preference(named:)`.
  public static func preference(named name: String, in reader: Reader) throws -> UserPreference? {
    try reader.first(UserPreference.self, "WHERE name = \(name)")
  }

  /// Reads all preferences inside your transaction; as `preferences()`.
  public static func preferences(in reader: Reader) throws -> [UserPreference] { try reader.all(UserPreference.self, "ORDER BY name") }

  /// Stores a preference inside your transaction; as `setPreference(_:named:)`.
  ///
  /// - Parameter secretProperties: the app's own, with which its store was opened.
  public static func setPreference(
    _ value: String, named name: String, secretProperties: SecretProperties, in tx: Writer
  ) throws {
    try checkNotSecret(name, secretProperties)
    guard try preference(named: name, in: tx).map({ ExactText($0.value) }) != ExactText(value) else { return }
    try tx.upsert(UserPreference(name: name, value: value, createdAt: tx.currentDate()))
  }

  static func checkNotSecret(_ name: String, _ secretProperties: SecretProperties) throws {
    guard secretProperties.contains(name) else { return }
    throw StoreError(
      .invalidValue, "the preference \(name) has the name of a secret, and preferences are exported and sent",
      suggestion: "Seal it with setSecret(_:named:).")
  }

  /// Deletes a preference inside your transaction; as `deletePreference(named:)`.
  public static func deletePreference(named name: String, in tx: Writer) throws -> Bool {
    try tx.execute("DELETE FROM user_preferences WHERE name = \(name)") > 0
  }
}
