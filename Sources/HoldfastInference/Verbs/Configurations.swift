public import Holdfast

extension InferenceStore {
  /// Saves a configuration with all its parts: stored parts that it does not contain are removed, and it is loaded equal.
  ///
  /// One exception: if this configuration names no API key, the stored name stays, because the configuration may be a copy from
  /// before the key was set. `setAPIKey(_:for:)` with nil removes it. `updatedAt` is stored as given. Set it to now with each
  /// edit: if people may override a server's values, the newer edit wins.
  /// - Throws: `.constraint` for an empty id; `.invalidValue` for a number that is not finite.
  public func save(_ configuration: InferenceConfiguration) async throws { try await store.write { try Self.save(configuration, in: $0) } }

  /// One configuration; nil when none was saved under this id. Then the private defaults apply.
  public func configuration(_ id: String = InferenceConfiguration.defaultID) async throws -> InferenceConfiguration? {
    try await store.read { try Self.configuration(id, in: $0) }
  }

  /// All configurations, by id.
  public func configurations() async throws -> [InferenceConfiguration] { try await store.read { try Self.configurations(in: $0) } }

  /// Deletes a configuration, and its API key unless another configuration names it. Returns whether there was one.
  @discardableResult
  public func deleteConfiguration(_ id: String) async throws -> Bool { try await store.write { try Self.deleteConfiguration(id, in: $0) } }

  /// A configuration now, and after each change of it; nil while there is none.
  public func configurationUpdates(_ id: String = InferenceConfiguration.defaultID) -> Updates<InferenceConfiguration?> {
    store.updates { try Self.configuration(id, in: $0) }
  }

  /// Saves a configuration inside your transaction; as `save(_:)`.
  public static func save(_ configuration: InferenceConfiguration, in tx: Writer) throws {
    var row = ConfigurationRow(configuration)
    if row.configuration.apiKeyReference == nil {
      row.configuration.apiKeyReference = try apiKeyReference(of: configuration.id, in: tx)
    }
    try tx.upsert(row)
    try tx.upsert(AnalyticsRow(configuration.analytics, of: configuration.id))
    try tx.upsert(StorageRow(configuration.storage, of: configuration.id))
    let routings = [configuration.routing] + configuration.otherRoutings
    for (position, routing) in routings.enumerated() { try tx.upsert(RoutingRow(routing, of: configuration.id, at: Int64(position))) }
    try tx.execute("DELETE FROM routing_policies WHERE configuration_id = \(configuration.id) AND position >= \(routings.count)")
  }

  /// Reads one configuration inside your transaction; as `configuration(_:)`.
  public static func configuration(_ id: String = InferenceConfiguration.defaultID, in reader: Reader) throws -> InferenceConfiguration? {
    try configurations("WHERE id = \(id)", parts: "WHERE configuration_id = \(id)", in: reader).first
  }

  /// Reads all configurations inside your transaction; as `configurations()`.
  public static func configurations(in reader: Reader) throws -> [InferenceConfiguration] { try configurations("", parts: "", in: reader) }

  /// Deletes a configuration inside your transaction; as `deleteConfiguration(_:)`.
  public static func deleteConfiguration(_ id: String, in tx: Writer) throws -> Bool {
    try deleteAPIKey(of: id, in: tx)
    return try tx.execute("DELETE FROM configuration WHERE id = \(id)") > 0
  }

  private static func configurations(_ condition: BoundSQL, parts: BoundSQL, in reader: Reader) throws -> [InferenceConfiguration] {
    var configurations = try reader.all(ConfigurationRow.self, "\(sql: condition) ORDER BY id").map(\.configuration)
    // Compared by bytes: Swift's strings are equal when they look the same.
    var places: [[UInt8]: Int] = [:]
    for (place, configuration) in configurations.enumerated() { places[Array(configuration.id.utf8)] = place }
    try reader.each(AnalyticsRow.self, parts) { row in
      if let place = places[Array(row.configurationID.utf8)] { configurations[place].analytics = row.analytics }
    }
    try reader.each(StorageRow.self, parts) { row in
      if let place = places[Array(row.configurationID.utf8)] { configurations[place].storage = row.storage }
    }
    try reader.each(RoutingRow.self, "\(sql: parts) ORDER BY configuration_id, position") { row in
      guard let place = places[Array(row.configurationID.utf8)] else { return }
      if row.position == 0 { configurations[place].routing = row.routing } else { configurations[place].otherRoutings.append(row.routing) }
    }
    return configurations
  }
}
