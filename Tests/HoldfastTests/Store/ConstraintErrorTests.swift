import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Constraint errors name table and column")
struct ConstraintErrorTests {
  let store: Store

  init() throws {
    store = try Shelves.inMemory()
    try store.fill(books: 1)
  }

  private static let several = (2..<40).map { Shelf("shelf \($0 % 30)", number: $0) }

  @Test(
    "the place of a fault, as far as SQLite tells it: of a check the first column that the record has, and no column of a foreign key",
    arguments: [
      ("a key that is taken", { @Sendable tx in try tx.insert(Shelf("other")) }, ["shelves", "id"]),
      ("another unique column", { @Sendable tx in try tx.insert(Shelf("shelf 1", number: 2)) }, ["shelves", "name"]),
      ("NULL where a value is needed", { @Sendable tx in _ = try tx.execute("UPDATE books SET title = NULL") }, ["books", "title"]),
      ("a check", { @Sendable tx in try tx.insert(Book("b", number: 2, pages: -1)) }, ["books", "pages"]),
      ("a foreign key", { @Sendable tx in try tx.insert(Book("b", number: 2, on: 9)) }, ["books", nil]),
      (
        "another type than a strict column's", { @Sendable tx in _ = try tx.execute("UPDATE books SET pages = \("many")") },
        ["books", "pages"]
      ),
      ("several rows at once", { @Sendable tx in try tx.insert(contentsOf: several) }, ["shelves", "name"]),
    ] as [(String, @Sendable (Writer) throws -> Void, [String?])])
  func place(of fault: String, write: @Sendable (Writer) throws -> Void, place: [String?]) {
    let error = failure { try store.write(write) }
    #expect(error?.code == .constraint && [error?.table, error?.column] == place, "\(fault)")
  }

  @Test("a deferred foreign key is checked at the commit, and nothing is kept")
  func deferredForeignKey() throws {
    let error = failure {
      try store.write { tx in
        try tx.execute("PRAGMA defer_foreign_keys = ON")
        try tx.insert(Book("b", number: 2, on: 9))
      }
    }
    #expect(error?.code == .constraint && error?.table == nil && error?.column == nil)
    #expect(try store.count("books") == 1)
  }

  @Test("what a trigger refuses carries the trigger's message")
  func trigger() throws {
    try store.write { tx in
      _ = try tx.execute(
        "CREATE TRIGGER no_more BEFORE INSERT ON shelves BEGIN SELECT raise(ABORT, 'the room is full'); END")
    }
    let error = failure { try store.write { tx in try tx.insert(Shelf("x", number: 5)) } }
    #expect(error?.code == .constraint)
    #expect(error?.table == "shelves")
    #expect(error?.message == "shelves: the room is full")
  }
}
