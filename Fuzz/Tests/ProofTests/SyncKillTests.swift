import Foundation
import Holdfast
import HoldfastInference
import Testing

@testable import HoldfastFuzz
@testable import HoldfastTesting

/// A process that records rows of every table, pulls from a server that fails in every way and sends them to it, and is killed at random
/// moments.
///
/// 12 times in the short form of `make proof`; 300 times in the long one.
@Suite("kill -9 of an app that sends", .serialized)
struct SyncKillTests {
  private static let kills = KillWorld.isShort ? 12 : 300

  @Test("every row of every table that was recorded arrives, by its id once, and none counts as sent that was not accepted")
  func kill() async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("sync, \(Self.kills) kills: seed \(seed)")
    let api = FailingAPI(seed: seed)
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let url = folder.file("sdk.sqlite")
    try await Self.prepare(url, rows: 0)
    try await Self.killing(url, server, api, seed)
    api.heal()
    try await Self.sendingTheRest(url, server, api)
    let again = api.arrivals.values.filter { $0 > 1 }.count
    print("\(api.arrivals.count) rows arrived in \(server.requests.count) requests, \(again) of them more than once")
    #expect(api.arrivals.count > Self.kills)
    print(api.ways.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    if !KillWorld.isShort { #expect(Set(api.ways.keys) == FailingAPI.allWays) }
  }

  private static func killing(_ url: URL, _ server: LoopbackServer, _ api: FailingAPI, _ seed: UInt64) async throws {
    var random = SeededGenerator(seed: ~seed)
    for kill in 0..<kills {
      let run = seed &+ UInt64(kill) &* 1000
      let driver = try Driver.start(["--sync-into", url.path, "--server", server.address.absoluteString, "--seed", "\(run)"])
      let lines = try driver.killed(afterLine: Int.random(in: 1...80, using: &random))
      try #require(lines.allSatisfy { !$0.hasPrefix("failed") }, "kill \(kill) of seed \(seed): \(lines.suffix(2))")
      let recorded = lines.filter { $0.hasPrefix("recorded ") }.flatMap { $0.split(separator: " ").dropFirst().map(String.init) }

      let inference = try InferenceStore.open(at: url)
      #expect(try await inference.store.integrityCheck().findings.map(\.message) == [])
      let stored = Set(try ids("true", in: inference))
      let acknowledged = Set(try ids("acknowledged_revision > 0", in: inference))
      try await checkPulled(in: inference, api)
      try inference.store.close()
      try #require(stored.isSuperset(of: recorded), "kill \(kill) of seed \(seed)")
      let arrived = Set(api.arrivals.keys)
      try #require(arrived.union(own).isSuperset(of: acknowledged), "kill \(kill) of seed \(seed)")
      try #require(stored.isSuperset(of: arrived), "kill \(kill) of seed \(seed)")
    }
  }

  /// What the server has itself, and is not told.
  private static let own = Set(FailingAPI.catalog)

  /// What was pulled is of one edition that the server gave, whole.
  private static func checkPulled(in inference: InferenceStore, _ api: FailingAPI) async throws {
    let generation = try #require(try await inference.configuration()).generation
    if generation.maxTokens != GenerationSettings().maxTokens { #expect(generation.maxContextLength == generation.maxTokens) }
    for model in try await FailingAPI.catalog.asyncMap({ try await inference.model($0) }).compactMap(\.self) {
      #expect(model.license == model.name && Int(model.name).map { $0 <= api.editions } == true, "\(model)")
    }
  }

  private static func sendingTheRest(_ url: URL, _ server: LoopbackServer, _ api: FailingAPI) async throws {
    let inference = try InferenceStore.open(at: url)
    let client = URLSessionClient(server.address) { "sk-1" }
    let service = DataSyncService(inference, client: client, options: SyncOptions(deviceID: "device"))
    // An attempt that begins with twenty events that no server takes ends there, and the next begins behind them: every second one counts.
    for number in 0..<2 * DataSyncService.mostTries {
      // A refusal counts where another event is taken.
      try await inference.record([TelemetryEvent(id: "last-\(number)", type: .custom, occurredAt: Date())])
      _ = try? await service.sync()
    }
    try await service.sync()
    let stored = Set(try ids("true", in: inference))
    let poison = stored.filter { $0.hasSuffix(SyncDriver.poison) }
    #expect(Set(api.arrivals.keys) == stored.subtracting(poison).subtracting(own))
    // The last attempt's three answers.
    #expect(try await FailingAPI.catalog.asyncMap { try await inference.model($0)?.name } == ["\(api.editions - 1)", "\(api.editions)"])
    #expect(try await inference.configuration()?.generation.maxTokens == api.editions - 2)
    try await checkPulled(in: inference, api)
    let status = try await inference.syncStatus()
    #expect(status.pending == [:] && status.lastError == nil)
    #expect(Set(status.setAside.map(\.id)) == poison)
    // No edit was lost, whatever was on its way when it was made.
    #expect(try await inference.preference(named: SyncDriver.edited)?.value == api.newest[SyncDriver.edited])
    try inference.store.close()
  }

  @Test("two processes that send from one store send everything; what both send at the same time the server knows by its id")
  func twoProcesses() async throws {
    let api = FailingAPI(seed: 0, hasPages: false)
    api.heal()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let url = folder.file("sdk.sqlite")
    try await Self.prepare(url, rows: 300)
    let drivers = try (0..<2).map { _ in
      try Driver.start(["--sync-once", url.path, "--server", server.address.absoluteString])
    }
    let lines = try drivers.flatMap { try $0.lines() }.filter { !["sending", "answered"].contains($0) }
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("acknowledged ") }, "\(lines)")
    let inference = try InferenceStore.open(at: url)
    #expect(try Set(api.arrivals.keys) == Set(Self.ids("true", in: inference)) && api.arrivals.count == 902)
    #expect(api.arrivals.values.allSatisfy { (1...2).contains($0) })
    let status = try await inference.syncStatus()
    #expect(status.pending == [:] && status.setAside == [] && status.lastError == nil)
    #expect(try await inference.store.integrityCheck().findings.map(\.message) == [])
    try inference.store.close()
  }

  /// A configuration that consents, and so many events, models and generations of one session.
  private static func prepare(_ url: URL, rows: Int) async throws {
    let inference = try InferenceStore.open(at: url)
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    let analytics = InferenceConfiguration.Analytics(isEnabled: true, level: .verbose, telemetryConsent: .granted)
    try await inference.save(InferenceConfiguration(analytics: analytics, createdAt: date))
    try await inference.record((0..<rows).map { TelemetryEvent(id: "event-\($0)", type: .custom, occurredAt: date) })
    try await inference.save((0..<rows).map { ModelMetadata(id: "model-\($0)", name: "A model", framework: .mlx, createdAt: date) })
    if rows > 0 {
      let session = try await inference.startSession(with: "model-0", type: .chat)
      try await inference.store.write { tx in
        for number in 0..<rows {
          let generation = Generation(id: NewID.v7(), sessionID: session.id, sequenceNumber: number, createdAt: date)
          try InferenceStore.record(generation, in: tx)
        }
      }
    }
    try inference.store.close()
  }

  private static func ids(_ condition: BoundSQL, in inference: InferenceStore) throws -> [String] {
    try inference.store.read { reader in
      try reader.values(
        """
        SELECT id FROM telemetry WHERE \(sql: condition) UNION ALL SELECT name FROM user_preferences WHERE \(sql: condition)
        UNION ALL SELECT id FROM configuration WHERE \(sql: condition) UNION ALL SELECT id FROM model_metadata WHERE \(sql: condition)
        UNION ALL SELECT id FROM generation_sessions WHERE \(sql: condition)
        UNION ALL SELECT id FROM generations WHERE \(sql: condition)
        """
      ) { row in try row.text() }
    }
  }
}
