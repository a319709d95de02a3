import Foundation
import Holdfast
import HoldfastTransfer

/// What the command line shows of an inference store.
enum ShownInference {
  // MARK: Lists

  static let models: [ShownField<ModelMetadata>] = [
    .init("id", "ID") { .text($0.id) }, .init("name", "MODEL", shrinks: true) { .text($0.name) },
    .init("format", "FORMAT") { known($0.format.rawValue) }, .init("framework", "FRAMEWORK") { known($0.framework.rawValue) },
    .init("quantization", "WEIGHTS") { .text($0.quantization?.rawValue) }, .init("size_bytes", "SIZE") { .size($0.sizeBytes) },
    .init("context_length", "CONTEXT") { .count($0.contextLength) },
    // One word: a store from another device has paths of files that are not on this one.
    .init("local_path", "FILE") { .told(.text($0.localPath), $0.isDownloaded ? "recorded" : $0.localPath == nil ? nil : "gone") },
    .init("usage_count", "USES") { .count($0.usageCount).unlessZero }, .init("missing_since") { .time($0.missingSince) },
    .init("last_used_at") { .time($0.lastUsedAt) },
  ]

  private static func known(_ word: String) -> ShownValue { .told(.text(word), word == "unknown" ? nil : word) }

  static let sessions: [ShownField<GenerationSession>] = [
    .init("id", "ID") { .id($0.id) }, .init("started_at", "STARTED") { .time($0.startedAt) },
    .init("model_id", "MODEL") { .text($0.modelID) }, .init("type", "TYPE") { .text($0.type.rawValue) },
    .init("generations", "GENERATIONS") { .count($0.generationCount) },
    .init("total_tokens", "TOKENS") { .count(Int($0.totalTokens)) }, .init("total_cost", "COST") { cost($0.totalCost) },
    .init("ended_at") { .time($0.endedAt) }, .init("input_tokens") { .count(Int($0.totalInputTokens)) },
    .init("output_tokens") { .count(Int($0.totalOutputTokens)) },
  ]

  static let preferences: [ShownField<UserPreference>] = [
    .init("name", "PREFERENCE") { .text($0.name) }, .init("value", "VALUE", shrinks: true) { .stored($0.value) },
    .init("updated_at", "CHANGED") { .time($0.updatedAt) }, .init("created_at") { .time($0.createdAt) },
  ]

  static let conflicts: [ShownField<SyncConflict>] = [
    .init("kind", "KIND") { .text($0.kind) }, .init("id", "ROW") { .text($0.id) }, .init("field", "FIELD") { .text($0.field) },
    .init("kept", "KEPT") { .text($0.kept.rawValue) },
    .init("lost", "LOST", shrinks: true) { .told($0.lostValue.map(ShownValue.stored) ?? .text(nil), $0.lostValue) },
    .init("noticed_at", "NOTICED") { .time($0.noticedAt) },
  ]

  struct EventType: Sendable {
    var type: String
    var events: Int
    var pending: Int
    var setAside: Int
    var last: Date
  }

  static let telemetry: [ShownField<EventType>] = [
    .init("type", "TYPE") { .text($0.type) }, .init("events", "EVENTS") { .count($0.events) },
    .init("pending", "TO BE SENT") { .count($0.pending).unlessZero }, .init("set_aside", "SET ASIDE") { .count($0.setAside).unlessZero },
    .init("last_event_at", "LAST") { .time($0.last) },
  ]

  static func eventTypes(_ reader: Reader) throws -> [EventType] {
    try reader.values(
      """
      SELECT type, count(*), count(*) FILTER (WHERE \(sql: Outbox.isPending)), count(*) FILTER (WHERE \(sql: Outbox.isSetAside)),
        max(occurred_at)
      FROM telemetry GROUP BY type ORDER BY type
      """
    ) { row in
      EventType(type: try row.text(), events: try row.int(), pending: try row.int(), setAside: try row.int(), last: try row.date())
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

  private static let model: [ShownField<ModelMetadata>] = [
    .init(nil, "model") { .text($0.name) }, .init(nil, "description") { .text($0.description) },
    .init(nil, "author") { .text($0.author) }, .init(nil, "license") { .text($0.license) },
    .init(nil, "version") { .text($0.version) }, .init(nil, "format") { .text($0.format.rawValue) },
    .init(nil, "framework") { .text($0.framework.rawValue) }, .init(nil, "weights") { .text($0.quantization?.rawValue) },
    .init(nil, "size") { .size($0.sizeBytes) }, .init(nil, "memory") { .size($0.estimatedMemoryBytes) },
    .init(nil, "context") { .text($0.contextLength.map { ShownValue.counted($0, "token") }) }, .init(nil, "tags") { .texts($0.tags) },
    .init(nil, "file") { .text($0.localPath) }, .init(nil, "gone since") { .time($0.missingSince) },
    .init(nil, "from") { .text($0.downloadURL) },
    .init(nil, "used") { model in
      let last = model.lastUsedAt.map { ", last \(ShownValue.time($0).words)" } ?? ""
      return .text(model.usageCount > 0 ? ShownValue.counted(model.usageCount, "time") + last : nil)
    },
    .init(nil, "id") { .text($0.id) },
  ]

  private static let usage: [ShownField<ModelUsage>] = [
    .init("day", "DAY") { .text($0.day) }, .init("generations", "GENERATIONS") { .count($0.generationCount) },
    .init("errors", "ERRORS") { .count($0.errorCount).unlessZero }, .init("total_tokens", "TOKENS") { .count(Int($0.totalTokens)) },
    .init("total_cost", "COST") { cost($0.totalCost) }, .init("mean_latency_ms", "LATENCY") { milliseconds($0.averageLatencyMilliseconds) },
  ]

  private static func shownSession(_ id: UUID, _ reader: Reader) throws -> Shown? {
    guard let session = try InferenceStore.session(id, in: reader) else { return nil }
    let own = try InferenceStore.generations(of: id, limit: .max, in: reader).items
    let members = (sessions + self.session).members(of: session).merging(["generations": .array(own.map(generation.object))]) { $1 }
    return Shown(["session": .object(members)], [self.session.facts(of: session), generation.table(of: own)])
  }

  private static let session: [ShownField<GenerationSession>] = [
    .init(nil, "session") { .text($0.type.rawValue) }, .init(nil, "model") { .text($0.modelID) },
    .init(nil, "started") { .time($0.startedAt) },
    .init(nil, "ended") { .text($0.endedAt.map { ShownValue.time($0).words } ?? "goes on") },
    .init(nil, "tokens") { .text("\($0.totalInputTokens) in, \($0.totalOutputTokens) out") },
    .init(nil, "cost") { cost($0.totalCost) },
    .init("mean_time_to_first_token_ms", "first token") { milliseconds($0.averageTimeToFirstTokenMilliseconds) },
    .init("mean_tokens_per_second", "tokens/s") { rate($0.averageTokensPerSecond) }, .init(nil, "id") { .id($0.id) },
    .init("message_count") { .count($0.messageCount) }, .init("total_duration_ms") { .number($0.totalDurationMilliseconds) },
    .init("context") { .json($0.context.map(JSONValue.object) ?? .null) },
  ]

  private static let generation: [ShownField<Generation>] = [
    .init("sequence_number", "NO.") { .count($0.sequenceNumber) }, .init("created_at", "TIME") { .time($0.createdAt) },
    .init("target", "WHERE") { .text($0.performance?.executionTarget.rawValue) },
    .init("prompt_tokens", "PROMPT") { .count($0.performance?.promptTokens) },
    .init("completion_tokens", "ANSWER") { .count($0.performance?.completionTokens) },
    .init("latency_ms", "LATENCY") { milliseconds($0.performance?.latencyMilliseconds) },
    .init("time_to_first_token_ms", "FIRST TOKEN") { milliseconds($0.performance?.timeToFirstTokenMilliseconds) },
    .init("tokens_per_second", "TOKENS/S") { rate($0.performance?.tokensPerSecond) }, .init("cost", "COST") { cost($0.cost) },
    .init(nil, "ERROR", shrinks: true) { .text([$0.errorCode, $0.errorMessage].compactMap { $0 }.joined(separator: ": ")) },
    .init("id") { .id($0.id) }, .init("model_id") { .text($0.performance?.modelID) }, .init("cost_saved") { .number($0.costSaved) },
    .init("framework") { .text($0.performance?.routingFramework?.rawValue) },
    .init("routing_reason") { .text($0.performance?.routingReason) },
    .init("request") { .json($0.request.map(JSONValue.object) ?? .null) },
    .init("response") { .json($0.response.map(JSONValue.object) ?? .null) }, .init("error_code") { .text($0.errorCode) },
    .init("error_message") { .text($0.errorMessage) },
  ]

  /// The API's key is shown by name only: no output contains the key itself.
  private static let settings: [ShownField<InferenceConfiguration>] = [
    .init("id", "configuration") { .text($0.id) }, .init("base_url", "address") { .text($0.baseURL) },
    .init("api_key_reference", "key of the API") { .text($0.apiKeyReference) },
    .init("routing_policy", "routing") { .text($0.routing.policy.rawValue) },
    .init("is_cloud_enabled", "cloud") { .told(.flag($0.routing.isCloudEnabled), $0.routing.isCloudEnabled ? "yes" : "no") },
    .init("privacy_mode", "privacy") { .text($0.routing.privacyMode.rawValue) },
    .init("telemetry_consent", "consent") { .text($0.analytics.telemetryConsent.rawValue) },
    .init("is_analytics_enabled", "analytics") {
      .told(.flag($0.analytics.isEnabled), $0.analytics.isEnabled ? $0.analytics.level.rawValue : "off")
    },
    .init("analytics_level") { .text($0.analytics.level.rawValue) },
    .init("model_cache_size", "models in memory") { .count($0.modelCacheSize) },
    .init("max_memory_usage_megabytes", "memory, MB") { .count($0.maxMemoryUsageMegabytes) },
    .init("max_cache_size_bytes", "cache") { .size($0.storage.maxCacheSizeBytes) },
    .init("eviction_policy", "removed first") { .text($0.storage.evictionPolicy.rawValue) },
    .init("minimum_free_space_bytes", "kept free") { .size($0.storage.minimumFreeSpaceBytes) },
    .init("directory_name", "folder") { .text($0.storage.directoryName) },
    .init("allows_user_override") { .flag($0.allowsUserOverride) }, .init("created_at") { .time($0.createdAt) },
    .init("updated_at", "changed") { .time($0.updatedAt) },
  ]
}
