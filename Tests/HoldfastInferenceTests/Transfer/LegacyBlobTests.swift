import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The SDK's first database") struct LegacyBlobTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  /// 776092800.25 seconds after 2001.
  private let updated = Date(timeIntervalSince1970: 1_754_400_000.25)
  private let began = Date(timeIntervalSince1970: 1_754_400_000.125)

  init() throws { world = try LegacyWorld() }

  @Test("all of a configuration comes in as it is, in JSON with times since 2001")
  func nested() throws {
    let json = #"""
      {"id":"default","routing":{"policy":"of tomorrow","cloudEnabled":true,"privacyMode":"custom","customRules":"eyJhIjoxfQ==",
      "maxLatencyThreshold":1500.5,"minConfidenceScore":0.25},"analytics":{"enabled":true,"level":"verbose","liveMetricsEnabled":true,
      "telemetryConsent":"limited","includeDeviceInfo":true,"includeModelInfo":true,"batchSize":7,"submissionInterval":12.5},
      "generation":{"defaults":{"temperature":0.1,"maxTokens":99,"topP":0.5,"topK":40,"repetitionPenalty":1.1,"stopSequences":["</s>"]},
      "tokenBudget":{"maxTokensPerRequest":1,"maxTokensPerDay":2,"maxTokensPerMonth":3,"enforceStrictly":true},
      "frameworkPreferences":["MLX","of tomorrow"],"maxContextLength":8192,"enableThinkingExtraction":true,
      "thinkingPattern":{"openingTag":"<t>","closingTag":"</t>"}},"storage":{"maxCacheSize":5,"evictionPolicy":"largest_first",
      "directoryName":"Models","enableAutoCleanup":false,"autoCleanupInterval":60.5,"minimumFreeSpace":6,"enableCompression":true},
      "allowUserOverride":true,"createdAt":776092800.125,"updatedAt":776092800.25,"syncPending":true}
      """#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    let report = try world.report()
    #expect(report.format == "inference-blobs" && report.formatVersion == 4)
    #expect(report.picture == "configuration 1: 1 imported")
    #expect(
      try world.configuration()
        == InferenceConfiguration(
          routing: Routing(
            policy: RoutingPolicy(rawValue: "of tomorrow"), isCloudEnabled: true, privacyMode: .custom, customRules: Data(#"{"a":1}"#.utf8),
            maxLatencyThreshold: 1500.5, minConfidenceScore: 0.25),
          analytics: .init(
            isEnabled: true, level: .verbose, areLiveMetricsEnabled: true, telemetryConsent: .limited, includesDeviceInfo: true,
            includesModelInfo: true, batchSize: 7, submissionIntervalSeconds: 12.5),
          generation: GenerationSettings(
            temperature: 0.1, maxTokens: 99, topP: 0.5, topK: 40, repetitionPenalty: 1.1, stopSequences: ["</s>"],
            tokenBudget: .init(maxTokensPerRequest: 1, maxTokensPerDay: 2, maxTokensPerMonth: 3, isEnforcedStrictly: true),
            frameworkPreferences: [.mlx, ModelFramework(rawValue: "of tomorrow")], maxContextLength: 8_192,
            isThinkingExtractionEnabled: true,
            thinkingTags: ThinkingTags(open: "<t>", close: "</t>")),
          storage: .init(
            maxCacheSizeBytes: 5, evictionPolicy: .largestFirst, directoryName: "Models", isAutoCleanupEnabled: false,
            autoCleanupIntervalSeconds: 60.5, minimumFreeSpaceBytes: 6, isCompressionEnabled: true),
          allowsUserOverride: true, createdAt: began, updatedAt: updated))
    #expect(try world.importing() == "configuration 1: 1 skipped\nskipped 1: in the store already")
  }

  @Test("the two flat shapes become what the SDK made of them; what they do not say is the private default", arguments: [false, true])
  func flat(hasAnalytics: Bool) throws {
    let analytics = hasAnalytics ? #","analyticsEnabled":true,"analyticsLevel":"detailed","enableLiveMetrics":true"# : ""
    let json =
      #"{"id":"default","temperature":0.5,"maxTokens":100,"topP":1,"topK":20,"cloudRoutingEnabled":true,"privacyModeEnabled":false,"#
      + #""routingPolicy":"preferCloud","allowUserOverride":true,"updatedAt":776092800.25,"syncPending":false\#(analytics)}"#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    let report = try world.report()
    #expect(report.formatVersion == (hasAnalytics ? 3 : 2))
    #expect(report.picture == "configuration 1: 1 imported")
    #expect(
      try world.configuration()
        == InferenceConfiguration(
          routing: Routing(policy: .preferCloud, isCloudEnabled: true, privacyMode: .standard),
          analytics: hasAnalytics ? .init(isEnabled: true, level: .detailed, areLiveMetricsEnabled: true) : .init(),
          generation: GenerationSettings(temperature: 0.5, maxTokens: 100, topP: 1, topK: 20), allowsUserOverride: true, createdAt: updated)
    )
  }

  @Test("a policy that the SDK does not know keeps requests on the device, a level is basic, and both are told")
  func unknownInFlat() throws {
    let json =
      #"{"id":"default","temperature":0.5,"cloudRoutingEnabled":false,"privacyModeEnabled":true,"routingPolicy":"costOptimized","#
      + #""analyticsEnabled":false,"analyticsLevel":"full","updatedAt":776092800.25}"#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        configuration[rowid 1].routingPolicy: the SDK has no such policy; imported as deviceOnly, as the SDK read it
        configuration[rowid 1].analyticsLevel: the SDK has no such level; imported as basic, as the SDK read it
        """)
    let configuration = try world.configuration()
    #expect(configuration?.routing == Routing(policy: .deviceOnly, isCloudEnabled: false, privacyMode: .strict))
    #expect(configuration?.analytics.level == .basic)
    #expect(try world.quarantine() == [#""costOptimized""#, #""full""#])
  }

  @Test("the first shape is a map of texts: what is known in it becomes settings, the rest is told")
  func settings() throws {
    let json =
      #"{"id":"default","settings":{"temperature":"0.25","maxTokens":"64","privacyModeEnabled":"true","routingPolicy":"preferDevice","#
      + #""theme":"dark"},"updatedAt":776092800.25,"syncPending":true}"#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    let report = try world.report()
    #expect(report.formatVersion == 1)
    #expect(
      report.picture == """
        configuration 1: 1 imported
        configuration[rowid 1].settings.theme: this field is not known
        """)
    #expect(
      try world.configuration()
        == InferenceConfiguration(
          routing: Routing(policy: .preferDevice), generation: GenerationSettings(temperature: 0.25, maxTokens: 64), createdAt: updated))
    #expect(try world.quarantine() == [#""dark""#])
  }

  @Test("whether a row was sent stands twice, and neither is believed: the SDK marked what it had not sent")
  func pending() throws {
    func model(_ id: String, _ inside: String, _ column: String) -> String {
      SDK.row(
        "model_metadata", id, #"{"id":"\#(id)","name":"M","framework":"MLX","downloadedAt":1,"updatedAt":776092800.25\#(inside)}"#,
        pending: column)
    }
    let (yes, no) = (#","syncPending":true"#, #","syncPending":false"#)
    try world.database([
      SDK.first, model("a", yes, "0"), model("b", no, "1"), model("c", no, "NULL"), model("d", "", "'x'"),
      SDK.row("configuration", "default", #"{"id":"default","routing":{},"createdAt":1,"updatedAt":2}"#),
      SDK.row("user_preferences", "theme", "1"),
    ])
    #expect(try world.importing() == "configuration 1: 1 imported\nmodel_metadata 4: 4 imported\nuser_preferences 1: 1 imported")
    #expect(try world.revisions("model_metadata") == ["a 1/0", "b 1/0", "c 1/0", "d 1/0"])
    #expect(try world.revisions("configuration") == ["default 1/0"])
    #expect(try world.revisions("user_preferences", key: "name") == ["theme 1/0"])
    for table in ["model_metadata", "user_preferences"] {
      try world.withLibrary { try $0.store.write { _ = try $0.execute("UPDATE \(raw: table) SET acknowledged_revision = revision") } }
    }
    _ = try world.report()
    #expect(try world.revisions("model_metadata") == ["a 1/1", "b 1/1", "c 1/1", "d 1/1"], "what was sent from here is not sent again")
    #expect(try world.revisions("user_preferences", key: "name") == ["theme 1/1"])
  }

  @Test("sessions and generations wait whatever the SDK says of sending: it marked them without sending them")
  func historyWaits() throws {
    try world.database([SDK.first, SDK.session(1), SDK.generation(2, in: 1)])
    _ = try world.report()
    for table in ["generation_sessions", "generations"] { #expect(try world.revisions(table).map { $0.suffix(4) } == [" 1/0"]) }
    try world.withLibrary { try $0.store.write { _ = try $0.execute("UPDATE generations SET acknowledged_revision = revision") } }
    #expect(
      try world.importing()
        == "generation_sessions 1: 1 skipped\ngenerations 1: 1 skipped\nskipped 2: in the store already")
    #expect(try world.revisions("generations").map { $0.suffix(4) } == [" 1/1"], "what was sent from here is not sent again")
  }

  @Test("what was changed here and was not sent waits on when a newer source comes in")
  func changedHere() throws {
    let json = #"{"id":"default","routing":{},"createdAt":1,"updatedAt":2}"#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    _ = try world.report()
    try world.withLibrary { inference in
      var configuration = try #require(try inference.store.read { try InferenceStore.configuration(in: $0) })
      configuration.baseURL = "https://here.example"
      try inference.store.write { try InferenceStore.save(configuration, in: $0) }
    }
    func acknowledged() throws -> [String] {
      try world.lines(
        "SELECT iif(revision > acknowledged_revision, 'waits', 'was sent') || ' ' || acknowledged_revision FROM configuration")
    }
    #expect(try acknowledged() == ["waits 0"])
    let newer = #"{"id":"default","routing":{},"generation":{"maxContextLength":512},"createdAt":1,"updatedAt":1000000000}"#
    try world.database(["UPDATE configuration SET data = '\(newer)', updated_at = 2000000000"])
    let report = try world.report()
    #expect(report.counts["configuration"]?.merged == 1, "\(report.text)")
    let configuration = try #require(try world.configuration())
    #expect(configuration.baseURL == "https://here.example" && configuration.generation.maxContextLength == 512)
    #expect(try acknowledged() == ["waits 0"])
  }

  @Test("times in JSON are since 2001, in columns since 1970 or SQLite's own text; a column stands in for what the JSON lacks")
  func epochs() throws {
    let json = #"{"id":"m","name":"M","framework":"MLX","downloadedAt":776092800.125}"#
    try world.database([
      SDK.first, SDK.row("model_metadata", "m", json, updated: "'2025-08-05 13:20:01'"),
      SDK.row("model_metadata", "n", json.replacingOccurrences(of: "\"m\"", with: "\"n\""), updated: "1754400002"),
      SDK.row("model_metadata", "o", json.replacingOccurrences(of: "\"m\"", with: "\"o\""), updated: "NULL"),
    ])
    #expect(
      try world.importing() == """
        model_metadata 3: 2 imported, 1 quarantined
        model_metadata[rowid 3]: updatedAt is missing
        """)
    let models = try world.all(ModelMetadata.self)
    #expect(models.map(\.updatedAt.timeIntervalSince1970) == [1_754_400_001, 1_754_400_002])
    #expect(models.map(\.createdAt) == [began, began])
  }

  @Test("rows with arbitrary bytes are in quarantine with their bytes, and an id that is damaged beside its JSON is told")
  func bytes() throws {
    let json = #"{"id":"e","eventType":"custom","timestamp":776092800.125,"updatedAt":776092800.25}"#
    try world.database([
      SDK.first, "INSERT INTO telemetry VALUES ('a', CAST(x'7B226964FF00' AS TEXT), 1, 1)",
      "INSERT INTO telemetry VALUES ('b', '{\"id\":\"b\",\"even', 1, 1)", "INSERT INTO telemetry VALUES ('c', '[1]', 1, 1)",
      "INSERT INTO telemetry VALUES ('d', x'00010203', 1, 1)", "INSERT INTO telemetry VALUES (CAST(x'FFFE' AS TEXT), '\(json)', 1, 1)",
      "INSERT INTO telemetry VALUES ('f', '{\"id\":\"f\"}' || char(0) || 'x', 1, 1)",
    ])
    #expect(
      try world.importing() == """
        telemetry 6: 1 imported, 5 quarantined
        noted 1: imported without consent to send it; it is never sent
        telemetry[rowid 1]: data is not text in UTF-8
        telemetry[rowid 2]: data is no JSON from its byte 15 on
        telemetry[rowid 3]: data should be an object
        telemetry[rowid 4]: data is no JSON from its byte 0 on
        telemetry[rowid 5].id: id differs from the JSON in its row
        telemetry[rowid 6]: data is no JSON from its byte 10 on
        """)
    #expect(try world.all(TelemetryEvent.self).map(\.id) == ["e"])
    #expect(
      try world.quarantine() == [
        #"{"data":{"text":"eyJpZP8A"},"id":"a","sync_pending":1,"updated_at":1}"#,
        #"{"data":"{\"id\":\"b\",\"even","id":"b","sync_pending":1,"updated_at":1}"#,
        #"{"data":"[1]","id":"c","sync_pending":1,"updated_at":1}"#,
        #"{"data":{"blob":"AAECAw=="},"id":"d","sync_pending":1,"updated_at":1}"#,
        #"{"text":"//4="}"#,
        #"{"data":"{\"id\":\"f\"}\u0000x","id":"f","sync_pending":1,"updated_at":1}"#,
      ])
  }

  @Test("parameters that became NULL are taken from the JSON beside them, and the other way round")
  func unbound() throws {
    try world.database([
      SDK.first, SDK.session(1), SDK.generation(2, in: 1), SDK.session(3), "UPDATE generation_sessions SET updated_at = NULL, id = NULL",
      "UPDATE generations SET id = NULL, session_id = NULL, sequence_number = NULL, created_at = NULL, sync_pending = NULL",
      "UPDATE generation_sessions SET data = json_remove(data, '$.modelId', '$.sessionType', '$.startTime') WHERE rowid = 2",
      "UPDATE generation_sessions SET created_at = NULL WHERE rowid = 1",
      SDK.row("telemetry", "e", #"{"eventType":"custom","timestamp":776092800.125}"#),
      SDK.row("telemetry", "f", #"{"eventType":"custom","timestamp":776092800.125}"#, updated: "NULL"),
      "INSERT INTO telemetry VALUES (NULL, '{\"eventType\":\"custom\",\"timestamp\":1}', 1, 1)",
    ])
    #expect(
      try world.importing() == """
        generation_sessions 2: 2 imported
        generations 1: 1 imported
        telemetry 3: 1 imported, 2 quarantined
        noted 1: imported without consent to send it; it is never sent
        telemetry[rowid 2]: updatedAt is missing
        telemetry[rowid 3]: id is missing
        """)
    let sessions = try world.all(GenerationSession.self)
    #expect(sessions.map(\.id) == [SDK.uuid(1), SDK.uuid(3)] && sessions.map(\.modelID) == ["llama", "llama"])
    #expect(sessions.map(\.updatedAt) == [began, began] && sessions.map(\.startedAt) == [began, began])
    #expect(try world.revisions("generations") == ["\(SDK.id(2).lowercased()) 1/0"])
  }

  @Test("models come in with every field, and values that nobody knows yet are kept")
  func models() throws {
    let json = #"""
      {"id":"llama","name":"Llama","format":"of tomorrow","framework":"LlamaCpp","localPath":"/m/l.gguf","estimatedMemory":1200000000,
      "contextLength":131072,"downloadSize":807694465,"checksum":"abc","author":"Meta","license":"llama3.2","description":"small",
      "tags":["b","a","b"],"downloadedAt":776092800.125,"lastUsed":776092800.25,"usageCount":4,"supportsThinking":true,
      "thinkingOpenTag":"<t>","thinkingCloseTag":"</t>","updatedAt":776092800.25,"syncPending":true,"color":"red"}
      """#
    try world.database([SDK.first, SDK.row("model_metadata", "llama", json, pending: "1")])
    #expect(
      try world.importing() == """
        model_metadata 1: 1 imported
        model_metadata[rowid 1].color: this field is not known
        """)
    #expect(
      try world.all(ModelMetadata.self) == [
        ModelMetadata(
          id: "llama", name: "Llama", format: ModelFormat(rawValue: "of tomorrow"), framework: .llamaCpp, localPath: "/m/l.gguf",
          contextLength: 131_072, estimatedMemoryBytes: 1_200_000_000, downloadSizeBytes: 807_694_465, checksum: "abc", author: "Meta",
          license: "llama3.2", description: "small", tags: ["b", "a", "b"], supportsThinking: true,
          thinkingTags: ThinkingTags(open: "<t>", close: "</t>"), downloadedAt: began, lastUsedAt: updated, usageCount: 4, createdAt: began,
          updatedAt: updated)
      ])
  }

  @Test("a model with one of the two tags of thinking comes in without them, which is told, with what stood there")
  func oneTag() throws {
    let json = #"{"id":"m","name":"M","framework":"MLX","supportsThinking":true,"thinkingOpenTag":"<t>","updatedAt":776092800}"#
    try world.database([SDK.first, SDK.row("model_metadata", "m", json, pending: "1")])
    #expect(
      try world.importing() == """
        model_metadata 1: 1 imported
        model_metadata[rowid 1].thinkingTags: thinkingTags should be a text before a model's thinking and one behind it, found {"close":null,"open":"<t>"}
        """)
    #expect(try world.all(ModelMetadata.self).map(\.thinkingTags) == [nil])
  }

  @Test("sessions need no registered model, seconds become milliseconds, and what is in no session is in quarantine")
  func history() throws {
    try world.database([
      SDK.first, SDK.session(1, #","endTime":776092860.5"#), SDK.session(2, #","sessionType":1"#), SDK.generation(3, in: 1),
      SDK.generation(4, in: 1, ""), SDK.generation(5, in: 9), SDK.generation(6, in: 1, #","performance":{"inputTokens":1}"#),
    ])
    #expect(
      try world.importing() == """
        generation_sessions 2: 1 imported, 1 quarantined
        generations 4: 2 imported, 2 quarantined
        generation_sessions[rowid 2]: data is no JSON from its byte 257 on
        generations[rowid 3]: there is no such session
        generations[rowid 4]: performance.modelId is missing
        """)
    #expect(
      try world.all(GenerationSession.self) == [
        GenerationSession(
          id: SDK.uuid(1), modelID: "llama", type: .chat, startedAt: began, endedAt: Date(timeIntervalSince1970: 1_754_400_060.5),
          generationCount: 1, totalInputTokens: 60, totalOutputTokens: 30, averageTimeToFirstTokenMilliseconds: 90,
          averageTokensPerSecond: 49, totalDurationMilliseconds: 612.5, updatedAt: Date(timeIntervalSince1970: 1_754_400_061.5))
      ])
    #expect(
      try world.all(Generation.self) == [
        Generation(
          id: SDK.uuid(3), sessionID: SDK.uuid(1), sequenceNumber: 1, createdAt: began,
          performance: .init(
            modelID: "llama", executionTarget: .hybrid, latencyMilliseconds: 612.5, promptTokens: 60, completionTokens: 30,
            timeToFirstTokenMilliseconds: 90, tokensPerSecond: 49, routingFramework: .llamaCpp, routingReason: "privacy")),
        Generation(id: SDK.uuid(4), sessionID: SDK.uuid(1), sequenceNumber: 1, createdAt: began),
      ])
  }

  @Test("the history becomes generations where it says all that one needs, once, and is else in quarantine with the reason")
  func generationHistory() throws {
    try world.database([
      SDK.first, SDK.session(1), SDK.generation(3, in: 1), SDK.generation(3, in: 1, table: "generation_history"),
      SDK.generation(4, in: 1, table: "generation_history"), SDK.generation(5, in: 9, table: "generation_history"),
      SDK.row("generation_history", "h", #"{"prompt":"2 + 2","response":"4"}"#),
    ])
    #expect(
      try world.importing() == """
        generation_sessions 1: 1 imported
        generations 3: 2 imported, 1 skipped
        generation_history 2: 2 quarantined
        skipped 1: a repetition in the source
        generation_history[rowid 3]: there is no such session
        generation_history[rowid 4]: id should be a UUID, found "h"
        """)
    #expect(try world.all(Generation.self).map(\.id) == [SDK.uuid(3), SDK.uuid(4)])
  }

  @Test("preferences are kept as the JSON that they are, word for word")
  func preferences() throws {
    try world.database([
      SDK.first, SDK.row("user_preferences", "theme", #"{ "dark": true, "updatedAt": 776092800.125, "syncPending": true }"#),
      SDK.row("user_preferences", "list", "[1, 2]", pending: "1"), SDK.row("user_preferences", "", "1"),
    ])
    #expect(
      try world.importing() == """
        user_preferences 3: 2 imported, 1 quarantined
        user_preferences[rowid 3]: user_preferences: CHECK constraint failed: name <> ''
        """)
    #expect(
      try world.all(UserPreference.self) == [
        UserPreference(name: "theme", value: #"{ "dark": true, "updatedAt": 776092800.125, "syncPending": true }"#, createdAt: began),
        UserPreference(name: "list", value: "[1, 2]", createdAt: updated),
      ])
    #expect(try world.revisions("user_preferences", key: "name") == ["list 1/0", "theme 1/0"])
  }

  @Test("a later edition of what nobody agreed to send is not sent either")
  func edition() throws {
    func event(_ type: String, _ seconds: Int) -> String {
      SDK.row("telemetry", "a", #"{"id":"a","eventType":"\#(type)","timestamp":1,"updatedAt":\#(seconds)}"#)
    }
    try world.database([SDK.first, event("error", 10)])
    _ = try world.report()
    try world.database(["DELETE FROM telemetry", event("performance", 20)])
    #expect(
      try world.importing() == """
        telemetry 1: 1 merged
        noted 1: imported without consent to send it; it is never sent
        """)
    #expect(try world.all(TelemetryEvent.self).map(\.type) == [.performance])
    #expect(try world.telemetry() == ["a set aside"])
  }
}
