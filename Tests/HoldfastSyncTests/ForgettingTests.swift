import Foundation
import Holdfast
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("Forgetting what another device has purged")
struct ForgettingTests {
  private static let id = NewID.counting(from: 7)()
  private static let other = NewID.counting(from: 8)()
  private static let key = IDCodec.lowercase(id)
  private static let secret = "Zacharias Quirrenbach"
  private let folder: TemporaryFolder
  private let world: SyncedNotes

  init() throws { (folder, world) = (try TemporaryFolder(), try SyncedNotes()) }

  /// An archived store in a folder of its own, connected, with what the server has.
  private func device(_ name: String) async throws -> (store: Store, sync: StoreSync) {
    try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
    var options = StoreOptions.testing
    options.archive.mode = .begins
    let store = try folder.store([SyncedNotes.schema], name: "\(name)/notes.sqlite", options: options)
    _ = try store.archive()
    let sync = try world.sync(store)
    try await sync.connect(.merge)
    try await sync.finish()
    return (store, sync)
  }

  /// Two devices with the secret in their tables and in a snapshot each. The first one has purged it, and the second one knows.
  private func purged() async throws -> (first: (store: Store, sync: StoreSync), second: (store: Store, sync: StoreSync)) {
    let (first, second) = (try await device("first"), try await device("second"))
    try first.store.add(Self.key, Self.secret)
    try await finish(first.sync, second.sync)
    for store in [first.store, second.store] { try await store.snapshot() }
    try await first.store.purge(Note.self, id: Self.id)
    try await finish(first.sync, second.sync)
    return (first, second)
  }

  /// The files of a device with the secret.
  private func holders(_ name: String) throws -> [String] {
    try folder.contents().filter { file in
      file.hasPrefix(name + "/") && (try? Data(contentsOf: folder.file(file)))?.range(of: Data(Self.secret.utf8)) != nil
    }
  }

  private func hasBegunAnew(_ store: Store) throws -> Bool { try store.archive().history().contains { $0.text == "rows were purged" } }

  @Test("the row is deleted on the other device, which counts it and keeps its past, until it forgets: then no byte has it")
  func forget() async throws {
    let (first, second) = try await purged()
    #expect(try second.store.notes() == [] && second.sync.status().forgetting == 1)
    #expect(try first.sync.status().forgetting == 0 && world.server.store.rows("SELECT body FROM sync_row") == [Self.line])
    try first.store.close()
    #expect(try holders("first") == [] && holders("second").contains { $0.contains("snapshots/") } && !hasBegunAnew(second.store))
    let report = try await second.sync.forget()
    #expect(report?.snapshots.count == 1)
    #expect(try second.sync.status().forgetting == 0 && second.sync.status().pending == 0 && hasBegunAnew(second.store))
    try second.store.close()
    #expect(try holders("second") == [])
  }

  private static let line = "{\"f\":true,\"g\":2,\"k\":\"\(key)\",\"t\":\"notes\"}"

  @Test("what lost on the other device, and the ledger of its imports, are forgotten with the row; nothing of other rows")
  func besides() async throws {
    let (_, second) = try await purged()
    try second.store.add("other", "other")
    for key in [Self.key, "other"] {
      try second.store.edit("INSERT INTO holdfast_sync_lost VALUES (NULL, 0, 'notes', \(key), '', '')")
      try second.store.edit("INSERT INTO holdfast_imported VALUES ('notes', \(key), 1)")
    }
    try await second.sync.forget()
    for table in ["holdfast_sync_lost", "holdfast_imported"] {
      #expect(try second.store.rows("SELECT key FROM \(raw: table)") == ["other"])
    }
    #expect(try second.store.notes() == ["other other"])
  }

  @Test("a row whose key is no UUID is forgotten, too: also in what lost, and in the audit")
  func naturalKey() throws {
    let schema = StoreSchema(
      "tags", migrations: [Migration("tags/001", sql: "CREATE TABLE tags (id TEXT NOT NULL PRIMARY KEY, note TEXT) STRICT")],
      declarations: [.synced("tags"), .audit("tags")])
    let device = try LoneDevice(folder.store([schema]))
    let name = SyncRow.Name("tags", "garden")
    try device.pull(.texts("tags", "garden", ["note": Self.secret]))
    try device.write("UPDATE tags SET note = \(Self.secret + " again")")
    try device.pull(SyncRow(name, generation: 2, forgets: true))
    #expect(device.sync.status.lost == 1)
    #expect(try device.store.forgetPurged() != nil && device.store.forgetPurged() == nil)
    #expect(device.sync.status.lost == 0)
    #expect(try device.store.rows("SELECT DISTINCT operation FROM holdfast_audit WHERE operation <> 'base'") == ["purged"])
  }

  @Test("where nothing is to be forgotten, nothing is removed")
  func nothing() async throws {
    let (store, sync) = try await device("first")
    try store.add("n1")
    let snapshot = try await store.snapshot()
    #expect(try await sync.forget() == nil)
    #expect(try store.snapshots().map(\.id) == [snapshot.id] && !hasBegunAnew(store))
  }

  @Test("a forgetting that fails half-way still counts the row; called again, it ends the work. So does it for a purge that failed")
  func interrupted() async throws {
    let (_, second) = try await purged()
    let setAside = "second/notes.sqlite.holdfast/quarantine"
    try folder.forbidFolder(setAside)
    #expect(await asyncCode { _ = try await second.sync.forget() } != nil)
    #expect(try second.sync.status().forgetting == 1)
    try folder.allowFolder(setAside)
    try await second.sync.forget()
    #expect(try second.sync.status().forgetting == 0)
    try second.store.add(IDCodec.lowercase(Self.other), Self.secret)
    try folder.forbidFolder(setAside)
    #expect(await asyncCode { _ = try await second.store.purge(Note.self, id: Self.other) } != nil)
    #expect(try second.sync.status().forgetting == 1)
    try folder.allowFolder(setAside)
    try await second.sync.forget()
    #expect(try second.sync.status().forgetting == 0)
    try second.store.close()
    #expect(try holders("second") == [])
  }

  @Test("a new device has nothing to forget of before, and passes the mark on; one whose row was deleted before has")
  func others() async throws {
    let (_, second) = try await purged()
    let third = try await device("third")
    #expect(try third.sync.status().forgetting == 0)
    // As the server of an older copy would have it.
    try world.server.store.edit("UPDATE sync_row SET body = '{\"g\":2,\"k\":\"' || key || '\",\"t\":\"notes\"}'")
    try world.server.store.edit("UPDATE sync_space SET bytes = (SELECT sum(length(CAST(body AS BLOB))) FROM sync_row)")
    let fourth = try await device("fourth")
    try await third.sync.resync()
    try await third.sync.finish()
    #expect(try world.server.store.rows("SELECT body FROM sync_row") == [Self.line])
    try await fourth.sync.finish()
    #expect(try fourth.sync.status().forgetting == 1 && second.sync.status().forgetting == 1)
  }

  @Test(
    "a device that is not new counts a row of which it knows nothing; so does one that was connected with rows", arguments: [false, true])
  func unknownRow(_ hasRows: Bool) throws {
    let store = try folder.store([SyncedNotes.schema])
    if hasRows { try store.add("n1") }
    let device = try LoneDevice(store)
    if !hasRows { try device.pull() }
    try device.pull(SyncRow(SyncRow.Name("notes", "gone"), generation: 2, forgets: true))
    #expect(try store.forgetPurged() != nil)
  }

  @Test("a row that was deleted long ago can be purged: the other device learns of it")
  func deletedBefore() async throws {
    let (first, second) = (try await device("first"), try await device("second"))
    try first.store.add(Self.key, Self.secret)
    try await finish(first.sync, second.sync)
    try first.store.edit("DELETE FROM notes")
    try await finish(first.sync, second.sync)
    #expect(try second.sync.status().forgetting == 0)
    try await first.store.purge(Note.self, id: Self.id)
    try await finish(first.sync, second.sync)
    #expect(try first.sync.status().forgetting == 0 && second.sync.status().forgetting == 1)
  }

  @Test("a key that is used again is not forgotten, and its next deletion is an ordinary one; its next purge counts again")
  func usedAgain() async throws {
    let (first, second) = try await purged()
    try await second.sync.forget()
    try first.store.add(Self.key, "another")
    try await finish(first.sync, second.sync)
    #expect(try second.store.notes() == ["\(Self.key) another"] && second.sync.status().forgetting == 0)
    try first.store.edit("DELETE FROM notes")
    try await finish(first.sync, second.sync)
    #expect(try world.server.store.rows("SELECT body FROM sync_row") == ["{\"g\":4,\"k\":\"\(Self.key)\",\"t\":\"notes\"}"])
    #expect(try second.sync.status().forgetting == 0)
    try await first.store.purge(Note.self, id: Self.id)
    try await finish(first.sync, second.sync)
    #expect(try second.sync.status().forgetting == 1)
  }

  @Test("going back to a moment with the row brings it back on every device, and ends the mark")
  func goingBack() async throws {
    let (first, second) = (try await device("first"), try await device("second"))
    try first.store.add(Self.key, Self.secret)
    try await finish(first.sync, second.sync)
    try await second.store.label("here")
    try await first.store.purge(Note.self, id: Self.id)
    try await finish(first.sync, second.sync)
    #expect(try second.sync.status().forgetting == 1)
    _ = try await second.store.rewind(to: .label("here"))
    try await finish(second.sync, first.sync)
    #expect(try first.store.notes() == ["\(Self.key) \(Self.secret)"] && second.sync.status().forgetting == 0)
  }

  @Test("a purged row of a table that an older version does not know counts after the update")
  func unknownTable() throws {
    let notes = Migration("tags/001", sql: "CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY) STRICT")
    let tags = Migration("tags/002", sql: "CREATE TABLE tags (id TEXT NOT NULL PRIMARY KEY) STRICT")
    let old = try LoneDevice(folder.store([StoreSchema("tags", migrations: [notes], declarations: [.synced("notes")])]))
    let name = SyncRow.Name("tags", "garden")
    try old.pull(.texts("tags", "garden"))
    try old.pull(SyncRow(name, generation: 2, forgets: true))
    #expect(try old.store.forgetPurged() == nil && old.row("tags", "garden")?.forgets == true)
    try old.store.close()
    let new = try LoneDevice(
      folder.store([StoreSchema("tags", migrations: [notes, tags], declarations: [.synced("notes"), .synced("tags")])]))
    #expect(try new.row("tags", "garden")?.forgets == true && new.store.forgetPurged() != nil)
  }

  @Test("a purge of one's own forgets what others have purged, too; who is not connected gets misuse")
  func ownPurge() async throws {
    let (_, second) = try await purged()
    try second.store.add(IDCodec.lowercase(Self.other), "mine")
    try await second.store.purge(Note.self, id: Self.other)
    #expect(try second.sync.status().forgetting == 0)
    try await second.sync.disconnect(force: true)
    #expect(await asyncCode { _ = try await second.sync.forget() } == .misuse)
  }
}

private struct Note: StoredRecord, Codable {
  static let table = "notes"
  var id: UUID
  var title: String
  var body: String
}
