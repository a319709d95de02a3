import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Statements that are older than a trigger", .timeLimit(.minutes(10)))
struct StaleStatementTests {
  private static let renaming = "CREATE TRIGGER renaming AFTER INSERT ON books BEGIN UPDATE shelves SET name = new.title; END"

  @Test("a watch hears what a trigger does that came after the statement was compiled", arguments: ["here", "another connection"])
  func olderThanTrigger(_ place: String) throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let watches = try TableWatches(store, ["shelves"])
    // Compiles the statements: no trigger touches shelves yet.
    try store.write { tx in
      try tx.insert(Book("first", number: 450))
      try tx.insert(contentsOf: (460..<520).map { Book("many", number: $0) })
      _ = try tx.execute("UPDATE books SET pages = 1")
    }
    #expect(watches.woken == [])
    if place == "here" {
      try store.write { tx in _ = try tx.execute(BoundSQL(raw: Self.renaming)) }
    } else {
      try RawDatabase.with(folder.file("store.sqlite")) { try $0.execute(Self.renaming) }
    }
    let inserting = try TableWatches(store, ["shelves"])
    #expect(inserting.woken == [])
    try store.write { tx in try tx.insert(Book("zzz", number: 600)) }
    #expect(inserting.woken == ["shelves"])
    let many = try TableWatches(store, ["shelves"])
    try store.write { tx in try tx.insert(contentsOf: (700..<760).map { Book("zzz", number: $0) }) }
    #expect(many.woken == ["shelves"])
  }

  @Test("a value that the plan of a statement could depend on wakes no watch of another table")
  func plannedForValue() throws {
    let words = StoreSchema(
      "words",
      migrations: [Migration("words/001", sql: "CREATE TABLE words (word TEXT PRIMARY KEY, seen INT); CREATE TABLE others (n INT)")])
    let store = try Store.temporary(schemas: [words])
    let watches = try TableWatches(store, ["words", "others"])
    for beginning in ["a*", "b*"] {
      try store.write { tx in _ = try tx.execute("UPDATE words SET seen = 1 WHERE word GLOB \(beginning)") }
    }
    #expect(watches.woken == [])
  }

  @Test("a watch is woken by changes of the columns that its read names, by new rows and by deleted ones")
  func columns() async throws {
    let store = try Shelves.temporary()
    try store.fill()
    var updates = try await FollowedUpdates(
      store.updates { reader in
        try reader.values("SELECT title FROM books ORDER BY title") { row in try row.text() }
      })
    #expect(updates.first.count == 3)
    try await store.write { tx in _ = try tx.execute("UPDATE books SET pages = 1") }
    #expect(!updates.hasHeard)
    try await store.write { tx in _ = try tx.execute("UPDATE books SET Title = 'new' WHERE title = 'book 0'") }
    #expect(try await updates.next() == ["book 1", "book 2", "new"])
    try await store.write { tx in _ = try tx.execute("DELETE FROM books WHERE title = 'new'") }
    #expect(try await updates.next()?.count == 2)
    try await store.write { tx in try tx.insert(Book("inserted", number: 470)) }
    #expect(try await updates.next()?.count == 3)
  }

  @Test("a live query sees changes of a generated column, and of a row id under any of its names", arguments: ["twice", "n"])
  func unnamedByUpdates(_ column: String) async throws {
    let odd = StoreSchema(
      "odd",
      migrations: [
        Migration(
          "odd/001",
          sql: "CREATE TABLE odd (n INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER, twice INTEGER AS (a * 2) VIRTUAL) STRICT")
      ])
    let store = try Store.temporary(schemas: [odd])
    try await store.write { tx in _ = try tx.execute("INSERT INTO odd (n, a) VALUES (1, 1)") }
    let updates = try await FollowedUpdates(
      store.updates { try $0.count("SELECT sum(\(raw: column)) FROM odd") })
    try await store.write { tx in _ = try tx.execute(column == "n" ? "UPDATE odd SET rowid = 9" : "UPDATE odd SET a = 7") }
    #expect(updates.hasHeard)
  }

  @Test(
    "a row that an update of a key replaces wakes the watches of other columns",
    arguments: [
      "key INTEGER UNIQUE", "key INTEGER PRIMARY KEY", "key INTEGER, twice INTEGER AS (key * 2) UNIQUE",
      "key INTEGER); CREATE UNIQUE INDEX i ON odd (key) WHERE (a > 0",
      "key INTEGER); CREATE UNIQUE INDEX i ON odd ((key + 1)", "key INTEGER, PRIMARY KEY (key, b)",
    ])
  func replaced(_ columns: String) async throws {
    let odd = StoreSchema("odd", migrations: [Migration("odd/001", sql: "CREATE TABLE odd (a INTEGER, b INTEGER, \(columns))")])
    let store = try Store.temporary(schemas: [odd])
    try await store.write { tx in _ = try tx.execute("INSERT INTO odd (a, b, key) VALUES (1, 1, 1), (2, 1, 2)") }
    var updates = try await FollowedUpdates(
      store.updates { try $0.count("SELECT sum(a) FROM odd") })
    try await store.write { tx in _ = try tx.execute("UPDATE OR REPLACE odd SET key = 1 WHERE key = 2") }
    #expect(try await updates.next() == 2)
  }
}
