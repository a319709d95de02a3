import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

@Suite("The columns that sync")
struct SyncedColumnsTests {
  private static func device(_ options: String) throws -> LoneDevice {
    let sql = "CREATE TABLE items (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, slug TEXT) \(options)"
    return try LoneDevice(StoreSchema("items", migrations: [Migration("items/001", sql: sql)], declarations: [.synced("items")]))
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
