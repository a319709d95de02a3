import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("An upsert that inserts first")
struct InsertFirstTests {
  @Test("a row that is there is updated, and keeps what an update keeps; a new one is inserted")
  func rows() throws {
    let store = try Shelves.inMemory()
    try store.fill(books: 2)
    try store.fill(books: 0, shelf: 2)
    var (there, new) = (Book("changed", number: 100, on: 2), Book("new", number: 500))
    (there.rating, new.rating) = (1.5, 2.5)
    try store.write { tx in
      tx.insertsFirst = true
      try tx.upsert(there)
      try tx.upsert(new)
    }
    let books = try store.read { try $0.all(Book.self, "ORDER BY id") }
    #expect(books.map(\.title) == ["changed", "book 1", "new"])
    // The shelf is only for a new row.
    #expect(books.map(\.shelfID) == [.numbered(1), .numbered(1), .numbered(1)] && books.first?.rating == 1.5)
  }

  @Test("what another rule refuses is refused with that rule's error, and the transaction goes on")
  func refused() throws {
    let store = try Shelves.inMemory()
    try store.fill(books: 1)
    try store.write { tx in
      tx.insertsFirst = true
      let error = #expect(throws: StoreError.self) { try tx.upsert(Book("lost", number: 7, on: 99)) }
      #expect(error?.code == .constraint)
      try tx.upsert(Book("kept", number: 8))
    }
    #expect(try store.titles() == ["book 0", "kept"])
  }
}
