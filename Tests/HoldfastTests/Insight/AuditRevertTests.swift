import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Reverting a row")
struct AuditRevertTests {
  /// One book that was inserted, renamed and deleted, with its entries.
  private func lived() throws -> (store: Store, entries: [AuditEntry]) {
    let audit = SchemaDeclaration.audit("books", unaudited: ["cover", "rowid"])
    let store = try Store.inMemory(schemas: [StoreSchema("books", migrations: [AuditedBooks.v1], declarations: [audit])])
    try store.run("INSERT INTO books (id, title, pages, cover) VALUES ('a', 'Old', 7, x'01')")
    try store.run("UPDATE books SET title = 'New', pages = NULL")
    try store.run("DELETE FROM books")
    let entries = try store.history(of: "books", id: "a")
    #expect(entries.map(\.operation) == [.base, .insert, .update, .delete])
    return (store, entries)
  }

  private func book(_ store: Store) throws -> [String] { try store.rows("SELECT title, pages FROM books", columns: 2) }

  @Test("a row comes back to its state after any entry, and so that it was deleted; each revert is a verb in the audit")
  func revert() throws {
    let (store, entries) = try lived()
    #expect(try store.revert(of: "books", id: "a", to: entries[2].id))
    #expect(try book(store) == ["New NULL"])
    #expect(try store.revert(of: "books", id: "a", to: entries[1].id))
    #expect(try book(store) == ["Old 7"])
    #expect(try !store.revert(of: "books", id: "a", to: entries[1].id))
    try Audit.$actor.withValue("anna") { _ = try store.revert(of: "books", id: "a", to: entries[3].id) }
    #expect(try book(store) == [])
    let last = try #require(try store.history(of: "books", id: "a").last)
    #expect(last.operation == .delete && last.actor == "anna" && last.verb == "revert(of:id:to:)")
    #expect(try !store.revert(of: "books", id: "a", to: entries[3].id))
    #expect(try store.checkAudit().findings == [])
  }

  @Test("columns that are not audited stay, and a row that is inserted again has their defaults")
  func unaudited() throws {
    let (store, entries) = try lived()
    try store.revert(of: "books", id: "a", to: entries[2].id)
    #expect(try store.rows("SELECT cover FROM books") == ["NULL"])
    try store.run("UPDATE books SET cover = x'0203'")
    try store.revert(of: "books", id: "a", to: entries[1].id)
    #expect(try store.rows("SELECT title, cover FROM books", columns: 2) == ["Old 2 bytes"])
  }

  @Test("what is no entry of the row, lies before a base, or is not audited is refused, and a constraint refuses the state")
  func refused() throws {
    let (store, entries) = try lived()
    #expect(failure { try store.revert(of: "books", id: "b", to: entries[1].id) }?.code == .notFound)
    #expect(failure { try store.revert(of: "books", id: "a", to: entries[0].id) }?.code == .notFound)
    #expect(failure { try store.revert(of: "holdfast_imports", id: "a", to: 1) }?.code == .misuse)
    try store.run("INSERT INTO books (id, pages) VALUES ('b', 7)")
    #expect(failure { try store.revert(of: "books", id: "a", to: entries[1].id) }?.code == .constraint)
    try store.run("INSERT INTO holdfast_audit (time, verb, kind, row, operation) VALUES (0, 'migrate', 'books', '', 'base')")
    #expect(failure { try store.revert(of: "books", id: "a", to: entries[2].id) }?.code == .misuse)
  }
}
