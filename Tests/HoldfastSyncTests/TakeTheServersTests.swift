import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("A first connection that takes the server's rows")
struct TakeTheServersTests {
  private static let schema = StoreSchema(
    "items",
    migrations: [
      Migration(
        "items/001",
        sql: """
          CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
          CREATE TABLE parts (
            id TEXT NOT NULL PRIMARY KEY, item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE, name TEXT NOT NULL, path TEXT
          ) STRICT;
          CREATE TABLE tags (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
          CREATE TABLE drafts (id TEXT NOT NULL PRIMARY KEY, item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE) STRICT;
          """)
    ], declarations: [.synced("items", time: "at"), .synced("parts", here: ["path": .null]), .synced("tags")])

  /// A device with the items `a`, `b` and `c`, each with a part and a draft, and what else it has of before, that has yet to pull.
  private func device(_ before: BoundSQL...) throws -> LoneDevice {
    let store = try Store.inMemory(schemas: [Self.schema])
    for key in ["a", "b", "c"] {
      try store.edit("INSERT INTO items VALUES (\(key), 'mine', 5)")
      try store.edit("INSERT INTO parts VALUES ('p' || \(key), \(key), 'mine', 'file')")
      try store.edit("INSERT INTO drafts VALUES ('d' || \(key), \(key))")
    }
    for sql in before { try store.edit(sql) }
    try SyncDevice.connect(store, space: "anna", node: 1, first: .takeTheServers)
    return try LoneDevice(store)
  }

  /// Such as `items/a: title`.
  private func lost(_ device: LoneDevice) throws -> [String] {
    try device.lost().map { entry in
      let columns = entry.row.current.keys.sorted().map(\.text).joined(separator: " ")
      return "\(entry.row.name.table.text)/\(entry.row.name.key.text): \(columns)"
    }.sorted()
  }

  /// A row that the device has, with a later title of the server.
  private func titled(_ own: SyncRow, _ title: String, at time: Int64 = 9) -> SyncRow {
    let later = [ExactText("title"): SyncRow.Exception(.at(time), [SyncValue.text(of: .text(title))])]
    return SyncRow(own.name, generation: 1, birth: own.birth, values: own.values, exceptions: later)
  }

  @Test(
    """
    the server's values replace those that differ, also of a row that was equal once; rows that it does not have, or has deleted, go with what \
    refers to them; lost has each of them once; nothing is sent
    """)
  func takes() throws {
    let device = try self.device()
    let own = try #require(try device.row("items", "a"))
    #expect(try device.pull(titled(own, "theirs"), .deleted("items", "b")) == [])
    #expect(try device.store.rows("SELECT id, title FROM items", columns: 2) == ["a theirs"])
    #expect(try device.store.rows("SELECT id FROM parts") == [] && device.store.rows("SELECT id FROM drafts") == ["da"])
    #expect(
      try lost(device) == [
        "items/a: title", "items/b: at id title", "items/c: at id title", "parts/pa: id item_id name path",
        "parts/pb: id item_id name path", "parts/pc: id item_id name path",
      ])
    let status = device.sync.status
    #expect(status.pending == 0 && status.parked == 0 && status.lastError == nil)
    #expect(try device.store.rows("SELECT key FROM holdfast_sync_row WHERE generation & 1 = 1") == ["a"])
    #expect(try device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
    // With what never left the device.
    let entry = try #require(try device.lost().first { $0.row.name.key.text == "pa" })
    try device.store.write { tx in try DeviceTables([Self.schema], in: tx).restore(entry.id, in: tx) }
    #expect(try device.store.rows("SELECT id, path FROM parts", columns: 2) == ["pa file"])
  }

  @Test(
    "rows written before the first pull has ended go with the row of before to which they refer: on another device they would wait for ever"
  )
  func writtenMeanwhile() throws {
    let device = try self.device()
    try device.write("UPDATE parts SET name = 'new' WHERE id = 'pc'")
    try device.write("INSERT INTO parts VALUES ('new', 'c', 'new', NULL)")
    let own = try #require(try device.row("items", "a"))
    #expect(try device.pull(own) == [])
    #expect(try device.store.rows("SELECT id FROM items") == ["a"] && device.store.rows("SELECT id FROM parts") == [])
    #expect(device.sync.status.parked == 0 && device.sync.status.pending == 0)
    #expect(try lost(device).filter { $0.contains("c:") || $0.contains("new:") }.count == 3)
  }

  @Test("what a migration changes, adds and deletes before the first pull has ended is not sent")
  func migrated() throws {
    let folder = try TemporaryFolder()
    func open(_ more: Migration...) throws -> Store {
      let schema = StoreSchema("items", migrations: Self.schema.migrations + more, declarations: Self.schema.declarations)
      return try Store.open(at: folder.file("a.sqlite"), schemas: [schema], options: .testing)
    }
    let store = try open()
    try store.edit("INSERT INTO tags VALUES ('a', 'a'), ('b', 'b')")
    try SyncDevice.connect(store, space: "anna", node: 1, first: .takeTheServers)
    try store.close()
    let sql = "UPDATE tags SET name = 'A' WHERE id = 'a'; DELETE FROM tags WHERE id = 'b'; INSERT INTO tags VALUES ('c', 'c')"
    let device = try LoneDevice(open(Migration("items/002", sql: sql)))
    #expect(device.sync.status.pending == 0)
    #expect(try device.pull() == [])
    #expect(try device.store.rows("SELECT id FROM tags") == [] && lost(device) == ["tags/a: id name", "tags/c: id name"])
  }

  @Test("a first pull that begins anew lists nothing as lost that the server gave before")
  func twice() throws {
    let device = try self.device()
    let own = try #require(try device.row("items", "a"))
    try device.answer(.pageWith((titled(own, "first"), 1), cursor: 1, more: true), to: device.next())
    let reopened = try LoneDevice(device.store)
    #expect(try reopened.pull(titled(own, "second", at: 10)) == [])
    #expect(try lost(reopened).filter { $0.hasPrefix("items/a") } == ["items/a: title"])
    #expect(try reopened.store.rows("SELECT id, title FROM items", columns: 2) == ["a second"])
    #expect(try reopened.store.rows("SELECT key FROM holdfast_sync_row WHERE sequence <= 0") == [])
  }

  @Test("a row of before gives its unique name to the server's row at once, whichever is older")
  func unique() throws {
    let device = try self.device("INSERT INTO tags VALUES ('mine', 'jazz')")
    let theirs = SyncRow.texts("tags", "theirs", at: 9, ["name": "jazz"])
    try device.answer(.pageWith((theirs, 1), cursor: 1, more: true), to: device.next())
    #expect(try device.store.rows("SELECT id FROM tags") == ["theirs"])
    #expect(try device.pull(theirs) == [])
    #expect(try device.sync.status.parked == 0 && lost(device).contains("tags/mine: id name"))
  }

  @Test("a part that the server has of an item that it deleted goes as with every deletion; one that it has of another item stays")
  func known() throws {
    let device = try self.device()
    func part(_ key: String, of item: String) -> SyncRow { .texts("parts", key, at: 9, ["item_id": item, "name": "theirs"]) }
    let own = try #require(try device.row("items", "a"))
    let sent = try device.pull(part("pb", of: "b"), own, part("pc", of: "a"), .deleted("items", "b"))
    #expect(sent == [.deleted("parts", "pb")])
    #expect(try device.store.rows("SELECT id, item_id FROM parts ORDER BY id", columns: 2) == ["pc a"])
    #expect(try lost(device).filter { $0.hasPrefix("parts/pb") } == ["parts/pb: name"])
  }
}
