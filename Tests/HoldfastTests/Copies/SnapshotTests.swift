import Foundation
import GRDB
import Holdfast
import HoldfastTesting
import Testing

@Suite("Snapshots")
struct SnapshotTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    var options = StoreOptions.testing
    options.now = { Date(timeIntervalSince1970: 1_700_000_000.5) }
    store = try folder.store([Shelves.schema], options: options)
    try store.fill()
  }

  private func file(_ snapshot: Snapshot) -> URL { folder.file("store.sqlite.holdfast/snapshots/\(snapshot.id).sqlite") }

  @Test("a snapshot counts its rows, and is one file that any SQLite reads and only its owner")
  func made() throws {
    let snapshot = try store.snapshot(label: "for the test")
    #expect([snapshot.id, snapshot.label] == ["20231114T221320Z-1", "for the test"])
    #expect(snapshot.createdAt == Date(timeIntervalSince1970: 1_700_000_000.5))
    #expect(snapshot.schemas == ["shelves": 1])
    #expect([snapshot.rows["books"], snapshot.rows["shelves"], snapshot.rows["holdfast_migrations"]] == [3, 1, 2])
    #expect(
      try folder.contents().filter { $0.contains("snapshots/") } == [
        "store.sqlite.holdfast/snapshots/20231114T221320Z-1.json", "store.sqlite.holdfast/snapshots/20231114T221320Z-1.sqlite",
      ])
    let attributes = try FileManager.default.attributesOfItem(atPath: file(snapshot).path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: file(snapshot).path, configuration: configuration)
    #expect(try queue.read { db in try String.fetchOne(db, sql: "PRAGMA journal_mode") } == "delete")
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM books") } == 3)
  }

  @Test("snapshots are listed newest first, in this store and from outside; half-made ones are not among them")
  func listed() throws {
    let ids = try (0..<3).map { _ in try store.snapshot().id }
    #expect(ids == ["20231114T221320Z-1", "20231114T221320Z-2", "20231114T221320Z-3"])
    try Data("{".utf8).write(to: folder.file("store.sqlite.holdfast/snapshots/broken.json"))
    try Data().write(to: folder.file("store.sqlite.holdfast/snapshots/20231114T221320Z-9.sqlite"))
    #expect(try store.snapshots().map(\.id) == ids.reversed())
    #expect(try Snapshot.all(of: folder.file("store.sqlite")).map(\.id) == ids.reversed())
    #expect(try Snapshot.all(of: folder.file("other.sqlite")) == [])
  }

  @Test("a description that cannot be read hides no other snapshot, and stops no migration")
  func unreadable() throws {
    let id = try store.snapshot().id
    // What cannot be read as a file, by root either.
    let folder = self.folder.file("store.sqlite.holdfast/snapshots/20231114T221320Z-9.json")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    #expect(try store.snapshots().map(\.id) == [id])
    #expect(Snapshot.unreadable(of: self.folder.file("store.sqlite")).map(\.lastPathComponent) == [folder.lastPathComponent])
    try store.fill(shelf: 2)
    try store.close()
    let next = Migration("shelves/002-notes", sql: "CREATE TABLE notes (text TEXT)")
    let migrated = try self.folder.store([StoreSchema("shelves", migrations: [Shelves.v1, next])])
    #expect(try migrated.count("notes") == 0 && migrated.snapshots().count == 2)
  }

  @Test("an empty file is not a new one where a snapshot's description is left that cannot be read")
  func emptyBesideUnreadable() throws {
    try store.close()
    try FileManager.default.createDirectory(
      at: folder.file("store.sqlite.holdfast/snapshots/20231114T221320Z-9.json"), withIntermediateDirectories: true)
    try Data().write(to: folder.file("store.sqlite"))
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
  }

  @Test("a snapshot whose description names another one is not listed, and is not put back")
  func renamed() throws {
    let id = try store.snapshot().id
    let description = folder.file("store.sqlite.holdfast/snapshots/\(id).json")
    let text = try String(contentsOf: description, encoding: .utf8)
    try Data(text.replacingOccurrences(of: id, with: "../../elsewhere").utf8).write(to: description)
    #expect(try store.snapshots() == [])
    #expect(Snapshot.unreadable(of: folder.file("store.sqlite")).map(\.lastPathComponent) == ["\(id).json"])
    #expect(failure { try store.restore(snapshot: id) }?.code == .damaged)
  }

  @Test("a snapshot is of one commit while others go on writing", .timeLimit(.minutes(10)))
  func whileWriting() throws {
    let (store, ended, written) = (store, DispatchSemaphore(value: 0), Counter())
    let writing = Thread {
      for number in 0... {
        // Each commit adds one to both tables: a snapshot in between has equally many more.
        try? store.write { tx in
          try tx.insert(Shelf("more \(number)", number: 200 + number))
          try tx.insert(Book("more \(number)", number: 200 + number))
        }
        written.next()
        guard !Thread.current.isCancelled else { break }
      }
      ended.signal()
    }
    writing.start()
    defer {
      writing.cancel()
      ended.wait()
    }
    var passed = 0
    // A busy machine may give the writer no time during one of them.
    for _ in 0..<100 where passed < 5 {
      let snapshot = try store.snapshot()
      let commits = written.value
      #expect(snapshot.rows["books", default: 0] - 3 == snapshot.rows["shelves", default: 0] - 1)
      if commits > snapshot.rows["shelves", default: 0] - 1 { passed += 1 }
    }
    #expect(passed == 5, "nobody writes while a snapshot is made")
  }

  @Test("a snapshot that cannot be made leaves nothing behind", .enabled(if: WriteProtection.binds))
  func cannotBeMade() throws {
    let protection = try WriteProtection(folder.url)
    #expect(failure { try store.snapshot() }?.code == .permissionDenied)
    #expect(try !folder.contents().contains { $0.contains("holdfast/") })
    withExtendedLifetime(protection) {}
  }

  @Test("a store with findings gives a snapshot that has the same ones, and says so")
  func damagedStore() throws {
    try store.write { tx in _ = try tx.execute("PRAGMA ignore_check_constraints = ON") }
    try store.write { tx in _ = try tx.execute("UPDATE books SET pages = -1") }
    #expect(try store.read { reader in try reader.count("SELECT count(*) FROM books WHERE pages = -1") } == 3)
    let snapshot = try store.snapshot()
    #expect(snapshot.findings == Array(repeating: "CHECK constraint failed in books", count: 3))
    try store.restore(snapshot: snapshot.id)
  }
}
