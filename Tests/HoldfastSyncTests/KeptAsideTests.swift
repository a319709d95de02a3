import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("What is kept beside the tables")
struct KeptAsideTests {
  private static func schema(_ sql: String) -> StoreSchema {
    StoreSchema(
      "items", migrations: [Migration("items/001", sql: sql)], declarations: [.synced("items", here: ["file": .text("none")])])
  }

  private static func item(_ key: String, at time: Int64, slug: String, later: [ExactText: SyncRow.Exception] = [:]) -> SyncRow {
    SyncRow(
      SyncRow.Name("items", key), generation: 1, birth: .at(time),
      values: [ExactText("id"): SyncValue.text(of: .text(key)), ExactText("slug"): SyncValue.text(of: .text(slug))], exceptions: later)
  }

  @Test(
    "a parked row comes back with its columns that stay on this device, also where they are NULL and the declaration says another value")
  func hereOfParked() throws {
    let device = try LoneDevice(
      Self.schema("CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, slug TEXT UNIQUE, file TEXT) STRICT"))
    try device.pull(Self.item("b", at: 2, slug: "x"))
    try device.write("UPDATE items SET file = NULL")
    try device.pull(Self.item("a", at: 1, slug: "x"))
    #expect(try device.store.rows("SELECT id, file FROM items", columns: 2) == ["a none"] && device.sync.status.parked == 1)
    let renamed = SyncRow.Exception(.at(3), [SyncValue.text(of: .text("y"))])
    try device.pull(Self.item("a", at: 1, slug: "x", later: [ExactText("slug"): renamed]))
    #expect(try device.store.rows("SELECT id, slug, file FROM items ORDER BY id", columns: 3) == ["a y none", "b x NULL"])
  }

  @Test("a row without a column that the condition of a unique index names, and that cannot be NULL, is parked; others arrive")
  func conditionOfUnknown() throws {
    let device = try LoneDevice(
      Self.schema(
        """
        CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, slug TEXT, file TEXT, hidden INTEGER NOT NULL) STRICT;
        CREATE UNIQUE INDEX items_by_slug ON items (slug) WHERE hidden = 0;
        """))
    var whole = Self.item("b", at: 2, slug: "x")
    whole.values[ExactText("hidden")] = ExactText("0")
    try device.pull(Self.item("a", at: 1, slug: "x"), whole)
    #expect(try device.store.rows("SELECT id FROM items") == ["b"])
    #expect(device.sync.status.parked == 1 && device.sync.status.lastError == nil)
  }

  @Test("a unique index with a condition on a generated column cannot be synced")
  func conditionOnGenerated() {
    let schema = Self.schema(
      """
      CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, slug TEXT, file TEXT, size INTEGER GENERATED ALWAYS AS (length(slug))) STRICT;
      CREATE UNIQUE INDEX items_by_slug ON items (slug) WHERE size > 3;
      """)
    #expect(code { _ = try LoneDevice(schema) } == .misuse)
  }

  @Test("lost values of a column that this version does not know are not restored, and stay in the list")
  func unknownColumn() async throws {
    let (store, sync) = try await SyncedNotes().device()
    try store.add("n1")
    let values = [ExactText("title"): ExactText("\"mine\""), ExactText("mood"): ExactText("\"glad\"")]
    let line = SyncRow(SyncRow.Name("notes", "n1"), generation: 1, birth: .at(1), values: values).line
    try store.edit("INSERT INTO holdfast_sync_lost VALUES (9, 0, 'notes', 'n1', \(line), '')")
    let lost = try #require(try sync.lost().first)
    #expect(code { try sync.restore(lost) } == .newerSchema)
    #expect(try sync.lost() == [lost] && store.notes() == ["n1 old"])
  }
}
