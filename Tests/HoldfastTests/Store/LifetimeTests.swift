import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("The life of a store")
struct LifetimeTests {
  @Test("closing leaves one self-contained file")
  func closing() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([Shelves.schema])
    try store.fill()
    #expect(try store.titles().count == 3)
    #expect(try folder.contents() == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
    try store.close()
    try store.close()
    #expect(try folder.contents() == ["store.sqlite"])
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
  }

  @Test("every verb of a closed store throws closed", arguments: ["file", "memory"])
  func closed(_ kind: String) async throws {
    let store = try kind == "file" ? Shelves.temporary() : Shelves.inMemory()
    try store.fill()
    try store.close()
    #expect(failure { try store.titles() }?.code == .closed)
    #expect(failure { try store.fill(shelf: 2) }?.code == .closed)
    #expect(await asyncFailure { try await store.read { reader in try reader.all(Book.self) } }?.code == .closed)
    #expect(await asyncFailure { try await store.write { tx in try tx.insert(Shelf("late", number: 3)) } }?.code == .closed)
    #expect(failure { try store.statistics() }?.code == .closed)
    #expect(failure { try store.vacuum() }?.code == .closed)
    #expect(failure { try store.integrityCheck() }?.code == .closed)
    if kind == "file" {
      #expect(failure { try store.checkpoint() }?.code == .closed)
      #expect(failure { try store.snapshot() }?.code == .closed)
      #expect(await asyncFailure { try await store.snapshot() }?.code == .closed)
    }
    var updates = store.updates { reader in try reader.all(Book.self) }.makeAsyncIterator()
    #expect(await asyncFailure { try await updates.next() }?.code == .closed)
  }

  @Test("a closed store opens its file for nobody")
  func closedFile() throws {
    let folder = try TemporaryFolder()
    let first = try folder.store([Shelves.schema])
    try first.fill()
    try first.close()
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 3)
    try store.close()
    #expect(failure { try store.titles() }?.code == .closed)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let open = descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    #expect(open.filter { $0.hasPrefix(folder.file("store.sqlite").resolvingSymlinksInPath().path) } == [])
    withExtendedLifetime(store) {}
  }

  @Test("closing lets everybody finish who is inside a door, and ends all watching", .timeLimit(.minutes(10)))
  func closingUnderLoad() async throws {
    let store = try Shelves.temporary()
    try await store.write { tx in try tx.insert(Shelf("one")) }
    let codes = await withTaskGroup(of: StoreError.Code?.self) { group -> [StoreError.Code?] in
      for number in 0..<12 {
        group.addTask {
          await asyncFailure {
            switch number % 3 {
            case 0: while true { _ = try await store.read { reader in try reader.all(Shelf.self) } }
            case 1: while true { try await store.write { tx in try tx.upsert(Shelf("one")) } }
            default: for try await _ in store.updates({ reader in try reader.all(Shelf.self) }) {}
            }
          }?.code
        }
      }
      for _ in 0..<10 { _ = try? await store.write { tx in try tx.upsert(Shelf("two")) } }
      let closing = failure { try store.close() }
      #expect(closing == nil)
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: .closed, count: 12))
  }

  @Test("a temporary store removes its folder when it goes away")
  func temporary() async throws {
    var store: Store? = try Shelves.temporary()
    try store?.fill()
    let folder = try #require(store?.url).deletingLastPathComponent().path
    #expect(FileManager.default.fileExists(atPath: folder))
    store = nil
    // A task of the store may hold it for a moment longer.
    #expect(await eventually { !FileManager.default.fileExists(atPath: folder) })
  }

  @Test("a store in memory does everything but snapshots")
  func inMemory() throws {
    let store = try Shelves.inMemory()
    try store.fill()
    #expect(store.url == nil)
    #expect(try store.titles().count == 3)
    #expect(try store.integrityCheck().isHealthy)
    #expect(try store.checkpoint() == 0)
    #expect(try store.snapshots() == [])
    #expect(failure { try store.snapshot() }?.code == .misuse)
    #expect(failure { try store.drill() }?.code == .misuse)
    #expect(failure { try store.drillArchive() }?.code == .misuse)
    #expect(try store.snapshotStatus().count == 0)
    #expect(failure { try store.restore(snapshot: "any") }?.code == .misuse)
    #expect(try store.statistics().fileBytes == 0)
    try store.vacuum()
  }

  @Test("statistics count rows, pages and bytes at one commit")
  func statistics() throws {
    let store = try Shelves.temporary()
    try store.fill(books: 200)
    let full = try store.statistics()
    #expect(full.rows["books"] == 200)
    #expect(full.rows["shelves"] == 1)
    #expect(full.rows["books_search_data"] == nil)
    #expect(full.pages > 0)
    #expect(full.pageBytes == 4096)
    #expect(full.logBytes > 0)
    try store.write { tx in _ = try tx.delete(Shelf.self, id: .numbered(1)) }
    #expect(try store.statistics().freePages > 0)
    try store.vacuum()
    let small = try store.statistics()
    #expect(small.freePages == 0)
    #expect(small.pages < full.pages)
    #expect(small.fileBytes == Int64(small.pages * small.pageBytes))
    #expect(small.logBytes == 0)
  }

  @Test("vacuuming keeps the row numbers that a table declares; of others only the content is promised")
  func vacuumKeepsRowids() throws {
    let tables = ["declared (rowid INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT", "undeclared (n INTEGER NOT NULL) STRICT"]
    let schema = StoreSchema("numbers", migrations: [Migration("numbers/001", sql: tables.map { "CREATE TABLE \($0);" }.joined())])
    let store = try Store.temporary(schemas: [schema])
    try store.write { tx in
      for table in ["declared", "undeclared"] {
        for n in 1...9 { try tx.execute("INSERT INTO \(raw: table) (n) VALUES (\(n))") }
        try tx.execute("DELETE FROM \(raw: table) WHERE n % 3 = 1")
      }
    }
    try store.vacuum()
    let rows = ["2 2", "3 3", "5 5", "6 6", "8 8", "9 9"]
    #expect(try store.rows("SELECT rowid, n FROM declared ORDER BY n", columns: 2) == rows)
    #expect(try store.rows("SELECT n FROM undeclared ORDER BY n") == ["2", "3", "5", "6", "8", "9"])
    // SQLite numbers these again: only the declaration has kept the others.
    #expect(try store.rows("SELECT rowid, n FROM undeclared ORDER BY n", columns: 2) != rows)
  }

  @Test("a checkpoint moves the log into the file; only truncating cuts it", arguments: [Checkpoint.passive, .restart, .truncate])
  func checkpoints(_ mode: Checkpoint) throws {
    let store = try Shelves.temporary()
    try store.fill(books: 100)
    let logBytes = try store.statistics().logBytes
    let moved = try store.checkpoint(mode)
    switch mode {
    case .truncate: #expect(try store.statistics().logBytes == 0)
    case .passive, .restart:
      #expect(moved > 0)
      #expect(try store.statistics().logBytes == logBytes)
    }
  }

  @Test("a restore waits until nobody reads", .timeLimit(.minutes(10)))
  func waitsForReaders() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let snapshot = try store.snapshot()
    let ended = DispatchSemaphore(value: 0)
    try store.read { reader in
      _ = try reader.all(Book.self)
      Thread.detachNewThread {
        _ = try? store.restore(snapshot: snapshot.id)
        ended.signal()
      }
      #expect(ended.wait(timeout: .now() + 0.5) == .timedOut)
    }
    ended.wait()
    #expect(try store.titles().count == 3)
  }
}
