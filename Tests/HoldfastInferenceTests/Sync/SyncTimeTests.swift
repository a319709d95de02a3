import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// Batch size and interval are those of the configuration, and nothing moves but what the test moves.
@Suite("When a service sends", .timeLimit(.minutes(10))) struct SyncTimeTests {
  private static let rows = SentRows.telemetry

  /// A service that sends at its own times, on a clock that only the test moves.
  private static func started(_ world: World, _ server: LoopbackServer) async -> (DataSyncService, ManualClock) {
    let clock = ManualClock(with: world.clock)
    let service = rows.service(world, server, batch: nil, clock: clock)
    await service.start()
    return (service, clock)
  }

  /// How many events each request had.
  private static func sizes(_ server: LoopbackServer) -> [Int] {
    server.requests.map { request in
      guard case .array(let events)? = [String: JSONValue](json: String(decoding: request.body, as: UTF8.self))?["events"] else { return 0 }
      return events.count
    }
  }

  @Test("on a timer: at each interval of the configuration, and not before")
  func timer() async throws {
    let world = try await Self.rows.world(0, intervalSeconds: 12.5)
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let (service, clock) = await Self.started(world, server)
    for round in 1...3 {
      #expect(await clock.secondsOfSleep() == 12.5)
      try await Self.rows.add(round * 10...round * 10 + 2, to: world)
      clock.advance(seconds: 12)
      #expect(await clock.secondsOfSleep() == 0.5)
      #expect(server.requests.count == round - 1)
      clock.advance(seconds: 0.5)
      try await world.untilSent()
    }
    await service.stop()
    #expect(Self.sizes(server) == [3, 3, 3])
  }

  /// What a whole attempt sends, and where.
  private static let sent = ["telemetry", "configuration", "models", "history", "history", "preferences"].map { "POST /v1/sync/\($0)" }

  private static func asked(_ server: LoopbackServer, after count: Int = 0) -> [String] {
    server.requests.dropFirst(count).map { "\($0.method) \($0.path)" }
  }

  @Test("on a timer: what the server has is pulled, and then rows of every table go, at each interval")
  func timerOfTables() async throws {
    let world = try await SyncTablesTests.world()
    let page = "/v1/models?page=1&pageSize=100"
    let model = #"{"id":"one","name":"One","framework":"MLX","format":"mlx","updatedAt":1}"#
    let api = TablesAPI(pages: [
      "/v1/configuration": #"{"id":"default","data":{"generation":{"defaults":{"topK":9}}},"version":"1.0","lastModified":1}"#,
      page: #"{"models":[\#(model)],"totalCount":1,"page":1}"#,
    ])
    // The first attempt finds nothing to pull.
    let script = Script([.respond(404), .respond(404)])
    let server = try LoopbackServer { ($0.method == "GET" ? script.next() : nil) ?? api.answer($0) }
    defer { server.stop() }
    let clock = ManualClock(with: world.clock)
    let service = TablesAPI.service(world, server, clock: clock)
    await service.start()
    for round in 1...2 {
      #expect(await clock.secondsOfSleep() == 300)
      #expect(Self.asked(server, after: (round - 1) * 8) == ["GET /v1/configuration", "GET \(page)"] + Self.sent)
      #expect(try await world.inference.syncStatus().pending == [:])
      #expect(try await world.inference.model("one")?.name == (round == 1 ? nil : "One"))
      #expect(try await world.inference.configuration()?.generation.topK == (round == 1 ? nil : 9))
      guard round == 1 else { continue }
      try await world.store.write { tx in for edit in SyncTablesTests.edits.values { try tx.execute(edit) } }
      clock.advance(seconds: 300)
    }
    await service.stop()
  }

  @Test("at a threshold: rows of the other tables go with the events, and nothing is pulled")
  func thresholdOfTables() async throws {
    let world = try await SyncTablesTests.world()
    let api = TablesAPI()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let clock = ManualClock(with: world.clock)
    let service = TablesAPI.service(world, server, batch: 3, clock: clock)
    await service.start()
    #expect(await clock.secondsOfSleep() == 300)
    let before = server.requests.count
    try await world.store.write { tx in
      for (table, edit) in SyncTablesTests.edits where table != TelemetryEvent.table { try tx.execute(edit) }
    }
    try await Self.rows.add(1...2, to: world)
    #expect(server.requests.count == before)
    try await Self.rows.add(3, to: world)
    for try await status in world.inference.syncStatusUpdates() where status.pending == [:] { break }
    await service.stop()
    #expect(Self.asked(server, after: before) == Self.sent)
    #expect(clock.now.offset == .zero)
  }

  @Test("where nobody chose anything a hundred events go in a request, and an attempt begins every 300 seconds")
  func defaults() async throws {
    let world = try await Self.rows.world(101)
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let (service, clock) = await Self.started(world, server)
    #expect(await clock.secondsOfSleep() == 300)
    await service.stop()
    #expect(Self.sizes(server) == [100, 1])
  }

  @Test("a new interval holds from the next attempt on")
  func newInterval() async throws {
    let world = try await Self.rows.world(0, intervalSeconds: 60)
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let (service, clock) = await Self.started(world, server)
    #expect(await clock.secondsOfSleep() == 60)
    try await world.store.write { _ = try $0.execute("UPDATE analytics_config SET submission_interval_seconds = 7") }
    clock.advance(seconds: 60)
    #expect(await clock.secondsOfSleep() == 7)
    await service.stop()
  }

  @Test("at a threshold: as many events as a batch of the configuration go at once, without the clock, and fewer do not")
  func threshold() async throws {
    let world = try await Self.rows.world(0, batchSize: 7)
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let (service, clock) = await Self.started(world, server)
    #expect(await clock.secondsOfSleep() == 300)
    for round in 0..<3 {
      // One by one: had fewer been sent, a request would have fewer.
      for number in 1...7 { try await Self.rows.add(round * 10 + number, to: world) }
      try await world.untilSent()
    }
    await service.stop()
    #expect(Self.sizes(server) == [7, 7, 7])
    #expect(clock.now.offset == .zero)
  }

  @Test("what cannot be told of the threshold once is asked again: a configuration that could not be read ends nothing")
  func thresholdAfterDamage() async throws {
    let world = try await Self.rows.world(0, batchSize: 7)
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let (service, clock) = await Self.started(world, server)
    #expect(await clock.secondsOfSleep() == 300)
    try await world.store.write { _ = try $0.execute("UPDATE analytics_config SET level = CAST(x'FF' AS TEXT)") }
    _ = world.statements.take()
    try await Self.rows.add(1, to: world)
    while !world.statements.take().contains(where: { $0.hasPrefix("SELECT") && $0.contains("FROM analytics_config") }) {
      await Task.yield()
    }
    try await world.store.write { _ = try $0.execute("UPDATE analytics_config SET level = 'basic'") }
    for number in 2...7 { try await Self.rows.add(number, to: world) }
    try await world.untilSent()
    await service.stop()
    #expect(Self.sizes(server) == [7])
    #expect(clock.now.offset == .zero)
  }

  @Test("a batch is one row at least, whatever a server has set", arguments: [0, -5, Int.min])
  func smallestBatch(size: Int) async throws {
    let world = try await Self.rows.world(0, batchSize: size)
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    #expect(try await Self.rows.service(world, server, batch: nil).batchSize() == 1)
    #expect(try await Self.rows.service(world, server, batch: size).batchSize() == 1)
  }

  @Test("a pause that a clock which was wrong has set years ahead is over")
  func wrongClock() async throws {
    let world = try await Self.rows.world(1, batchSize: 10)
    let later = world.clock.now.addingTimeInterval(86_401)
    try await world.store.write { _ = try $0.execute("INSERT INTO sync_state (slot, retry_at) VALUES (1, \(later))") }
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let (service, clock) = await Self.started(world, server)
    #expect(await clock.secondsOfSleep() == 300)
    await service.stop()
    #expect(Self.sizes(server) == [1])
    #expect(try await world.inference.syncStatus().retryAt == nil)
  }

  @Test("on demand: what waits goes now, in batches of the configuration, without a start and whatever the pause")
  func onDemand() async throws {
    let world = try await Self.rows.world(7, batchSize: 3)
    let (api, script) = (TablesAPI(), Script([.respond(503, headers: ["Retry-After": "3600"])]))
    let server = try LoopbackServer { script.next() ?? api.answer($0) }
    defer { server.stop() }
    let service = Self.rows.service(world, server, batch: nil)
    await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(try await service.sync().acknowledged == ["telemetry": 7])
    #expect(Self.sizes(server) == [3, 3, 3, 1])
  }

  @Test("after failures the pauses double up to the longest, each times the jitter, and a success begins anew")
  func backOff() async throws {
    let world = try await Self.rows.world(1, batchSize: 10)
    let (api, script) = (TablesAPI(), Script(Array(repeating: .respond(500), count: 6) + [nil, .respond(500)]))
    let server = try LoopbackServer { script.next() ?? api.answer($0) }
    defer { server.stop() }
    let service = Self.rows.service(world, server, batch: nil) {
      ($0.firstPauseSeconds, $0.longestPauseSeconds, $0.jitter) = (4, 30, { 0.75 })
    }
    func pause() async throws -> Double? {
      _ = try? await service.sync()
      return try await world.inference.syncStatus().retryAt?.timeIntervalSince(world.clock.now)
    }
    for expected in [3, 6, 12, 22.5, 22.5, 22.5] { #expect(try await pause() == expected) }
    #expect(try await pause() == nil)
    try await Self.rows.add(2, to: world)
    #expect(try await pause() == 3)
  }

  @Test("a server that asks for no pause gets the one that others get")
  func noPause() async throws {
    let world = try await Self.rows.world(1, batchSize: 10)
    let server = try LoopbackServer { _ in .respond(429, headers: ["Retry-After": "0"]) }
    defer { server.stop() }
    let service = Self.rows.service(world, server, batch: nil)
    for expected in [5.0, 10] {
      await #expect(throws: StoreError.self) { try await service.sync() }
      #expect(try await world.inference.syncStatus().retryAt?.timeIntervalSince(world.clock.now) == expected)
    }
  }

  @Test("a path to pull from that is broken holds up nothing for longer than an interval, also while nothing waits")
  func brokenPull() async throws {
    let world = try await Self.rows.world(0, batchSize: 10, intervalSeconds: 60)
    let api = TablesAPI()
    let server = try LoopbackServer { $0.method == "GET" ? .respond(400) : api.answer($0) }
    defer { server.stop() }
    var options = SyncOptions(deviceID: "device")
    (options.jitter, options.kinds) = ({ 1 }, [.telemetry])
    let service = DataSyncService(world.inference, client: URLSessionClient(server.address) { "sk-1" }, options: options)
    for _ in 1...8 {
      await #expect(throws: StoreError.self) { try await service.sync() }
      #expect(try await world.inference.syncStatus().retryAt?.timeIntervalSince(world.clock.now) == 60)
    }
  }

  @Test("by itself a service waits as long as the server asks, whatever comes together meanwhile")
  func retryAfter() async throws {
    let world = try await Self.rows.world(1, batchSize: 2)
    let (api, script) = (TablesAPI(), Script([.respond(429, headers: ["Retry-After": "40"])]))
    let server = try LoopbackServer { script.next() ?? api.answer($0) }
    defer { server.stop() }
    let (service, clock) = await Self.started(world, server)
    #expect(await clock.secondsOfSleep() == 40)
    try await Self.rows.add(2...9, to: world)
    clock.advance(seconds: 39)
    #expect(await clock.secondsOfSleep() == 1)
    clock.advance(seconds: 1)
    try await world.untilSent()
    await service.stop()
    #expect(Self.sizes(server) == [1, 2, 2, 2, 2, 1])
  }
}
