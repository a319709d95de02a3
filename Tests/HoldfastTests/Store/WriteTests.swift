import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Writing")
struct WriteTests {
  struct Stop: Error {}
  let store: Store

  init() throws { store = try Shelves.temporary() }

  @Test("what a closure writes is committed together, and its result is returned")
  func commits() throws {
    let count = try store.write { tx in
      try tx.insert(Shelf("one"))
      try tx.insert(Book("a", number: 1))
      return try tx.count("SELECT count(*) FROM books")
    }
    #expect(count == 1)
    #expect(try store.titles() == ["a"])
  }

  @Test("a closure that throws leaves nothing, and its own error comes through as it is")
  func rollsBack() async throws {
    #expect(throws: Stop.self) {
      try store.write { tx in
        try tx.insert(Shelf("one"))
        throw Stop()
      }
    }
    await #expect(throws: Stop.self) {
      try await store.write { tx in
        try tx.insert(Shelf("one"))
        throw Stop()
      }
    }
    #expect(throws: Stop.self) { try store.read { _ in throw Stop() } }
    await #expect(throws: Stop.self) { try await store.read { _ in throw Stop() } }
    #expect(try store.count("shelves") == 0)
  }

  @Test("a transaction sees its own writes, and a reader does not before the commit")
  func isolation() throws {
    let folder = try TemporaryFolder()
    let first = try folder.store([Shelves.schema])
    let second = try folder.store([Shelves.schema])
    try first.write { tx in
      try tx.insert(Shelf("one"))
      #expect(try tx.count("SELECT count(*) FROM shelves") == 1)
      #expect(try second.count("shelves") == 0)
    }
    #expect(try second.count("shelves") == 1)
  }

  @Test("a read sees one commit from its beginning to its end")
  func repeatableRead() throws {
    let folder = try TemporaryFolder()
    let first = try folder.store([Shelves.schema])
    let second = try folder.store([Shelves.schema])
    let counts = try first.read { reader in
      let before = try reader.count("SELECT count(*) FROM shelves")
      try second.fill()
      return [before, try reader.count("SELECT count(*) FROM shelves")]
    }
    #expect(counts == [0, 0])
    #expect(try first.count("shelves") == 1)
  }

  @Test("a transaction or reader used after its closure throws closed")
  func usedLater() throws {
    nonisolated(unsafe) var kept: Writer?
    nonisolated(unsafe) var reader: Reader?
    try store.write { kept = $0 }
    try store.read { reader = $0 }
    let tx = try #require(kept)
    let late = try #require(reader)
    let uses: [() throws -> Void] = [
      { try tx.insert(Shelf("late")) }, { try tx.upsert(Shelf("late")) }, { try tx.insert(contentsOf: [Shelf("late")]) },
      { _ = try tx.delete(Shelf.self, id: .numbered(1)) }, { _ = try tx.execute("DELETE FROM shelves") },
      { _ = try tx.lastInsertedID }, { try tx.savepoint {} }, { _ = try tx.find(Shelf.self, id: .numbered(1)) },
      { _ = try late.all(Shelf.self) }, { _ = try late.first(Shelf.self) }, { _ = try late.find(Shelf.self, id: .numbered(1)) },
      { _ = try late.count("SELECT 1") }, { try late.rows("SELECT 1") { _ in } },
    ]
    #expect(uses.map { failure($0)?.code } == uses.map { _ in .closed })
    #expect(try store.count("shelves") == 0)
  }

  @Test("a reader cannot run a statement that writes, and a transaction's queries cannot either")
  func readCannotWrite() throws {
    try store.fill()
    #expect(failure { try store.read { reader in try reader.rows("DELETE FROM books") { _ in } } }?.code == .readOnly)
    #expect(failure { try store.write { tx in try tx.rows("DELETE FROM books RETURNING id") { _ in } } }?.code == .readOnly)
    #expect(try store.count("books") == 3)
  }

  @Test("a door inside a door of the same store is refused instead of hanging", arguments: ["file", "memory", "read-only"])
  func nested(_ kind: String) throws {
    let folder = try TemporaryFolder()
    let store: Store
    switch kind {
    case "file": store = try folder.store([Shelves.schema])
    case "memory": store = try Shelves.inMemory()
    default:
      try folder.store([Shelves.schema]).close()
      store = try folder.store([Shelves.schema], options: .testing.with { $0.opensReadOnly = true })
    }
    let inner: [() throws -> Void] = [
      { _ = try store.titles() }, { try store.write { _ in } }, { _ = try store.statistics() },
      { _ = try store.integrityCheck() }, { try store.vacuum() }, { _ = try store.checkpoint() }, { _ = try store.snapshot() },
      { _ = try store.restore(snapshot: "any") }, { try store.close() },
    ]
    let expected: [StoreError.Code?] = inner.map { _ in .misuse }
    #expect(try store.read { _ in inner.map { failure($0)?.code } } == expected)
    if kind != "read-only" { #expect(try store.write { _ in inner.map { failure($0)?.code } } == expected) }
    #expect(try store.titles() == [])
  }

  @Test("a task that is started inside a closure is outside of it")
  func taskInside() async throws {
    let store = store
    let task = try await store.write { tx in
      try tx.insert(Shelf("first"))
      return Task { try await store.write { tx in try tx.insert(Shelf("second", number: 2)) } }
    }
    try await task.value
    #expect(try store.count("shelves") == 2)
  }

  @Test("doors of two stores can be nested")
  func twoStores() throws {
    let other = try Shelves.inMemory()
    try other.fill()
    try store.write { tx in
      for book in try other.read({ reader in try reader.all(Shelf.self) }) { try tx.insert(book) }
    }
    #expect(try store.count("shelves") == 1)
  }

  @Test("ending the transaction inside its closure is refused")
  func endedInside() throws {
    #expect(failure { try store.write { tx in _ = try tx.execute("ROLLBACK") } }?.code == .misuse)
    #expect(failure { try store.read { reader in try reader.rows("COMMIT") { _ in } } } != nil)
    try store.fill()
    #expect(try store.count("shelves") == 1)
  }

  @Test("the transaction's clock and ids are the store's")
  func clockAndIDs() throws {
    var options = StoreOptions.testing
    options.now = { Date(timeIntervalSince1970: 1.00049) }
    options.newID = .counting(from: 7)
    let store = try Store.inMemory(schemas: [], options: options)
    try store.write { tx in
      #expect(tx.currentDate() == Date(timeIntervalSince1970: 1))
      #expect(tx.makeID() == .numbered(7))
    }
  }

  @Test("the work that belongs to every commit runs, and what it throws rolls back")
  func hook() throws {
    try store.fill()
    store.beforeCommit { _ in throw CancellationError() }
    #expect(failure { try store.write { tx in try tx.insert(Shelf("never", number: 2)) } }?.code == .cancelled)
    #expect(try store.count("shelves") == 1)
  }

  @Test(
    "durable work is flushed at each commit by SQLite, and what comes after it is not",
    arguments: [StoreOptions.Durability.fast, .durable])
  func durably(_ durability: StoreOptions.Durability) throws {
    let store = try Shelves.temporary(options: .testing.with { $0.durability = durability })
    func level() throws -> Int { try store.write { tx in try tx.count("PRAGMA synchronous") } }
    #expect(try store.durably { try level() } == 2)
    #expect(try level() == 1)
    // Two at once: the first that ends leaves the other's commits flushed.
    let levels = try store.durably { try [store.durably { try level() }, level()] }
    #expect(levels == [2, 2])
    #expect(try level() == 1)
  }
}
