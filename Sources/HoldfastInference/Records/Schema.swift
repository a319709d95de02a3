public import Holdfast

extension InferenceStore {
  /// The tables of an SDK's data.
  public static let schema = StoreSchema(
    "inference",
    migrations: [
      Migration(
        "inference/001-store", sql: [configurationTables, modelTables, historyTables, telemetryTables, syncTables].joined(separator: "\n")),
      // Declares what syncs between a person's devices. The tables stay as they are.
      Migration("inference/002-sync", sql: ""),
    ],
    records: [
      ConfigurationRow.self, RoutingRow.self, AnalyticsRow.self, StorageRow.self, ModelMetadata.self, ModelUsage.self,
      GenerationSession.self, Generation.self, TelemetryEvent.self, UserPreference.self,
    ],
    invariants: [
      part("its analytics", in: "analytics_config", otherwise: analytics),
      part("its storage", in: "storage_config", otherwise: storage),
      part("a routing in force", in: "routing_policies", at: "WHERE position = 0", otherwise: routing),
      .lists(["stop_sequences", "framework_preferences"], of: "configuration"),
      .lists(["tags"], of: "model_metadata"),
      .objects(["capabilities", "requirements"], of: "model_metadata"),
      .objects(["context"], of: "generation_sessions"),
      .objects(["request", "response"], of: "generations"),
      .objects(["properties", "device_info"], of: "telemetry"),
      .json(["value"], of: "user_preferences", key: "name"),
    ],
    declarations: ["telemetry", "user_preferences", "model_metadata", "generations"].map { .revisions(of: $0, except: revisions) } + [
      .revisions(of: "generation_sessions", except: revisions.union(["first_token_count", "token_rate_count"])),
      .revisions(
        of: "configuration", except: revisions,
        parts: ["routing_policies", "analytics_config", "storage_config"].reduce(into: [:]) { $0[$1] = "configuration_id" }),
    ] + synced,
    // Secrets leave the file in no form. The state of sending belongs to this file and its server.
    neverExported: ["secrets", "sync_state", "sync_tries", "sync_cursors", "sync_conflicts"],
    retention: [
      // The plus makes SQLite use the index by time, not an index of sent rows.
      RetentionPolicy(
        "telemetry", time: "occurred_at", ofRows: "+revision <= acknowledged_revision",
        keeps: RetentionLimits(maxAgeSeconds: 90 * 86_400, maxCount: 100_000))
    ])

  private static let revisions: Set = ["acknowledged_revision", "set_aside_revision"]
}

// Sync between a person's devices. What a device knows of its server for telemetry, the keys of APIs, and its files and their use stay on it.
extension InferenceStore {
  private static let synced: [SchemaDeclaration] = [
    .synced("configuration", together: [thinking, budget], here: sending.merging(["api_key_reference": .null]) { $1 }),
    .synced("routing_policies", key: ["configuration_id", "position"]), .synced("analytics_config", key: ["configuration_id"]),
    .synced("storage_config", key: ["configuration_id"]), .synced("user_preferences", key: ["name"], here: sending),
    .synced("model_metadata", together: [thinking], here: sending.merging(files) { $1 }, derived: ["name_key", "search_key"]),
    .synced("generation_sessions", together: [totals], here: sending), .synced("generations", together: [performance], here: sending),
  ]

  private static let thinking = ["thinking_open_tag", "thinking_close_tag"]
  private static let budget = ["max_tokens_per_request", "max_tokens_per_day", "max_tokens_per_month", "enforces_token_budget"]
  private static let totals = [
    "generation_count", "total_input_tokens", "total_output_tokens", "total_tokens", "total_cost", "average_time_to_first_token_ms",
    "average_tokens_per_second", "total_duration_ms", "first_token_count", "token_rate_count",
  ]
  private static let performance = [
    "model_id", "execution_target", "latency_ms", "prompt_tokens", "completion_tokens", "time_to_first_token_ms", "tokens_per_second",
    "routing_framework", "routing_reason",
  ]
  /// A row that arrives waits for the API here, too: the device that made it may never send it.
  private static let sending: [String: SQLValue] = [
    "revision": .integer(1), "acknowledged_revision": .integer(0), "set_aside_revision": .integer(0),
  ]
  private static let files: [String: SQLValue] = [
    "local_path": .null, "missing_since": .null, "downloaded_at": .null, "last_used_at": .null, "usage_count": .integer(0),
    "total_tokens_generated": .integer(0),
  ]

  /// Every configuration has this part. One that a merge leaves without it gets the private defaults.
  private static func part(_ name: String, in table: String, at condition: String = "", otherwise defaults: BoundSQL) -> Invariant {
    let findings: BoundSQL =
      "SELECT id FROM configuration WHERE id NOT IN (SELECT configuration_id FROM \(raw: table) \(raw: condition))"
    return Invariant(
      "every configuration has \(name)", table: "configuration", findings: findings,
      repair: "INSERT INTO \(raw: table) (configuration_id, \(sql: defaults) FROM (\(sql: findings))")
  }

  private static var analytics: BoundSQL {
    let none = InferenceConfiguration.Analytics()
    return """
      is_enabled, level, are_live_metrics_enabled, telemetry_consent, includes_device_info, includes_model_info, batch_size,
        submission_interval_seconds)
      SELECT id, \(none.isEnabled), \(none.level.rawValue), \(none.areLiveMetricsEnabled), \(none.telemetryConsent.rawValue),
        \(none.includesDeviceInfo), \(none.includesModelInfo), \(none.batchSize), \(none.submissionIntervalSeconds)
      """
  }

  private static var storage: BoundSQL {
    let new = InferenceConfiguration.Storage()
    return """
      max_cache_size_bytes, eviction_policy, directory_name, is_auto_cleanup_enabled, auto_cleanup_interval_seconds,
        minimum_free_space_bytes, is_compression_enabled)
      SELECT id, \(new.maxCacheSizeBytes), \(new.evictionPolicy.rawValue), \(new.directoryName), \(new.isAutoCleanupEnabled),
        \(new.autoCleanupIntervalSeconds), \(new.minimumFreeSpaceBytes), \(new.isCompressionEnabled)
      """
  }

  private static var routing: BoundSQL {
    let new = Routing()
    return """
      position, policy, is_cloud_enabled, privacy_mode)
      SELECT id, 0, \(new.policy.rawValue), \(new.isCloudEnabled), \(new.privacyMode.rawValue)
      """
  }
}
