import Foundation
import GRDB
import Holdfast
import HoldfastGRDB
import HoldfastTesting
import Testing

@Suite("Updates", .timeLimit(.minutes(10)))
struct UpdatesTests {
  enum Place: String, CaseIterable { case file, memory }

  private func store(_ place: Place) throws -> Store {
    let store = try place == .file ? Shelves.temporary() : Shelves.inMemory()
    try store.fill()
    return store
  }

  /// How many books there are. A read is counted when it has its value.
  private func counts(_ store: Store, of table: String = "books", _ reads: Counter = Counter()) -> Updates<Int> {
    store.updates { reader in
      defer { reads.next() }
      return try reader.count("SELECT count(*) FROM \(raw: table)")
    }
  }

  private func insert(_ number: Int = 500, in store: Store) async throws {
    try await store.write { tx in try tx.insert(Book("new", number: number)) }
  }

  /// Each way to write, and the table whose watchers must hear of it.
  static let writes: [(name: String, table: String, write: @Sendable (Writer) throws -> Void)] = [
    ("insert", "books", { tx in try tx.insert(Book("new", number: 500)) }),
    ("insert of many", "books", { tx in try tx.insert(contentsOf: (500..<600).map { Book("new", number: $0) }) }),
    ("upsert of a new row", "shelves", { tx in try tx.upsert(Shelf("new", number: 500)) }),
    ("upsert of an old row", "shelves", { tx in try tx.upsert(Shelf("changed")) }),
    ("delete", "books", { tx in _ = try tx.delete(Book.self, id: .numbered(1100)) }),
    ("delete that cascades", "books", { tx in _ = try tx.delete(Shelf.self, id: .numbered(1)) }),
    ("execute", "books", { tx in _ = try tx.execute("UPDATE books SET pages = \(7)") }),
    ("execute that cascades", "books", { tx in _ = try tx.execute("DELETE FROM shelves") }),
    ("savepoint", "books", { tx in try tx.savepoint { try tx.insert(Book("new", number: 500)) } }),
    (
      "write after a savepoint that was taken back", "books",
      { tx in
        try? tx.savepoint {
          try tx.insert(Book("lost", number: 500))
          throw CancellationError()
        }
        try tx.insert(Book("kept", number: 501))
      }
    ),
    (
      "GRDB door", "books",
      { tx in try tx.withGRDB { db in try db.execute(sql: "UPDATE books SET pages = 9") } }
    ),
  ]

  @Test("every way to write is seen", arguments: writes.map(\.name), Place.allCases)
  func everyWritePath(_ name: String, _ place: Place) async throws {
    let (_, table, write) = try #require(Self.writes.first { $0.name == name })
    let store = try store(place)
    let fingerprint: @Sendable (Reader) throws -> [SQLValue] = { reader in
      let columns = table == "books" ? "count(*), total(pages), max(title)" : "count(*), total(created_at), max(name)"
      return try reader.value("SELECT \(raw: columns) FROM \(raw: table)") { row in
        [try row.value(), try row.value(), try row.value()]
      } ?? []
    }
    var updates = try await FollowedUpdates(store.updates(fingerprint))
    try await store.write(write)
    #expect(updates.hasHeard)
    let after = try await updates.next()
    #expect(after != updates.first)
    let now = try await store.read(fingerprint)
    #expect(now == after)
  }

  @Test("a commit is heard when it changes a row of the table, and only then", arguments: Place.allCases)
  func onlyChanges(_ place: Place) async throws {
    let store = try store(place)
    var updates = try await FollowedUpdates(counts(store))
    #expect(updates.first == 3)
    try await store.write { tx in try tx.insert(Shelf("other", number: 2)) }
    #expect(!updates.hasHeard, "another table")
    try await store.write { tx in _ = try tx.execute("UPDATE books SET pages = 1 WHERE title = 'none'") }
    #expect(!updates.hasHeard, "no row")
    let rolledBack = await asyncFailure {
      try await store.write { tx in
        try tx.insert(Book("never", number: 400))
        throw CancellationError()
      }
    }
    #expect(rolledBack?.code == .cancelled)
    #expect(!updates.hasHeard, "rolled back")
    try await store.write { tx in
      try? tx.savepoint {
        try tx.insert(Book("never", number: 400))
        throw CancellationError()
      }
      try tx.insert(Shelf("third", number: 3))
    }
    #expect(!updates.hasHeard, "another table, after a savepoint and a transaction that were taken back")
    try await insert(in: store)
    #expect(updates.hasHeard)
    #expect(try await updates.next() == 4)
    try await store.write { tx in try tx.insert(Shelf("fourth", number: 4)) }
    #expect(!updates.hasHeard, "another table, after a change that was heard")
  }

  @Test("a value that equals the last is read and not delivered", arguments: ["equal values", "a change and its undoing"], Place.allCases)
  func neverEqualTwice(_ way: String, _ place: Place) async throws {
    let store = try store(place)
    let reads = Counter()
    var updates = try await FollowedUpdates(counts(store, reads))
    if way == "equal values" {
      try await store.write { tx in _ = try tx.execute("UPDATE books SET pages = pages") }
    } else {
      try await insert(in: store)
      try await store.write { tx in _ = try tx.delete(Book.self, id: .numbered(1500)) }
    }
    try #require(updates.hasHeard)
    // The next change comes when the equal value was read.
    let changing = Task {
      while reads.value < 2 { await Task.yield() }
      try await insert(in: store)
    }
    #expect(try await updates.next() == 4)
    try await changing.value
    #expect(reads.value == 3)
  }

  @Test("a burst of commits is read once, when the consumer asks, and only its newest value is delivered")
  func burst() async throws {
    let store = try store(.file)
    let reads = Counter()
    var updates = try await FollowedUpdates(counts(store, reads))
    for number in 500..<700 { try await insert(number, in: store) }
    #expect(updates.hasHeard)
    #expect(reads.value == 1)
    #expect(try await updates.next() == 203)
    #expect(reads.value == 2)
    #expect(!updates.hasHeard)
  }

  @Test("a consumer that asks after each commit of a burst reads at most every 8 milliseconds")
  func pace() async throws {
    let store = try store(.file)
    var updates = try await FollowedUpdates(counts(store))
    // From before one read to the end of the next one. The sum would say nothing on a busy machine.
    var shortest: Duration?
    var before: ContinuousClock.Instant?
    for number in 1...50 {
      try await insert(500 + number, in: store)
      let asked = ContinuousClock.now
      #expect(try await updates.next() == 3 + number)
      if let before { shortest = min(shortest ?? .seconds(60), ContinuousClock.now - before) }
      before = asked
    }
    #expect(try #require(shortest) >= .milliseconds(8))
  }

  @Test("emptying a table is seen, also by who began to watch after the same statement had run", arguments: Place.allCases)
  func emptied(_ place: Place) async throws {
    // Neither triggers nor references: SQLite would empty it without looking at its rows.
    let plain = StoreSchema("plain", migrations: [Migration("plain/001-first", sql: "CREATE TABLE plain (a INTEGER NOT NULL) STRICT")])
    let store = try place == .file ? Store.temporary(schemas: [plain]) : Store.inMemory(schemas: [plain])
    try await store.write { tx in _ = try tx.execute("DELETE FROM plain") }
    var updates = try await FollowedUpdates(store.updates { reader in try reader.count("SELECT count(*) FROM plain") })
    #expect(updates.first == 0)
    try await store.write { tx in _ = try tx.execute("INSERT INTO plain VALUES (1)") }
    #expect(try await updates.next() == 1)
    try await store.write { tx in _ = try tx.execute("DELETE FROM plain") }
    #expect(try await updates.next() == 0)
  }

  @Test("what a trigger changes in another table is seen, however many rows a statement inserts", arguments: [1, 50, 60])
  func triggered(rows: Int) async throws {
    let store = try store(.file)
    try await store.write { tx in
      _ = try tx.execute("CREATE TRIGGER renaming AFTER INSERT ON books BEGIN UPDATE shelves SET name = new.title; END")
    }
    var updates = try await FollowedUpdates(
      store.updates { reader in try reader.value("SELECT max(name) FROM shelves") { row in try row.text() } })
    #expect(updates.first == "shelf 1")
    try await store.write { tx in try tx.insert(contentsOf: (0..<rows).map { Book("zzz", number: 500 + $0) }) }
    #expect(updates.hasHeard)
    #expect(try await updates.next() == "zzz")
  }

  @Test("tables are found however their names are written")
  func namesInAnyCase() async throws {
    let store = try store(.file)
    var updates = try await FollowedUpdates(counts(store, of: "BOOKS"))
    try await insert(in: store)
    #expect(updates.hasHeard)
    #expect(try await updates.next() == 4)
  }

  @Test("reading leaves the main actor free")
  @MainActor
  func notOnMain() async throws {
    let store = try store(.file)
    let others = DispatchSemaphore(value: 0)
    func signalFromMain() { Task { @MainActor in _ = others.signal() } }
    signalFromMain()
    var updates = try await FollowedUpdates(
      store.updates { reader in
        "\(try reader.count("SELECT count(*) FROM books")) \(others.wait(timeout: .now() + 30) == .success)"
      })
    #expect(updates.first == "3 true")
    try await insert(in: store)
    signalFromMain()
    #expect(try await updates.next() == "4 true")
  }

  @Test("a read that fails ends the sequence with its error")
  func error() async throws {
    let store = try store(.file)
    var updates = try await FollowedUpdates(store.updates { reader in try reader.all(Book.self) })
    #expect(updates.first.count == 3)
    try await store.write { tx in _ = try tx.execute("UPDATE books SET title = CAST(x'FF' AS TEXT)") }
    #expect(await asyncFailure { try await updates.next() }?.code == .decoding)
    #expect(try await updates.next() == nil)
  }

  @Test("the sequence ends when its task is cancelled")
  func cancelled() async throws {
    let store = try store(.file)
    let first = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      var seen = 0
      for try await count in counts(store) {
        seen += 1
        first.continuation.yield(count)
      }
      return seen
    }
    for await _ in first.stream { break }
    task.cancel()
    #expect(try await task.value == 1)
  }

  @Test("opening a door of the store inside the read is refused, and ends the sequence")
  func nestedDoor() async throws {
    let store = try store(.file)
    var updates = store.updates { _ in try store.count("books") }.makeAsyncIterator()
    #expect(await asyncFailure { try await updates.next() }?.code == .misuse)
  }

  @Test("a store that is let go of while it is watched stays until the watch ends")
  func letGo() async throws {
    var store: Store? = try store(.file)
    let url = try #require(store?.url)
    var updates = store.map { counts($0) }?.makeAsyncIterator()
    store = nil
    #expect(try await updates?.next() == 3)
    try Store.open(at: url, schemas: [Shelves.schema]).close()
    updates = nil
  }
}
