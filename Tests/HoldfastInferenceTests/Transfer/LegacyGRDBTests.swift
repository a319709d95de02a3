import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The SDK's second database") struct LegacyGRDBTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  private let made = Date(timeIntervalSince1970: 1_754_400_000.125)
  private let updated = Date(timeIntervalSince1970: 1_754_400_060.25)

  init() throws { world = try LegacyWorld() }

  @Test("a configuration that the app read back as its defaults is what its rows say, and what none says is the private default")
  func configuration() throws {
    try world.database([
      SDK.second, SDK.configuration(consent: "anonymous", mode: "custom"),
      "INSERT INTO routing_policies VALUES ('r', 'default', 'privacyFirst', 0.75, 0.01, 1, \(SDK.date))",
      "INSERT INTO routing_policies VALUES ('q', 'default', 'costOptimized', 0.5, NULL, 0, \(SDK.date))",
      "INSERT INTO analytics_config VALUES ('a', 'default', 'basic', 1, 0, 1, \(SDK.date))",
      "INSERT INTO storage_config VALUES ('s', 'default', 512, 0, 80, 30, \(SDK.date))",
    ])
    let report = try world.report()
    #expect(report.format == "inference-grdb" && report.formatVersion == 1)
    #expect(
      report.picture == """
        configuration 1: 1 imported
        routing_policies 2: 2 imported
        analytics_config 1: 1 imported
        storage_config 1: 1 imported
        """)
    #expect(
      try world.configuration()
        == InferenceConfiguration(
          baseURL: "https://models.example", modelCacheSize: 3, maxMemoryUsageMegabytes: 2_048,
          routing: Routing(
            policy: RoutingPolicy(rawValue: "privacyFirst"), isCloudEnabled: false, privacyMode: .custom, onDeviceThreshold: 0.75,
            maxCloudCostPerRequest: 0.01, prefersOnDevice: true),
          otherRoutings: [
            Routing(policy: RoutingPolicy(rawValue: "costOptimized"), privacyMode: .custom, onDeviceThreshold: 0.5, prefersOnDevice: false)
          ],
          analytics: .init(
            isEnabled: false, level: .basic, telemetryConsent: .limited, areMetricsEnabled: true, isErrorReportingEnabled: false,
            isPerformanceTrackingEnabled: true),
          storage: .init(
            maxCacheSizeBytes: 536_870_912, isAutoCleanupEnabled: false, cleanupThresholdPercent: 80, modelRetentionDays: 30),
          createdAt: made, updatedAt: updated))
    #expect(try world.lines("SELECT id FROM configuration WHERE revision > acknowledged_revision") == ["default"])
    #expect(
      try world.importing() == """
        configuration 1: 1 skipped
        routing_policies 2: 2 skipped
        analytics_config 1: 1 skipped
        storage_config 1: 1 skipped
        skipped 5: in the store already
        """)
  }

  @Test("ids of 16 bytes, as GRDB stores a UUID, are read like ids in text; those of other kinds are in `ImportPromises`")
  func blobIDs() throws {
    let id = SDK.id(3)
    try world.database([
      SDK.second, SDK.unchecked, SDK.configuration().replacingOccurrences(of: "'default'", with: "'\(id)'"),
      "INSERT INTO storage_config VALUES ('s', '\(id)', 512, 0, 80, 30, \(SDK.date))",
    ])
    try RawDatabase.storeIDsAsBytes(in: world.source)
    #expect(try world.importing() == "configuration 1: 1 imported\nstorage_config 1: 1 imported")
    #expect(try world.configuration(id)?.storage.isAutoCleanupEnabled == false)
  }

  @Test("a newer configuration has its own further policies and no others; an older one brings none, and the report says so")
  func furtherRoutings() throws {
    func date(_ minute: Int) -> String {
      "UPDATE configuration SET updated_at = '2025-08-05 13:\(minute):00.000', model_cache_size = \(minute)"
    }
    func policies() throws -> [String] { try world.configuration()?.otherRoutings.map(\.policy.rawValue) ?? [] }
    let note = ["this configuration is newer: its routing policies replaced the stored ones": 1]
    try world.database([SDK.second, SDK.configuration(), SDK.policy("r"), SDK.policy("q", "second"), SDK.policy("s", "third")])
    #expect(try world.report().notes == nil)
    try world.database(["DELETE FROM routing_policies WHERE id = 's'", date(30)])
    var report = try world.report()
    #expect(report.isClean && report.notes == note && report.counts["configuration"]?.merged == 1, "\(report.text)")
    #expect(try policies() == ["second"])
    try world.database(["DELETE FROM routing_policies WHERE id = 'q'", date(31)])
    report = try world.report()
    #expect(try report.notes == note && policies() == [])
    try world.database([SDK.policy("t", "again"), date(32)])
    report = try world.report()
    #expect(report.notes == nil && report.counts["routing_policies"]?.imported == 1, "\(report.text)")
    #expect(try policies() == ["again"])
    try world.withLibrary { inference in
      var own = try #require(try inference.store.read { try InferenceStore.configuration(in: $0) })
      own.otherRoutings = []
      own.updatedAt = own.updatedAt.addingTimeInterval(60)
      try inference.store.write { try InferenceStore.save(own, in: $0) }
      try inference.store.write { _ = try $0.execute("DELETE FROM holdfast_imported") }
    }
    report = try world.report()
    #expect(try report.skipped["the store is newer"] == 2 && policies() == [], "\(report.text)")
  }

  @Test("without rows for its parts a configuration has the private ones, and what has no configuration is in quarantine")
  func parts() throws {
    try world.database([
      SDK.second, SDK.configuration(mode: "strict", pending: 1),
      SDK.policy("r", of: "other"),
      "INSERT INTO storage_config VALUES ('s', 'default', 9223372036854775807, 0, 80, 30, \(SDK.date))",
    ])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        routing_policies 1: 1 quarantined
        storage_config 1: 1 imported
        routing_policies[rowid 1]: there is no such configuration
        storage_config[rowid 1].max_cache_size_mb: max_cache_size_mb should be a number of megabytes, found 9223372036854775807
        """)
    let configuration = try #require(try world.configuration())
    #expect(configuration.routing == Routing() && configuration.otherRoutings == [] && configuration.analytics == .init())
    #expect(configuration.allowsUserOverride == false && configuration.storage.maxCacheSizeBytes == 1_073_741_824)
    #expect(try world.lines("SELECT id FROM configuration WHERE revision > acknowledged_revision") == ["default"])
  }

  @Test(
    "the consent's words become ours, and a word that nobody knows is kept, which allows nothing",
    arguments: [("none", "denied"), ("anonymous", "limited"), ("detailed", "granted"), ("granted", "granted"), ("maybe", "maybe")])
  func consent(theirs: String, ours: String) throws {
    try world.database([SDK.second, SDK.configuration(consent: theirs)])
    #expect(try world.importing() == "configuration 1: 1 imported")
    #expect(try world.configuration()?.analytics.telemetryConsent.rawValue == ours)
    #expect(try world.importing() == "configuration 1: 1 skipped\nskipped 1: in the store already")
  }

  @Test("models with usage, sessions with generations, events and preferences come in with every field")
  func everything() throws {
    let (session, generation) = (SDK.id(1), SDK.id(2))
    try world.database([
      SDK.second, SDK.unchecked,
      """
      INSERT INTO model_metadata VALUES ('llama', 'Llama', 'gguf', 'LlamaCpp', 807694464, 'q4_K_M', '3.2', 'abc',
        CAST('{"max_tokens":512}' AS BLOB), CAST('{"min_memory":1.5}' AS BLOB), 'https://models.example/l', '/m/l', 1, \(SDK.date), NULL, 4, 5,
        \(SDK.date), '2025-08-05 13:21:00.250', 1)
      """,
      "INSERT INTO model_usage_stats VALUES ('u', 'llama', '2025-08-05', 2, 90, 0.5, 350.25, 1, \(SDK.date))",
      """
      INSERT INTO generation_sessions VALUES ('\(session)', 'llama', 'chat', 90, 0.25, 4, CAST('{"file":"a"}' AS BLOB), \(SDK.date), NULL,
        \(SDK.date), '2025-08-05 13:21:00.250', 0)
      """,
      """
      INSERT INTO generations VALUES ('\(generation)', '\(session)', 1, 60, 30, 90, 612.5, 49, 90.25, 0.125, 0.5, 'device', 'privacy',
        'LlamaCpp', CAST('{"prompt":"2 + 2"}' AS BLOB), NULL, 'E1', 'too late', \(SDK.date), 1)
      """,
      """
      INSERT INTO telemetry VALUES ('e', 'error', 'load', CAST('{"ms":"12"}' AS BLOB), 'u', 's', CAST('{"model":"iPhone"}' AS BLOB), '0.15',
        \(SDK.date), '2025-08-05 13:21:00.250', 0)
      """,
      "INSERT INTO user_preferences VALUES ('p', 'theme', CAST('{ \"dark\": true }' AS BLOB), \(SDK.date), '2025-08-05 13:21:00.250')",
    ])
    #expect(
      try world.importing() == """
        model_metadata 1: 1 imported
        model_usage_stats 1: 1 imported
        generation_sessions 1: 1 imported
        generations 1: 1 imported
        telemetry 1: 1 imported
        user_preferences 1: 1 imported
        noted 1: imported without consent to send it; it is never sent
        """)
    #expect(
      try world.all(ModelMetadata.self) == [
        ModelMetadata(
          id: "llama", name: "Llama", format: .gguf, framework: .llamaCpp, quantization: .q4KM, version: "3.2",
          capabilities: ["max_tokens": .integer(512)], requirements: ["min_memory": .double(1.5)], downloadURL: "https://models.example/l",
          localPath: "/m/l", estimatedMemoryBytes: 807_694_464, checksum: "abc", downloadedAt: made, usageCount: 4, totalTokensGenerated: 5,
          createdAt: made,
          updatedAt: updated)
      ])
    #expect(
      try world.all(ModelUsage.self) == [
        ModelUsage(
          modelID: "llama", day: "2025-08-05", generationCount: 2, totalTokens: 90, totalCost: 0.5, totalLatencyMilliseconds: 700.5,
          errorCount: 1)
      ])
    #expect(
      try world.all(GenerationSession.self) == [
        GenerationSession(
          id: SDK.uuid(1), modelID: "llama", type: .chat, startedAt: made, generationCount: 1, messageCount: 4, totalTokens: 90,
          totalCost: 0.25, context: ["file": .string("a")], updatedAt: updated)
      ])
    #expect(
      try world.all(Generation.self) == [
        Generation(
          id: SDK.uuid(2), sessionID: SDK.uuid(1), sequenceNumber: 1, createdAt: made,
          performance: .init(
            modelID: "llama", executionTarget: .onDevice, latencyMilliseconds: 612.5, promptTokens: 60, completionTokens: 30,
            timeToFirstTokenMilliseconds: 90.25, tokensPerSecond: 49, routingFramework: .llamaCpp, routingReason: "privacy"), cost: 0.125,
          costSaved: 0.5, request: ["prompt": .string("2 + 2")], errorCode: "E1", errorMessage: "too late")
      ])
    #expect(
      try world.all(TelemetryEvent.self) == [
        TelemetryEvent(
          id: "e", type: .error, name: "load", properties: StoredJSON(text: #"{"ms":"12"}"#), occurredAt: made, userID: "u", sessionID: "s",
          deviceInfo: ["model": .string("iPhone")], sdkVersion: "0.15", createdAt: updated)
      ])
    #expect(
      try world.all(UserPreference.self) == [
        UserPreference(name: "theme", value: #"{ "dark": true }"#, createdAt: made, updatedAt: updated)
      ])
    #expect(try world.revisions("model_metadata") == ["llama 1/0"])
    #expect(try world.telemetry() == ["e set aside"])
    #expect(
      try world.importing() == """
        model_metadata 1: 1 skipped
        model_usage_stats 1: 1 skipped
        generation_sessions 1: 1 skipped
        generations 1: 1 skipped
        telemetry 1: 1 skipped
        user_preferences 1: 1 skipped
        skipped 6: in the store already
        """)
  }

  @Test("foreign keys may be spelled with underscores, as the plan had them")
  func spelling() throws {
    let snake = ["configuration", "model_metadata", "generation_sessions"].reduce(SDK.second) {
      $0.replacingOccurrences(of: "\($1)Id", with: "\($1)_id")
    }
    try world.database([
      snake, SDK.configuration(), SDK.policy("r"), SDK.emptySession(1), SDK.plainGeneration(2, tokens: 4),
    ])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        routing_policies 1: 1 imported
        generation_sessions 1: 1 imported
        generations 1: 1 imported
        generations[rowid 1].total_tokens: total_tokens is not the sum of prompt_tokens and completion_tokens
        """)
    #expect(try world.all(GenerationSession.self).map(\.generationCount) == [1])
    #expect(try world.all(Generation.self).map(\.performance?.modelID) == ["m"])
  }

  @Test("a model whose file is said not to be there is missing, and one without a path says so")
  func missing() throws {
    try world.database([
      SDK.second, SDK.model("a", path: "'/m/a'"), SDK.model("b", isDownloaded: 1), SDK.model("c"),
      SDK.model("d", path: "''", isDownloaded: 1), SDK.model("e", path: "CAST(x'2F00FF' AS TEXT)", isDownloaded: 1),
    ])
    #expect(
      try world.importing() == """
        model_metadata 5: 5 imported
        model_metadata[rowid 2].is_downloaded: it is marked as downloaded, and no path names its file
        model_metadata[rowid 4].is_downloaded: it is marked as downloaded, and no path names its file
        model_metadata[rowid 5].is_downloaded: it is marked as downloaded, and no path names its file
        model_metadata[rowid 5].local_path: local_path should be a text, found bytes that are not text
        """)
    let models = try world.all(ModelMetadata.self)
    #expect(models.map(\.missingSince) == [made, nil, nil, nil, nil] && models.allSatisfy { !$0.isDownloaded })
  }

  @Test("values that are wrong are left out one by one and told, and a record without what it needs is in quarantine")
  func damage() throws {
    try world.database([
      SDK.second,
      "INSERT INTO telemetry VALUES ('a', 'error', 'n', CAST('{\"n\":1}' AS BLOB), NULL, NULL, x'FF00', '1', \(SDK.date), \(SDK.date), 0)",
      "INSERT INTO telemetry VALUES ('b', 'error', 'n', NULL, NULL, NULL, NULL, '1', 'yesterday', \(SDK.date), 0)",
      "INSERT INTO model_usage_stats VALUES ('u', 'm', '2025-13-05', 2, 90, 0.5, 350.25, 1, \(SDK.date))",
      "INSERT INTO user_preferences VALUES ('p', 'theme', 'dark', \(SDK.date), \(SDK.date))",
    ])
    #expect(
      try world.importing() == """
        model_usage_stats 1: 1 quarantined
        telemetry 2: 1 imported, 1 quarantined
        user_preferences 1: 1 quarantined
        noted 1: imported without consent to send it; it is never sent
        model_usage_stats[rowid 1]: date should be a day such as 2025-08-05, found "2025-13-05"
        telemetry[rowid 1].properties: properties should be an object of texts, found {"n":1}
        telemetry[rowid 1].device_info: device_info should be an object, found bytes that are not text
        telemetry[rowid 2]: timestamp should be a date, found "yesterday"
        user_preferences[rowid 1]: the value of the preference theme is not JSON
        """)
  }

  @Test("a database of a later version is refused, as is another program's and a store of ours; other tables are counted")
  func others() throws {
    try world.database([SDK.second, "INSERT INTO grdb_migrations VALUES ('v3_more')"])
    #expect(
      try world.failure().message
        == "\(world.source.path) was written by a later version of the SDK, which migrated it by v3_more; that cannot be read, and nothing was changed"
    )
    try world.database([
      "DELETE FROM grdb_migrations WHERE identifier = 'v3_more'", "CREATE TABLE notes (a)", "INSERT INTO notes VALUES (1)",
    ])
    #expect(try world.failure(format: "inference-blobs").code == .invalidSource)
    #expect(
      try world.importing() == """
        notes 1: 1 skipped
        skipped 1: the table notes has no place in this store; it stays in the source
        """)
    let other = try LegacyWorld()
    try other.database(["CREATE TABLE notes (a)"])
    #expect(try other.failure().message == "\(other.source.path) is not the SDK's database: it has the tables notes")
    let later = try LegacyWorld()
    try later.database(["CREATE TABLE configuration (id TEXT, routing BLOB, analytics BLOB, generation BLOB, storage BLOB, source TEXT)"])
    #expect(try later.failure().code == .newerSource)
    let error = #expect(throws: StoreError.self) {
      _ = try InferenceStore.importLibrary(from: world.store, into: other.store, storeOptions: other.options)
    }
    #expect(error?.code == .wrongKind)
  }
}
