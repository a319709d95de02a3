import Foundation
import Holdfast
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// The clock of the waits moves only where a test moves it, so what happens without that needs no time.
@Suite("A store that syncs by itself", .timeLimit(.minutes(10)))
struct StoreSyncTests {
  @Test("an edit travels to another device without anybody calling anything: commits and news begin rounds")
  func travels() async throws {
    let world = try SyncedNotes()
    let (first, second) = (try await world.device(), try await world.device())
    try first.sync.start()
    try second.sync.start()
    try first.store.add("n1")
    #expect(await eventually { (try? second.store.notes()) == ["n1 old"] })
    try second.store.edit("UPDATE notes SET title = 'new'")
    #expect(await eventually { (try? first.store.notes()) == ["n1 new"] })
  }

  @Test("a device that hears no news has them after 30 seconds")
  func watchdog() async throws {
    let world = try SyncedNotes()
    let (first, second) = (try await world.device(), try await world.device(hears: false))
    try second.sync.start()
    #expect(await world.clock.secondsOfSleep() == 30)
    try first.store.add("n1")
    try await first.sync.finish()
    #expect(try second.store.notes() == [])
    world.clock.advance(seconds: 30)
    #expect(await eventually { (try? second.store.notes()) == ["n1 old"] })
  }

  @Test("a commit that changes nothing that syncs costs one look and no request, and neither do a round's own commits")
  func nothingToSend() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try sync.start()
    #expect(await world.clock.secondsOfSleep() == 30)
    let before = world.requests.all
    try store.edit("INSERT INTO drafts VALUES ('d1')")
    #expect(await eventually { store.metrics().verbs["sync.look"]?.reads == 1 })
    #expect(world.requests.all == before)
    try store.add("n1")
    #expect(await eventually { world.requests.all.count == before.count + 2 && store.metrics().verbs["sync.cursor"]?.reads == 2 })
    #expect(world.requests.all == before + ["pull", "push"])
  }

  @Test("the status says what waits, since when, and why; after a round that went well nothing waits and nothing is wrong")
  func status() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    let begin = Date(timeIntervalSinceNow: -1)
    try store.add("n1")
    try store.add("n2")
    world.requests.reply(StoreError(.inputOutput, "no network"))
    await #expect(throws: StoreError.self) { try await sync.finish() }
    var status = try sync.status()
    #expect(status.pending == 2 && status.problem?.message == "no network" && status.refused + status.parked + status.lost == 0)
    #expect(try #require(status.oldestPending) > begin)
    try await sync.finish()
    status = try sync.status()
    #expect(status.pending == 0 && status.oldestPending == nil && status.problem == nil && status.forgetting == 0)
    #expect(try #require(status.lastSynced) > begin)
  }

  @Test("who follows the status gets the present one, and each later one")
  func updates() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try store.add("n1")
    var statuses = sync.updates().makeAsyncIterator()
    #expect(await statuses.next()?.pending == 1)
    try sync.start()
    while let status = await statuses.next(), status.pending > 0 {}
    #expect(try store.rows("SELECT key FROM holdfast_sync_row WHERE dirty") == [])
  }

  @Test("an edit that lost is in the list; restored, it is an edit that the other device gets")
  func restore() async throws {
    let world = try SyncedNotes()
    let (first, second) = (try await world.device(), try await world.device())
    try first.store.add("n1")
    try await finish(first.sync, second.sync)
    try first.store.edit("UPDATE notes SET title = 'earlier'")
    // Whatever the milliseconds are, the second edit is the later one.
    try second.store.edit("UPDATE notes SET title = 'later'")
    try second.store.edit("UPDATE holdfast_sync_cell SET hlc = hlc + 1000000")
    try await finish(second.sync, first.sync)
    #expect(try first.store.notes() == ["n1 later"])
    let lost = try #require(try first.sync.lost().first)
    #expect(lost.table == "notes" && lost.key == "n1" && lost.values == ["title": .text("earlier")])
    try first.sync.restore(lost)
    #expect(try first.sync.lost() == [] && first.store.notes() == ["n1 earlier"])
    try await finish(first.sync, second.sync)
    #expect(try second.store.notes() == ["n1 earlier"])
    #expect(throws: StoreError.self) { try first.sync.restore(lost) }
  }

  @Test("a row that another device has deleted comes back whole; a value that is discarded is gone")
  func restoreRow() async throws {
    let world = try SyncedNotes()
    let (first, second) = (try await world.device(), try await world.device())
    try first.store.add("n1")
    try await finish(first.sync, second.sync)
    try second.store.edit("DELETE FROM notes")
    try await second.sync.finish()
    try first.store.edit("UPDATE notes SET title = 'mine'")
    try await first.sync.finish()
    #expect(try first.store.notes() == [])
    try first.sync.restore(#require(try first.sync.lost().first))
    try await finish(first.sync, second.sync)
    #expect(try second.store.notes() == ["n1 mine"])
    try second.store.edit("INSERT INTO holdfast_sync_lost VALUES (9, 0, 'notes', 'n1', '{\"g\":2,\"k\":\"n1\",\"t\":\"notes\"}', '')")
    try second.sync.discard(#require(try second.sync.lost().first))
    #expect(try second.sync.lost() == [])
  }

  @Test("disconnecting is refused while changes wait, unless it is forced; then nothing of sync is left, and the rows are")
  func disconnect() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    let objects: BoundSQL = "SELECT name FROM sqlite_schema WHERE name LIKE '%sync%' ORDER BY name"
    try store.add("n1")
    #expect(await asyncCode { try await sync.disconnect() } == .busy)
    #expect(try StoreSync.space(of: store) == "anna")
    try sync.start()
    try await sync.disconnect(force: true)
    #expect(try store.rows(objects) == [] && store.notes() == ["n1 old"])
    #expect(try StoreSync.space(of: store) == nil && sync.status().pending == 0)
    #expect(code { try sync.start() } == .misuse)
    try store.add("n2")
    try await sync.connect(.merge)
    try await sync.finish()
    try await sync.disconnect()
    #expect(try store.rows(objects) == [])
  }

  @Test("a store may be connected to its space again; what cannot sync says so")
  func refusals() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try await sync.connect(.takeTheServers)
    let unconnected = try world.sync(SyncedNotes.store())
    #expect(code { try unconnected.start() } == .misuse)
    #expect(await asyncCode { try await unconnected.resync() } == .misuse)
    let unsynced = try Store.inMemory(schemas: [SyncServer.schema])
    #expect(await asyncCode { try await world.sync(unsynced).connect(.merge) } == .misuse)
    #expect(code { _ = try world.sync(store, space: "") } == .misuse)
    let address = try #require(URL(string: "http://sync.example.com"))
    #expect(code { _ = try StoreSync(store, server: .init(address, space: "anna") { nil }) } == .misuse)
  }

  @Test("what is refused for another space, or a store that cannot be written, changes nothing, and asks nothing of a server")
  func refusedChangesNothing() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try store.add("n1")
    func state() throws -> [String] {
      try store.rows("SELECT space, node, epoch, cursor FROM holdfast_sync", columns: 4)
        + store.rows("SELECT key, generation, sequence, dirty FROM holdfast_sync_row", columns: 4)
    }
    let (before, asked) = (try state(), world.requests.all)
    let other = try world.sync(store, space: "otto")
    let readOnly = try world.sync(store.readOnly(because: "it is a test"))
    for (sync, code) in [(other, StoreError.Code.wrongKind), (readOnly, .readOnly)] {
      let attempts: [() async throws -> Void] = [
        { try await sync.connect(.takeTheServers) }, { try sync.start() }, { try await sync.finish() }, { try await sync.resync() },
        { try await sync.disconnect(force: true) },
      ]
      for attempt in attempts { #expect(await asyncCode(attempt) == code) }
    }
    #expect(code { _ = try other.lost() } == .wrongKind)
    #expect(try state() == before && world.requests.all == asked && StoreSync.space(of: store) == "anna")
    try await sync.finish()
    #expect(try world.server.store.rows("SELECT key FROM sync_row") == ["n1"])
  }

  @Test("a second one that syncs the store gets busy, until the first one stops or is gone")
  func busy() async throws {
    let world = try SyncedNotes()
    let store = try Store.temporary(schemas: [SyncedNotes.schema])
    var first: StoreSync? = try world.sync(store)
    let second = try world.sync(store)
    try await first?.connect(.merge)
    try first?.start()
    #expect(code { try second.start() } == .busy)
    #expect(await asyncCode { try await second.finish() } == .busy)
    #expect(await asyncCode { try await second.disconnect() } == .busy)
    await first?.stop()
    try await second.finish()
    try first?.start()
    first = nil
    #expect(await eventually { code { try second.start() } == nil })
  }

  @Test("a stop in a cancelled task, such as that of a view that disappears, lets others sync the store, too")
  func stopsInCancelledTask() async throws {
    let world = try SyncedNotes()
    let store = try Store.temporary(schemas: [SyncedNotes.schema])
    let (first, second) = (try world.sync(store), try world.sync(store))
    try await first.connect(.merge)
    // Whether a turn begins before it is cancelled is chance.
    for _ in 0..<20 {
      try first.start()
      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await first.stop()
      }.value
      #expect(code { try second.start() } == nil)
      await second.stop()
    }
  }

  @Test("a server that knows none of the device's rows any more gets all of them by a resync")
  func resync() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device()
    try store.add("n1")
    try await sync.finish()
    try world.server.store.edit("DELETE FROM sync_row")
    try world.server.store.edit("UPDATE sync_space SET rows = 0, bytes = 0, digest = 0")
    try await sync.finish()
    #expect(try world.server.store.rows("SELECT key FROM sync_row") == [])
    try await sync.resync()
    try await sync.finish()
    #expect(try world.server.store.rows("SELECT key FROM sync_row") == ["n1"])
  }

  @Test("to take the server's rows keeps those in lost that it does not have")
  func takeTheServers() async throws {
    let world = try SyncedNotes()
    let (first, second) = (try await world.device(), try SyncedNotes.store())
    try first.store.add("n1")
    try await first.sync.finish()
    try second.add("n2")
    let sync = try world.sync(second)
    try await sync.connect(.takeTheServers)
    try await sync.finish()
    #expect(try second.notes() == ["n1 old"] && sync.lost().map(\.key) == ["n2"])
  }
}
