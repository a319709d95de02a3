import Testing

@testable import Holdfast

@Suite("Quotes in names and texts of SQL")
struct QuotingTests {
  @Test(
    "a quote ends neither a name nor a text where an accent or a joiner behind it makes one character of both",
    arguments: ["", "\u{301}", "\u{200D}"])
  func quotes(behind: String) throws {
    let name = "a'\(behind)b\"\(behind)c"
    let inSQL = "\"a'\(behind)b\"\"\(behind)c\""
    let table = "CREATE TABLE \(inSQL) (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL) STRICT"
    let store = try Store.inMemory(schemas: [
      StoreSchema(
        "odd", migrations: [Migration("odd/001", sql: table)],
        declarations: [.audit(name), .fullText("\(name)_search", of: name, ["title"])])
    ])
    try store.write { _ = try $0.execute("INSERT INTO \(raw: inSQL) VALUES (1, 'one', 'two')") }
    #expect(try store.statistics().rows[name] == 1)
    #expect(try store.history(of: name, id: "one").last?.operation == .insert)
    #expect(try store.inspect { try ObjectSizes($0.texts, countsPages: false).objects() }.contains { $0.name == name })
    #expect(try store.inspect { try SQLTable.all($0.texts, named: name) }.map(\.name) == [name])
  }
}
