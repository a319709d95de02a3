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

  private static let plain = schema("CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, slug TEXT UNIQUE, file TEXT) STRICT")

  @Test(
    "a parked row comes back with its columns that stay on this device, also where they are NULL and the declaration says another value")
  func hereOfParked() throws {
    let device = try LoneDevice(Self.plain)
    try device.pull(.item("b", at: 2, slug: "x"))
    try device.write("UPDATE items SET file = NULL")
    try device.pull(.item("a", at: 1, slug: "x"))
    #expect(try device.store.rows("SELECT id, file FROM items", columns: 2) == ["a none"] && device.sync.status.parked == 1)
    try device.pull(.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try device.store.rows("SELECT id, slug, file FROM items ORDER BY id", columns: 3) == ["a y none", "b x NULL"])
  }

  /// With a parked row `b`, which has the slug `x` and the file `f`.
  private static func parked() throws -> LoneDevice {
    let device = try LoneDevice(plain)
    try device.pull(.item("b", at: 2, slug: "x"))
    try device.write("UPDATE items SET file = 'f'")
    try device.pull(.item("a", at: 1, slug: "x"))
    try device.write("UPDATE items SET slug = 'y'")
    return device
  }

  @Test(
    "a person writes a row with the key of a parked one: what differs is in the list of what was lost, once; nothing where they are equal",
    arguments: [
      (["INSERT INTO items VALUES ('b', 'x', 'f')"], []), (["INSERT INTO items VALUES ('b', 'x', 'g')"], ["file: \"f\""]),
      (["INSERT INTO items VALUES ('b', 'z', NULL)"], ["file: \"f\", slug: \"x\""]),
      (["INSERT INTO items VALUES ('b', 'z', 'g')", "DELETE FROM items WHERE id = 'b'"], ["file: \"f\", id: \"b\", slug: \"x\""]),
    ] as [([String], [String])])
  func keyOfParked(edits: [String], lost: [String]) throws {
    let device = try Self.parked()
    for sql in edits { try device.write(BoundSQL(raw: sql)) }
    for _ in 1...2 { try device.pull() }
    #expect(try device.lostValues() == lost && device.sync.status.parked == 0)
  }

  @Test("the same where another device deletes the row before the parked content was looked at: both contents are in the list")
  func deletedBefore() throws {
    let device = try Self.parked()
    try device.write("INSERT INTO items VALUES ('b', 'z', 'g')")
    try device.pull(.deleted("items", "b"))
    #expect(try device.lostValues() == ["file: \"f\", slug: \"x\"", "file: \"g\", id: \"b\", slug: \"z\""])
    #expect(try device.store.rows("SELECT id FROM items") == ["a"] && device.sync.status.parked == 0)
  }

  @Test("lost content is restored with its columns that stay on this device")
  func restoresHere() throws {
    let device = try Self.parked()
    try device.write("INSERT INTO items VALUES ('b', 'z', 'g')")
    try device.pull()
    let id = try #require(try device.lost().first?.id)
    try device.store.write { tx in try DeviceTables(device.store.schemas, in: tx).restore(id, in: tx) }
    #expect(try device.store.rows("SELECT slug, file FROM items WHERE id = 'b'", columns: 2) == ["x f"] && device.lostValues() == [])
  }

  @Test("a row without a column that the condition of a unique index names, and that cannot be NULL, is parked; others arrive")
  func conditionOfUnknown() throws {
    let device = try LoneDevice(
      Self.schema(
        """
        CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, slug TEXT, file TEXT, hidden INTEGER NOT NULL) STRICT;
        CREATE UNIQUE INDEX items_by_slug ON items (slug) WHERE hidden = 0;
        """))
    var whole = SyncRow.item("b", at: 2, slug: "x")
    whole.values[ExactText("hidden")] = ExactText("0")
    try device.pull(.item("a", at: 1, slug: "x"), whole)
    #expect(try device.store.rows("SELECT id FROM items") == ["b"])
    #expect(device.sync.status.parked == 1 && device.sync.status.lastError == nil)
  }

  @Test("a parked row is not migrated: it comes back as it was")
  func migrated() throws {
    let folder = try TemporaryFolder()
    let old = try LoneDevice(folder.store([Self.plain]))
    try old.pull(.item("a", at: 1, slug: "x"), .item("b", at: 2, slug: "x"))
    try old.store.close()
    let upper = Migration("items/002", sql: "UPDATE items SET slug = upper(slug)")
    let schema = StoreSchema("items", migrations: Self.plain.migrations + [upper], declarations: Self.plain.declarations)
    let device = try LoneDevice(folder.store([schema]))
    try device.pull()
    #expect(try device.store.rows("SELECT id, slug FROM items ORDER BY id", columns: 2) == ["a X", "b x"])
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

  private static func labelled(_ onUpdate: String) throws -> LoneDevice {
    try LoneDevice(
      """
      CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, slug TEXT UNIQUE) STRICT;
      CREATE TABLE labels (id TEXT NOT NULL PRIMARY KEY, slug TEXT REFERENCES items (slug) \(onUpdate)) STRICT;
      """, syncing: "items", "labels")
  }

  @Test(
    "a row that refers to a value which another device has changed is parked until some row has that value; the change arrives",
    arguments: ["", "ON UPDATE RESTRICT"])
  func changedParent(_ onUpdate: String) throws {
    func renamed(_ slug: String, at time: Int64) -> SyncRow {
      .texts("items", "a", ["slug": "x"], later: ["slug": (time, slug)])
    }
    let device = try Self.labelled(onUpdate)
    try device.pull(.item("a", at: 1, slug: "x"))
    try device.write("INSERT INTO labels VALUES ('l', 'x')")
    try device.pull(renamed("y", at: 2))
    #expect(try device.store.rows("SELECT slug FROM items UNION ALL SELECT slug FROM labels") == ["y"])
    #expect(device.sync.status.parked == 1 && device.sync.status.lastError == nil)
    try device.pull(renamed("x", at: 3))
    #expect(try device.store.rows("SELECT slug FROM items UNION ALL SELECT slug FROM labels") == ["x", "x"])
  }

  @Test("a table cannot sync in which SQLite would change rows whenever another device changes the value to which they refer")
  func changesAlong() {
    for action in ["CASCADE", "SET NULL", "SET DEFAULT"] { #expect(code { _ = try Self.labelled("ON UPDATE \(action)") } == .misuse) }
  }

  @Test("lost values of a column that this version does not know are not restored, and stay in the list")
  func unknownColumn() async throws {
    let (store, sync) = try await SyncedNotes().device()
    try store.add("n1")
    let values: RowValues = [ExactText("title"): ExactText("\"mine\""), ExactText("mood"): ExactText("\"glad\"")]
    let line = SyncRow(SyncRow.Name("notes", "n1"), generation: 1, birth: .at(1), values: values).line
    try store.edit("INSERT INTO holdfast_sync_lost VALUES (9, 0, 'notes', 'n1', \(line), '')")
    let lost = try #require(try sync.lost().first)
    #expect(code { try sync.restore(lost) } == .newerSchema)
    #expect(try sync.lost() == [lost] && store.notes() == ["n1 old"])
  }
}
