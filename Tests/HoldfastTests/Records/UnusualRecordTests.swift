import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Records derived from Codable in unusual ways")
struct UnusualRecordTests {
  @Test("words of SQL are fine as names of columns and tables, also where a record by hand has them in quotes")
  func words() throws {
    struct Group: StoredRecord, Codable, Equatable {
      static let table = "group"
      var id: Int64?
      var order: Int
      var index: String?
    }
    struct Quoted: StoredRecord {
      static let table = "\"group\""
      static let columns = ["id", "\"order\""]
      var order: Int
      init(row: inout StoredRow) throws { (_, order) = (try row.int64(), try row.int()) }
      func encode(into values: inout Values) throws {}
    }
    let sql = #"CREATE TABLE "group" (id INTEGER PRIMARY KEY, "order" INTEGER NOT NULL, "index" TEXT) STRICT"#
    let store = try Store.inMemory(schemas: [
      StoreSchema("group", migrations: [Migration("group/001", sql: sql)], records: [Group.self, Quoted.self])
    ])
    try store.write { tx in
      try tx.insert(contentsOf: [Group(order: 2), Group(order: 1, index: "a")])
      try tx.upsert(Group(id: 1, order: 3))
      try tx.update(Group.self, id: 2, "`index` = \("b")")
    }
    #expect(try store.read { try $0.all(Group.self, "ORDER BY `order`") } == [Group(id: 2, order: 1, index: "b"), Group(id: 1, order: 3)])
    let page = try store.read { try $0.page(Group.self, Listing(columns: [("`order`", .number), ("id", .number)]), after: nil, limit: 1) }
    #expect(page.items.map(\.id) == [2])
    #expect(try store.read { try $0.find(Quoted.self, id: 1) }?.order == 3)
    #expect(try store.write { try $0.delete(Group.self, id: 1) })
    #expect(try store.read { try $0.description().kind(of: "order", in: "group") } == .number)
  }

  @Test("a part that decodes itself from the record's own keys is stored and read")
  func parts() throws {
    struct Size: Codable, Equatable { var width: Int, height: Int }
    struct Box: StoredRecord, Codable, Equatable {
      static let table = "boxes"
      enum CodingKeys: CodingKey { case id }
      var id: Int64?
      var size: Size
      init(size: Size) { self.size = size }
      init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int64.self, forKey: .id)
        size = try Size(from: decoder)
      }
      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try size.encode(to: encoder)
      }
    }
    let sql = "CREATE TABLE boxes (id INTEGER PRIMARY KEY, width INTEGER NOT NULL, height INTEGER NOT NULL) STRICT"
    let store = try Store.inMemory(schemas: [StoreSchema("boxes", migrations: [Migration("boxes/001", sql: sql)], records: [Box.self])])
    try store.write { try $0.insert(Box(size: Size(width: 3, height: 4))) }
    #expect(try store.read { try $0.all(Box.self) }.map(\.size) == [Size(width: 3, height: 4)])
  }

  @Test("a value that is now one value and now a list is refused, and not read as another one later")
  func ambiguousValue() throws {
    enum Anything: Codable, Equatable {
      case text(String)
      case list([String])
      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) { self = .text(text) } else { self = .list(try value.decode([String].self)) }
      }
      func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
          var value = encoder.singleValueContainer()
          try value.encode(text)
        case .list(let list): try list.encode(to: encoder)
        }
      }
    }
    struct Item: StoredRecord, Codable {
      static let table = "items"
      var id: Int64?
      var value: Anything
    }
    let sql = "CREATE TABLE items (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT"
    let store = try Store.inMemory(schemas: [StoreSchema("items", migrations: [Migration("items/001", sql: sql)], records: [Item.self])])
    try store.write { try $0.insert(Item(value: .text("[1]"))) }
    let error = #expect(throws: StoreError.self) { try store.write { try $0.insert(Item(value: .list(["a"]))) } }
    #expect(error?.code == .invalidValue)
    #expect(try store.read { try $0.all(Item.self) }.map(\.value) == [.text("[1]")])
  }
}
