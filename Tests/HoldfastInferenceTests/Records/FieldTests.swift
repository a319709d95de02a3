import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// Every field that the SDK's records have, by the name that it has there: each is changed alone, and comes back equal. Those of a
/// configuration are in `ConfigurationTests`, and `syncPending` is the list of what waits.
@Suite("Fields") struct FieldTests {
  struct Field<Record: Sendable>: Sendable {
    let name: String
    let change: @Sendable (inout Record) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout Record) -> Void) { (self.name, self.change) = (name, change) }

    init<Value: Sendable>(_ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable, _ value: Value) {
      self.init(name) { $0[keyPath: path] = value }
    }
  }

  /// For each field saves a plain record and the changed one in its place, all in one store.
  private func check<Record: Equatable & Sendable>(
    _ fields: [Field<Record>], plain: (Int) -> Record, prepare: (InferenceStore) async throws -> Void = { _ in },
    save: (InferenceStore, Record) async throws -> Void, load: (InferenceStore, Record) async throws -> Record?
  ) async throws {
    let world = try World.temporary()
    try await prepare(world.inference)
    for (number, field) in fields.enumerated() {
      let before = plain(number)
      try await save(world.inference, before)
      #expect(try await load(world.inference, before) == before, "\(field.name)")
      var changed = before
      field.change(&changed)
      #expect(changed != before, "the test changes nothing: \(field.name)")
      try await save(world.inference, changed)
      #expect(try await load(world.inference, before) == changed, "\(field.name)")
    }
    #expect(try world.isHealthy())
  }

  private static let date = Date(timeIntervalSince1970: 1_754_399_999.5)

  static let models: [Field<ModelMetadata>] = [
    Field("name", \.name, "Llama"), Field("format", \.format, .ort), Field("framework", \.framework, .picoLLM),
    Field("localPath", \.localPath, "/models/a b.gguf"), Field("estimatedMemory", \.estimatedMemoryBytes, .max),
    Field("contextLength", \.contextLength, 131_072), Field("downloadSize", \.downloadSizeBytes, 0), Field("checksum", \.checksum, ""),
    Field("author", \.author, "Meta"), Field("license", \.license, "llama3.2"), Field("description", \.description, "é\n\u{0}"),
    Field("tags", \.tags, ["b", "", "a", "b"]), Field("downloadedAt", \.downloadedAt, date), Field("lastUsed", \.lastUsedAt, date),
    Field("usageCount", \.usageCount, 4), Field("supportsThinking", \.supportsThinking, true),
    Field("thinkingOpenTag and thinkingCloseTag", \.thinkingTags, ThinkingTags(open: "<t>", close: "")),
    Field("updatedAt", \.updatedAt, date),
    // Of the second database.
    Field("size_bytes", \.sizeBytes, 1), Field("quantization", \.quantization, .mixed), Field("version", \.version, "3.2"),
    Field("capabilities", \.capabilities, ["a": .array([.null, .double(0.5)])]), Field("requirements, empty", \.requirements, [:]),
    Field("requirements", \.requirements, ["min_memory": .integer(.min)]), Field("download_url", \.downloadURL, "https://models.example"),
    Field("total_tokens_generated", \.totalTokensGenerated, .max), Field("created_at", \.createdAt, date),
    // Ours.
    Field("missing since", \.missingSince, date),
  ]

  @Test("a model comes back equal, whichever field is changed")
  func model() async throws {
    try await check(
      Self.models, plain: { ModelMetadata(id: "m\($0)", name: "", framework: .mlx, createdAt: Sample.date) },
      save: { try await $0.save($1) }, load: { try await $0.model($1.id) })
  }

  static let sessions: [Field<GenerationSession>] = [
    Field("modelId", \.modelID, "another"), Field("sessionType", \.type, .batch), Field("startTime", \.startedAt, date),
    Field("endTime", \.endedAt, date), Field("generationCount", \.generationCount, 2), Field("totalInputTokens", \.totalInputTokens, .max),
    Field("totalOutputTokens", \.totalOutputTokens, 50),
    Field("averageTimeToFirstToken", \.averageTimeToFirstTokenMilliseconds, 80.5),
    Field("averageTokensPerSecond", \.averageTokensPerSecond, 0.1), Field("totalDuration", \.totalDurationMilliseconds, 1e300),
    // Of the second database.
    Field("total_tokens", \.totalTokens, 151), Field("total_cost", \.totalCost, -0.25), Field("message_count", \.messageCount, 0),
    Field("context_data", \.context, ["file": .string("a.swift")]), Field("updated_at", \.updatedAt, date),
  ]

  @Test("a session comes back equal, whichever field is changed")
  func session() async throws {
    try await check(
      Self.sessions,
      plain: { GenerationSession(id: SDKDatabase.uuid($0), modelID: "never registered", type: .chat, startedAt: Sample.date) },
      save: { try await $0.save($1) }, load: { try await $0.session($1.id) })
  }

  static let generations: [Field<Generation>] = [
    Field("sequenceNumber", \.sequenceNumber, -1), Field("timestamp", \.createdAt, date), Field("performance, none", \.performance, nil),
    Field("performance", \.performance, Sample.performance),
    Field("performance.timeToFirstToken") { $0.performance?.timeToFirstTokenMilliseconds = 90.25 },
    Field("performance.totalGenerationTime") { $0.performance?.latencyMilliseconds = 612.5 },
    Field("performance.inputTokens") { $0.performance?.promptTokens = 60 },
    Field("performance.outputTokens") { $0.performance?.completionTokens = 30 },
    Field("performance.tokensPerSecond") { $0.performance?.tokensPerSecond = 0 },
    Field("performance.modelId") { $0.performance?.modelID = "of another session" },
    Field("performance.executionTarget") { $0.performance?.executionTarget = .hybrid },
    Field("performance.routingFramework") { $0.performance?.routingFramework = .mediaPipe },
    Field("performance.routingReason") { $0.performance?.routingReason = "" },
    // Of the second database.
    Field("cost", \.cost, 0.125), Field("cost_saved", \.costSaved, 0.5), Field("request_data", \.request, ["prompt": .string("2 + 2")]),
    Field("response_data", \.response, [:]), Field("error_code", \.errorCode, "E1"), Field("error_message", \.errorMessage, "too late"),
  ]

  @Test("a generation comes back equal, whichever field is changed")
  func generation() async throws {
    try await check(
      Self.generations,
      plain: { number in
        Generation(
          id: SDKDatabase.uuid(number), sessionID: Sample.session.id, sequenceNumber: 2, createdAt: Sample.date,
          performance: .init(modelID: "m", executionTarget: .cloud, latencyMilliseconds: 0, promptTokens: 0, completionTokens: 0))
      },
      prepare: { try await $0.save(Sample.session) }, save: { try await $0.save($1) },
      load: { try await $0.generation($1.id) })
  }

  static let events: [Field<TelemetryEvent>] = [
    Field("eventType", \.type, .memory), Field("properties", \.properties, StoredJSON(text: #"{ "ms" : "12", "é": "" }"#)),
    Field("timestamp", \.occurredAt, date), Field("updatedAt", \.updatedAt, date),
    // Of the second database.
    Field("event_name", \.name, ""), Field("user_id", \.userID, "u"), Field("session_id", \.sessionID, "s"),
    Field("device_info", \.deviceInfo, ["model": .string("iPhone")]), Field("sdk_version", \.sdkVersion, "0.15"),
    Field("created_at", \.createdAt, date),
  ]

  @Test("an event comes back equal, whichever field is changed")
  func event() async throws {
    try await check(
      Self.events, plain: { TelemetryEvent(id: "e\($0)", type: .custom, occurredAt: Sample.date) },
      prepare: { try await TelemetryTests.consent($0) },
      save: { inference, event in
        try await inference.deleteEvent(event.id)
        #expect(try await inference.record([event]) == 1)
      }, load: { try await $0.event($1.id) })
  }

  @Test("an id is kept word for word, but for those that are UUIDs")
  func ids() async throws {
    let inference = try World.temporary().inference
    try await TelemetryTests.consent(inference)
    for (number, id) in ["6B29FC40-CA47-1067-B31D-00DD010662DA", "llama 3.2/1b", "é", "e\u{301}", "a\u{0}b"].enumerated() {
      try await inference.save(ModelMetadata(id: id, name: "", framework: .mlx, createdAt: Sample.date))
      let routings = (0..<number).map { Routing(maxLatencyThreshold: Double($0)) }
      let configuration = InferenceConfiguration(
        id: id, otherRoutings: routings, analytics: .init(batchSize: number), storage: .init(maxCacheSizeBytes: Int64(number)),
        createdAt: Sample.date)
      try await inference.save(configuration)
      try await inference.record([TelemetryEvent(id: id, type: .custom, occurredAt: Sample.date)])
      #expect(try await inference.model(id).map { Array($0.id.utf8) } == Array(id.utf8))
      #expect(try await inference.configuration(id) == configuration)
      #expect(try await inference.configurations().first { $0.id.utf8.elementsEqual(id.utf8) } == configuration)
      #expect(try await inference.event(id).map { Array($0.id.utf8) } == Array(id.utf8))
    }
    #expect(try await inference.models().count == 5)
  }

  struct Member: Sendable {
    var json: String
    var field: Field<InferenceConfiguration>

    init<Value: Sendable>(
      _ path: String, _ json: String, _ field: any WritableKeyPath<InferenceConfiguration, Value> & Sendable, _ value: Value
    ) { (self.json, self.field) = (json, Field(path, field, value)) }
  }

  /// Members of the SDK's configuration, each with a value that is not the default, and what it is here; `apiKey` is in `LegacyKeyTests`.
  static let members: [Member] = [
    Member("routing.policy", #""preferCloud""#, \.routing.policy, .preferCloud),
    Member("routing.cloudEnabled", "true", \.routing.isCloudEnabled, true),
    Member("routing.privacyMode", #""custom""#, \.routing.privacyMode, .custom),
    Member("routing.customRules", #""eyJhIjoxfQ==""#, \.routing.customRules, Data(#"{"a":1}"#.utf8)),
    Member("routing.maxLatencyThreshold", "1500.5", \.routing.maxLatencyThreshold, 1_500.5),
    Member("routing.minConfidenceScore", "0.25", \.routing.minConfidenceScore, 0.25),
    Member("analytics.enabled", "true", \.analytics.isEnabled, true),
    Member("analytics.level", #""detailed""#, \.analytics.level, .detailed),
    Member("analytics.liveMetricsEnabled", "true", \.analytics.areLiveMetricsEnabled, true),
    Member("analytics.telemetryConsent", #""granted""#, \.analytics.telemetryConsent, .granted),
    Member("analytics.includeDeviceInfo", "true", \.analytics.includesDeviceInfo, true),
    Member("analytics.includeModelInfo", "true", \.analytics.includesModelInfo, true),
    Member("analytics.batchSize", "7", \.analytics.batchSize, 7),
    Member("analytics.submissionInterval", "12.5", \.analytics.submissionIntervalSeconds, 12.5),
    Member("generation.defaults.temperature", "0", \.generation.temperature, 0),
    Member("generation.defaults.maxTokens", "99", \.generation.maxTokens, 99),
    Member("generation.defaults.topP", "1", \.generation.topP, 1), Member("generation.defaults.topK", "40", \.generation.topK, 40),
    Member("generation.defaults.repetitionPenalty", "1.1", \.generation.repetitionPenalty, 1.1),
    Member("generation.defaults.stopSequences", "[]", \.generation.stopSequences, []),
    Member("generation.tokenBudget", #"{"enforceStrictly":false}"#, \.generation.tokenBudget, .init()),
    Member("generation.tokenBudget", #"{"enforceStrictly":true}"#, \.generation.tokenBudget, .init(isEnforcedStrictly: true)),
    Member(
      "generation.tokenBudget", #"{"maxTokensPerRequest":1,"enforceStrictly":false}"#, \.generation.tokenBudget,
      .init(maxTokensPerRequest: 1)),
    Member(
      "generation.tokenBudget", #"{"maxTokensPerDay":2,"enforceStrictly":false}"#, \.generation.tokenBudget, .init(maxTokensPerDay: 2)),
    Member(
      "generation.tokenBudget", #"{"maxTokensPerMonth":3,"enforceStrictly":false}"#, \.generation.tokenBudget, .init(maxTokensPerMonth: 3)),
    Member("generation.frameworkPreferences", #"["MLX"]"#, \.generation.frameworkPreferences, [.mlx]),
    Member("generation.maxContextLength", "8192", \.generation.maxContextLength, 8_192),
    Member("generation.enableThinkingExtraction", "true", \.generation.isThinkingExtractionEnabled, true),
    Member(
      "generation.thinkingPattern", #"{"openingTag":"<t>","closingTag":"</t>"}"#, \.generation.thinkingTags,
      ThinkingTags(open: "<t>", close: "</t>")),
    Member("storage.maxCacheSize", "5", \.storage.maxCacheSizeBytes, 5),
    Member("storage.evictionPolicy", #""fifo""#, \.storage.evictionPolicy, .firstInFirstOut),
    Member("storage.directoryName", #""""#, \.storage.directoryName, ""),
    Member("storage.enableAutoCleanup", "false", \.storage.isAutoCleanupEnabled, false),
    Member("storage.autoCleanupInterval", "60.5", \.storage.autoCleanupIntervalSeconds, 60.5),
    Member("storage.minimumFreeSpace", "0", \.storage.minimumFreeSpaceBytes, 0),
    Member("storage.enableCompression", "true", \.storage.isCompressionEnabled, true),
    Member("allowUserOverride", "true", \.allowsUserOverride, true),
    Member("createdAt", "1", \.createdAt, Date(timeIntervalSinceReferenceDate: 1)),
    Member("updatedAt", "3", \.updatedAt, Date(timeIntervalSinceReferenceDate: 3)),
  ]

  @Test("every member of the SDK's configuration is its field here, and no other")
  func member() throws {
    let rows = Self.members.enumerated().map { number, member in
      let names = member.field.name.split(separator: ".").map(String.init)
      let nested = names.dropFirst().reversed().reduce(member.json) { #"{"\#($1)":\#($0)}"# }
      let plain = ["id": #""\#(number)""#, "routing": "{}", "createdAt": "2", "updatedAt": "2"].merging([names[0]: nested]) { $1 }
      let json = "{" + plain.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
      return SDKDatabase.row("configuration", "\(number)", json)
    }
    let world = try LegacyWorld()
    try world.database([SDKDatabase.first] + rows)
    #expect(try world.importing() == "configuration \(rows.count): \(rows.count) imported")
    let found = try world.withLibrary { try $0.store.read { try InferenceStore.configurations(in: $0) } }
    let date = Date(timeIntervalSinceReferenceDate: 2)
    for (number, member) in Self.members.enumerated() {
      var expected = InferenceConfiguration(id: "\(number)", createdAt: date, updatedAt: date)
      member.field.change(&expected)
      #expect(found.first { $0.id == expected.id } == expected, "\(member.field.name): \(member.json)")
    }
  }
}
