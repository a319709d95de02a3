import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The audit")
struct AuditTests {
  @Test("an entry tells who, when, by which verb, which row, and the columns before and after")
  func entry() throws {
    let clock = TestClock()
    let store = try Store.inMemory(schemas: [AuditedBooks.schema], options: .testing.with { $0.now = { clock.now } })
    let began = clock.now
    try Audit.$actor.withValue("anna") { try store.run("INSERT INTO books (id, title) VALUES ('a', 'Old')", as: "add") }
    clock.advance()
    try store.run("UPDATE books SET title = 'New', cover = x'00' WHERE id = 'a'", as: "rename")
    let entries = try store.history(of: "books", id: "a")
    #expect(entries.map(\.operation) == [.base, .insert, .update, .update])
    #expect(entries.map(\.actor) == [nil, "anna", nil, nil])
    #expect(entries.map(\.verb) == ["migrate", "add", "rename", "rename"])
    #expect(entries.map(\.time).dropFirst() == [began, clock.now, clock.now])
    #expect(entries[1].before == [:] && entries[1].after["title"] == .text("Old") && entries[1].after["cover"] == nil)
    #expect(entries[2].before == ["id": .text("a"), "title": .text("Old")])
    #expect(entries[2].after == ["id": .text("a"), "title": .text("New")])
    // By the trigger that numbers the revisions.
    #expect(entries[3].after == ["id": .text("a"), "revision": .integer(2)])
    let since = try store.auditEntries(since: clock.now).filter { $0.operation != .base }
    #expect(since == entries.suffix(2))
  }

  @Test("an asynchronous write has the actor of its task")
  func asynchronous() async throws {
    let store = try AuditedBooks.inMemory()
    try await Audit.$actor.withValue("anna") {
      try await store.write { tx in _ = try tx.execute("INSERT INTO books (id) VALUES ('a')") }
    }
    try await Task.detached { try await store.write { tx in _ = try tx.execute("INSERT INTO books (id) VALUES ('b')") } }.value
    #expect(try await store.history(of: "books", id: "a").last?.actor == "anna")
    let other = try #require(try await store.history(of: "books", id: "b").last)
    #expect(other.actor == nil && other.verb == "asynchronous()")
  }

  @Test("every kind of statement is recorded, row by row")
  func statements() throws {
    let store = try AuditedBooks.inMemory()
    try store.run("INSERT INTO books (id, pages) VALUES ('a', 1), ('b', 2)", "INSERT INTO loans VALUES ('a', 1, 'x/y')")
    let begun = try store.told().count
    // Both rows are in the way.
    try store.run("INSERT OR REPLACE INTO books (id, pages) VALUES ('a', 2)")
    try store.run("INSERT INTO books (id, title) VALUES ('a', 'A') ON CONFLICT (id) DO UPDATE SET title = excluded.title")
    try store.run("INSERT INTO loans VALUES ('a', 2, NULL)", "UPDATE books SET id = 'c' WHERE id = 'a'", "DELETE FROM books")
    let told = try store.told().dropFirst(begun).map { $0.replacingOccurrences(of: ", rating null", with: "") }
    // SQLite's versions look at the two keys in different orders.
    #expect(
      told.prefix(3).sorted() == [
        "delete books:a [id a, pages 1, revision 1, title null] []", "delete books:b [id b, pages 2, revision 1, title null] []",
        "delete loans:a/1 [book a, name x/y, number 1] []",
      ])
    #expect(
      told.dropFirst(3) == [
        "insert books:a [] [id a, pages 2, revision 1, title null]",
        "update books:a [id a, title null] [id a, title A]", "update books:a [id a, revision 1] [id a, revision 2]",
        "insert loans:a/2 [] [book a, name null, number 2]",
        "delete loans:a/2 [book a, name null, number 2] []", "insert loans:c/2 [] [book c, name null, number 2]",
        "delete books:a [id a, pages 2, revision 2, title A] []", "insert books:c [] [id c, pages 2, revision 2, title A]",
        "update books:c [id c, revision 2] [id c, revision 3]",
        "delete loans:c/2 [book c, name null, number 2] []", "delete books:c [id c, pages 2, revision 3, title A] []",
      ])
  }

  @Test("columns that are not audited are never in it, and a table that is never exported cannot be audited")
  func unaudited() throws {
    let store = try AuditedBooks.inMemory()
    try store.run("INSERT INTO books (id, cover) VALUES ('a', x'5EC5E7')")
    let count = try store.told().count
    try store.run("UPDATE books SET cover = x'5EC5E8'", "UPDATE books SET title = title")
    #expect(try store.told().count == count)
    #expect(try store.rows("SELECT count(*) FROM holdfast_audit WHERE after LIKE '%5EC5%' OR before LIKE '%5EC5%'") == ["0"])
    let wrong: [(SchemaDeclaration, Set<String>)] = [(.audit("books"), ["BOOKS"]), (.audit("holdfast_imports"), [])]
    for (declaration, neverExported) in wrong {
      let schema = StoreSchema("books", migrations: [AuditedBooks.v1], declarations: [declaration], neverExported: neverExported)
      #expect(failure { try Store.inMemory(schemas: [schema]) }?.code == .misuse)
    }
  }

  @Test("every value comes back as it was stored")
  func values() throws {
    let store = try AuditedBooks.inMemory()
    let values: [SQLValue] = [
      .null, .integer(.max), .integer(.min), .real(0.1), .real(1), .real(5e-324), .real(-1.5004353703654798e-301), .real(.infinity),
      .real(-.infinity), .text("it's \"三体\"\n\u{0}…"), .text(""), .blob(Data([0, 0xFF])), .blob(Data()),
    ]
    for (number, value) in values.enumerated() { try store.run("INSERT INTO books (id, title) VALUES (\(number), \(value))") }
    #expect(try store.auditEntries().filter { $0.operation == .insert }.compactMap { $0.after["title"] } == values)
  }

  @Test("a change of another program is recorded without a verb, and hashed at the next write")
  func otherProgram() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([AuditedBooks.schema])
    try store.run("INSERT INTO books (id) VALUES ('a')")
    try RawDatabase.with(folder.file("store.sqlite")) { try $0.execute("UPDATE books SET title = 'theirs'") }
    #expect(try store.checkAudit().unchained == 2)
    try store.run("INSERT INTO books (id) VALUES ('b')")
    let check = try store.checkAudit()
    #expect(check.unchained == 0 && check.findings == [])
    let entries = try store.history(of: "books", id: "a")
    #expect(entries.map(\.verb) == ["migrate", "test", nil, nil])
    #expect(abs(entries[2].time.timeIntervalSinceNow) < 60)
    #expect(try store.history(of: "books", id: "b").last?.verb == "test")
  }

  @Test("what is rolled back, or cancelled before it began, leaves no entry; a write without changes writes nothing")
  func rolledBack() async throws {
    let store = try AuditedBooks.inMemory()
    try store.run("INSERT INTO books (id) VALUES ('a')")
    let before = try store.rows("SELECT count(*), max(id) FROM holdfast_audit", columns: 2)
    #expect(failure { try store.run("UPDATE books SET title = 1", "INSERT INTO books (id) VALUES ('a')") }?.code == .constraint)
    try await store.write { tx in
      _ = try? tx.savepoint {
        try tx.execute("DELETE FROM books")
        throw CancellationError()
      }
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.write { tx in _ = try tx.execute("DELETE FROM books") }
    }
    #expect(await asyncFailure { try await task.value }?.code == .cancelled)
    #expect(try store.rowsChanged { _ in } == 0)
    #expect(try store.rows("SELECT count(*), max(id) FROM holdfast_audit", columns: 2) == before)
    #expect(try await store.checkAudit().findings == [])
  }

  @Test("a migration begins the audit anew, and a store without a declaration has none")
  func base() throws {
    let folder = try TemporaryFolder()
    let first = try folder.store([AuditedBooks.schema])
    try first.run("INSERT INTO books (id) VALUES ('a')")
    try first.close()
    let next = Migration("books/002", sql: "ALTER TABLE books ADD COLUMN author TEXT; UPDATE books SET author = 'Melville'")
    let schema = StoreSchema("books", migrations: [AuditedBooks.v1, next], declarations: AuditedBooks.declarations)
    let store = try folder.store([schema])
    #expect(try store.history(of: "books", id: "a").map(\.operation) == [.base, .insert, .base])
    try store.run("UPDATE books SET author = NULL")
    #expect(try store.history(of: "books", id: "a").filter { $0.before["author"] == .text("Melville") }.count == 1)
    #expect(try store.checkAudit().findings == [])
    let plain = try Shelves.inMemory()
    try plain.fill()
    #expect(try plain.count("holdfast_audit") == 0 && plain.checkAudit() == AuditCheck())
  }

  @Test("a read-only store tells its history; a reading is recorded with its reason, and without its value")
  func reading() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([AuditedBooks.schema])
    try store.run("INSERT INTO books (id, title) VALUES ('a', 'A')")
    try Audit.$actor.withValue("anna") {
      try store.write(as: "look") { tx in try tx.recordAccess(to: "keys", id: "hub", reason: "a download") }
    }
    let entry = try #require(try store.history(of: "keys", id: "hub").last)
    #expect(entry.operation == .read && entry.reason == "a download" && entry.actor == "anna" && entry.after == [:])
    try store.close()
    let looking = try folder.store([AuditedBooks.schema], options: .testing.with { $0.opensReadOnly = true })
    #expect(try looking.history(of: "books", id: "a").count == 2)
    #expect(try looking.checkAudit().findings == [])
    #expect(failure { try looking.revert(of: "books", id: "a", to: 3) }?.code == .readOnly)
  }
}
