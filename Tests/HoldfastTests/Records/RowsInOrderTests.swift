import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Finding rows in their order")
struct RowsInOrderTests {
  private let ids = (0..<300).map { UUID.numbered(1000 + $0) }

  private func store() throws -> Store {
    let store = try Shelves.inMemory()
    try store.fill(books: 0)
    try store.write { tx in for place in ids.indices { try tx.insert(Book("book \(place)", number: place)) } }
    return store
  }

  /// The titles that are found in this order, in a reading that expects the order of the rows.
  private func titles(_ wanted: [UUID]) throws -> [String?] {
    try store().read { reader in try reader.findingInOrder { try wanted.map { try reader.find(Book.self, id: $0)?.title } } }
  }

  @Test("each order gives the same rows as one look at a time, and what is not there is nil")
  func anyOrder() throws {
    let titles = ids.indices.map { "book \($0)" }
    #expect(try self.titles(ids) == titles)
    #expect(try self.titles(ids.reversed()) == titles.reversed())
    var random = SeededGenerator(seed: 5)
    let shuffled = ids.indices.shuffled(using: &random)
    #expect(try self.titles(shuffled.map { ids[$0] }) == shuffled.map { titles[$0] })
    let gaps = [ids[3], .numbered(5_000), ids[4], ids[7], ids[8], ids[8], ids[299], .numbered(5_001), ids[0]]
    #expect(try self.titles(gaps) == ["book 3", nil, "book 4", "book 7", "book 8", "book 8", "book 299", nil, "book 0"])
  }

  @Test("rows in their order are found without looking into an index, and other orders soon stop trying")
  func looks() throws {
    try store().read { reader in
      func finder() throws -> RowsInOrder { try #require(RowsInOrder(Book.self, reader.connection)) }
      let ordered = try finder()
      for id in ids { #expect(try ordered.find(id)) }
      #expect(ordered.isWorthwhile)
      let reversed = try finder()
      for id in ids.reversed() { #expect(try reversed.find(id)) }
      #expect(!reversed.isWorthwhile)
    }
  }

  @Test("a key of several columns, and a table without row numbers, are looked up one by one")
  func withoutOrder() throws {
    struct Pair: StoredRecord {
      static let table = "pairs"
      static let columns = ["id", "other"]
      static let key = ["id", "other"]
      init(row: inout StoredRow) throws {}
      func encode(into values: inout Values) throws {}
    }
    struct Bare: StoredRecord {
      static let table = "bare"
      static let columns = ["id"]
      var id: UUID
      init(row: inout StoredRow) throws { id = try row.id() }
      func encode(into values: inout Values) throws { try values.id(id) }
    }
    let store = try store()
    try store.write { tx in
      _ = try tx.execute("CREATE TABLE pairs (id TEXT, other TEXT)")
      _ = try tx.execute("CREATE TABLE bare (id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID")
      _ = try tx.execute("INSERT INTO bare VALUES (\(ids[0]))")
    }
    try store.read { reader in
      #expect(RowsInOrder(Pair.self, reader.connection) == nil)
      #expect(RowsInOrder(Bare.self, reader.connection) == nil)
      let found = try reader.findingInOrder { try reader.find(Bare.self, id: ids[0])?.id }
      #expect(found == ids[0])
    }
  }
}
