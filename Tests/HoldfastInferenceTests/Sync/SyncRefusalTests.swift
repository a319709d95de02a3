import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("What a server refuses", .timeLimit(.minutes(10))) struct SyncRefusalTests {
  private static let attempts = DataSyncService.mostTries

  private static func tries(_ world: World) throws -> Int {
    try world.store.read { try $0.count("SELECT count(*) FROM sync_tries") }
  }

  /// As a server that takes rows one by one, or whole requests, and answers 400, or what is said, to what has one of these.
  private static func strict(
    _ api: TablesAPI, _ poison: Set<String>, status: Int = 400
  ) -> @Sendable (LoopbackServer.Request) -> LoopbackServer.Answer {
    { request in
      let text = String(decoding: request.body, as: UTF8.self)
      return poison.contains { text.contains("\"\($0)\"") } ? .respond(status) : api.answer(request)
    }
  }

  /// What says no to everything.
  static let refusals = [
    "400", "422", "413", #"{"accepted":0,"rejected":30,"syncedIds":[]}"#, #"{"success":false,"accepted":[],"syncedIds":[]}"#,
  ]

  @Test(
    "a server that refuses everything sets nothing aside, is asked little, and says why",
    arguments: SentRows.inTurn(SentRows.some, refusals))
  func broken(rows: SentRows, answer: String) async throws {
    let world = try await rows.world(30)
    let api = TablesAPI()
    let isBroken = Script(Array(repeating: Int(answer).map { .respond($0) } ?? .respond(200, body: answer), count: 400))
    let server = try LoopbackServer { isBroken.next() ?? api.answer($0) }
    defer { server.stop() }
    let service = rows.service(world, server, batch: 30)
    for attempt in 1...Self.attempts + 1 {
      let error = await #expect(throws: StoreError.self) { try await service.sync() }
      #expect(error?.message.contains("took nothing of \(rows.table)") == true)
      #expect(server.requests.count <= attempt * 30)
      let status = try await world.inference.syncStatus()
      #expect(status.pending[rows.table] == 30 && status.setAside == [] && status.lastError == error?.message && status.retryAt != nil)
    }
    #expect(try Self.tries(world) == 0)
    while isBroken.next() != nil {}
    _ = try await service.sync()
    #expect(try await rows.pending(in: world) == 0)
    #expect(Set(rows.ids(at: api)) == Set((1...30).map(SentRows.id)))
  }

  @Test("many bad rows at the beginning keep no good one from being sent, and are set aside in the end", arguments: SentRows.some)
  func badBeginning(rows: SentRows) async throws {
    let world = try await rows.world(30)
    let (api, poison) = (TablesAPI(), Set((1...25).map(SentRows.id)))
    let server = try LoopbackServer(Self.strict(api, poison))
    defer { server.stop() }
    let service = rows.service(world, server, batch: 10)
    await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(try await rows.pending(in: world) == 30 && Self.tries(world) == 0)
    #expect(try await service.sync() == SyncReport(acknowledged: [rows.table: 5], refused: [rows.table: 25]))
    #expect(rows.ids(at: api) == (26...30).map(SentRows.id))
    #expect(try Self.tries(world) == 25, "the server takes others, so that it refused these counts")
    for number in 31...34 {
      try await rows.add(number, to: world)
      // The new row is behind the bad ones, and there are more of these than one attempt asks for.
      await #expect(throws: StoreError.self) { try await service.sync() }
      #expect(try await service.sync().acknowledged == [rows.table: 1])
    }
    #expect(Set(try await rows.setAside(in: world)) == poison)
    #expect(try await rows.pending(in: world) == 0)
  }

  @Test("services that make one attempt each, as the command's, come to the good rows behind all bad ones", arguments: SentRows.some)
  func eachAnew(rows: SentRows) async throws {
    let world = try await rows.world(50)
    let (api, poison) = (TablesAPI(), Set((1...45).map(SentRows.id)))
    let server = try LoopbackServer(Self.strict(api, poison))
    defer { server.stop() }
    for _ in 1...2 {
      await #expect(throws: StoreError.self) { try await rows.service(world, server, batch: 10).sync() }
      #expect(try await rows.pending(in: world) == 50)
      #expect(try await world.inference.syncStatus().setAside == [])
    }
    #expect(try await rows.service(world, server, batch: 10).sync().acknowledged == [rows.table: 5])
    #expect(rows.ids(at: api) == (46...50).map(SentRows.id))
    #expect(try await world.store.read { reader in try Outbox.allCases.allSatisfy { try $0.cursor(in: reader) == nil } })
  }

  @Test("of a long queue of which nothing is taken twenty rows are asked about in an attempt, however it is said", arguments: SentRows.some)
  func hopeless(rows: SentRows) async throws {
    let world = try await rows.world(60)
    let api = TablesAPI(refusing: Set((1...60).map(SentRows.id)))
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = rows.service(world, server, batch: 10)
    await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(Set(rows.ids(at: api)) == Set((1...20).map(SentRows.id)))
    await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(Set(rows.ids(at: api)) == Set((1...40).map(SentRows.id)))
  }

  private static func others(than rows: SentRows) -> SentRows { rows.table == SentRows.telemetry.table ? .models : .telemetry }

  @Test("two bad rows of a table without others are set aside when the server takes rows of another table", arguments: SentRows.some)
  func quiet(rows: SentRows) async throws {
    let world = try await rows.world(2)
    let poison = (1...2).map(SentRows.id)
    let api = TablesAPI()
    let server = try LoopbackServer(Self.strict(api, Set(poison)))
    defer { server.stop() }
    let service = TablesAPI.service(world, server)
    for attempt in 1...Self.attempts {
      #expect(try await rows.pending(in: world) == 2)
      try await Self.others(than: rows).add(attempt + 10, to: world)
      #expect(try await service.sync().refused == [rows.table: 2])
    }
    #expect(try await rows.setAside(in: world) == poison)
    #expect(try await rows.pending(in: world) == 0)
  }

  @Test("a path that refuses row after row sets nothing aside, and the others are sent at each interval", arguments: SentRows.some)
  func brokenPath(rows: SentRows) async throws {
    let world = try await rows.world(30)
    let (api, others) = (TablesAPI(), Self.others(than: rows))
    let path = "/v1/sync/\(rows.path)"
    let server = try LoopbackServer { $0.path == path ? .respond(422) : api.answer($0) }
    defer { server.stop() }
    let service = TablesAPI.service(world, server)
    for attempt in 1...Self.attempts + 1 {
      try await others.add(attempt + 40, to: world)
      await #expect(throws: StoreError.self) { try await service.sync() }
      let status = try await world.inference.syncStatus()
      #expect(status.pending == [rows.table: 30] && status.setAside == [])
      #expect(status.retryAt == world.clock.now.addingTimeInterval(300))
    }
    #expect(try Self.tries(world) == 0)
    // Without anything that it takes the pauses grow.
    await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(try await world.inference.syncStatus().retryAt == world.clock.now.addingTimeInterval(10))
  }

  @Test(
    "of what is refused whole half as many are asked for until it is one row, which is set aside with the status",
    arguments: SentRows.some, [400, 409, 422])
  func halved(rows: SentRows, status: Int) async throws {
    let world = try await rows.world(6)
    let api = TablesAPI()
    let server = try LoopbackServer(Self.strict(api, [SentRows.id(3)], status: status))
    defer { server.stop() }
    let service = rows.service(world, server)
    #expect(try await service.sync() == SyncReport(acknowledged: [rows.table: 5], refused: [rows.table: 1]))
    #expect(rows.ids(at: api) == [1, 2, 4, 5, 6].map(SentRows.id))
    #expect(server.requests.count == 7, "1 to 4, 1 and 2, 3 to 6, 3 and 4, 3, 4, then 5 and 6")
    for _ in 2...Self.attempts { _ = try await service.sync() }
    let setAside = try await world.inference.syncStatus().setAside
    #expect(setAside.map(\.id) == [SentRows.id(3)] && setAside.map(\.reason) == ["the server refused it (\(status))"])
  }

  private static func said(_ message: String) -> String { #""errors":[{"id":"row-01","message":\#(message)}]"# }

  private static func letters(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }

  /// What an answer says of the one event, and what is kept of it.
  static let reasons: [(String, String)] = [
    (said(#""bad""#), "the server rejected it: bad"),
    (said("\"\(letters("x", 200))\""), "the server rejected it: \(letters("x", 200))"),
    (said("\"\(letters("x", 201))\""), "the server rejected it: \(letters("x", 200))"),
    // Two of UTF-8's bytes each.
    (said("\"\(letters("\u{E9}", 5_000))\""), "the server rejected it: \(letters("\u{E9}", 200))"),
    // One letter to people, with 5,000 accents.
    (said("\"e\(letters("\u{301}", 5_000))\""), "the server rejected it: e\(letters("\u{301}", 199))"),
    (#""errors":[{"id":"row-01"}]"#, "the server rejected it"), (said("null"), "the server rejected it"),
    (said("5"), "the server rejected it"), (#""rejected":["row-01"]"#, "the server rejected it"),
    (#""rejected":["row-01"],"errors":[{"id":"row-01","message":"bad"}]"#, "the server rejected it: bad"),
    // Of another row.
    (#""errors":[{"id":"row-02","message":"bad"}]"#, "the server did not accept it"),
  ]

  @Test("of a reason 200 characters are kept, and an error without a message is one, too", arguments: reasons)
  func reason(answer: String, kept: String) async throws {
    let rows = SentRows.telemetry
    let world = try await rows.world(1)
    let server = try LoopbackServer { _ in .respond(200, body: #"{"accepted":[],\#(answer)}"#) }
    defer { server.stop() }
    let service = rows.service(world, server)
    for _ in 1...Self.attempts { _ = try await service.sync() }
    #expect(try await world.inference.syncStatus().setAside.map(\.reason) == [kept])
  }

  @Test("a row that is the only one counts by itself; a second one then does not, until something is taken", arguments: SentRows.some)
  func only(rows: SentRows) async throws {
    let world = try await rows.world(1)
    let api = TablesAPI()
    let server = try LoopbackServer(Self.strict(api, [SentRows.id(1), SentRows.id(2)]))
    defer { server.stop() }
    let service = rows.service(world, server)
    for _ in 1...Self.attempts { #expect(try await service.sync().refused == [rows.table: 1]) }
    #expect(try await rows.setAside(in: world) == [SentRows.id(1)])
    try await rows.add(2, to: world)
    for _ in 1...Self.attempts { await #expect(throws: StoreError.self) { try await service.sync() } }
    #expect(try await rows.setAside(in: world) == [SentRows.id(1)])
    #expect(try await rows.pending(in: world) == 1)
    for number in 3...7 {
      try await rows.add(number, to: world)
      _ = try await service.sync()
    }
    #expect(try await rows.setAside(in: world) == [SentRows.id(1), SentRows.id(2)])
  }

  @Test("what was set aside waits again when it is asked for, with all its tries", arguments: SentRows.some)
  func retry(rows: SentRows) async throws {
    let world = try await rows.world(1)
    let api = TablesAPI()
    let isWrong = Script(Array(repeating: .respond(400), count: Self.attempts))
    let server = try LoopbackServer { isWrong.next() ?? api.answer($0) }
    defer { server.stop() }
    let service = rows.service(world, server)
    for _ in 1...Self.attempts { _ = try await service.sync() }
    #expect(try await rows.setAside(in: world) == [SentRows.id(1)])
    #expect(try await world.inference.retrySetAside(of: "generations") == 0)
    #expect(try await world.inference.retrySetAside() == 1)
    #expect(try await rows.setAside(in: world) == [])
    #expect(try await rows.pending(in: world) == 1)
    #expect(try Self.tries(world) == 0)
    #expect(try await world.inference.retrySetAside() == 0)
    #expect(try await service.sync().acknowledged == [rows.table: 1])
  }

  @Test("an event that is deleted, by whatever verb, leaves nothing of its tries", arguments: ["one", "pending", "rows", "during"])
  func deleted(way: String) async throws {
    let rows = SentRows.telemetry
    let world = try await rows.world(2)
    let (api, inference) = (TablesAPI(refusing: [SentRows.id(1)]), world.inference)
    let server = try LoopbackServer { request in
      if way == "during" { _ = try? inference.store.write({ try InferenceStore.deleteEvent(SentRows.id(1), in: $0) }) }
      return api.answer(request)
    }
    defer { server.stop() }
    _ = try await rows.service(world, server).sync()
    #expect(try Self.tries(world) == (way == "during" ? 0 : 1))
    switch way {
    case "one": try await inference.deleteEvent(SentRows.id(1))
    case "pending": try await inference.deletePendingTelemetry()
    case "rows": _ = try await inference.store.write { try $0.execute("DELETE FROM telemetry") }
    default: break
    }
    #expect(try Self.tries(world) == 0)
    #expect(try await inference.event(SentRows.id(1)) == nil)
  }

  @Test("an id counts byte for byte: another spelling of the same letters is another event")
  func spelling() async throws {
    let world = try await SentRows.telemetry.world(0)
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    try await world.store.write { tx in for id in ids { try tx.insert(TelemetryEvent(id: id, type: .error, occurredAt: Sample.date)) } }
    let server = try LoopbackServer { _ in .respond(200, body: #"{"accepted":["caf\u00e9"]}"#) }
    defer { server.stop() }
    #expect(try await SentRows.telemetry.service(world, server).sync().acknowledged == ["telemetry": 1])
    #expect(try await world.inference.pendingEvents().items.map { Array($0.id.utf8) } == [Array(ids[1].utf8)])
  }
}
