import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// Two items with one slug cannot stand together: the one that was inserted first stands, the other is parked.
@Suite("Rows that do not sync, of items that do")
struct UnsyncedRowsTests {
  private static let first = """
    CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, slug TEXT UNIQUE) STRICT;
    CREATE TABLE drafts (
      id TEXT NOT NULL PRIMARY KEY, item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE, words INTEGER NOT NULL DEFAULT 7,
      note TEXT DEFAULT 'none') STRICT;
    CREATE TABLE draft_lines (
      draft_id TEXT NOT NULL REFERENCES drafts (id) ON DELETE CASCADE, line INTEGER NOT NULL,
      item_id TEXT REFERENCES items (id) ON DELETE CASCADE, PRIMARY KEY (draft_id, line)) STRICT, WITHOUT ROWID;
    CREATE TABLE uses (item_id TEXT REFERENCES items (id) ON DELETE SET NULL, at INTEGER NOT NULL) STRICT;
    CREATE TABLE pairs (
      one_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE, other_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE) STRICT;
    """

  private static func device(_ sql: String = "") throws -> LoneDevice {
    try LoneDevice(
      StoreSchema("items", migrations: [Migration("items/001", sql: first + sql)], declarations: [.synced("items")]))
  }

  /// - Parameter renamed: the slug that it got later.
  private static func item(_ key: String, at time: Int64, slug: String, renamed: String? = nil) -> SyncRow {
    func text(_ text: String) -> ExactText { SyncValue.text(of: .text(text)) }
    return SyncRow(
      SyncRow.Name("items", key), generation: 1, birth: .at(time), values: [ExactText("id"): text(key), ExactText("slug"): text(slug)],
      exceptions: renamed.map { [ExactText("slug"): SyncRow.Exception(.at(9), [text($0)])] } ?? [:])
  }

  /// What is in the tables that do not sync.
  private func shown(_ device: LoneDevice) throws -> [String] {
    try ["drafts", "draft_lines", "uses", "pairs"].flatMap { table -> [String] in
      let columns = table == "drafts" ? 4 : table == "draft_lines" ? 3 : 2
      return try device.store.rows("SELECT * FROM \(sql: .names([table])) ORDER BY 1, 2", columns: columns)
    }
  }

  private func lost(_ device: LoneDevice) throws -> [LostRow] { try device.store.read { try LostRow.all(in: $0) } }

  /// With an item `b`, which is parked, and drafts and uses of it.
  private func parked() throws -> LoneDevice {
    let device = try Self.device()
    try device.pull(Self.item("b", at: 2, slug: "x"))
    try device.write("INSERT INTO drafts VALUES ('d1', 'b', 3, NULL)")
    try device.write("INSERT INTO draft_lines VALUES ('d1', 1, 'b'), ('d1', 2, NULL)")
    try device.write("INSERT INTO uses VALUES ('b', 100), ('b', 100), (NULL, 300)")
    try device.pull(Self.item("a", at: 1, slug: "x"))
    #expect(try shown(device) == ["NULL 100", "NULL 100", "NULL 300"] && device.sync.status.parked == 1)
    return device
  }

  @Test("what a parked row takes along, and the references to it, come back with it, also rows of rows and columns that are NULL")
  func comeBack() throws {
    let device = try self.parked()
    try device.pull(Self.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try shown(device) == ["d1 b 3 NULL", "d1 1 b", "d1 2 NULL", "NULL 300", "b 100", "b 100"])
    #expect(try device.store.rows("SELECT id FROM holdfast_sync_aside") == [] && device.sync.status.lost == 0)
  }

  @Test("what a parked row took along goes when another device deletes the row, as it does with a row that stands")
  func deleted() throws {
    let device = try self.parked()
    try device.pull(SyncRow(SyncRow.Name("items", "b"), generation: 2))
    #expect(try shown(device) == ["NULL 100", "NULL 100", "NULL 300"])
    #expect(try device.store.rows("SELECT id FROM holdfast_sync_aside") == [] && device.sync.status.lost == 0)
  }

  @Test("a reference that a person has set meanwhile stays")
  func setMeanwhile() throws {
    let device = try self.parked()
    try device.write("UPDATE uses SET item_id = 'a' WHERE at = 100 AND rowid = 1")
    try device.pull(Self.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try device.store.rows("SELECT item_id FROM uses WHERE at = 100 ORDER BY 1") == ["a", "b"])
  }

  @Test("a kept row that a constraint refuses when it comes back is in the list of what was lost, and can be restored")
  func refused() throws {
    let device = try self.parked()
    try device.write("INSERT INTO drafts VALUES ('d1', 'a', 9, 'mine')")
    try device.pull(Self.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try device.store.rows("SELECT item_id, note FROM drafts", columns: 2) == ["a mine"])
    let entry = try #require(try lost(device).first)
    #expect(try entry.row.name == SyncRow.Name("drafts", "d1") && lost(device).count == 1)
    func restore() throws { try device.store.write { tx in try DeviceTables(device.store.schemas, in: tx).restore(entry.id, in: tx) } }
    #expect(code { try restore() } == .constraint)
    try device.write("DELETE FROM drafts")
    try restore()
    #expect(try device.store.rows("SELECT * FROM drafts", columns: 4) == ["d1 b 3 NULL"])
    #expect(try lost(device).isEmpty)
  }

  @Test("a row that refers to two parked rows waits for both")
  func twoParents() throws {
    let device = try Self.device()
    try device.pull(Self.item("b", at: 2, slug: "x"), Self.item("c", at: 2, slug: "y"))
    try device.write("INSERT INTO pairs VALUES ('b', 'c')")
    try device.pull(Self.item("a1", at: 1, slug: "x"), Self.item("a2", at: 1, slug: "y"))
    #expect(try shown(device) == [] && device.sync.status.parked == 2)
    try device.pull(Self.item("a1", at: 1, slug: "x", renamed: "p"))
    #expect(try shown(device) == [] && device.sync.status.parked == 1 && device.sync.status.lost == 0)
    try device.pull(Self.item("a2", at: 1, slug: "y", renamed: "q"))
    #expect(try shown(device) == ["b c"] && device.sync.status.parked == 0)
  }

  @Test(
    "a table that does not sync, and whose rows hold back rows that others delete, also over another table, cannot stand beside one that does"
  )
  func holdsBack() throws {
    for action in ["", "ON DELETE RESTRICT", "ON DELETE SET DEFAULT"] {
      for parent in ["items", "drafts"] {
        #expect(code { _ = try Self.device("CREATE TABLE others (parent_id TEXT REFERENCES \(parent) (id) \(action)) STRICT;") } == .misuse)
      }
    }
    // Its rows are never deleted with an item's.
    _ = try Self.device(
      "CREATE TABLE tops (id TEXT PRIMARY KEY) STRICT; CREATE TABLE others (top_id TEXT REFERENCES tops (id)) STRICT;")
  }
}
