import Foundation
import Holdfast
import HoldfastTransfer

/// What the command line shows of an inference store.
enum ShownInference {
  // MARK: Lists

  static let models = ShownFields<ModelMetadata>([
    "format": { known($0.format.rawValue) }, "framework": { known($0.framework.rawValue) },
    // One word: a store from another device has paths of files that are not on this one.
    "local_path": { .told(.text($0.localPath), $0.isDownloaded ? "recorded" : $0.localPath == nil ? nil : "gone") },
    "usage_count": { .count($0.usageCount).unlessZero },
  ]).titled([
    "id": "ID", "name": .flexible("MODEL"), "format": "FORMAT", "framework": "FRAMEWORK", "quantization": "WEIGHTS", "size_bytes": "SIZE",
    "context_length": "CONTEXT", "local_path": "FILE", "usage_count": "USES", "missing_since": nil, "last_used_at": nil,
  ])

  private static func known(_ word: String) -> ShownValue { .told(.text(word), word == "unknown" ? nil : word) }

  private static let session = ShownFields<GenerationSession>([
    "ended_at": { .told(.time($0.endedAt), $0.endedAt.map { ShownValue.time($0).words } ?? "goes on") },
    "generations": { .count($0.generationCount) }, "total_cost": { cost($0.totalCost) },
    "tokens": { .text("\($0.totalInputTokens) in, \($0.totalOutputTokens) out") },
    "input_tokens": { .count(Int($0.totalInputTokens)) }, "output_tokens": { .count(Int($0.totalOutputTokens)) },
    "mean_time_to_first_token_ms": { milliseconds($0.averageTimeToFirstTokenMilliseconds) },
    "mean_tokens_per_second": { rate($0.averageTokensPerSecond) }, "total_duration_ms": { .number($0.totalDurationMilliseconds) },
  ])

  static let sessions = session.titled([
    "id": "ID", "started_at": "STARTED", "model_id": "MODEL", "type": "TYPE", "generations": "GENERATIONS", "total_tokens": "TOKENS",
    "total_cost": "COST", "ended_at": nil, "input_tokens": nil, "output_tokens": nil,
  ])

  static let preferences = ShownFields<UserPreference>(["value": { .stored($0.value) }]).titled([
    "name": "PREFERENCE", "value": .flexible("VALUE"), "updated_at": "CHANGED", "created_at": nil,
  ])

  static let conflicts = ShownFields<SyncConflict>([
    "lost": { .told($0.lostValue.map(ShownValue.stored) ?? .text(nil), $0.lostValue) }
  ]).titled(["kind": "KIND", "id": "ROW", "field": "FIELD", "kept": "KEPT", "lost": .flexible("LOST"), "noticed_at": "NOTICED"])

  struct EventType: Sendable {
    var type: String
    var events: Int
    var pending: Int
    var setAside: Int
    var lastEventAt: Date
  }

  static let telemetry = ShownFields<EventType>([
    "pending": { .count($0.pending).unlessZero }, "set_aside": { .count($0.setAside).unlessZero },
  ]).titled(["type": "TYPE", "events": "EVENTS", "pending": "TO BE SENT", "set_aside": "SET ASIDE", "last_event_at": "LAST"])

  static func eventTypes(_ reader: Reader) throws -> [EventType] {
    try reader.values(
      """
      SELECT type, count(*), count(*) FILTER (WHERE \(sql: Outbox.isPending)), count(*) FILTER (WHERE \(sql: Outbox.isSetAside)),
        max(occurred_at)
      FROM telemetry GROUP BY type ORDER BY type
      """
    ) { row in
      EventType(type: try row.text(), events: try row.int(), pending: try row.int(), setAside: try row.int(), lastEventAt: try row.date())
    }
  }

  static func search(_ text: String, _ ranked: Bool, _ limit: Int, _ reader: Reader) throws -> (hits: [JSONValue], tables: [ShownBlock]) {
    let found = try InferenceStore.models(.matching(text), limit: limit, in: reader).items
    return (models.hits("model", found), [models.table(of: found)])
  }

  // MARK: Words

  /// At most four decimals; a cost has no unit here.
  static func cost(_ cost: Double) -> ShownValue {
    let words = ShownValue.decimal(cost, places: 4)
    return .told(.number(cost), cost == 0 ? nil : words == "0" ? cost.description : words)
  }

  /// `612.5 ms`.
  static func milliseconds(_ time: Double?) -> ShownValue {
    .told(.number(time), time.map { "\(ShownValue.decimal($0, places: 1)) ms" })
  }

  static func rate(_ rate: Double?) -> ShownValue { .told(.number(rate), rate.map { ShownValue.decimal($0, places: 1) }) }

  // MARK: One thing

  static let kinds = [
    ShownKind("model") { wanted, reader in
      let condition: BoundSQL =
        switch wanted {
        case .id(let id): "id = \(id)"
        case .name(let name): "name_key = \(SortText.folded(name))"
        case .beginning(let text): "substr(lower(id), 1, length(\(text))) = \(text)"
        }
      return try reader.values("SELECT id, name FROM model_metadata WHERE \(sql: condition) ORDER BY id LIMIT 6") { row in
        let (id, name) = (try row.text(), try row.text())
        return .init(id, name) { try shownModel(id, $0) }
      }
    },
    ShownKind(
      "session", "id, '', model_id, started_at", from: "generation_sessions",
      label: { "\(try $1.text()), \(ShownValue.time(try $1.date()).words)" }, show: shownSession),
    ShownKind("configuration") { wanted, reader in
      try InferenceStore.configurations(in: reader).filter { configuration in
        switch wanted {
        case .id(let id): configuration.id == id
        case .name(let name): SortText.folded(name) == "configuration"
        case .beginning: false
        }
      }.map { configuration in
        .init(configuration.id, "configuration", label: configuration.id) { _ in
          ShownInference.settings.shown("configuration", configuration)
        }
      }
    },
  ]

  private static func shownModel(_ id: String, _ reader: Reader) throws -> Shown? {
    guard let model = try InferenceStore.model(id, in: reader) else { return nil }
    let days = try InferenceStore.usage(of: id, limit: 14, in: reader).items
    // Values without a field of their own; a long value is cut.
    let more = model.capabilities.sorted { $0.key < $1.key }.map { name, value in
      ShownField<ModelMetadata>(nil, String(name.prefix(60))) { _ in .text(cut(ShownValue.json(value).words)) }
    }
    var shown = (self.model + more).shown("model", model, usage.table(of: days))
    let properties = ShownProperties { value in
      value is ModelMetadata ? ["thinking_tags": nil, "usage": .json(.array(days.map(usage.object)))] : [:]
    }
    shown.members["model"] = properties.object(of: model)
    return shown
  }

  private static func cut(_ text: String) -> String { text.count > 200 ? text.prefix(199) + "…" : text }

  private static let model = ShownFields<ModelMetadata>([
    "context": { .text($0.contextLength.map { ShownValue.counted($0, "token") }) },
    "used": { model in
      let last = model.lastUsedAt.map { ", last \(ShownValue.time($0).words)" } ?? ""
      return .text(model.usageCount > 0 ? ShownValue.counted(model.usageCount, "time") + last : nil)
    },
  ]).titled([
    "name": "model", "description": "description", "author": "author", "license": "license", "version": "version", "format": "format",
    "framework": "framework", "quantization": "weights", "size_bytes": "size", "estimated_memory_bytes": "memory", "context": "context",
    "tags": "tags", "local_path": "file", "missing_since": "gone since", "download_url": "from", "used": "used", "id": "id",
  ])

  private static let usage = ShownFields<ModelUsage>([
    "generations": { .count($0.generationCount) }, "errors": { .count($0.errorCount).unlessZero }, "total_cost": { cost($0.totalCost) },
    "mean_latency_ms": { milliseconds($0.averageLatencyMilliseconds) },
  ]).titled([
    "day": "DAY", "generations": "GENERATIONS", "errors": "ERRORS", "total_tokens": "TOKENS", "total_cost": "COST",
    "mean_latency_ms": "LATENCY",
  ])

  private static func shownSession(_ id: UUID, _ reader: Reader) throws -> Shown? {
    guard let session = try InferenceStore.session(id, in: reader) else { return nil }
    let own = try InferenceStore.generations(of: id, limit: .max, in: reader).items
    var shown = sessionFacts.shown("session", session, generation.table(of: own))
    let members = (sessions + sessionFacts).members(of: session).merging(["generations": .array(own.map(generation.object))]) { $1 }
    shown.members["session"] = .object(members)
    return shown
  }

  private static let sessionFacts = session.titled([
    "type": "session", "model_id": "model", "started_at": "started", "ended_at": "ended", "tokens": .people("tokens"), "total_cost": "cost",
    "mean_time_to_first_token_ms": "first token", "mean_tokens_per_second": "tokens/s", "id": "id", "message_count": nil,
    "total_duration_ms": nil, "context": nil,
  ])

  private static let generation = ShownFields<Generation>([
    "target": { .text($0.performance?.executionTarget.rawValue) }, "prompt_tokens": { .count($0.performance?.promptTokens) },
    "completion_tokens": { .count($0.performance?.completionTokens) },
    "latency_ms": { milliseconds($0.performance?.latencyMilliseconds) },
    "time_to_first_token_ms": { milliseconds($0.performance?.timeToFirstTokenMilliseconds) },
    "tokens_per_second": { rate($0.performance?.tokensPerSecond) }, "cost": { cost($0.cost) },
    "error": { .text([$0.errorCode, $0.errorMessage].compactMap { $0 }.joined(separator: ": ")) },
    "framework": { .text($0.performance?.routingFramework?.rawValue) },
  ]).titled([
    "sequence_number": "NO.", "created_at": "TIME", "target": "WHERE", "prompt_tokens": "PROMPT", "completion_tokens": "ANSWER",
    "latency_ms": "LATENCY", "time_to_first_token_ms": "FIRST TOKEN", "tokens_per_second": "TOKENS/S", "cost": "COST",
    "error": .people("ERROR", shrinks: true), "id": nil, "model_id": nil, "cost_saved": nil, "framework": nil, "routing_reason": nil,
    "request": nil, "response": nil, "error_code": nil, "error_message": nil,
  ])

  /// The API's key is shown by name only: no output contains the key itself.
  private static let settings = ShownFields<InferenceConfiguration>([
    "is_cloud_enabled": { .told(.flag($0.routing.isCloudEnabled), $0.routing.isCloudEnabled ? "yes" : "no") },
    "is_analytics_enabled": { .told(.flag($0.analytics.isEnabled), $0.analytics.isEnabled ? $0.analytics.level.rawValue : "off") },
  ]).titled([
    "id": "configuration", "base_url": "address", "api_key_reference": "key of the API", "routing_policy": "routing",
    "is_cloud_enabled": "cloud", "privacy_mode": "privacy", "telemetry_consent": "consent", "is_analytics_enabled": "analytics",
    "analytics_level": nil, "model_cache_size": "models in memory", "max_memory_usage_megabytes": "memory, MB",
    "max_cache_size_bytes": "cache", "eviction_policy": "removed first", "minimum_free_space_bytes": "kept free",
    "directory_name": "folder", "allows_user_override": nil, "created_at": nil, "updated_at": "changed",
  ])
}
