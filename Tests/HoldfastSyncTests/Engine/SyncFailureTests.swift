import Foundation
import Holdfast
import HoldfastHTTP
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("A server that fails", .timeLimit(.minutes(10)))
struct SyncFailureTests {
  private static let token = StoreError(.permissionDenied, "no")

  @Test("each failure doubles the pause, a server's wish replaces it, and after a success the next one is short again")
  func pauses() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    let error = StoreError(.inputOutput, "no network")
    world.requests.reply(error, error, error)
    world.requests.reply(error, retryAfterSeconds: 120)
    try sync.start()
    for seconds in [5.0, 10, 20, 120] {
      #expect(await world.clock.secondsOfSleep() == seconds)
      // Neither an edit nor news end a pause.
      try store.add("n\(seconds)")
      #expect(world.requests.all.last == "pull")
      world.clock.advance(seconds: seconds)
    }
    #expect(await world.clock.secondsOfSleep() == 30)
    #expect(try sync.status().pending == 0)
    world.requests.reply(error)
    world.clock.advance(seconds: 30)
    #expect(await world.clock.secondsOfSleep() == 5)
  }

  @Test(
    "a device whose changes the server does not take gets what others change at the normal pace; the status says why, and finish throws it")
  func readsOnly() async throws {
    let world = try SyncedNotes()
    let (other, store) = (try await world.device(), try SyncedNotes.store())
    var transport = world.transport()
    transport.ask = { [ask = transport.ask, requests = world.requests] request in
      guard case .push = request.verb else { return try await ask(request) }
      requests.note("refused")
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      return .init(.success(SyncResponse(.failed(StoreError(.readOnly, "the token only reads")), now: now, epoch: "e1")))
    }
    let sync = try StoreSync(store, server: .init(space: "anna", transport), pauses: HTTPPauses { 1 }, clock: world.clock)
    try await sync.connect(.merge)
    try store.add("mine")
    try sync.start()
    #expect(await world.clock.secondsOfSleep() == 30)
    #expect(try sync.status().problem?.code == .permissionDenied && sync.status().pending == 1)
    // A commit here does not ask again; news of another device do.
    try store.add("mine, too")
    try other.store.add("theirs")
    try await other.sync.finish()
    func refusals() -> Int { world.requests.all.filter { $0 == "refused" }.count }
    #expect(await eventually { (try? store.notes())?.contains("theirs old") == true && refusals() >= 2 })
    await sync.stop()
    #expect(try refusals() == 2 && sync.status().problem?.code == .permissionDenied)
    #expect(await asyncCode { try await sync.finish() } == .permissionDenied)
  }

  @Test("starting again ends a pause")
  func startAgain() async throws {
    let world = try SyncedNotes()
    let (_, sync) = try await world.device()
    world.requests.reply(Self.token)
    try sync.start()
    #expect(await world.clock.secondsOfSleep() == 5)
    #expect(try sync.status().problem?.code == .permissionDenied)
    try sync.start()
    #expect(await eventually { (try? sync.status())?.problem == nil })
  }

  @Test("a server that tells news where there are none is asked again only after a second")
  func falseNews() async throws {
    let world = try SyncedNotes()
    let store = try SyncedNotes.store()
    var transport = world.transport()
    transport.wait = { _ in }
    let sync = try StoreSync(store, server: .init(space: "anna", transport), pauses: HTTPPauses { 1 }, clock: world.clock)
    try await sync.connect(.merge)
    try sync.start()
    #expect(await eventually { world.requests.all == ["pull", "pull"] })
    while await world.clock.secondsOfSleep() != 1 { await Task.yield() }
    #expect(world.requests.all == ["pull", "pull"])
  }

  @Test("answers that follow each other without end end the round")
  func contradiction() async throws {
    let world = try SyncedNotes()
    let (store, _) = try await world.device()
    let transport = SyncTransport(
      ask: { _ in .init(.success(SyncResponse(.branched(fork: 0), now: 0, epoch: "e9"))) }, wait: { _ in })
    let sync = try StoreSync(store, server: .init(space: "anna", transport))
    #expect(await asyncCode { try await sync.finish() } == .inputOutput)
  }

  @Test("an answer that cannot be taken ends the round at once: nobody waits for the page that was asked for behind it")
  func endsAtOnce() async throws {
    let world = try SyncedNotes()
    let (store, _) = try await world.device()
    let requests = Requests()
    let transport = SyncTransport(
      ask: { request in
        requests.note("pull")
        // A page with more behind it that does not go on.
        let page = SyncResponse.Outcome.page([], cursor: request.cursor, more: true)
        if requests.all.count == 1 { return .init(.success(SyncResponse(page, now: 0, epoch: "e1"))) }
        while await Bell().heard() != nil {}
        throw CancellationError()
      }, wait: { _ in })
    let sync = try StoreSync(store, server: .init(space: "anna", transport))
    #expect(await asyncCode { try await sync.finish() } == .inputOutput)
  }

  @Test("rows that a server has refused make finishing fail, and are sent again after a day")
  func refused() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try world.limitRows(to: 0)
    try store.add("n1")
    #expect(await asyncCode { try await sync.finish() } == .invalidValue)
    #expect(await asyncCode { try await sync.disconnect() } == .busy)
    // As a program does that starts again with other limits of its own.
    try world.server.store.edit("UPDATE sync_space SET limits = NULL")
    #expect(await asyncCode { try await sync.finish() } == .invalidValue)
    try store.edit("UPDATE holdfast_sync SET refused_at = refused_at - 86400000")
    try await sync.finish()
    #expect(try sync.status().refused == 0 && world.server.store.rows("SELECT key FROM sync_row") == ["n1"])
  }

  @Test("rows that a server has refused are sent again at once when the limits of the space change")
  func newLimits() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try world.limitRows(to: 1)
    try store.add("n1")
    try store.add("n2")
    #expect(await asyncCode { try await sync.finish() } == .invalidValue)
    #expect(try sync.status().refused == 1)
    try world.limitRows(to: 1)
    let before = world.requests.all.count
    #expect(await asyncCode { try await sync.finish() } == .invalidValue)
    #expect(world.requests.all[before...] == ["pull"], "the limits are as before")
    try world.limitRows(to: 2)
    try await sync.finish()
    #expect(try sync.status().refused == 0 && world.server.store.rows("SELECT key FROM sync_row ORDER BY key") == ["n1", "n2"])
  }

  @Test("a full resync sends again what a server has refused")
  func refusedBeforeResync() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try world.limitRows(to: 0)
    try store.add("n1")
    #expect(await asyncCode { try await sync.finish() } == .invalidValue)
    try world.server.store.edit("UPDATE sync_space SET limits = NULL")
    try await sync.resync()
    try await sync.finish()
    #expect(try sync.status().refused == 0 && world.server.store.rows("SELECT key FROM sync_row") == ["n1"])
  }

  @Test("when the store is closed, the rounds and the statuses end")
  func closed() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try sync.start()
    #expect(await world.clock.secondsOfSleep() == 30)
    let statuses = sync.updates()
    try store.close()
    world.clock.advance(seconds: 30)
    for await _ in statuses {}
    #expect(code { _ = try sync.status() } == .closed)
  }
}
