import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("Conformance", .timeLimit(.minutes(10))) struct Conformance {
  @Test("the store keeps what every library promises", arguments: ConformanceCheck.allCases)
  func conforms(_ check: ConformanceCheck) async throws {
    var conformance = Self.conformance(RegistryVerb.prepare, RegistryVerb.reads, RegistryVerb.writes, RegistryVerb.updates)
    conformance.walks = Self.registryWalks
    conformance.damages = Self.damages
    conformance.olderRows = [1: Self.firstRows]
    conformance.description = InferenceStore.description
    conformance.tablesWithoutRecord = ["secrets", "sync_state", "sync_tries", "sync_cursors", "sync_conflicts"]
    try await conformance.run(check)
  }

  @Test(
    "so do the verbs of the history",
    arguments: [ConformanceCheck.randomDamage, .queryPlans, .observers, .updates, .readOnly, .together, .description])
  func history(_ check: ConformanceCheck) async throws {
    var conformance = Self.conformance(HistoryVerb.prepare, HistoryVerb.reads, HistoryVerb.writes, HistoryVerb.updates)
    conformance.walks = Self.historyWalks
    conformance.description = InferenceStore.description
    try await conformance.run(check)
  }

  @Test("devices that change the store at once end with the same rows, and break no rule", arguments: SyncConformance<InferenceStore>.seeds)
  func syncs(_ seed: UInt64) async throws {
    var conformance = SyncConformance<InferenceStore>(
      devices: seed.isMultiple(of: 2) ? 2 : 3, library: { InferenceStore($0, secretKey: World.secretKey) }, fill: RegistryVerb.prepare)
    let sending: [String: SQLValue] = ["set_aside_revision": .integer(0)]
    conformance.staying = [
      "configuration": sending.merging(["api_key_reference": .null]) { $1 }, "user_preferences": sending,
      "generation_sessions": sending, "generations": sending,
      "model_metadata": sending.merging([
        "local_path": .null, "missing_since": .null, "downloaded_at": .null, "last_used_at": .null, "usage_count": .integer(0),
        "total_tokens_generated": .integer(0),
      ]) { $1 },
    ]
    try await conformance.run(seed: seed)
  }

  private static func conformance<Known: Sendable>(
    _ fill: @escaping @Sendable (World) async throws -> Known, _ reads: [LibraryVerb<InferenceStore, Known>],
    _ writes: [LibraryVerb<InferenceStore, Known>], _ updates: [LibraryUpdates<InferenceStore, Known>]
  ) -> LibraryConformance<InferenceStore, Known> {
    LibraryConformance(
      library: { InferenceStore($0, secretKey: World.secretKey) }, fill: fill, reads: reads, writes: writes, records: records,
      updates: updates)
  }

  private static var records: [any StoredRecord] {
    let (full, bare) = (Sample.configuration, InferenceConfiguration(createdAt: Sample.date))
    return [
      ConfigurationRow(full), ConfigurationRow(bare), RoutingRow(full.routing, of: "work", at: 1),
      RoutingRow(Routing(), of: "default", at: 0), AnalyticsRow(full.analytics, of: "work"), AnalyticsRow(.init(), of: "default"),
      StorageRow(full.storage, of: "work"), StorageRow(.init(), of: "default"), Sample.model, Sample.bareModel, Sample.usage,
      Sample.session, Sample.bareSession, Sample.generation, Sample.bareGeneration, Sample.event, Sample.bareEvent, Sample.preference,
    ]
  }

  /// All that is in a table or an index is asked for.
  private static let registryWalks: [String: Set<String>] = [
    "list configurations": [
      "SCAN configuration USING INDEX sqlite_autoindex_configuration_1", "SCAN analytics_config", "SCAN storage_config",
      "SCAN routing_policies USING INDEX sqlite_autoindex_routing_policies_1",
    ],
    "list all models": ["SCAN model_metadata USING INDEX model_metadata_by_name"],
    "look for files": ["SCAN model_metadata USING INDEX model_metadata_with_file"],
    "evict models": ["SCAN model_metadata USING INDEX model_metadata_with_file"],
    "list preferences": ["SCAN user_preferences USING INDEX sqlite_autoindex_user_preferences_1"],
    "list secrets": ["SCAN secrets USING COVERING INDEX sqlite_autoindex_secrets_1"],
    // Whether another configuration names the same key: there are few.
    "delete a configuration": ["SCAN configuration"],
    "delete the key of the API": ["SCAN configuration"],
    // The indexes have what waits and nothing else, and of the state there is one row.
    "say what waits": [
      "SCAN telemetry USING COVERING INDEX telemetry_pending", "SCAN configuration USING INDEX configuration_pending",
      "SCAN model_metadata USING INDEX model_metadata_pending",
      "SCAN generation_sessions USING COVERING INDEX generation_sessions_pending",
      "SCAN generations USING COVERING INDEX generations_pending", "SCAN user_preferences USING INDEX user_preferences_pending",
      "SCAN sync_state",
    ],
  ]

  private static let historyWalks: [String: Set<String>] = [
    // All that waits is asked for: its index has that and nothing else.
    "count pending events": ["SCAN telemetry USING COVERING INDEX telemetry_pending"],
    "delete pending telemetry": [
      "SCAN telemetry USING COVERING INDEX telemetry_pending", "SCAN telemetry USING COVERING INDEX telemetry_set_aside",
    ],
    // And all that there is.
    "count telemetry": [
      "SCAN telemetry USING COVERING INDEX telemetry_pending", "SCAN telemetry USING COVERING INDEX telemetry_set_aside",
      "SCAN telemetry USING COVERING INDEX sqlite_autoindex_telemetry_1",
    ],
  ]

  /// A row in each table of the first version.
  private static let firstRows = [
    """
    INSERT INTO configuration (id, allows_user_override, temperature, max_tokens, top_p, framework_preferences, max_context_length,
      extracts_thinking, created_at, updated_at)
    VALUES ('default', 1, 0.5, 1, 0.5, '[]', 1, 0, 1, 2)
    """,
    "INSERT INTO routing_policies (configuration_id, position, policy, is_cloud_enabled, privacy_mode) VALUES ('default', 0, 'x', 0, 'x')",
    """
    INSERT INTO analytics_config (configuration_id, is_enabled, level, are_live_metrics_enabled, telemetry_consent, includes_device_info,
      includes_model_info, batch_size, submission_interval_seconds)
    VALUES ('default', 0, 'x', 0, 'x', 0, 0, 1, 1.0)
    """,
    """
    INSERT INTO storage_config (configuration_id, max_cache_size_bytes, eviction_policy, directory_name, is_auto_cleanup_enabled,
      auto_cleanup_interval_seconds, minimum_free_space_bytes, is_compression_enabled)
    VALUES ('default', 1, 'x', 'x', 0, 1.0, 1, 0)
    """,
    """
    INSERT INTO model_metadata (id, name, format, framework, capabilities, tags, supports_thinking, usage_count, total_tokens_generated,
      created_at, updated_at, name_key, search_key)
    VALUES ('m', 'M', 'x', 'x', '{}', '[]', 0, 0, 0, 1, 2, 'm', 'm')
    """,
    """
    INSERT INTO model_usage_stats (model_id, day, generation_count, total_tokens, total_cost, total_latency_ms, error_count)
    VALUES ('m', '2026-01-01', 1, 1, 0.5, 0.5, 0)
    """,
    """
    INSERT INTO generation_sessions (id, model_id, type, started_at, generation_count, total_input_tokens, total_output_tokens,
      total_tokens, total_cost, total_duration_ms, updated_at)
    VALUES ('00000000-0000-4000-8000-000000000001', 'm', 'x', 1, 1, 1, 1, 2, 0.5, 0.5, 2)
    """,
    """
    INSERT INTO generations (id, session_id, sequence_number, created_at, cost, cost_saved)
    VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', 1, 1, 0.5, 0.5)
    """,
    """
    INSERT INTO telemetry (id, type, properties, occurred_at, created_at, updated_at)
    VALUES ('00000000-0000-4000-8000-000000000003', 'x', '{}', 1, 1, 1)
    """,
    "INSERT INTO user_preferences (name, value, created_at, updated_at) VALUES ('theme', '1', 1, 1)",
    "INSERT INTO secrets (name, sealed, key_check, updated_at) VALUES ('key', x'01', x'01', 1)",
    "INSERT INTO sync_state (slot) VALUES (1)",
    "INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at) VALUES ('telemetry', 'x', 1, 1, 'x', 1)",
    "INSERT INTO sync_cursors (kind, since, row_key) VALUES ('telemetry', 1, x'01')",
    "INSERT INTO sync_conflicts (kind, row_id, field, kept, noticed_at) VALUES ('telemetry', 'x', 'x', 'ours', 1)",
  ]

  private static let damages = [
    ("DELETE FROM analytics_config", "breaks: every configuration has its analytics"),
    ("DELETE FROM storage_config", "breaks: every configuration has its storage"),
    ("DELETE FROM routing_policies", "breaks: every configuration has a routing in force"),
    ("UPDATE configuration SET stop_sequences = '[1]'", "breaks: lists in configuration are JSON lists of texts"),
    ("UPDATE model_metadata SET tags = '{}'", "breaks: lists in model_metadata are JSON lists of texts"),
    ("UPDATE model_metadata SET requirements = '{'", "breaks: objects in model_metadata are JSON objects"),
    ("UPDATE generation_sessions SET context = '[]'", "breaks: objects in generation_sessions are JSON objects"),
    ("UPDATE generations SET response = '1'", "breaks: objects in generations are JSON objects"),
    ("UPDATE telemetry SET properties = ''", "breaks: objects in telemetry are JSON objects"),
    ("UPDATE user_preferences SET value = 'dark'", "breaks: values in user_preferences are JSON"),
    ("UPDATE configuration SET created_at = \(Int64.max)", "cannot be read: created_at should hold a date"),
    ("UPDATE generation_sessions SET id = 'x'", "cannot be read: id should hold a UUID"),
    ("UPDATE model_metadata SET name = CAST(x'41FF' AS TEXT)", "cannot be read: name should hold UTF-8 text"),
    ("UPDATE telemetry SET occurred_at = \(Int64.min)", "cannot be read: occurred_at should hold a date"),
  ]
}
