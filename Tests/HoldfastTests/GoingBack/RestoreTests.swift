import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Restoring")
struct RestoreTests {
  let folder: TemporaryFolder
  let url: URL
  let store: Store
  let snapshot: Snapshot

  /// A snapshot with three books, and a store that has one more since.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    store = try folder.store([Shelves.schema])
    try store.fill()
    snapshot = try store.snapshot()
    try store.write { tx in try tx.insert(Book("later", number: 9)) }
  }

  private var snapshotFile: URL { folder.file("store.sqlite.holdfast/snapshots/\(snapshot.id).sqlite") }

  @Test("restoring an open store gives the old rows, keeps the replaced state, and all watchers see it", .timeLimit(.minutes(10)))
  func whileOpen() async throws {
    var titles = try await FollowedUpdates(store.updates { reader in try reader.count("SELECT count(*) FROM books") })
    #expect(titles.first == 4)
    let other = try folder.store([Shelves.schema])
    #expect(try other.titles().count == 4)
    let replaced = try await store.restore(snapshot: snapshot.id)
    #expect(try await titles.next() == 3)
    #expect(try store.titles() == ["book 0", "book 1", "book 2"])
    #expect(try other.titles().count == 3)
    #expect(replaced.rows["books"] == 4)
    #expect(replaced.label == "before restoring \(snapshot.id)")
    try await store.restore(snapshot: replaced.id)
    #expect(try store.titles().count == 4)
    #expect(try await store.integrityCheck().findings == [])
    try store.fill(shelf: 2)
    #expect(try other.titles().count == 7)
  }

  @Test(
    "a file that is not open, or cannot be opened any more, or is missing, is restored for its owner only, and kept byte for byte",
    arguments: ["sound", "damaged", "missing"])
  func closed(what: String) throws {
    try store.close()
    if what == "missing" { try FileManager.default.removeItem(at: url) }
    if what == "damaged" {
      try Damage.overwrite(url, at: 0, count: 4096)
      #expect(failure { try folder.store([Shelves.schema]) }?.code == .notADatabase)
    }
    let before = try? Data(contentsOf: url)
    let kept = try Store.restore(at: url, snapshot: snapshot.id, options: .testing)
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try kept.map { try Data(contentsOf: $0.appendingPathComponent("store.sqlite")) } == before)
    #expect(kept?.path.contains("store.sqlite.holdfast/quarantine/") != false)
  }

  @Test("a damaged page is told as damage, with healing and the snapshot as ways out")
  func damagedPage() throws {
    try store.close()
    // Page 1 from behind its header: the list of tables.
    try Damage.overwrite(url, at: 100, count: 200)
    let error = failure { try folder.store([Shelves.schema]) }
    #expect(error?.code == .damaged)
    #expect(error?.recoveryOptions == [.heal, .restoreSnapshot(id: snapshot.id)])
  }

  @Test("a snapshot that is not the file that was made is refused, and the store stays as it is", arguments: ["bytes", "gone", "cut"])
  func damagedSnapshot(_ damage: String) throws {
    switch damage {
    case "bytes": try Damage.overwrite(snapshotFile, at: 5000, count: 10)
    case "cut": try Damage.truncate(snapshotFile, to: 4096)
    default: try FileManager.default.removeItem(at: snapshotFile)
    }
    let code: StoreError.Code = damage == "gone" ? .notFound : .verificationFailed
    #expect(failure { try store.restore(snapshot: snapshot.id) }?.code == code)
    #expect(try store.titles().count == 4)
    try store.close()
    #expect(failure { try Store.restore(at: url, snapshot: snapshot.id, options: .testing) }?.code == code)
    #expect(try folder.store([Shelves.schema]).titles().count == 4)
  }

  @Test("an unknown snapshot is not found, and the error names those that are there")
  func unknown() throws {
    let error = failure { try store.restore(snapshot: "nonsense") }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("it has \(snapshot.id)") == true)
    let none = failure { try Store.restore(at: folder.file("other.sqlite"), snapshot: "nonsense") }
    #expect(none?.message.contains("it has none") == true)
  }

  @Test("a file that somebody else has open is not moved away from under them")
  func inUse() throws {
    let before = try folder.contents()
    #expect(failure { try Store.restore(at: url, snapshot: snapshot.id, options: .testing) }?.code == .busy)
    #expect(try folder.contents() == before)
    #expect(try store.titles().count == 4)
    try store.fill(shelf: 2)
    #expect(try store.titles().count == 7)
  }

  @Test(
    "restoring an open store waits for the write lock before it keeps the replaced state: no commit is lost between the two",
    .timeLimit(.minutes(10)))
  func lockedFirst() throws {
    let lock = try HeldWriteLock(on: url)
    #expect(failure { try store.restore(snapshot: snapshot.id) }?.code == .busy)
    #expect(try store.snapshots().map(\.id) == [snapshot.id])
    lock.release()
    let other = try folder.store([Shelves.schema])
    try other.write { tx in try tx.insert(Book("last", number: 10)) }
    #expect(try store.restore(snapshot: snapshot.id).rows["books"] == 5)
    #expect(try other.titles().count == 3)
  }

  @Test("restoring an older version runs its migrations again; a newer one is refused")
  func versions() throws {
    try store.close()
    let next = StoreSchema(
      "shelves", migrations: [Shelves.v1, Migration("shelves/002", sql: "ALTER TABLE shelves ADD COLUMN colour TEXT")])
    let newer = try folder.store([next])
    try newer.restore(snapshot: snapshot.id)
    #expect(try newer.read { reader in try reader.count("SELECT count(*) FROM shelves WHERE colour IS NULL") } == 1)
    let late = try newer.snapshot()
    try newer.close()
    try Store.restore(at: url, snapshot: snapshot.id, options: .testing)
    let older = try folder.store([Shelves.schema])
    let refused = failure { try older.restore(snapshot: late.id) }
    #expect(refused?.code == .newerSchema && refused?.message.contains("the snapshot \(late.id) was made by a newer version") == true)
    #expect(try older.titles().count == 3)
  }

  @Test("when the migration of a restored snapshot fails, the store is as before")
  func failingMigration() throws {
    try store.write { tx in _ = try tx.execute("DELETE FROM books WHERE title <> 'later'") }
    try store.close()
    // Runs on the one book that is left, and not on the three of the snapshot.
    let next = StoreSchema(
      "shelves", migrations: [Shelves.v1, Migration("shelves/002", sql: "CREATE UNIQUE INDEX one ON books (shelf_id)")])
    let newer = try folder.store([next])
    #expect(failure { try newer.restore(snapshot: snapshot.id) }?.code == .migrationFailed)
    #expect(try newer.titles() == ["later"])
    #expect(try newer.integrityCheck().findings == [])
  }

  @Test("the plan counts the rows that a restore changes, and changes nothing")
  func plan() async throws {
    let plan = try await store.restorePlan(snapshot: snapshot.id)
    #expect(plan.map { [$0.table, "\($0.added)", "\($0.changed)", "\($0.removed)"] } == [["books", "0", "0", "1"]])
    #expect(try store.titles().count == 4)
    #expect(failure { try store.restorePlan(snapshot: "nonsense") }?.code == .notFound)
    try Damage.overwrite(snapshotFile, at: 5000, count: 10)
    #expect(failure { try store.restorePlan(snapshot: snapshot.id) }?.code == .verificationFailed)
  }

  @Test("a snapshot becomes a file of its own with the old rows; a file that is there, and one of the store, are refused")
  func beside() throws {
    let file = folder.file("then.sqlite")
    #expect(try Snapshot.restore(snapshot.id, of: url, at: file, options: .testing) == snapshot)
    #expect(try Store.open(at: file, schemas: [Shelves.schema]).titles().count == 3)
    #expect(try store.titles().count == 4)
    #expect(failure { try Snapshot.restore(snapshot.id, of: url, at: file, options: .testing) }?.code == .cannotCreate)
    #expect(failure { try Snapshot.restore(snapshot.id, of: url, at: url, options: .testing) }?.code == .misuse)
    try Damage.overwrite(snapshotFile, at: 5000, count: 10)
    let other = folder.file("other.sqlite")
    #expect(failure { try Snapshot.restore(snapshot.id, of: url, at: other, options: .testing) }?.code == .verificationFailed)
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }
}
