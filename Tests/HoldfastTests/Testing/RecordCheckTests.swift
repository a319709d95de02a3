import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("The record check")
struct RecordCheckTests {
  let store: Store

  init() throws { store = try Shelves.inMemory() }

  private var full: Book {
    var book = Book("title", number: 2, pages: 7)
    book.rating = 4.5
    book.finished = true
    book.cover = Data([1])
    book.extra = StoredJSON(text: #"{"a":"b"}"#)
    return book
  }

  @Test("records that agree with their table pass, without parents, and nothing is left")
  func agreeing() throws {
    try RecordCheck.verify([full, Book("other", number: 3)], in: store)
    try RecordCheck.verify([Shelf("one")], in: store)
    #expect(try store.count("books") == 0)
  }

  struct Short: StoredRecord {
    static let table = "shelves"
    static let columns = Shelf.columns
    var shelf: Shelf
    init(_ shelf: Shelf) { self.shelf = shelf }
    init(row: inout StoredRow) throws {
      _ = try row.id()
      shelf = Shelf(try row.text())
    }
    func encode(into values: inout Values) throws { try shelf.encode(into: &values) }
  }

  @Test("a column that is not read is found")
  func notRead() {
    let error = failure { try RecordCheck.verify([Short(Shelf("one"))], in: store) }
    #expect(error?.message == "Short: has 3 columns, and init(row:) reads 2")
    #expect(error?.table == "shelves")
  }
}
