import Foundation
import Holdfast

/// The SDK's first database: each row has an id, JSON, and columns for sending it.
struct InferenceBlobs: InferenceTarget {
  let name = "inference-blobs"
  /// A record of the history is imported as a generation if possible.
  let countedAs = ["generation_history": "generations"]

  private static let kinds = Dictionary(
    uniqueKeysWithValues: [
      "configuration", "model_metadata", "generation_sessions", "generations", "generation_history", "telemetry", "user_preferences",
    ].map { ($0, $0) })

  func source(_ random: inout SeededRandom) throws -> FuzzSource {
    try .database(&random, kinds: Self.kinds, bookkeeping: ["grdb_migrations"]) { random in
      var seeds = BlobSheets(values: InferenceValues(random))
      defer { random = seeds.values.random }
      return seeds.database()
    }
  }
}

/// Small valid databases.
private struct BlobSheets {
  var values: InferenceValues
  private var sheets: [String: Sheet] = [:]

  private static let names: [(part: InferencePart, table: String)] = [
    (.configurations, "configuration"), (.events, "telemetry"), (.models, "model_metadata"), (.history, "generation_history"),
    (.preferences, "user_preferences"), (.history, "generation_sessions"), (.history, "generations"),
  ]
  private static let columns = ["id TEXT", "data TEXT", "updated_at TIMESTAMP", "sync_pending INTEGER"]

  init(values: InferenceValues) { self.values = values }

  mutating func database() -> [Sheet] {
    let parts = InferencePart.some(&values)
    for (part, name) in Self.names where parts.contains(part) { sheets[name] = Sheet(name, Self.columns) }
    let last = ["data TEXT", "created_at REAL", "updated_at REAL", "sync_pending INTEGER"]
    if parts.contains(.history) {
      sheets["generation_sessions"] = Sheet("generation_sessions", ["id TEXT", "model_id TEXT", "session_type TEXT"] + last)
      sheets["generations"] = Sheet("generations", ["id TEXT", "session_id TEXT", "sequence_number INTEGER"] + last)
    }
    if parts.contains(.configurations) { for _ in 0..<values.count(0...2) { addConfiguration() } }
    if parts.contains(.models) { for _ in 0..<values.count(0...2) { addModel() } }
    if parts.contains(.history) { for _ in 0..<values.count(0...3) { addSession() } }
    if parts.contains(.events) { for _ in 0..<values.count(0...3) { addEvent() } }
    if parts.contains(.preferences) {
      for _ in 0..<values.count(0...2) { add(values.word(), to: "user_preferences", [("value", .string(values.word()))]) }
    }
    return Self.names.compactMap { sheets[$0.table] }
  }

  private mutating func addEvent() {
    let id = values.id()
    add(
      id, to: "telemetry",
      [
        ("eventType", .string(values.known("error", "performance", "custom", "model_loaded"))),
        ("properties", .object([("ms", .string(values.number())), ("é", .string(values.word()))])), ("timestamp", values.date()),
      ])
  }

  private mutating func add(_ id: String, to table: String, _ members: [(String, Node)]) {
    let row = [Sheet.quoted(id), values.json(.object(all(id, members))), time(), values.pending()]
    sheets[table]?.rows.append(row)
  }

  /// Adds the members that every record has.
  private mutating func all(_ id: String, _ members: [(String, Node)]) -> [(key: String, value: Node)] {
    let last: [(String, Node)] = [("updatedAt", values.date()), ("syncPending", .raw(values.flag()))]
    return ([("id", .string(id))] + members + last).map { (key: $0.0, value: $0.1) }
  }

  private mutating func addConfiguration() {
    var members = values.pick([settings(), flat(), flat() + analytics(), nested(), nested()])
    if values.chance(1, of: 4) { members.append(("apiKey", .string("sk-live/0123456789-abcdefghij"))) }
    add(values.pick(["default", "default", "work"]), to: "configuration", members)
  }

  private mutating func settings() -> [(String, Node)] {
    [("settings", .object([("temperature", .string(values.number())), ("topK", .string("5")), ("theme", .string("dark"))]))]
  }

  private mutating func flat() -> [(String, Node)] {
    [
      ("temperature", .raw("0.5")), ("maxTokens", .raw(values.pick(["100", "1e2"]))), ("topP", .raw("1")), ("topK", .raw("20")),
      ("cloudRoutingEnabled", .raw(values.flag())), ("privacyModeEnabled", .raw(values.flag())),
      ("routingPolicy", .string(values.known("automatic", "preferCloud", "deviceOnly"))), ("allowUserOverride", .raw(values.flag())),
    ]
  }

  private mutating func analytics() -> [(String, Node)] {
    [
      ("analyticsEnabled", .raw(values.flag())), ("analyticsLevel", .string(values.known("basic", "detailed", "full"))),
      ("enableLiveMetrics", .raw(values.flag())),
    ]
  }

  private mutating func nested() -> [(String, Node)] {
    let routing: Node = .object([
      ("policy", .string(values.known("custom", "preferDevice"))), ("cloudEnabled", .raw(values.flag())),
      ("privacyMode", .string(values.known("standard", "strict", "custom"))), ("customRules", .string("eyJhIjoxfQ==")),
      ("maxLatencyThreshold", .raw("1500.5")),
    ])
    let analytics: Node = .object([
      ("enabled", .raw(values.flag())), ("level", .string(values.known("none", "verbose"))),
      ("telemetryConsent", .string(values.known("granted", "limited", "denied"))), ("batchSize", .raw("7")),
      ("submissionInterval", .raw("12.5")),
    ])
    let generation: Node = .object([
      ("defaults", .object([("temperature", .raw("0.1")), ("stopSequences", .array([.string("</s>")]))])),
      ("tokenBudget", .object([("maxTokensPerDay", .raw("2")), ("enforceStrictly", .raw(values.flag()))])),
      ("frameworkPreferences", .array([.string("MLX")])),
      ("thinkingPattern", .object([("openingTag", .string("<t>")), ("closingTag", .string("</t>"))])),
    ])
    let storage: Node = .object([("maxCacheSize", .raw("5")), ("evictionPolicy", .string(values.known("lru", "largest_first")))])
    return [
      ("routing", routing), ("analytics", analytics), ("generation", generation), ("storage", storage), ("createdAt", values.date()),
    ]
  }

  private mutating func addModel() {
    add(
      values.model(), to: "model_metadata",
      [
        ("name", .string(values.word())), ("format", .string(values.known("gguf", "mlx"))),
        ("framework", .string(values.known("LlamaCpp", "MLX"))), ("localPath", .string(values.pick(["", "/models/a.gguf"]))),
        ("estimatedMemory", .raw("1200000000")), ("contextLength", .raw("4096")), ("downloadSize", .raw(values.pick(["null", "5"]))),
        ("tags", .array([.string("b"), .string("a")])), ("downloadedAt", values.date()), ("usageCount", .raw("4")),
        ("supportsThinking", .raw(values.flag())), ("thinkingOpenTag", .string("<t>")), ("thinkingCloseTag", .string("</t>")),
      ])
  }

  private mutating func addSession() {
    let (id, model) = (values.id(), values.model())
    let node: Node = .object(
      all(
        id,
        [
          ("modelId", .string(model)), ("sessionType", .string(values.known("chat", "batch"))), ("startTime", values.date()),
          ("endTime", values.chance(1, of: 2) ? values.date() : .raw("null")), ("generationCount", .raw("1")),
          ("totalInputTokens", .raw("60")), ("totalOutputTokens", .raw("30")), ("averageTimeToFirstToken", .raw(values.number())),
          ("averageTokensPerSecond", .raw("49")), ("totalDuration", .raw(values.number())),
        ]))
    let row = [Sheet.quoted(id), Sheet.quoted(model), "'chat'", values.json(node), "1754400000.125", time(), values.pending()]
    sheets["generation_sessions"]?.rows.append(row)
    for place in 0..<values.count(0...3) { addGeneration(in: values.chance(1, of: 10) ? values.id() : id, at: place) }
  }

  private mutating func addGeneration(in session: String, at place: Int) {
    let id = values.id()
    let performance: Node = .object([
      ("timeToFirstToken", .raw("0.09")), ("totalGenerationTime", .raw(values.number())), ("inputTokens", .raw("60")),
      ("outputTokens", .raw("30")), ("tokensPerSecond", .raw("49")), ("modelId", .string(values.model())),
      ("executionTarget", .string(values.known("onDevice", "cloud", "hybrid"))), ("routingFramework", .string("LlamaCpp")),
      ("routingReason", .string(values.word())),
    ])
    let members: [(String, Node)] = [
      ("sessionId", .string(session)), ("sequenceNumber", .raw("\(place)")), ("timestamp", values.date()),
      ("performance", values.chance(1, of: 4) ? .raw("null") : performance),
    ]
    if values.chance(1, of: 3) { return add(id, to: "generation_history", members) }
    let node: Node = .object(all(id, members))
    let row = [Sheet.quoted(id), Sheet.quoted(session), "\(place)", values.json(node), "1754400000.125", time(), values.pending()]
    sheets["generations"]?.rows.append(row)
  }

  /// The value of a time column: seconds since 1970, or SQLite's own text by default.
  private mutating func time() -> String { values.pick(["1754400000.25", "1754400000", "'2025-08-05 13:20:00'", "NULL", "0"]) }
}
