import Foundation
import Holdfast

/// The SDK's second database, with one column for each field.
struct InferenceGRDB: InferenceTarget {
  let name = "inference-grdb"

  private static let kinds = Dictionary(
    uniqueKeysWithValues: [
      "configuration", "routing_policies", "analytics_config", "storage_config", "model_metadata", "model_usage_stats",
      "generation_sessions", "generations", "telemetry", "user_preferences",
    ].map { ($0, $0) })

  func source(_ random: inout SeededRandom) throws -> FuzzSource {
    try .database(&random, kinds: Self.kinds, bookkeeping: ["grdb_migrations"]) { random in
      var seeds = ColumnSheets(values: InferenceValues(random))
      defer { random = seeds.values.random }
      return seeds.database()
    }
  }
}

/// Small valid databases, with foreign keys in either spelling.
private struct ColumnSheets {
  var values: InferenceValues
  private var configurations = Sheet(
    "configuration",
    [
      "id TEXT", "api_key TEXT", "base_url TEXT", "model_cache_size INTEGER", "max_memory_usage_mb INTEGER", "privacy_mode TEXT",
      "telemetry_consent TEXT", "created_at DATETIME", "updated_at DATETIME", "sync_pending BOOLEAN",
    ])
  private var policies: Sheet
  private var analytics: Sheet
  private var storages: Sheet
  private var models = Sheet(
    "model_metadata",
    [
      "id TEXT", "name TEXT", "format TEXT", "framework TEXT", "size_bytes INTEGER", "quantization TEXT", "version TEXT",
      "sha256_hash TEXT", "capabilities BLOB", "requirements BLOB", "download_url TEXT", "local_path TEXT", "is_downloaded BOOLEAN",
      "download_date DATETIME", "last_used_at DATETIME", "use_count INTEGER", "total_tokens_generated INTEGER", "created_at DATETIME",
      "updated_at DATETIME", "sync_pending BOOLEAN",
    ])
  private var usages: Sheet
  private var sessions: Sheet
  private var generations: Sheet
  private var events = Sheet(
    "telemetry",
    [
      "id TEXT", "event_type TEXT", "event_name TEXT", "properties BLOB", "user_id TEXT", "session_id TEXT", "device_info BLOB",
      "sdk_version TEXT", "timestamp DATETIME", "created_at DATETIME", "sync_pending BOOLEAN",
    ])
  private var preferences = Sheet(
    "user_preferences",
    ["id TEXT", "preference_key TEXT", "preference_value BLOB", "created_at DATETIME", "updated_at DATETIME"])

  init(values: InferenceValues) {
    var values = values
    let isCamel = values.chance(1, of: 2)
    func key(_ table: String) -> String { isCamel ? "\(table)Id TEXT" : "\(table)_id TEXT" }
    let made = "created_at DATETIME"
    policies = Sheet(
      "routing_policies",
      [
        "id TEXT", key("configuration"), "policy_type TEXT", "on_device_threshold DOUBLE", "max_cloud_cost_per_request DOUBLE",
        "prefer_on_device BOOLEAN", made,
      ])
    analytics = Sheet(
      "analytics_config",
      [
        "id TEXT", key("configuration"), "analytics_level TEXT", "metrics_enabled BOOLEAN", "error_reporting_enabled BOOLEAN",
        "performance_tracking_enabled BOOLEAN", made,
      ])
    storages = Sheet(
      "storage_config",
      [
        "id TEXT", key("configuration"), "max_cache_size_mb INTEGER", "auto_cleanup_enabled BOOLEAN",
        "cleanup_threshold_percentage INTEGER", "model_retention_days INTEGER", made,
      ])
    usages = Sheet(
      "model_usage_stats",
      [
        "id TEXT", key("model_metadata"), "date DATE", "generation_count INTEGER", "total_tokens INTEGER", "total_cost DOUBLE",
        "average_latency_ms DOUBLE", "error_count INTEGER", made,
      ])
    sessions = Sheet(
      "generation_sessions",
      [
        "id TEXT", key("model_metadata"), "session_type TEXT", "total_tokens INTEGER", "total_cost DOUBLE", "message_count INTEGER",
        "context_data BLOB", "started_at DATETIME", "ended_at DATETIME", made, "updated_at DATETIME", "sync_pending BOOLEAN",
      ])
    generations = Sheet(
      "generations",
      [
        "id TEXT", key("generation_sessions"), "sequence_number INTEGER", "prompt_tokens INTEGER", "completion_tokens INTEGER",
        "total_tokens INTEGER", "latency_ms DOUBLE", "tokens_per_second DOUBLE", "time_to_first_token_ms DOUBLE", "cost DOUBLE",
        "cost_saved DOUBLE", "execution_target TEXT", "routing_reason TEXT", "framework_used TEXT", "request_data BLOB",
        "response_data BLOB", "error_code TEXT", "error_message TEXT", made, "sync_pending BOOLEAN",
      ])
    self.values = values
  }

  mutating func database() -> [Sheet] {
    let parts = InferencePart.some(&values)
    if parts.contains(.configurations) { for _ in 0..<values.count(0...2) { addConfiguration() } }
    if parts.contains(.models) { for _ in 0..<values.count(0...2) { addModel() } }
    if parts.contains(.history) { for _ in 0..<values.count(0...3) { addSession() } }
    if parts.contains(.events) { for _ in 0..<values.count(0...3) { addEvent() } }
    if parts.contains(.preferences) {
      for number in 0..<values.count(0...2) {
        preferences.rows.append([
          "'\(number)'", quoted(values.word()), values.json(.object([("dark", .raw(values.flag()))])), date(), date(),
        ])
      }
    }
    let migrations = Sheet("grdb_migrations", ["identifier TEXT"], rows: [["'v1_initial_schema'"], ["'v2_add_indexes'"]])
    var sheets = [migrations]
    if parts.contains(.configurations) { sheets += [configurations, policies, analytics, storages] }
    if parts.contains(.models) { sheets += [models, usages] }
    if parts.contains(.history) { sheets += [sessions, generations] }
    if parts.contains(.events) { sheets.append(events) }
    if parts.contains(.preferences) { sheets.append(preferences) }
    return sheets
  }

  private mutating func addEvent() {
    events.rows.append([
      quoted(values.id()), quoted(values.known("error", "performance", "custom")), quoted(values.word()),
      values.pick(["NULL", object("ms")]), values.pick(["NULL", "'u'"]), values.pick(["NULL", "'s'"]),
      values.pick(["NULL", object("model")]), "'0.15'", date(), date(), values.pending(),
    ])
  }

  private mutating func addConfiguration() {
    let id = quoted(values.pick(["default", "default", "work"]))
    configurations.rows.append([
      id, values.pick(["NULL", "NULL", "''", "'sk-live/0123456789-abcdefghij'"]), "'https://models.example'", "3", "2048",
      quoted(values.known("standard", "strict", "custom")), quoted(values.known("none", "anonymous", "detailed", "granted")), date(),
      date(),
      values.pending(),
    ])
    for number in 0..<values.count(0...2) {
      policies.rows.append([
        "'r\(number)'", owner(id), quoted(values.known("balanced", "privacyFirst")), "0.75", values.pick(["NULL", "0.01"]),
        values.pick(["0", "1"]), date(),
      ])
    }
    if values.chance(1, of: 2) {
      analytics.rows.append(["'a'", owner(id), quoted(values.known("none", "basic", "verbose")), "1", "0", "1", date()])
    }
    if values.chance(1, of: 2) {
      storages.rows.append(["'s'", owner(id), values.pick(["512", "0", "9223372036854775807"]), "0", "80", "30", date()])
    }
  }

  private mutating func addModel() {
    let id = quoted(values.model())
    models.rows.append([
      id, quoted(values.word()), quoted(values.known("gguf", "mlx")), quoted(values.known("LlamaCpp", "MLX")), "807694464",
      values.pick(["NULL", "'q4_K_M'"]), "'3.2'", values.pick(["NULL", "'abc'"]), object("max_tokens"),
      values.pick(["NULL", object("min_memory")]), values.pick(["NULL", "'https://models.example/l'"]),
      values.pick(["NULL", "''", "'/models/l'"]), values.pick(["0", "1"]), values.pick(["NULL", date()]), values.pick(["NULL", date()]),
      "4",
      "5", date(), date(), values.pending(),
    ])
    for number in 0..<values.count(0...2) {
      usages.rows.append([
        "'u\(number)'", owner(id), values.pick(["'2025-08-05'", "'2025-08-06'", "'2025-08-05 00:00:00.000'"]),
        values.pick(["0", "2", "3"]), "90", "0.5", values.pick(["NULL", "350.25", "0.1"]), "1", date(),
      ])
    }
  }

  private mutating func addSession() {
    let id = quoted(values.id())
    sessions.rows.append([
      id, quoted(values.model()), quoted(values.known("chat", "batch")), "90", "0.25", "4", values.pick(["NULL", object("file")]), date(),
      values.pick(["NULL", date()]), date(), date(), values.pending(),
    ])
    for place in 0..<values.count(0...3) {
      generations.rows.append([
        quoted(values.id()), owner(id), "\(place)", "60", "30", values.pick(["90", "90", "91"]), values.number(),
        values.pick(["NULL", "49"]), values.pick(["NULL", "90.25"]), "0.125", "0.5",
        quoted(values.known("onDevice", "device", "cloud", "hybrid")), values.pick(["NULL", "'privacy'"]),
        values.pick(["NULL", "'LlamaCpp'"]), values.pick(["NULL", object("prompt")]), values.pick(["NULL", object("text")]),
        values.pick(["NULL", "'E1'"]), values.pick(["NULL", "'too late'"]), date(), values.pending(),
      ])
    }
  }

  /// One of the ids, or rarely an id that does not exist.
  private mutating func owner(_ id: String) -> String { values.chance(1, of: 12) ? quoted(values.id()) : id }

  private mutating func object(_ name: String) -> String { values.json(.object([(name, .string(values.word()))])) }

  private mutating func date() -> String {
    values.pick(["'2025-08-05 13:20:00.125'", "'2025-08-05 13:21:00.250'", "'2025-08-05 13:20:00'", "'1999-12-31 23:59:59.999'"])
  }

  private func quoted(_ text: String) -> String { Sheet.quoted(text) }
}
