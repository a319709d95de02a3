import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// At the edges of what they may be; nothing moves but what the test moves.
@Suite("The options of a service", .timeLimit(.minutes(10))) struct SyncOptionsTests {
  private static let rows = SentRows.telemetry

  /// How long a service sleeps that has nothing to send.
  private static func secondsOfSleep(_ world: World, _ change: (inout SyncOptions) -> Void) async throws -> Double {
    let server = try LoopbackServer { _ in .respond(500) }
    defer { server.stop() }
    let clock = ManualClock(with: world.clock)
    let service = Self.rows.service(world, server, clock: clock, change)
    await service.start()
    let seconds = await clock.secondsOfSleep()
    await service.stop()
    return seconds
  }

  static let chosen: [(Double, Double)] = [
    (-1, 0.1), (0, 0.1), (0.1, 0.1), (0.25, 0.25), (86_400, 86_400), (86_401, 86_400), (1e300, 86_400), (.nan, 300), (.infinity, 300),
    (-.infinity, 300),
  ]

  @Test(
    "an interval is from a tenth of a second to a day, and 300 seconds where it is no number, whatever the configuration says",
    arguments: chosen.indices)
  func interval(index: Int) async throws {
    let (said, seconds) = Self.chosen[index]
    let world = try await Self.rows.world(0, intervalSeconds: 77)
    let slept = try await Self.secondsOfSleep(world) { $0.intervalSeconds = said }
    #expect(abs(slept - seconds) < 1e-9, "\(said): \(slept)")
  }

  @Test(
    "where no interval was chosen it is the configuration's, from a second to a day",
    arguments: [(-5.0, 1.0), (0.0, 1.0), (0.5, 1.0), (1.5, 1.5), (86_401.0, 86_400.0)])
  func intervalOfConfiguration(said: Double, seconds: Double) async throws {
    let world = try await Self.rows.world(0, intervalSeconds: said)
    let slept = try await Self.secondsOfSleep(world) { $0.intervalSeconds = nil }
    #expect(slept == seconds)
  }

  @Test(
    "at a threshold of one and less every event is sent, without the clock; at a larger one so many at once",
    arguments: [(Int.min, 1), (-5, 1), (0, 1), (1, 1), (3, 3)])
  func threshold(said: Int, most: Int) async throws {
    let world = try await Self.rows.world(0)
    let api = TablesAPI()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let clock = ManualClock(with: world.clock)
    let service = Self.rows.service(world, server, clock: clock) { $0.threshold = said }
    await service.start()
    #expect(await clock.secondsOfSleep() == 300)
    for first in stride(from: 1, through: 6, by: most) {
      // One by one: had fewer been sent, there would be more requests.
      for number in first..<first + most { try await Self.rows.add(number, to: world) }
      try await world.untilSent()
    }
    await service.stop()
    #expect(Self.rows.ids(at: api) == (1...6).map(SentRows.id))
    #expect(server.requests.count == 6 / most)
    #expect(clock.now.offset == .zero)
  }

  @Test(
    "a first pause and a longest one of nothing and less are no pause, however often the server fails",
    arguments: [(0.0, 3_600.0), (-5.0, 3_600.0), (5.0, 0.0), (5.0, -1.0)])
  func noPause(first: Double, longest: Double) async throws {
    let world = try await Self.rows.world(1)
    let server = try LoopbackServer { _ in .respond(500) }
    defer { server.stop() }
    let service = Self.rows.service(world, server) { ($0.firstPauseSeconds, $0.longestPauseSeconds) = (first, longest) }
    for _ in 1...3 {
      await #expect(throws: StoreError.self) { try await service.sync() }
      let retryAt = try #require(try await world.inference.syncStatus().retryAt)
      #expect(retryAt <= world.clock.now)
    }
  }

  @Test(
    "a pause is multiplied by the jitter: by nothing where it is less, and as it is where that is no number or has no end",
    arguments: [(0.5, 2.5), (0.0, 0.0), (-1.0, 0.0), (.nan, 5.0), (.infinity, 5.0), (-.infinity, 5.0)])
  func jitter(factor: Double, pause: Double) async throws {
    let world = try await Self.rows.world(1)
    let server = try LoopbackServer { _ in .respond(500) }
    defer { server.stop() }
    let service = Self.rows.service(world, server) { $0.jitter = { factor } }
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    let status = try await world.inference.syncStatus()
    #expect(status.retryAt == world.clock.now.addingTimeInterval(pause) && status.lastError == error?.message)
  }

  @Test("after a failure a service waits as long as the status says, and no longer", arguments: [(0.5, "0"), (1.0, "2")])
  func asNoted(jitter: Double, retryAfter: String) async throws {
    let world = try await Self.rows.world(1)
    let server = try LoopbackServer { _ in .respond(503, headers: ["Retry-After": retryAfter]) }
    defer { server.stop() }
    let clock = ManualClock(with: world.clock)
    let service = Self.rows.service(world, server, clock: clock) { $0.jitter = { jitter } }
    await service.start()
    let slept = await clock.secondsOfSleep()
    await service.stop()
    #expect(slept == (retryAfter == "0" ? 2.5 : 2))
    #expect(try await world.inference.syncStatus().retryAt == world.clock.now.addingTimeInterval(slept))
  }

  @Test(
    "without a pause a service tries again by itself after a tenth of a second, which is the least",
    arguments: [(0.0, 3_600.0), (-5.0, 3_600.0), (5.0, 0.0), (5.0, -1.0)])
  func atOnce(first: Double, longest: Double) async throws {
    let world = try await Self.rows.world(1)
    let (api, script) = (TablesAPI(), Script([.respond(500)]))
    let server = try LoopbackServer { script.next() ?? api.answer($0) }
    defer { server.stop() }
    let clock = ManualClock(with: world.clock)
    let service = Self.rows.service(world, server, clock: clock) { ($0.firstPauseSeconds, $0.longestPauseSeconds) = (first, longest) }
    await service.start()
    let slept = await clock.secondsOfSleep()
    #expect(abs(slept - 0.1) < 1e-9, "\(slept)")
    clock.advance(seconds: 0.1)
    try await world.untilSent()
    await service.stop()
    #expect(server.requests.count == 2)
  }

  /// Asks to be left alone, while enough events for another request come.
  private actor BusyClient: APIClient {
    private let inference: InferenceStore
    private(set) var requests = 0

    init(_ inference: InferenceStore) { self.inference = inference }

    func send(_ request: APIRequest) async throws -> APIResponse {
      requests += 1
      if requests == 1 {
        for number in 2...5 {
          try await inference.store.write { try $0.insert(TelemetryEvent(id: "\(number)", type: .error, occurredAt: Sample.date)) }
        }
        // Whoever watches has his turn.
        for _ in 0..<10_000 { await Task.yield() }
      }
      return APIResponse(status: 503, retryAfterSeconds: 600)
    }
  }

  @Test("events that come while an attempt fails are not sent before its pause is over")
  func meanwhile() async throws {
    let world = try await Self.rows.world(1)
    let clock = ManualClock(with: world.clock)
    let client = BusyClient(world.inference)
    var options = SyncOptions(deviceID: "device")
    (options.kinds, options.threshold, options.intervalSeconds) = ([.telemetry], 2, 200)
    (options.configurationPath, options.catalogPath) = (nil, nil)
    let service = DataSyncService(world.inference, client: client, options: options, clock: clock)
    await service.start()
    for _ in 0..<3 {
      #expect(await clock.secondsOfSleep() == 200)
      #expect(await client.requests == 1)
      clock.advance(seconds: 200)
    }
    #expect(await clock.secondsOfSleep() == 200)
    #expect(await client.requests == 2)
    await service.stop()
  }
}
