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
            id TEXT NOT NULL PRIMARY KEY, item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE, name TEXT NOT NULL) STRICT;
          CREATE TABLE drafts (id TEXT NOT NULL PRIMARY KEY, item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE) STRICT;
          """)
    ], declarations: [.synced("items", time: "at"), .synced("parts")])

  /// A device with the items `a`, `b` and `c`, each with a part and a draft, that has yet to pull.
  private func device() throws -> LoneDevice {
    let store = try Store.inMemory(schemas: [Self.schema])
    for key in ["a", "b", "c"] {
      try store.edit("INSERT INTO items VALUES (\(key), 'mine', 5)")
      try store.edit("INSERT INTO parts VALUES ('p' || \(key), \(key), 'mine')")
      try store.edit("INSERT INTO drafts VALUES ('d' || \(key), \(key))")
    }
    try SyncDevice.connect(store, space: "anna", node: 1, first: .takeTheServers)
    return try LoneDevice(store)
  }

  /// Such as `items/a: title`.
  private func lost(_ device: LoneDevice) throws -> [String] {
    try device.store.read { try LostRow.all(in: $0) }.map { entry in
      let columns = entry.row.current.keys.sorted().map(\.text).joined(separator: " ")
      return "\(entry.row.name.table.text)/\(entry.row.name.key.text): \(columns)"
    }.sorted()
  }

  private func text(_ text: String) -> ExactText { SyncValue.text(of: .text(text)) }

  @Test(
    """
    the server's values replace those that differ, also of a row that was equal once; rows that it does not have, or has deleted, go with what \
    refers to them; lost has each of them once; nothing is sent
    """)
  func takes() throws {
    let device = try self.device()
    let own = try #require(try device.row("items", "a"))
    // The server has `a` as it was, and a later title.
    let later = SyncRow(
      own.name, generation: 1, birth: own.birth, values: own.values,
      exceptions: [ExactText("title"): SyncRow.Exception(.at(9), [text("theirs")])])
    #expect(try device.pull(later, SyncRow(SyncRow.Name("items", "b"), generation: 2)) == [])
    #expect(try device.store.rows("SELECT id, title FROM items", columns: 2) == ["a theirs"])
    #expect(try device.store.rows("SELECT id FROM parts") == [] && device.store.rows("SELECT id FROM drafts") == ["da"])
    #expect(
      try lost(device) == [
        "items/a: title", "items/b: at id title", "items/c: at id title", "parts/pa: id item_id name", "parts/pb: id item_id name",
        "parts/pc: id item_id name",
      ])
    let status = device.sync.status
    #expect(status.pending == 0 && status.parked == 0 && status.lastError == nil)
    #expect(try device.store.rows("SELECT key FROM holdfast_sync_row WHERE generation & 1 = 1") == ["a"])
    #expect(try device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
  }

  @Test("a part that the server has of an item that it deleted goes as with every deletion; one that it has of another item stays")
  func known() throws {
    let device = try self.device()
    func part(_ key: String, of item: String) -> SyncRow {
      SyncRow(
        SyncRow.Name("parts", key), generation: 1, birth: .at(9),
        values: [ExactText("id"): text(key), ExactText("item_id"): text(item), ExactText("name"): text("theirs")])
    }
    let own = try #require(try device.row("items", "a"))
    let sent = try device.pull(part("pb", of: "b"), own, part("pc", of: "a"), SyncRow(SyncRow.Name("items", "b"), generation: 2))
    #expect(sent == [SyncRow(SyncRow.Name("parts", "pb"), generation: 2)])
    #expect(try device.store.rows("SELECT id, item_id FROM parts ORDER BY id", columns: 2) == ["pc a"])
    #expect(try lost(device).filter { $0.hasPrefix("parts/pb") } == ["parts/pb: name"])
  }
}
