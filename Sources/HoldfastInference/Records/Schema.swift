public import Holdfast

extension InferenceStore {
  /// The tables of an SDK's data.
  public static let schema = StoreSchema(
    "inference",
    migrations: [
      Migration(
        "inference/001-store", sql: [configurationTables, modelTables, historyTables, telemetryTables, syncTables].joined(separator: "\n"))
    ],
    records: [
      ConfigurationRow.self, RoutingRow.self, AnalyticsRow.self, StorageRow.self, ModelMetadata.self, ModelUsage.self,
      GenerationSession.self, Generation.self, TelemetryEvent.self, UserPreference.self,
    ],
    invariants: [
      Invariant(
        "every configuration has its analytics, its storage and a routing in force", table: "configuration",
        findings: """
          SELECT id FROM configuration WHERE id NOT IN (SELECT configuration_id FROM analytics_config)
            OR id NOT IN (SELECT configuration_id FROM storage_config)
            OR id NOT IN (SELECT configuration_id FROM routing_policies WHERE position = 0)
          """),
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
    ],
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
