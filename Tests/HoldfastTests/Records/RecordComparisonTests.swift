import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A debug build compares what a record reads and binds")
struct RecordComparisonTests {
  struct Pair: StoredRecord, Equatable {
    static let table = "pairs"
    static let columns = ["id", "title", "author"]
    var id: Int64?
    var title: String
    var author: String
    init(_ title: String, _ author: String) { (self.title, self.author) = (title, author) }
    init(row: inout StoredRow) throws { (id, title, author) = (try row.int64(), try row.text(), try row.text()) }
    func encode(into values: inout Values) throws {
      try values.int64(id)
      try values.text(title)
      try values.text(author)
    }
  }

  /// Binds title and author the wrong way round.
  struct Swapped: StoredRecord {
    static let table = "pairs"
    static let columns = Pair.columns
    var pair: Pair
    init(_ pair: Pair) { self.pair = pair }
    init(row: inout StoredRow) throws { pair = try Pair(row: &row) }
    func encode(into values: inout Values) throws {
      try values.int64(pair.id)
      try values.text(pair.author)
      try values.text(pair.title)
    }
  }

  private let store: Store

  init() throws {
    store = try Store.inMemory(schemas: [
      StoreSchema(
        "pairs",
        migrations: [Migration("pairs/001", sql: "CREATE TABLE pairs (id INTEGER PRIMARY KEY, title TEXT, author TEXT) STRICT")],
        records: [Pair.self, Swapped.self])
    ])
  }

  @Test("two columns that are bound in another order than they are read are an error, and nothing is stored")
  func swapped() throws {
    let error = #expect(throws: StoreError.self) { try store.write { try $0.insert(Swapped(Pair("Emma", "Austen"))) } }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("Swapped binds title") == true)
    let many = (0..<100).map { Swapped(Pair("Emma \($0)", "Austen")) }
    for _ in 0..<2 {
      #expect(#expect(throws: StoreError.self) { try store.write { try $0.insert(contentsOf: many) } }?.code == .misuse)
    }
    #expect(try store.read { try $0.count("SELECT count(*) FROM pairs") } == 0)
  }

  @Test("a record whose columns follow from its properties, and whose reading is by hand, is refused")
  func halfByHand() throws {
    struct Half: StoredRecord, Codable {
      static let table = "pairs"
      var id: Int64?
      var title: String
      var author: String
      init() { (title, author) = ("Emma", "Austen") }
      init(row: inout StoredRow) throws { (id, author, title) = (try row.int64(), try row.text(), try row.text()) }
      func encode(into values: inout Values) throws {
        try values.int64(id)
        try values.text(author)
        try values.text(title)
      }
    }
    let error = #expect(throws: StoreError.self) { try store.write { try $0.insert(Half()) } }
    #expect(error?.code == .misuse && error?.message.contains("not all three") == true)
  }

  @Test("a record that agrees is stored, also one whose number SQLite chooses")
  func agreeing() throws {
    try store.write { try $0.insert(Pair("Emma", "Austen")) }
    #expect(try store.read { try $0.all(Pair.self).map(\.title) } == ["Emma"])
  }
}
