import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Statements")
struct StatementTests {
  let store: Store

  init() throws {
    store = try Shelves.inMemory()
    try store.fill(books: 3)
  }

  @Test("the same SQL can be used inside itself")
  func nestedStatement() throws {
    let pairs = try store.read { reader in
      var pairs: [String] = []
      try reader.each(Book.self, "ORDER BY title") { outer in
        let title = outer.title
        try reader.each(Book.self, "ORDER BY title") { inner in pairs.append("\(title) \(inner.title)") }
      }
      return pairs
    }
    #expect(pairs.count == 9)
    #expect(pairs.first == "book 0 book 0")
    #expect(pairs.last == "book 2 book 2")
  }

  @Test("two statements in one text are refused, wherever they come")
  func twoStatements() throws {
    let text: BoundSQL = "SELECT 1; DELETE FROM books"
    #expect(failure { try store.read { reader in try reader.count(text) } }?.code == .misuse)
    #expect(failure { try store.write { tx in try tx.execute("DELETE FROM books; DELETE FROM shelves") } }?.code == .misuse)
    #expect(try store.read { reader in try reader.count("SELECT count(*) FROM books ; \n") } == 3)
  }

  @Test("a text without a statement, or with SQL that is wrong, is misuse and names the text")
  func wrongSQL() throws {
    let texts: [BoundSQL] = ["", "  -- nothing", "SELEC 1", "SELECT nothing FROM books", "SELECT * FROM nowhere"]
    for text in texts {
      let error = failure { try store.read { reader in try reader.count(text) } }
      #expect(error?.code == .misuse)
      #expect(error?.message.hasSuffix(text.text) == true)
      #expect(failure { try store.write { tx in try tx.execute(text) } }?.code == .misuse)
    }
  }

  @Test("a parameter that was not given is refused: it would keep the value of the last use")
  func missingParameters() throws {
    try store.write { tx in
      try tx.execute("UPDATE shelves SET name = \("right")")
      #expect(failure { try tx.execute("UPDATE shelves SET name = ?") }?.code == .misuse)
      _ = try tx.values("SELECT name FROM shelves WHERE name = \("right")") { row in try row.text() }
      #expect(failure { try tx.count("SELECT count(*) FROM shelves WHERE name = ?") }?.code == .misuse)
    }
    #expect(try store.read { reader in try reader.all(Shelf.self).map(\.name) } == ["right"])
  }

  @Test("execute says how many rows its own statement changed, and 0 for one that changes none")
  func changes() throws {
    let texts: [BoundSQL] = [
      "UPDATE books SET pages = 10", "UPDATE books SET pages = 10 WHERE title = 'none'", "DELETE FROM books WHERE title = 'book 0'",
      "CREATE TABLE more (id TEXT) STRICT",
    ]
    let (changes, deletes) = try store.write { tx in
      let changes = try texts.map { try tx.execute($0) }
      return (changes, [try tx.delete(Shelf.self, id: .numbered(1)), try tx.delete(Shelf.self, id: .numbered(1))])
    }
    #expect(changes == [3, 0, 1, 0])
    #expect(deletes == [true, false])
    #expect(try store.count("books") == 0)
  }

  @Test("SQL texts made at run time do not pile up as prepared statements")
  func manyTexts() throws {
    let sum = try store.write { tx in
      try (0..<2000).reduce(0) { sum, number in
        try tx.execute("UPDATE books SET pages = \(raw: String(number))")
        return sum + (try tx.count("SELECT \(raw: String(number))"))
      }
    }
    #expect(sum == 1999 * 1000)
    #expect(try store.read { reader in try reader.all(Book.self).map(\.pages) } == [1999, 1999, 1999])
  }

  @Test("a record with two key columns is found with a condition; find and delete by one id refuse it")
  func compositeKey() throws {
    struct Pair: StoredRecord {
      static let table = "books"
      static let columns = ["id", "title"]
      static let key = ["id", "title"]
      var id: UUID
      var title: String
      init(row: inout StoredRow) throws {
        id = try row.id()
        title = try row.text()
      }
      func encode(into values: inout Values) throws {
        try values.id(id)
        try values.text(title)
      }
    }
    #expect(failure { try store.read { reader in try reader.find(Pair.self, id: .numbered(1)) } }?.code == .misuse)
    #expect(failure { try store.write { tx in try tx.delete(Pair.self, id: .numbered(1)) } }?.code == .misuse)
    #expect(try store.read { reader in try reader.first(Pair.self, "WHERE title = \("book 1")") }?.title == "book 1")
  }
}
