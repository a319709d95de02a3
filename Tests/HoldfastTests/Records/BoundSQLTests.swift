import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("SQL with values in it")
struct BoundSQLTests {
  let store: Store

  init() throws { store = try Store.inMemory(schemas: []) }

  @Test(
    "text of every kind is bound and comes back as it was",
    arguments: [
      "it's", "\"quoted\"", "'; DROP TABLE books; --",
      "a\0b", "\0", "", "😀👩‍👩‍👧", "日本語", "é e\u{301}", "\\ % _ ?", "\u{FEFF}bom",
      String(repeating: "long ", count: 20_000),
    ])
  func text(_ text: String) throws {
    let back = try store.read { reader in try reader.value("SELECT \(text)") { row in try row.text() } }
    #expect(back.map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test("text with NUL characters survives a column, a constraint and a comparison")
  func nul() throws {
    let shelves = try Shelves.inMemory()
    try shelves.write { tx in
      try tx.insert(Shelf("a\0b", number: 1))
      try tx.insert(Shelf("a\0c", number: 2))
    }
    let found = try shelves.read { reader in try reader.all(Shelf.self, "WHERE name = \("a\0c")") }
    #expect(found.map(\.name) == ["a\0c"])
  }

  @Test("each Swift type is stored as the documentation says, and nil as NULL")
  func types() throws {
    let none: (String?, Int?, Int64?, Double?, Data?, UUID?, Date?) = (nil, nil, nil, nil, nil, nil, nil)
    let sql: BoundSQL = """
      SELECT \(1), \(Int64.min), \(2.5), \(true), \(Data([1, 2])), \(UUID.numbered(255)), \(Date(timeIntervalSince1970: 1.0006)),
        \(SQLValue.text("any")), \(none.0), \(none.1), \(none.2), \(none.3), \(none.4), \(none.5), \(none.6)
      """
    let values = try store.read { reader in
      try reader.value(sql) { row in
        var values: [SQLValue] = []
        for _ in 0..<15 { values.append(try row.value()) }
        return values
      }
    }
    #expect(
      values == [
        .integer(1), .integer(.min), .real(2.5), .integer(1), .blob(Data([1, 2])), .text("00000000-0000-7000-8000-0000000000ff"),
        .integer(1001), .text("any"), .null, .null, .null, .null, .null, .null, .null,
      ])
  }

  @Test("a Codable value is bound as the JSON text that a record's column has; one that is no JSON is refused")
  func json() throws {
    struct Label: Codable {
      var text = "it's"
      var since = Date(timeIntervalSince1970: 1.5)
    }
    let text = try store.read {
      try $0.value("SELECT \(json: [Label()]), \(json: ["b", "a\"]"])") { row in [try row.text(), try row.text()] }
    }
    #expect(text == [#"[{"since":"1970-01-01T00:00:01.500Z","text":"it's"}]"#, #"["b","a\"]"]"#])
    let (none, stored): ([String]?, StoredJSON<[Int]>) = (nil, StoredJSON(text: "[1, 2]"))
    let others = try store.read { try $0.value("SELECT \(json: none), \(json: stored)") { row in [try row.value(), try row.value()] } }
    #expect(others == [.null, .text("[1, 2]")])
    let error = #expect(throws: StoreError.self) { try store.read { try $0.count("SELECT \(json: [Double.nan])") } }
    #expect(error?.code == .invalidValue)
  }

  @Test("a list of ids, numbers or texts is bound, however long, also an empty one")
  func lists() throws {
    let shelves = try Shelves.inMemory()
    let names = ["it's", "\"", "日本語", "a\0b", ""]
    try shelves.write { tx in
      for (number, name) in names.enumerated() { try tx.insert(Shelf(name, number: number)) }
    }
    func count(_ condition: BoundSQL) throws -> Int {
      try shelves.read { reader in try reader.count("SELECT count(*) FROM shelves WHERE \(sql: condition)") }
    }
    #expect(try count("id IN \([UUID.numbered(0), .numbered(3), .numbered(99)])") == 2)
    #expect(try count("id IN \((0..<100_000).map(UUID.numbered))") == 5)
    #expect(try count("name IN \(names + ["nobody's"])") == 5)
    #expect(try count("length(name) IN \([0, 1])") == 3)
    #expect(try count("length(name) IN \([Int64(4)])") == 1)
    #expect(try count("id IN \([UUID]())") == 0)
    #expect(try count("name IN \([String]())") == 0)
  }

  @Test("a statement that is made once takes its values at each call; too few, too many and values of its own are misuse")
  func madeOnce() throws {
    let shelves = try Shelves.inMemory()
    let rename: BoundSQL = "UPDATE \(raw: Shelf.table) SET name = ?1 WHERE name = ?2 OR name = ?1"
    try shelves.write { tx in
      try tx.insert(Shelf("a", number: 1))
      try tx.insert(Shelf("b", number: 2))
    }
    for (old, new, count) in [("a", "c", 1), ("c", "d", 1), ("nobody", "e", 0)] {
      let changed = try shelves.write { tx in
        try tx.execute(rename) { values in
          try values.text(new)
          try values.text(old)
        }
      }
      #expect(changed == count)
    }
    #expect(try shelves.read { try $0.all(Shelf.self, "ORDER BY name") }.map(\.name) == ["b", "d"])
    for wrong in [rename, "UPDATE \(raw: Shelf.table) SET name = \("x")"] {
      #expect {
        try shelves.write { tx in try tx.execute(wrong) { values in try values.text("x") } }
      } throws: { error in
        (error as? StoreError)?.code == .misuse
      }
    }
    #expect(try shelves.read { try $0.all(Shelf.self, "ORDER BY name") }.map(\.name) == ["b", "d"])
  }

  @Test("SQL in SQL keeps its values in order, and raw text and columns are pasted")
  func composed() throws {
    let condition: BoundSQL = "b = \(2) AND c = \(3)"
    let sql: BoundSQL = "SELECT \(columns: Shelf.self) FROM \(raw: "t") WHERE a = \(1) AND \(sql: condition) LIMIT \(4)"
    #expect(sql.text == "SELECT id, name, created_at FROM t WHERE a = ? AND b = ? AND c = ? LIMIT ?")
    #expect(sql.values == [.integer(1), .integer(2), .integer(3), .integer(4)])
    #expect(BoundSQL(raw: "SELECT '?'").values == [])
  }

  @Test("a number that is none and a date that cannot be stored are refused before anything runs")
  func invalid() throws {
    let never = Date(timeIntervalSince1970: .infinity)
    let inner: BoundSQL = "\(never)"
    let texts: [BoundSQL] = [
      "SELECT \(Double.nan)", "SELECT \(never)", "SELECT \(sql: inner)", "SELECT \(Date(timeIntervalSince1970: 1e15))",
    ]
    for sql in texts {
      #expect(failure { try store.read { reader in try reader.count(sql) } }?.code == .invalidValue)
      #expect(failure { try store.write { tx in try tx.execute(sql) } }?.code == .invalidValue)
    }
    #expect(try store.read { reader in try reader.value("SELECT \(Double.infinity)") { row in try row.double() } } == .infinity)
  }
}
