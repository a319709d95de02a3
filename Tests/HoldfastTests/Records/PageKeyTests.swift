import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Page keys")
struct PageKeyTests {
  private static let id = NewID.derived(from: "page")

  @Test("a key goes through JSON and comes back equal, whatever it is made of")
  func codable() throws {
    let keys = [
      PageKey(.text("émile"), .text(""), .id(Self.id)), PageKey(.integer(.min), .id(Self.id)), PageKey(.real(3), .id(Self.id)),
      PageKey(.real(-.infinity), .real(0.1), .integer(.max)), PageKey(.null, .blob(Data([0, 255])), .text("nul\u{0}")), PageKey(),
    ]
    #expect(try JSONDecoder().decode([PageKey].self, from: JSONEncoder().encode(keys)) == keys)
    #expect(PageKey(.real(3)) != PageKey(.integer(3)), "a whole number stays of its kind")
  }

  @Test("what is no key is refused", arguments: [#"["x1"]"#, #"[""]"#, #"["i1.5"]"#, #"["n0"]"#, #"["b?"]"#, "[1]", "{}", "null"])
  func notAKey(_ json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(PageKey.self, from: Data(json.utf8)) }
  }

  @Test("a key of another list is misuse, and not a wrong page")
  func foreign() throws {
    let time = PageKey(.integer(5), .id(Self.id))
    #expect(try time.row(.number, .text).text == "(?, ?)")
    #expect(try time.row(.number, .text).values == [.integer(5), .id(Self.id)])
    let others = [
      PageKey(), PageKey(.integer(5)), PageKey(.text("5"), .id(Self.id)), PageKey(.null, .id(Self.id)), PageKey(.real(.nan), .id(Self.id)),
      PageKey(.integer(5), .integer(5)), PageKey(.integer(5), .id(Self.id), .id(Self.id)), PageKey(.blob(Data()), .id(Self.id)),
    ]
    for key in others {
      let error = #expect(throws: StoreError.self) { try key.row(.number, .text) }
      #expect(error?.code == .misuse)
    }
  }

  @Test("pages by folded title, title and id put together are the whole list", arguments: [1, 2, 3, 5])
  func pages(limit: Int) throws {
    let titles = ["b", "B", "É", "e", "E", "a", "a"]
    let store = try Store.inMemory(schemas: [
      StoreSchema(
        "rows", migrations: [Migration("rows/001", sql: "CREATE TABLE rows (sort TEXT NOT NULL, title TEXT NOT NULL, id TEXT NOT NULL)")])
    ])
    try store.write { tx in
      for (number, title) in titles.enumerated() {
        try tx.execute("INSERT INTO rows VALUES (\(SortText.folded(title)), \(title), \(NewID.derived(from: "\(number)")))")
      }
    }
    var found: [String] = []
    var key: PageKey?
    repeat {
      let rest: BoundSQL = if let key { "WHERE (sort, title, id) > \(sql: try key.row(.text, .text, .text))" } else { "" }
      let page = try store.read { reader in
        try reader.values("SELECT sort, title, id FROM rows \(sql: rest) ORDER BY sort, title, id LIMIT \(limit)") { row in
          (sort: try row.text(), title: try row.text(), id: try row.id())
        }
      }
      found += page.map(\.title)
      key = page.last.map { PageKey(.text($0.sort), .text($0.title), .id($0.id)) }
    } while key != nil
    #expect(found == ["a", "a", "B", "b", "E", "e", "É"])
  }
}
