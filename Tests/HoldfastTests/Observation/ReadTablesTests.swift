import Foundation
import GRDB
import Holdfast
import HoldfastGRDB
import HoldfastTesting
import Testing

@Suite("A read knows its tables", .timeLimit(.minutes(10)))
struct ReadTablesTests {
  private let store: Store

  init() throws {
    store = try Shelves.temporary()
    try store.fill()
  }

  private func run(_ sql: BoundSQL) async throws { try await store.write { tx in _ = try tx.execute(sql) } }

  @Test(
    "a table that a join, a subselect, a view or a search adds to a read is watched",
    arguments: [
      "SELECT count(*) FROM books JOIN shelves ON shelves.id = books.shelf_id WHERE shelves.name <> 'x'",
      "SELECT count(*) FROM books WHERE shelf_id IN (SELECT id FROM shelves WHERE name <> 'x')",
      "SELECT count(*) FROM named", "WITH n AS (SELECT * FROM named) SELECT count(*) FROM n",
    ])
  func joins(_ sql: String) async throws {
    try await run("CREATE VIEW named AS SELECT books.id FROM books JOIN shelves ON shelves.id = shelf_id WHERE name <> 'x'")
    var updates = try await FollowedUpdates(store.updates { try $0.count(BoundSQL(raw: sql)) })
    #expect(updates.first == 3)
    try await run("UPDATE shelves SET created_at = 9")
    #expect(!updates.hasHeard, "a column that the read does not use")
    try await run("UPDATE shelves SET name = 'x'")
    #expect(try await updates.next() == 0)
  }

  @Test("a search is watched by what its index keeps")
  func search() async throws {
    var updates = try await FollowedUpdates(
      store.updates { try $0.count("SELECT count(*) FROM books_search WHERE books_search MATCH 'needle'") })
    try await run("UPDATE books SET title = 'needle' WHERE title = 'book 1'")
    #expect(try await updates.next() == 1)
  }

  @Test("a read that takes another path watches what that path uses, and no longer what the first one used")
  func otherPath() async throws {
    var updates = try await FollowedUpdates(
      store.updates { reader in
        try reader.values("SELECT id FROM books") { try $0.text() }.count < 4
          ? try reader.values("SELECT title FROM books ORDER BY title") { try $0.text() }
          : try reader.values("SELECT name FROM shelves") { try $0.text() }
      })
    try await run("UPDATE shelves SET name = 'early'")
    #expect(!updates.hasHeard)
    try await store.write { tx in try tx.insert(Book("fourth", number: 9)) }
    #expect(try await updates.next() == ["early"])
    try await store.write { _ in }
    try await run("UPDATE books SET title = title || '!'")
    #expect(!updates.hasHeard, "titles are not read now")
    try await run("UPDATE shelves SET name = 'late'")
    #expect(try await updates.next() == ["late"])
  }

  @Test("a table that does not exist yet is watched as soon as a read uses it")
  func laterTable() async throws {
    var updates = try await FollowedUpdates(
      store.updates { reader in
        guard try reader.count("SELECT count(*) FROM books") > 3 else { return -1 }
        return try reader.count("SELECT count(*) FROM loans")
      })
    #expect(updates.first == -1)
    try await store.write { tx in
      try tx.execute("CREATE TABLE loans (id INTEGER PRIMARY KEY)")
      try tx.insert(Book("fourth", number: 9))
    }
    #expect(try await updates.next() == 0)
    try await store.write { _ in }
    try await run("INSERT INTO loans VALUES (1)")
    #expect(try await updates.next() == 1)
  }

  @Test("a read of a table that is missing ends the updates with an error that names it")
  func missingTable() async throws {
    let error = await asyncFailure { for try await _ in store.updates({ try $0.count("SELECT count(*) FROM boks") }) {} }
    #expect(error?.message.contains("no such table: boks") == true)
  }

  @Test("a statement that was compiled before a view changed watches what the view reads now")
  func changedView() async throws {
    try await run("CREATE VIEW said AS SELECT title AS word FROM books")
    let read: @Sendable (Reader) throws -> [String] = { try $0.values("SELECT word FROM said ORDER BY word") { try $0.text() } }
    let before = try await FollowedUpdates(store.updates(read))
    #expect(before.first.count == 3)
    try await store.write { tx in
      try tx.execute("DROP VIEW said")
      try tx.execute("CREATE VIEW said AS SELECT name AS word FROM shelves")
    }
    var after = try await FollowedUpdates(store.updates(read))
    try await run("UPDATE shelves SET name = 'new'")
    #expect(try await after.next() == ["new"])
  }

  @Test("a commit between a read and the watch of its tables is delivered")
  func between() async throws {
    let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var updates = store.updates { try $0.count("SELECT count(*) FROM books") }.makeAsyncIterator()
    Thread.detachNewThread { [store] in
      try? store.write { tx in
        try tx.insert(Book("late", number: 9))
        begun.signal()
        goOn.wait()
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        begun.wait()
        continuation.resume()
      }
    }
    // The writer holds its queue, on which the watch begins.
    #expect(try await updates.next() == 3)
    goOn.signal()
    #expect(try await updates.next() == 4)
  }

  struct Unequal: Sendable { var count: Int }

  @Test("without equality, each commit that touches the read delivers a value, and no other commit does")
  func notEquatable() async throws {
    var updates = try await FollowedUpdates(store.updates { Unequal(count: try $0.count("SELECT count(title) FROM books")) })
    try await run("UPDATE shelves SET name = 'other'")
    #expect(!updates.hasHeard)
    try await run("UPDATE books SET title = title WHERE title = 'book 0'")
    #expect(try await updates.next()?.count == 3, "a write that changes nothing touches the read")
    try await store.write { tx in try tx.insert(Book("fourth", number: 9)) }
    #expect(try await updates.next()?.count == 4)
  }

  @Test("columns that are ignored cause no read, and one that does not exist is an error")
  func ignored() async throws {
    var updates = try await FollowedUpdates(
      store.updates(ignoring: ["books": ["pages"]]) { try $0.values("SELECT title, pages FROM books ORDER BY title") { try $0.text() } })
    try await run("UPDATE books SET pages = 77")
    #expect(!updates.hasHeard)
    try await run("UPDATE books SET title = 'x' WHERE title = 'book 0'")
    #expect(try await updates.next()?.last == "x")
    let wrong = await asyncFailure {
      for try await _ in store.updates(ignoring: ["books": ["pagse"]], { try $0.count("SELECT count(*) FROM books") }) {}
    }
    #expect(wrong?.code == .misuse)
    let noTable = await asyncFailure {
      for try await _ in store.updates(ignoring: ["boks": ["pages"]], { try $0.count("SELECT count(*) FROM books") }) {}
    }
    #expect(noTable?.code == .misuse)
  }

  @Test("a live query that reads through GRDB is refused, and other reads are not")
  func grdb() async throws {
    let error = await asyncFailure {
      for try await _ in store.updates({ try $0.withGRDBReader { try $0.tableExists("books") } }) {}
    }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("GRDB") == true)
    #expect(try await store.read { try $0.withGRDBReader { try $0.tableExists("books") } })
  }
}
