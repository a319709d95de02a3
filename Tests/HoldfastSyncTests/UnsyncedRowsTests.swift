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

  private static func schema(_ sql: String = "") -> StoreSchema {
    StoreSchema("items", migrations: [Migration("items/001", sql: first + sql)], declarations: [.synced("items")])
  }

  private static func device(_ sql: String = "") throws -> LoneDevice { try LoneDevice(schema(sql)) }

  /// What is in the tables that do not sync.
  private func shown(_ device: LoneDevice) throws -> [String] {
    try ["drafts", "draft_lines", "uses", "pairs"].flatMap { table -> [String] in
      let columns = table == "drafts" ? 4 : table == "draft_lines" ? 3 : 2
      return try device.store.rows("SELECT * FROM \(sql: .names([table])) ORDER BY 1, 2", columns: columns)
    }
  }

  /// With an item `b`, which is parked, and drafts and uses of it.
  private func parked() throws -> LoneDevice {
    let device = try Self.device()
    try park(device)
    return device
  }

  private func park(_ device: LoneDevice) throws {
    try device.pull(.item("b", at: 2, slug: "x"))
    try device.write("INSERT INTO drafts VALUES ('d1', 'b', 3, NULL)")
    try device.write("INSERT INTO draft_lines VALUES ('d1', 1, 'b'), ('d1', 2, NULL)")
    try device.write("INSERT INTO uses VALUES ('b', 100), ('b', 100), (NULL, 300)")
    try device.pull(.item("a", at: 1, slug: "x"))
    #expect(try shown(device) == ["NULL 100", "NULL 100", "NULL 300"] && device.sync.status.parked == 1)
  }

  @Test("what a parked row takes along, and the references to it, come back with it, also rows of rows and columns that are NULL")
  func comeBack() throws {
    let device = try self.parked()
    try device.pull(.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try shown(device) == ["d1 b 3 NULL", "d1 1 b", "d1 2 NULL", "NULL 300", "b 100", "b 100"])
    #expect(try device.store.rows("SELECT id FROM holdfast_sync_aside") == [] && device.sync.status.lost == 0)
  }

  @Test("what a parked row took along goes when another device deletes the row, as it does with a row that stands")
  func deleted() throws {
    let device = try self.parked()
    try device.pull(.deleted("items", "b"))
    #expect(try shown(device) == ["NULL 100", "NULL 100", "NULL 300"])
    #expect(try device.store.rows("SELECT id FROM holdfast_sync_aside") == [] && device.sync.status.lost == 0)
  }

  @Test("a rewind to a moment at which an item was parked keeps again what was kept beside it then, and the rewind's label puts it back")
  func rewound() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    var options = StoreOptions.testing
    options.archive.mode = .begins
    let device = try LoneDevice(folder.store([Self.schema()], options: options))
    _ = try device.store.archive()
    try park(device)
    try device.store.label("here")
    try device.pull(.item("a", at: 1, slug: "x", renamed: "y"))
    let all = ["d1 b 3 NULL", "d1 1 b", "d1 2 NULL", "NULL 300", "b 100", "b 100"]
    #expect(try shown(device) == all)
    let undo = try device.store.rewind(to: .label("here")).undo
    try device.pull()
    #expect(try shown(device) == ["NULL 100", "NULL 100", "NULL 300"] && device.sync.status.parked == 1)
    let again = try device.store.rewind(to: .label(undo)).undo
    try device.pull()
    #expect(try shown(device) == all && device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
    _ = try device.store.rewind(to: .label(again))
    try device.write("UPDATE items SET slug = 'z' WHERE id = 'a'")
    try device.pull()
    #expect(try shown(device) == all && device.sync.status.parked == 0 && device.sync.status.lost == 0)
  }

  @Test("a reference that a person has set meanwhile stays")
  func setMeanwhile() throws {
    let device = try self.parked()
    try device.write("UPDATE uses SET item_id = 'a' WHERE at = 100 AND rowid = 1")
    try device.pull(.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try device.store.rows("SELECT item_id FROM uses WHERE at = 100 ORDER BY 1") == ["a", "b"])
  }

  @Test("a kept row that a constraint refuses when it comes back is in the list of what was lost, and can be restored")
  func refused() throws {
    let device = try self.parked()
    try device.write("INSERT INTO drafts VALUES ('d1', 'a', 9, 'mine')")
    try device.pull(.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try device.store.rows("SELECT item_id, note FROM drafts", columns: 2) == ["a mine"])
    let entry = try #require(try device.lost().first)
    #expect(try entry.row.name == SyncRow.Name("drafts", "d1") && device.lost().count == 1)
    func restore() throws { try device.store.write { tx in try DeviceTables(device.store.schemas, in: tx).restore(entry.id, in: tx) } }
    #expect(code { try restore() } == .constraint)
    try device.write("DELETE FROM drafts")
    try restore()
    #expect(try device.store.rows("SELECT * FROM drafts", columns: 4) == ["d1 b 3 NULL"])
    #expect(try device.lost().isEmpty)
  }

  @Test("a row that refers to two parked rows waits for both")
  func twoParents() throws {
    let device = try Self.device()
    try device.pull(.item("b", at: 2, slug: "x"), .item("c", at: 2, slug: "y"))
    try device.write("INSERT INTO pairs VALUES ('b', 'c')")
    try device.pull(.item("a1", at: 1, slug: "x"), .item("a2", at: 1, slug: "y"))
    #expect(try shown(device) == [] && device.sync.status.parked == 2)
    try device.pull(.item("a1", at: 1, slug: "x", renamed: "p"))
    #expect(try shown(device) == [] && device.sync.status.parked == 1 && device.sync.status.lost == 0)
    try device.pull(.item("a2", at: 1, slug: "y", renamed: "q"))
    #expect(try shown(device) == ["b c"] && device.sync.status.parked == 0)
  }

  /// With `b` and `c`, of the slugs `x` and `y`; `a1` and `a2` take these, and give them back.
  private static let letters = """
    CREATE TABLE letters (
      id TEXT NOT NULL PRIMARY KEY, item_id TEXT REFERENCES items (id) ON DELETE CASCADE,
      friend_id TEXT REFERENCES items (id) ON DELETE SET NULL) STRICT;
    """

  private static func withLetter() throws -> LoneDevice {
    let device = try Self.device(letters)
    try device.pull(.item("b", at: 2, slug: "x"), .item("c", at: 2, slug: "y"))
    try device.write("INSERT INTO letters VALUES ('l', 'b', 'c')")
    return device
  }

  private static let parksB = SyncRow.item("a1", at: 1, slug: "x")
  private static let parksC = SyncRow.item("a2", at: 1, slug: "y")
  private static let bringsB = SyncRow.item("a1", at: 1, slug: "x", renamed: "p")
  private static let bringsC = SyncRow.item("a2", at: 1, slug: "y", renamed: "q")

  private func letters(_ device: LoneDevice) throws -> [String] { try device.store.rows("SELECT * FROM letters", columns: 3) }

  @Test("a kept row whose SET NULL refers to another parked row comes back before that one, which it gets when that comes back")
  func friendComesLater() throws {
    let device = try Self.withLetter()
    for row in [Self.parksB, Self.parksC, Self.bringsB] { try device.pull(row) }
    #expect(try letters(device) == ["l b NULL"])
    try device.pull(Self.bringsC)
    #expect(try letters(device) == ["l b c"] && device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
  }

  @Test("a kept row whose SET NULL refers to a row that was deleted comes back without it", arguments: [false, true])
  func friendDeleted(_ first: Bool) throws {
    let device = try Self.withLetter()
    let deletesC = SyncRow.deleted("items", "c")
    for row in [Self.parksB, Self.parksC] + (first ? [deletesC, Self.bringsB] : [Self.bringsB, deletesC]) { try device.pull(row) }
    #expect(try letters(device) == ["l b NULL"] && device.sync.status.lost == 0)
    #expect(try device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
  }

  @Test("a reference that was kept before its row was kept comes back, whichever comes back first", arguments: [false, true])
  func friendWentFirst(_ friendFirst: Bool) throws {
    let device = try Self.withLetter()
    for row in [Self.parksC, Self.parksB] + (friendFirst ? [Self.bringsC, Self.bringsB] : [Self.bringsB, Self.bringsC]) {
      try device.pull(row)
    }
    #expect(try letters(device) == ["l b c"] && device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
  }

  @Test("of two references of one row that are kept the later one comes back")
  func laterFriend() throws {
    let device = try Self.withLetter()
    try device.write("UPDATE letters SET item_id = NULL")
    try device.pull(Self.parksC)
    try device.write("UPDATE letters SET friend_id = 'b'")
    for row in [Self.parksB, Self.bringsC] { try device.pull(row) }
    #expect(try letters(device) == ["l NULL NULL"])
    try device.pull(Self.bringsB)
    #expect(try letters(device) == ["l NULL b"] && device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
  }

  @Test("a row of a kept row that went with another parked row waits for both")
  func rowOfKeptRow() throws {
    let device = try Self.device()
    try device.pull(.item("b", at: 2, slug: "x"), .item("c", at: 2, slug: "y"))
    try device.write("INSERT INTO drafts VALUES ('d1', 'b', 3, NULL)")
    try device.write("INSERT INTO draft_lines VALUES ('d1', 1, 'c')")
    for row in [Self.parksC, Self.parksB, Self.bringsC] { try device.pull(row) }
    #expect(try shown(device) == [] && device.sync.status.lost == 0)
    try device.pull(Self.bringsB)
    #expect(try shown(device) == ["d1 b 3 NULL", "d1 1 c"] && device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
  }

  @Test("a kept row comes back into a table that has got a column since, which cannot be NULL: it has its default")
  func newColumn() throws {
    let device = try self.parked()
    try device.write("ALTER TABLE drafts ADD COLUMN stars INTEGER NOT NULL DEFAULT 5")
    try LoneDevice(device.store).pull(.item("a", at: 1, slug: "x", renamed: "y"))
    #expect(try device.store.rows("SELECT id, note, stars FROM drafts", columns: 3) == ["d1 NULL 5"] && device.lost().isEmpty)
  }

  @Test("of rows without a key that are equal while their references are kept, each gets its own again")
  func equalRows() throws {
    let device = try Self.device()
    try device.pull(.item("b", at: 2, slug: "x"))
    try device.write("INSERT INTO uses VALUES (NULL, 100), ('b', 100)")
    for row in [Self.parksB, Self.bringsB] { try device.pull(row) }
    #expect(try device.store.rows("SELECT item_id FROM uses ORDER BY rowid") == ["NULL", "b"])
  }

  @Test("a kept row without a key that is in its table again, as after a rewind, is not put back a second time")
  func standsAlready() throws {
    let device = try Self.device()
    try device.pull(.item("b", at: 2, slug: "x"), .item("c", at: 2, slug: "y"))
    try device.write("INSERT INTO pairs VALUES ('b', 'c')")
    try device.pull(Self.parksB)
    try device.write("INSERT INTO items VALUES ('b', 'z')")
    try device.write("INSERT INTO pairs VALUES ('b', 'c')")
    try device.pull()
    #expect(try shown(device) == ["b c"] && device.store.rows("SELECT id FROM holdfast_sync_aside") == [])
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
    // Without a NULL to set, a deletion fails.
    let noNull = "CREATE TABLE others (parent_id TEXT NOT NULL REFERENCES items (id) ON DELETE SET NULL) STRICT;"
    #expect(code { _ = try Self.device(noNull) } == .misuse)
    // Its rows are never deleted with an item's.
    _ = try Self.device(
      "CREATE TABLE tops (id TEXT PRIMARY KEY) STRICT; CREATE TABLE others (top_id TEXT REFERENCES tops (id)) STRICT;")
  }

  @Test(
    "a table that does not sync cannot hold back what others change: it refers to the key, or the foreign key says what becomes of its rows"
  )
  func holdsChangesBack() throws {
    func device(_ column: String, _ parent: String, _ more: String = "") throws -> LoneDevice {
      try Self.device("CREATE TABLE others (slug TEXT UNIQUE \(column) REFERENCES \(parent) ON DELETE CASCADE \(more)) STRICT;")
    }
    for action in ["", "ON UPDATE RESTRICT", "ON UPDATE SET DEFAULT"] {
      #expect(code { _ = try device("", "items (Slug)", action) } == .misuse)
    }
    #expect(code { _ = try device("NOT NULL", "items (slug)", "ON UPDATE SET NULL") } == .misuse)
    _ = try device("", "items (slug)", "ON UPDATE SET NULL")
    _ = try device("", "items (id)", "ON UPDATE RESTRICT")
    // Its own rows change with an item's.
    let over = "ON UPDATE CASCADE) STRICT; CREATE TABLE ends (slug TEXT REFERENCES others (slug) ON DELETE CASCADE"
    #expect(code { _ = try device("", "items (slug)", over) } == .misuse)
    let changed = try device("", "items (slug)", over + " ON UPDATE CASCADE")
    try changed.pull(.item("b", at: 2, slug: "x"))
    try changed.write("INSERT INTO others VALUES ('x')")
    try changed.write("INSERT INTO ends VALUES ('x')")
    try changed.pull(.item("b", at: 2, slug: "x", renamed: "y"))
    #expect(try changed.store.rows("SELECT slug FROM others UNION ALL SELECT slug FROM ends") == ["y", "y"])
  }

  @Test("a table cannot sync whose rows would go with rows that do not, while an item is parked")
  func goesAlong() {
    let lines = "CREATE TABLE lines (id TEXT NOT NULL PRIMARY KEY, draft_id TEXT REFERENCES drafts (id) ON DELETE CASCADE) STRICT;"
    let schema = StoreSchema(
      "items", migrations: [Migration("items/001", sql: Self.first + lines)], declarations: [.synced("items"), .synced("lines")])
    #expect(code { _ = try LoneDevice(schema) } == .misuse)
  }
}
