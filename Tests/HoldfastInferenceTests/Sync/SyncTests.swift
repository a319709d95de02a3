import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// A server that keeps what it accepts, by id, and the answers that a test prepared for its first requests.
private final class API: @unchecked Sendable {
  // Guarded by `lock`.
  private var arrived: [String: Int] = [:]
  private var answers: [LoopbackServer.Answer?]
  private let poison: Set<String>
  private let lock = NSLock()

  /// How often each event arrived, by id.
  var events: [String: Int] { lock.withLock { arrived } }

  init(_ answers: [LoopbackServer.Answer?] = [], poison: Set<String> = []) { (self.answers, self.poison) = (answers, poison) }

  func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    let prepared = lock.withLock { answers.isEmpty ? nil : answers.removeFirst() }
    if let prepared, case .respond(let status, _, _) = prepared, status != 200 { return prepared }
    let ids = Self.ids(request)
    let accepted = ids.filter { !poison.contains($0) }
    lock.withLock { for id in accepted { arrived[id, default: 0] += 1 } }
    if let prepared { return prepared }
    let errors = ids.filter(poison.contains).map { #"{"id":"\#($0)","message":"bad"}"# }.joined(separator: ",")
    return .respond(200, body: #"{"accepted":\#(accepted.count),"rejected":\#(ids.count - accepted.count),"errors":[\#(errors)]}"#)
  }

  static func ids(_ request: LoopbackServer.Request) -> [String] {
    struct Batch: Decodable {
      struct Event: Decodable { var id: String }
      var events: [Event]
    }
    return (try? JSONDecoder().decode(Batch.self, from: request.body))?.events.map(\.id) ?? []
  }
}

@Suite("Sync with the remote API", .timeLimit(.minutes(10))) struct SyncTests {
  private static let rows = SentRows.telemetry

  private static func world(events: Int) async throws -> World {
    let world = try await rows.world(0)
    try add(1...events, to: world)
    return world
  }

  private static func add(_ numbers: ClosedRange<Int>, to world: World) throws {
    try world.store.write { tx in
      for number in numbers { try tx.insert(TelemetryEvent(id: "event-\(number)", type: .custom, occurredAt: Sample.date)) }
    }
  }

  private static func status(_ world: World) async throws -> SyncStatus { try await world.inference.syncStatus() }

  private static func change(_ sql: BoundSQL, in world: World) throws { try world.store.write { _ = try $0.execute(sql) } }

  static let answersOfOnePath: [(LoopbackServer.Answer, String)] =
    [201, 202, 204, 206, 299].map { status -> (LoopbackServer.Answer, String) in
      let said = "answered /v1/sync/telemetry with the status \(status) instead of 200, which confirms nothing"
      return (.respond(status, body: #"{"accepted":2}"#), said)
    } + [
      (LoopbackServer.Answer.respond(404), "has no /v1/sync/telemetry (404)"),
      (LoopbackServer.Answer.respond(200, body: "<html>"), "answered /v1/sync/telemetry with something else than this API's JSON"),
    ]

  @Test(
    "what a server says of a path alone confirms nothing, is told, and waits for the next interval; every event arrives in the end",
    arguments: answersOfOnePath)
  func ofOnePath(answer: LoopbackServer.Answer, said: String) async throws {
    let world = try await Self.world(events: 6)
    let api = API([nil, answer])
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = Self.rows.service(world, server)
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(error?.message == "the server \(said)" && error?.code == .inputOutput)
    let status = try await Self.status(world)
    #expect(status.pending["telemetry"] == 2, "only the first batch was confirmed")
    #expect(status.lastError == error?.message && status.retryAt == world.clock.now.addingTimeInterval(300))
    _ = try await service.sync()
    #expect(Set(api.events.keys) == Set((1...6).map { "event-\($0)" }))
    let after = try await Self.status(world)
    #expect(after.pending["telemetry"] == nil && after.lastError == nil && after.retryAt == nil)
  }

  @Test("a poison row is set aside after five tries with its reason, and blocks no other")
  func poison() async throws {
    let world = try await Self.world(events: 6)
    let api = API(poison: ["event-2"])
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = Self.rows.service(world, server)
    #expect(try await service.sync() == SyncReport(acknowledged: ["telemetry": 5], refused: ["telemetry": 1]))
    for _ in 2...DataSyncService.mostTries { _ = try await service.sync() }
    let status = try await Self.status(world)
    #expect(status.pending["telemetry"] == nil)
    #expect(status.setAside == [.init(kind: "telemetry", id: "event-2", reason: "the server rejected it: bad", triedAt: world.clock.now)])
    let requests = server.requests.count
    _ = try await service.sync()
    #expect(server.requests.count == requests)
    // An edit makes it wait again.
    try Self.change("UPDATE telemetry SET name = 'mended' WHERE id = 'event-2'", in: world)
    #expect(try await Self.status(world).pending["telemetry"] == 1)
    #expect(try await Self.status(world).setAside == [])
  }

  @Test(
    "what an answer says against itself is not taken for accepted, and no number of it traps",
    arguments: [
      (#"{"accepted":4,"rejected":["event-2"]}"#, 0), (#"{"accepted":["event-1","event-2"],"rejected":["event-2"]}"#, 1),
      (#"{"accepted":9223372036854775807,"errors":[{"id":"event-1"}]}"#, 0), (#"{"accepted":-1}"#, 0),
      (#"{"accepted":3,"errors":[{"id":"event-1"}]}"#, 3), (#"{"accepted":4,"rejected":null,"errors":null}"#, 4),
      (#"{"accepted":4,"rejected":0,"errors":[]}"#, 4), (#"{"accepted":3,"rejected":1,"errors":[{"id":"event-1"}]}"#, 3),
      (#"{"accepted":4,"rejected":1.0}"#, 0), (#"{"accepted":4,"rejected":"1"}"#, 0), (#"{"accepted":4,"rejected":["event-9"]}"#, 0),
      (#"{"accepted":4,"rejected":0,"errors":["event-1 failed"]}"#, 0), (#"{"accepted":4,"errors":[{"eventId":"event-1"}]}"#, 0),
      (#"{"accepted":4,"rejected":0,"errors":[{"message":"bad"}]}"#, 0), (#"{"accepted":4,"errors":"bad"}"#, 0),
      (#"{"accepted":3,"rejected":1,"errors":[{"id":"event-1"},{"message":"bad"}]}"#, 0),
      (#"{"accepted":["event-9"]}"#, 0), (#"{"accepted":1.5}"#, 0), (#"{"accepted":4.0}"#, 0),
    ])
  func contradictions(body: String, accepted: Int) {
    let rows = (1...4).map { Outbox.Row(rowID: $0, id: "event-\($0)", revision: 1) }
    switch Outbox.telemetry.outcome(of: APIResponse(status: 200, body: Data(body.utf8)), to: rows) {
    case .decided(let verdict): #expect(verdict.taken.count == accepted && accepted + verdict.refused.count == 4)
    case .split: #expect(accepted == 0)
    case .pathFailed, .serverFailed: Issue.record("it is JSON of this API")
    }
  }

  @Test(
    "a success that is not true, and a status that says an error, is a no, however many it counts",
    arguments: [
      #"{"success":"false","accepted":4}"#, #"{"success":0,"accepted":4}"#, #"{"success":null,"accepted":4}"#,
      #"{"success":false,"accepted":["event-1"]}"#, #"{"status":"error","accepted":4}"#, #"{"status":"Failed","accepted":["event-1"]}"#,
    ])
  func refusals(body: String) {
    let rows = (1...4).map { Outbox.Row(rowID: $0, id: "event-\($0)", revision: 1) }
    let answer = APIResponse(status: 200, body: Data(body.utf8))
    guard case .split = Outbox.telemetry.outcome(of: answer, to: rows) else {
      Issue.record("it counts as something else")
      return
    }
    guard case .decided(let verdict) = Outbox.telemetry.outcome(of: answer, to: [rows[0]]) else {
      Issue.record("of one row it says nothing")
      return
    }
    #expect(verdict.taken.isEmpty && verdict.refused.count == 1)
    let well = APIResponse(status: 200, body: Data(#"{"success":true,"status":"ok","accepted":4}"#.utf8))
    guard case .decided(let taken) = Outbox.telemetry.outcome(of: well, to: rows) else {
      Issue.record("it is well")
      return
    }
    #expect(taken.taken.count == 4)
  }

  @Test("attempts that are asked for at once come one after the other, and all end; a batch of any size is one of a thousand")
  func atOnce() async throws {
    let world = try await Self.world(events: 1_500)
    let api = API()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = Self.rows.service(world, server, batch: .max)
    let reports = try await withThrowingTaskGroup(of: SyncReport.self) { group in
      for _ in 0..<10 { group.addTask { try await service.sync() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reports.compactMap { $0.acknowledged["telemetry"] } == [1_500])
    #expect(api.events.values.allSatisfy { $0 == 1 } && server.requests.count == 2)
  }

  @Test("started, it sends at once and again when enough has come together")
  func started() async throws {
    let world = try await Self.world(events: 1)
    let api = API()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = Self.rows.service(world, server, batch: 3)
    await service.start()
    try await world.untilSent()
    try Self.add(2...5, to: world)
    try await world.untilSent()
    await service.stop()
    #expect(Set(api.events.keys) == Set((1...5).map { "event-\($0)" }))
  }

  @Test("what waits is watched again after it could not be read once")
  func watchesAgain() async throws {
    let world = try await Self.world(events: 1)
    let api = API()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let clock = ManualClock(with: world.clock)
    let service = Self.rows.service(world, server, batch: 3, clock: clock)
    await service.start()
    #expect(await clock.secondsOfSleep() == 300)
    try await world.store.write { tx in
      try tx.execute("ALTER TABLE telemetry RENAME COLUMN revision TO elsewhere")
      try tx.execute("UPDATE telemetry SET name = 'changed'")
    }
    while await service.watch != nil { await Task.yield() }
    try Self.change("ALTER TABLE telemetry RENAME COLUMN elsewhere TO revision", in: world)
    clock.advance(seconds: 300)
    try await world.untilSent()
    #expect(await clock.secondsOfSleep() == 300)
    try Self.add(2...4, to: world)
    try await world.untilSent()
    await service.stop()
    #expect(Set(api.events.keys) == Set((1...4).map { "event-\($0)" }))
  }

  @Test("an attempt that the app ends is no failure of the server")
  func stopped() async throws {
    let world = try await Self.world(events: 1)
    let server = try LoopbackServer { _ in .hang }
    defer { server.stop() }
    let service = Self.rows.service(world, server, timeoutSeconds: 60)
    let attempt = Task { try await service.sync() }
    while server.requests.isEmpty { await Task.yield() }
    attempt.cancel()
    await #expect(throws: (any Error).self) { _ = try await attempt.value }
    let status = try await Self.status(world)
    #expect(status.pending["telemetry"] == 1 && status.lastError == nil && status.retryAt == nil)
  }
}
