import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastInference

@Suite("Sync of every table", .timeLimit(.minutes(10))) struct SyncTablesTests {
  private static let tables = [
    TelemetryEvent.table, ConfigurationRow.table, ModelMetadata.table, GenerationSession.table, Generation.table, UserPreference.table,
  ]

  /// One row of each table.
  static func world(consent: TelemetryConsent = .granted) async throws -> World {
    let world = try World.temporary()
    try await TelemetryTests.consent(world.inference) { $0.telemetryConsent = consent }
    try await world.inference.save(Sample.model)
    try await world.inference.save(Sample.session)
    try await world.inference.save(Sample.generation)
    try await world.store.write { try $0.insert(Sample.event) }
    try await world.inference.setPreference(#"{"dark":true}"#, named: "theme")
    return world
  }

  /// Two rows of each table.
  private static func worldOfTwo() async throws -> World {
    let world = try await Self.world()
    try await world.inference.save(Sample.configuration)
    try await world.inference.save(Sample.bareModel)
    try await world.inference.save(Sample.bareSession)
    try await world.inference.save(Sample.bareGeneration)
    try await world.store.write { try $0.insert(Sample.bareEvent) }
    try await world.inference.setPreference("1", named: "bare")
    return world
  }

  private static func pending(_ world: World) async throws -> [String: Int] { try await world.inference.syncStatus().pending }

  private static func setAside(_ world: World) async throws -> [String] { try await world.inference.syncStatus().setAside.map(\.kind) }

  private static func execute(_ sql: BoundSQL, in world: World) throws { try world.store.write { _ = try $0.execute(sql) } }

  private static func deleteEverything(in world: World) throws {
    for table in tables { try execute("DELETE FROM \(raw: table)", in: world) }
  }

  /// A change of every row, by table.
  static let edits: [String: BoundSQL] = [
    TelemetryEvent.table: "UPDATE telemetry SET name = ifnull(name, '') || '+'",
    ConfigurationRow.table: "UPDATE configuration SET max_tokens = max_tokens + 1",
    ModelMetadata.table: "UPDATE model_metadata SET author = ifnull(author, '') || '+'",
    GenerationSession.table: "UPDATE generation_sessions SET total_tokens = total_tokens + 1",
    Generation.table: "UPDATE generations SET cost = cost + 1",
    UserPreference.table: "UPDATE user_preferences SET value = json_array(value)",
  ]

  @Test("rows of every table go to their paths, and are pending no more")
  func sends() async throws {
    let world = try await Self.world()
    let (api, each) = (TablesAPI(), Dictionary(uniqueKeysWithValues: Self.tables.map { ($0, 1) }))
    #expect(try await Self.pending(world) == each)
    #expect(try await world.inference.syncStatus().oldestPending == Sample.date)
    world.clock.advance()
    #expect(try await api.sync(world).acknowledged == each)
    let status = try await world.inference.syncStatus()
    #expect(status.pending == [:] && status.lastAcknowledged == world.clock.now && status.lastError == nil)
    let posts = api.posts.count
    try await api.sync(world)
    #expect(api.posts.count == posts && api.questions.count == 4)
  }

  @Test("the oldest that waits is that of all tables, whichever has it, and none where nothing waits", arguments: [false, true])
  func oldest(isReversed: Bool) async throws {
    let world = try await Self.world()
    let tables = isReversed ? Outbox.allCases.reversed() : Outbox.allCases
    for (number, table) in tables.enumerated() {
      try Self.execute("UPDATE \(raw: table.rawValue) SET \(raw: table.since) = \(number * 1_000)", in: world)
    }
    var oldest: [Double?] = []
    for table in tables {
      oldest.append(try await world.inference.syncStatus().oldestPending?.timeIntervalSince1970)
      try Self.execute("UPDATE \(raw: table.table) SET acknowledged_revision = revision", in: world)
    }
    #expect(oldest == [0, 1, 2, 3, 4, 5])
    #expect(try await world.inference.syncStatus().oldestPending == nil)
  }

  @Test("that a row was sent changes nothing of it, and not when it was changed last")
  func unchanged() async throws {
    let world = try await Self.world()
    let inference = world.inference
    func rows() async throws -> [AnyHashable] {
      try await [
        inference.configurations(), inference.models(), inference.sessions().items, inference.preferences(),
        inference.generations(of: Sample.session.id).items, inference.events().items,
      ]
    }
    let before = try await rows()
    world.clock.advance()
    try await TablesAPI().sync(world)
    #expect(try await Self.pending(world) == [:])
    #expect(try await rows() == before)
  }

  @Test("a configuration is sent alone in the SDK's JSON, without the key of the API and its name")
  func configuration() async throws {
    let world = try await Self.world()
    try await world.inference.setAPIKey("sk-secret-1")
    let api = TablesAPI()
    try await api.sync(world)
    let sent = try #require(api.came(to: "configuration").first)
    #expect(Set(sent.keys) == ["id", "data", "version", "lastModified"])
    #expect(sent["id"] == .string("default") && sent["version"] == .string("1.0"))
    let data = try #require(sent.string("data").flatMap { Data(base64Encoded: $0) })
    let text = String(decoding: data, as: UTF8.self)
    #expect(!text.contains("sk-secret-1") && !text.contains("api-key") && !text.lowercased().contains("apikey"))
    let object = try #require([String: JSONValue](json: text))
    #expect(
      Set(object.keys) == [
        "id", "routing", "analytics", "generation", "storage", "allowUserOverride", "createdAt", "updatedAt", "syncPending",
      ])
    #expect(
      object["routing"] == .object(["policy": .string("deviceOnly"), "cloudEnabled": .bool(false), "privacyMode": .string("strict")]))
    #expect(object["createdAt"] == .double(776_092_800.123))
  }

  @Test("what the SDK's own JSON of a configuration is read with writes it: all that it says comes back")
  func configurationRoundTrip() throws {
    let written = SyncWire.configuration(Sample.configuration)
    let read = try SyncPull.configuration(written, "/v1/configuration").row
    var expected = Sample.configuration
    // The SDK has no words for these.
    (expected.apiKeyReference, expected.baseURL, expected.modelCacheSize, expected.maxMemoryUsageMegabytes) = (nil, nil, nil, nil)
    expected.otherRoutings = []
    expected.routing.onDeviceThreshold = nil
    expected.routing.maxCloudCostPerRequest = nil
    expected.routing.prefersOnDevice = nil
    expected.analytics.areMetricsEnabled = nil
    expected.analytics.isErrorReportingEnabled = nil
    expected.analytics.isPerformanceTrackingEnabled = nil
    expected.storage.cleanupThresholdPercent = nil
    expected.storage.modelRetentionDays = nil
    #expect(read == expected)
  }

  @Test("a model goes without the path of its file, a session without its context, a generation without its words")
  func privateParts() async throws {
    let world = try await Self.world()
    let api = TablesAPI()
    try await api.sync(world)
    let model = try #require(api.came(to: "models").first)
    #expect(model["localPath"] == .string("") && model["checksum"] == .string("abc") && model["downloadSize"] == .integer(807_694_465))
    #expect(model["thinkingOpenTag"] == .string("<t>") && model["thinkingCloseTag"] == .string("</t>") && model["thinkingTags"] == nil)
    let history = api.came(to: "history")
    let session = try #require(history.first)
    #expect(session["id"] == .string("0190C5A0-0000-7000-8000-000000000001") && session["context"] == nil)
    #expect(session["totalDuration"] == .double(1.2345) && session["sessionType"] == .string("codeAssistant"))
    let generation = try #require(history.last)
    #expect(Set(generation.keys) == ["id", "sessionId", "sequenceNumber", "timestamp", "performance"])
    guard case .object(let performance)? = generation["performance"] else {
      Issue.record("there is no performance")
      return
    }
    #expect(performance["totalGenerationTime"] == .double(0.6125) && performance["executionTarget"] == .string("hybrid"))
    #expect(api.came(to: "preferences").first?["data"] == .string(#"{"dark":true}"#))
  }

  @Test(
    "without full consent no table but telemetry is sent, and of that errors and performance with limited consent",
    arguments: [TelemetryConsent.denied, .limited])
  func consent(consent: TelemetryConsent) async throws {
    let world = try await Self.world(consent: consent)
    try await world.store.write { tx in
      for type in [TelemetryEventType.error, .custom] {
        try tx.insert(TelemetryEvent(id: type.rawValue, type: type, occurredAt: Sample.date))
      }
    }
    let api = TablesAPI()
    let report = try await api.sync(world)
    // The other event is one of performance.
    #expect(report.acknowledged == (consent == .limited ? ["telemetry": 2] : [:]))
    #expect(Set(api.came(to: "telemetry").compactMap { $0.string("type") }) == (consent == .limited ? ["error", "performance"] : []))
    #expect(api.posts.count == (consent == .limited ? 1 : 0))
    #expect(try await Self.pending(world)["telemetry"] == (consent == .limited ? 1 : 3))
  }

  @Test("consent that is taken back during an attempt ends what is sent with the request that was on its way")
  func consentTakenBack() async throws {
    let world = try await Self.world()
    try await world.store.write { tx in
      for number in 1...4 { try tx.insert(TelemetryEvent(id: "event-\(number)", type: .custom, occurredAt: Sample.date)) }
    }
    let store = world.store
    let api = TablesAPI { _ in
      _ = try? store.write { try $0.execute("UPDATE analytics_config SET telemetry_consent = 'denied'") }
    }
    let report = try await api.sync(world, batch: 2)
    #expect(report.acknowledged == ["telemetry": 2] && api.came(to: "telemetry").count == 2)
    #expect(api.posts.count == 1)
    #expect(try await Self.pending(world)["telemetry"] == 3)
  }

  @Test("an edit during the request stays pending", arguments: tables)
  func edited(table: String) async throws {
    let world = try await Self.world()
    let store = world.store
    let edit = try #require(Self.edits[table])
    let paths = [
      TelemetryEvent.table: "telemetry", ConfigurationRow.table: "configuration", ModelMetadata.table: "models",
      UserPreference.table: "preferences",
    ]
    let path = "/v1/sync/\(paths[table] ?? "history")"
    let api = TablesAPI { asked in
      guard asked == path else { return }
      _ = try? store.write { try $0.execute(edit) }
    }
    try await api.sync(world)
    #expect(try await Self.pending(world) == [table: 1])
  }

  @Test("of what is taken in part the rest waits, is set aside after five tries, and is named no more once it is deleted")
  func partly() async throws {
    let world = try await Self.worldOfTwo()
    let api = TablesAPI(refusing: [
      "work", "phi", "x", "bare", IDCodec.uppercase(Sample.bareSession.id), IDCodec.uppercase(Sample.bareGeneration.id),
    ])
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = TablesAPI.service(world, server)
    let each = Dictionary(uniqueKeysWithValues: Self.tables.map { ($0, 1) })
    #expect(try await service.sync() == SyncReport(acknowledged: each, refused: each))
    #expect(try await Self.pending(world) == each)
    for _ in 2...DataSyncService.mostTries { _ = try await service.sync() }
    #expect(try await Self.pending(world) == [:])
    #expect(try await Self.setAside(world).sorted() == Self.tables.sorted())
    try Self.deleteEverything(in: world)
    #expect(try await Self.setAside(world) == [])
    #expect(try await world.store.read { try $0.count("SELECT count(*) FROM sync_tries") } == 0)
  }

  @Test(
    "a row that cannot be read, or not even its id, is set aside, and keeps no other from being sent", arguments: tables, [false, true])
  func unreadable(table: String, isOfID: Bool) async throws {
    let world = try await Self.worldOfTwo()
    let damages: [String: BoundSQL] = [
      TelemetryEvent.table: "UPDATE telemetry SET occurred_at = \(Int64.max) WHERE id = 'x'",
      ConfigurationRow.table: "UPDATE configuration SET created_at = \(Int64.max) WHERE id = 'work'",
      ModelMetadata.table: "UPDATE model_metadata SET created_at = \(Int64.max) WHERE id = 'phi'",
      GenerationSession.table: "UPDATE generation_sessions SET started_at = \(Int64.max) WHERE id = \(Sample.bareSession.id)",
      Generation.table: "UPDATE generations SET created_at = \(Int64.max) WHERE id = \(Sample.bareGeneration.id)",
      UserPreference.table: "UPDATE user_preferences SET created_at = \(Int64.max) WHERE name = 'bare'",
    ]
    let damagesOfID: [String: BoundSQL] = [
      TelemetryEvent.table: "UPDATE telemetry SET id = CAST(X'FF41' AS TEXT) WHERE id = 'x'",
      ConfigurationRow.table: """
      INSERT INTO configuration (id, allows_user_override, temperature, max_tokens, top_p, framework_preferences, max_context_length,
        extracts_thinking, created_at, updated_at) VALUES (CAST(X'FF41' AS TEXT), 1, 1, 1, 1, '[]', 1, 1, 0, 0)
      """,
      ModelMetadata.table: "UPDATE model_metadata SET id = CAST(X'FF41' AS TEXT) WHERE id = 'phi'",
      GenerationSession.table: """
      INSERT INTO generation_sessions (id, model_id, type, started_at, generation_count, total_input_tokens, total_output_tokens,
        total_tokens, total_cost, total_duration_ms, updated_at) VALUES (CAST(X'FF41' AS TEXT), 'm', 'chat', 0, 0, 0, 0, 0, 0, 0, 0)
      """,
      Generation.table: "UPDATE generations SET id = CAST(X'FF41' AS TEXT) WHERE id = \(Sample.bareGeneration.id)",
      UserPreference.table: "UPDATE user_preferences SET name = CAST(X'FF41' AS TEXT) WHERE name = 'bare'",
    ]
    try Self.execute(try #require((isOfID ? damagesOfID : damages)[table]), in: world)
    let api = TablesAPI()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = TablesAPI.service(world, server, batch: isOfID ? 1 : 10)
    #expect(try await service.sync().refused == [table: 1])
    #expect(try await Self.pending(world) == [table: 1])
    for _ in 2...DataSyncService.mostTries { _ = try await service.sync() }
    #expect(try await Self.pending(world) == [:])
    let setAside = try await world.inference.syncStatus().setAside
    #expect(setAside.map(\.kind) == [table] && (!isOfID || setAside.map(\.id) == ["\u{FFFD}A"]))
    try Self.execute("DELETE FROM \(raw: table)", in: world)
    #expect(try await Self.setAside(world) == [])
  }

  @Test("what a server says of a row is not said of another that has its name by then", arguments: [true, false])
  func otherRow(isTaken: Bool) async throws {
    let world = try await Self.world()
    // At its third revision; the other one is at its first.
    for value in ["1", "2"] { try await world.inference.setPreference(value, named: "theme") }
    let inference = world.inference
    let api = TablesAPI(refusing: isTaken ? [] : ["theme"]) { path in
      guard path == "/v1/sync/preferences" else { return }
      _ = try? inference.store.write { try InferenceStore.deletePreference(named: "theme", in: $0) }
      _ = try? inference.store.write {
        try InferenceStore.setPreference("3", named: "theme", secretProperties: inference.secretProperties, in: $0)
      }
    }
    try await api.sync(world)
    #expect(try await Self.pending(world) == [UserPreference.table: 1])
    #expect(try await world.store.read { try $0.count("SELECT count(*) FROM sync_tries") } == 0)
    try await world.inference.setPreference("4", named: "theme")
    #expect(try await Self.pending(world) == [UserPreference.table: 1])
  }

  @Test("a generation waits for its session")
  func generationOfUnknownSession() async throws {
    let world = try await Self.world()
    let api = TablesAPI(refusing: [IDCodec.uppercase(Sample.session.id)])
    try await api.sync(world)
    #expect(api.came(to: "history").count == 1)
    #expect(try await Self.pending(world) == [GenerationSession.table: 1, Generation.table: 1])
  }

  @Test("a path that the server does not have ends the attempt with its name, after all else was sent")
  func missingPath() async throws {
    let world = try await Self.world()
    let api = TablesAPI()
    let server = try LoopbackServer { $0.path == "/v1/sync/models" ? .respond(404) : api.answer($0) }
    defer { server.stop() }
    let service = TablesAPI.service(world, server)
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(error?.message == "the server has no /v1/sync/models (404)")
    #expect(try await Self.pending(world) == [ModelMetadata.table: 1])
  }

  @Test("counting what waits of telemetry, sessions and generations reads no table")
  func plans() async throws {
    let world = try await Self.world()
    _ = world.statements.take()
    _ = try await world.inference.syncStatus()
    for text in world.statements.take() where text.contains("count(*), min(") {
      let steps = try await world.store.read { try $0.queryPlan(text) }
      let isLarge = ["telemetry", "generation_sessions", "generations"].contains { text.contains("FROM \($0) ") }
      #expect(steps.allSatisfy { $0.contains(isLarge ? "USING COVERING INDEX" : "_pending") }, "\(text): \(steps)")
    }
  }
  @Test("what waits is read by its own index, in its order, however much was sent", arguments: [TelemetryConsent.granted, .limited])
  func plansOfSending(consent: TelemetryConsent) async throws {
    let world = try await Self.world(consent: consent)
    _ = world.statements.take()
    try await TablesAPI().sync(world)
    let texts = world.statements.take().filter { $0.hasPrefix("SELECT") && $0.contains("revision > acknowledged_revision") }
    let reading = Set(texts.filter { $0.contains(" LIMIT ") })
    // Where each table ends, and its rows.
    #expect(reading.count >= (consent == .granted ? 2 * Self.tables.count : 2))
    for text in reading {
      let steps = try await world.store.read { try $0.queryPlan(text) }
      #expect(steps.first?.contains("_pending") == true, "\(text): \(steps)")
      #expect(!steps.contains { $0.contains("TEMP B-TREE") }, "\(text): \(steps)")
      if text.contains("rowid, revision") { #expect(steps.first?.contains(">(?,?)") == true, "\(steps)") }
    }
  }
}
