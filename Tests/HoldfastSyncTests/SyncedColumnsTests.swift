import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

@Suite("The columns that sync")
struct SyncedColumnsTests {
  private static func device(_ options: String) throws -> LoneDevice {
    try LoneDevice("CREATE TABLE items (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, slug TEXT) \(options)", syncing: "items")
  }

  /// Its columns are in another order than the table's. It computes two of them.
  private struct Work: StoredRecord {
    static let table = "works"
    static let columns = ["small", "shelf", "title", "id", "large", "place"]

    private let id, title: String
    private let shelf, place: String?

    init(row: inout StoredRow) throws {
      _ = try row.text()
      (shelf, title, id) = (try row.textOrNil(), try row.text(), try row.text())
      _ = try row.text()
      place = try row.textOrNil()
    }

    func encode(into values: inout Values) throws {
      try values.text(title.lowercased())
      try values.text(shelf)
      try values.text(title)
      try values.text(id)
      try values.text(title.uppercased())
      try values.text(place)
    }
  }

  @Test("two computed columns and two that stay here have their own values in a row that arrives, in whatever order a record has them")
  func order() throws {
    let texts = "small TEXT NOT NULL, title TEXT NOT NULL, large TEXT NOT NULL"
    let sql = "CREATE TABLE works (id TEXT NOT NULL PRIMARY KEY, place TEXT, \(texts), shelf TEXT) STRICT"
    let here: [String: SQLValue] = ["shelf": .text("new"), "place": .text("none")]
    let device = try LoneDevice(
      StoreSchema(
        "works", migrations: [Migration("works/001", sql: sql)], records: [Work.self],
        declarations: [.synced("works", here: here, derived: ["small", "large"])]))
    func shown() throws -> [String] { try device.store.rows("SELECT id, title, small, large, shelf, place FROM works", columns: 6) }
    try device.pull(.texts("works", "a", ["title": "Emma"]))
    #expect(try shown() == ["a Emma emma EMMA new none"])
    try device.write("UPDATE works SET shelf = 'B'")
    try device.pull(.texts("works", "a", at: 2, ["title": "Emma II"]))
    #expect(try shown() == ["a Emma II emma ii EMMA II B none"])
  }

  @Test(
    "an INTEGER PRIMARY KEY beside the key does not sync where it is the rowid, and does in a table without one", arguments: [true, false])
  func numbers(hasRowID: Bool) throws {
    let options = hasRowID ? "STRICT" : "STRICT, WITHOUT ROWID"
    let (first, second) = (try Self.device(options), try Self.device(options))
    try first.write("INSERT INTO items VALUES (7, 'a', 'x')")
    let row = try #require(try first.row("items", "a"))
    #expect(row.values[ExactText("number")] == (hasRowID ? nil : ExactText("7")))
    try second.pull(row)
    #expect(try second.store.rows("SELECT number, id, slug FROM items", columns: 3) == [hasRowID ? "1 a x" : "7 a x"])
    // Capture notes what travels.
    try first.write("UPDATE items SET number = 8")
    #expect(try first.row("items", "a")?.exceptions.isEmpty == hasRowID)
  }
}
