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

  private func place(_ body: (Writer) throws -> Void) -> [String?] {
    let error = failure { try store.write(body) }
    #expect(error?.code == .constraint)
    return [error?.table, error?.column]
  }

  @Test("a key that is taken")
  func primaryKey() { #expect(place { tx in try tx.insert(Shelf("other")) } == ["shelves", "id"]) }

  @Test("another unique column")
  func unique() { #expect(place { tx in try tx.insert(Shelf("shelf 1", number: 2)) } == ["shelves", "name"]) }

  @Test("NULL where a value is needed")
  func notNull() {
    #expect(place { tx in try tx.execute("UPDATE books SET title = NULL") } == ["books", "title"])
  }

  @Test("a check, by the first column in it that the record has")
  func check() { #expect(place { tx in try tx.insert(Book("b", number: 2, pages: -1)) } == ["books", "pages"]) }

  @Test("a foreign key names the table; SQLite does not tell the column")
  func foreignKey() { #expect(place { tx in try tx.insert(Book("b", number: 2, on: 9)) } == ["books", nil]) }

  @Test("a deferred foreign key is checked at the commit, and nothing is kept")
  func deferredForeignKey() throws {
    #expect(
      place { tx in
        try tx.execute("PRAGMA defer_foreign_keys = ON")
        try tx.insert(Book("b", number: 2, on: 9))
      } == [nil, nil])
    #expect(try store.count("books") == 1)
  }

  @Test("a value of another type than a strict column's")
  func datatype() {
    #expect(place { tx in try tx.execute("UPDATE books SET pages = \("many")") } == ["books", "pages"])
  }

  @Test("several rows at once")
  func batch() {
    let shelves = (2..<40).map { Shelf("shelf \($0 % 30)", number: $0) }
    #expect(place { tx in try tx.insert(contentsOf: shelves) } == ["shelves", "name"])
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
