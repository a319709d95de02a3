import Foundation
import Holdfast
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("Migrations of a synced store")
struct MigrationTests {
  /// The first version, or the second one with this migration.
  fileprivate static func schema(_ sql: String? = nil, together: [[String]] = [], here: [String: SQLValue] = [:]) -> StoreSchema {
    let first = Migration(
      "books/001",
      sql: """
        CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, pages INTEGER) STRICT;
        CREATE TABLE marks (id TEXT NOT NULL PRIMARY KEY, page INTEGER NOT NULL) STRICT;
        """)
    return StoreSchema(
      "books", migrations: [first] + (sql.map { [Migration("books/002", sql: $0)] } ?? []),
      declarations: [.synced("books", together: together, here: here), .synced("marks", whole: true)])
  }

  /// Two devices with two books and a mark.
  ///
  /// - Parameter here: of the first version's books.
  private static func world(here: [String: SQLValue] = [:]) throws -> SyncedStores {
    let world = try SyncedStores([schema(here: here), schema(here: here)])
    try world.write(0, "INSERT INTO books VALUES ('a', 'Emma', 100), ('b', 'Persuasion', 300)")
    try world.write(0, "INSERT INTO marks VALUES ('a', 7)")
    try world.settle()
    return world
  }

  private static let upper = "UPDATE books SET title = upper(title)"

  @Test("what a migration changes reaches a device that was not migrated, which has nothing to send when it runs the same one")
  func reaches() throws {
    let world = try Self.world()
    try world.migrate(0, Self.upper)
    #expect(try world.settle() == 2)
    #expect(try world.shown("SELECT title FROM books ORDER BY id") == ["EMMA", "PERSUASION"])
    try world.migrate(1, Self.upper)
    #expect(try world.settle() == 0)
    #expect(try world.registers(0) == world.registers(1))
  }

  @Test("two devices that run one migration on equal rows make equal stamps, and one of them sends the rows")
  func equalStamps() throws {
    let world = try Self.world()
    for number in 0...1 { try world.migrate(number, Self.upper + "; UPDATE marks SET page = page + 1") }
    #expect(try world.registers(0) == world.registers(1))
    #expect(try world.settle() == 3)
    #expect(try world.registers(0) == world.registers(1))
    #expect(try world.settle() == 0)
    #expect(try world.shown("SELECT page FROM marks") == ["8"])
  }

  @Test("an edit that another device made before the migration wins over the migrated value, whatever else was edited later")
  func realEdits() throws {
    let world = try Self.world()
    try world.write(1, "UPDATE books SET title = 'Mine' WHERE id = 'a'")
    try world.write(1, "UPDATE marks SET page = 50")
    try world.write(0, "UPDATE books SET pages = 5 WHERE id = 'a'")
    try world.migrate(0, Self.upper + "; UPDATE marks SET page = page + 1")
    try world.settle()
    #expect(try world.shown("SELECT title || ' ' || pages FROM books ORDER BY id") == ["Mine 5", "PERSUASION 300"])
    #expect(try world.shown("SELECT page FROM marks") == ["50"])
    #expect(try world.settle() == 0)
  }

  @Test("an edit that was made after a migration travels, and wins over the migrated value of another device")
  func laterEdit() throws {
    let world = try Self.world()
    for number in 0...1 { try world.migrate(number, Self.upper) }
    try world.write(1, "UPDATE books SET title = 'Mine' WHERE id = 'a'")
    try world.settle()
    #expect(try world.shown("SELECT title FROM books ORDER BY id") == ["Mine", "PERSUASION"])
  }

  @Test("a new column sends nothing where it is NULL or has the default of a NOT NULL column, which a new device fills in, too")
  func defaults() throws {
    let world = try Self.world()
    let sql = """
      ALTER TABLE books ADD COLUMN stars INTEGER NOT NULL DEFAULT 3; ALTER TABLE books ADD COLUMN weight REAL NOT NULL DEFAULT 1;
      ALTER TABLE books ADD COLUMN note TEXT
      """
    try world.migrate(0, sql)
    #expect(try world.settle() == 0)
    try world.migrate(1, sql)
    try world.join(Self.schema(sql))
    #expect(try world.settle() == 0)
    #expect(try world.shown("SELECT stars || ' ' || weight || coalesce(note, '') FROM books") == ["3 1.0", "3 1.0"])
  }

  @Test("a default of a column that may be NULL is sent, because a new device would have NULL")
  func defaultBesideNull() throws {
    let world = try Self.world()
    let sql = "ALTER TABLE books ADD COLUMN state TEXT DEFAULT 'new'"
    try world.migrate(0, sql)
    #expect(try world.settle() == 2)
    try world.migrate(1, sql)
    try world.join(Self.schema(sql))
    #expect(try world.settle() == 0)
    #expect(try world.shown("SELECT state FROM books") == ["new", "new"])
  }

  private static let stars = "ALTER TABLE books ADD COLUMN stars INTEGER NOT NULL DEFAULT 0; UPDATE books SET stars = 1"

  @Test("of a new column that a migration fills, the filled rows are sent")
  func filled() throws {
    let world = try Self.world()
    let sql = Self.stars + " WHERE id = 'a'"
    try world.migrate(0, sql)
    #expect(try world.settle() == 1)
    try world.migrate(1, sql)
    #expect(try world.settle() == 0)
    #expect(try world.shown("SELECT stars FROM books ORDER BY id") == ["1", "0"])
    #expect(try world.registers(0) == world.registers(1))
  }

  @Test("a migration does not replace what a device with the newer version has given the new column before")
  func givenBefore() throws {
    let world = try Self.world()
    try world.migrate(0, Self.stars)
    try world.settle()
    try world.write(0, "UPDATE books SET stars = 5 WHERE id = 'a'")
    try world.write(0, "INSERT INTO books (id, title, stars) VALUES ('c', 'Sanditon', 4)")
    try world.settle()
    try world.write(1, "UPDATE books SET title = 'Mine' WHERE id IN ('a', 'c')")
    try world.migrate(1, Self.stars)
    try world.settle()
    #expect(try world.shown("SELECT title || ' ' || stars FROM books ORDER BY id") == ["Mine 5", "Persuasion 1", "Mine 4"])
    #expect(try world.settle() == 0)
  }

  @Test("a changed value is noticed in a table that the migration makes anew")
  func rebuilt() throws {
    let world = try Self.world()
    try world.migrate(
      0,
      """
      CREATE TABLE books_new (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, pages INTEGER) STRICT;
      INSERT INTO books_new SELECT id, title, iif(id = 'a', 2 * pages, pages) FROM books;
      DROP TABLE books; ALTER TABLE books_new RENAME TO books
      """)
    #expect(try world.settle() == 1)
    #expect(try world.shown("SELECT pages FROM books ORDER BY id") == ["200", "300"])
  }

  @Test("a renamed column is a new one: its values are sent")
  func renamed() throws {
    let world = try Self.world()
    let sql = "ALTER TABLE books RENAME COLUMN pages TO length"
    try world.migrate(0, sql)
    #expect(try world.settle() == 2)
    try world.migrate(1, sql)
    #expect(try world.settle() == 0)
    #expect(try world.shown("SELECT length FROM books ORDER BY id") == ["100", "300"])
    #expect(try world.registers(0) == world.registers(1))
  }

  @Test(
    "of a column that begins to sync, the value of the device that is updated first arrives; where both are before they meet, the same one",
    arguments: [true, false])
  func beginsToSync(haveMet: Bool) throws {
    let world = try Self.world(here: ["pages": .null])
    try world.write(1, "UPDATE books SET pages = 7 WHERE id = 'b'")
    #expect(try world.settle() == 0)
    try world.migrate(0, "")
    if haveMet { #expect(try world.settle() == 2) }
    try world.migrate(1, "")
    if haveMet { #expect(try world.registers(0) == world.registers(1)) } else { try world.settle() }
    #expect(try world.settle() == 0)
    #expect(try world.shown("SELECT pages FROM books ORDER BY id") == ["100", haveMet ? "300" : "7"])
  }

  private static let further = "UPDATE marks SET page = page + 1; UPDATE books SET pages = pages + 1"

  @Test(
    "a migration that changes its own result changes twice what a device gets before its update, unless the space demands the new version")
  func twice() throws {
    for isDemanded in [false, true] {
      let world = try Self.world()
      if isDemanded { try world.server.requireSchema(2, in: "s") }
      try world.migrate(0, Self.further)
      try world.settle()
      try world.migrate(1, Self.further)
      try world.settle()
      #expect(try world.shown("SELECT pages FROM books ORDER BY id") == (isDemanded ? ["101", "301"] : ["102", "302"]))
      #expect(try world.shown("SELECT page FROM marks") == [isDemanded ? "8" : "9"])
    }
  }

  @Test("a row whose key a migration changes is deleted and inserted")
  func rekeyed() throws {
    let world = try Self.world()
    try world.migrate(0, "UPDATE books SET id = 'z' WHERE id = 'a'")
    #expect(try world.settle() == 2)
    #expect(try world.shown("SELECT id || ' ' || title FROM books ORDER BY id") == ["b Persuasion", "z Emma"])
  }

  @Test("rows that a migration has changed wait since the time of the values that it replaced")
  func waitsSince() throws {
    let world = try Self.world()
    try world.migrate(0, Self.upper)
    let oldest = try world.devices[0].store.read { reader in try StoreSync.Status(in: reader).oldestPending }
    #expect(oldest == Date(timeIntervalSince1970: 1_800_000_001))
  }

  @Test("a value that a migration changes while it joins its column to a group wins over the value that stood alone")
  func joined() throws {
    let world = try Self.world()
    try world.write(0, "UPDATE books SET title = 'zz' WHERE id = 'a'")
    try world.settle()
    for number in 0...1 {
      try world.migrate(number, Self.upper, together: [["title", "pages"]])
      try world.settle()
      #expect(try world.shown("SELECT title FROM books ORDER BY id") == ["ZZ", "PERSUASION"])
    }
    #expect(try world.settle() == 0)
  }

  @Test("a store that is not connected keeps no rows for a migration, and a connected one only while it runs")
  func cost() throws {
    let looking = "CREATE TABLE seen (name TEXT NOT NULL) STRICT; INSERT INTO seen SELECT name FROM sqlite_temp_schema"
    let world = try Self.world()
    try world.migrate(0, looking)
    let connected = world.devices[0].store
    #expect(try connected.rows("SELECT count(*) FROM seen") == ["2"])
    #expect(try connected.write { tx in try tx.count("SELECT count(*) FROM sqlite_temp_schema") } == 0)
    let url = world.folder.file("alone.sqlite")
    try Store.open(at: url, schemas: [Self.schema()], options: .testing).close()
    let alone = try Store.open(at: url, schemas: [Self.schema(looking)], options: .testing)
    #expect(try alone.rows("SELECT count(*) FROM seen") == ["0"])
  }

  @Test("where a migration fails, a store that syncs offers no snapshot, whose restoring is refused; the version before goes on with it")
  func offersNoSnapshot() throws {
    let world = try Self.world()
    let (file, schema) = (world.folder.file("0.sqlite"), Self.schema("DELETE FROM books WHERE id = 'b'"))
    try world.devices[0].store.close()
    let failed = try Store.open(at: file, schemas: [schema], options: .testing)
    let snapshot = try #require(try failed.snapshots().first)
    #expect(failed.openingError?.code == .migrationLostRows && failed.openingError?.recoveryOptions == [.openReadOnly])
    try failed.close()
    #expect(code { try Store.restore(at: file, snapshot: snapshot.id, options: .testing) } == .misuse)
    try world.migrate(0, nil)
    try world.write(0, "UPDATE books SET title = 'Mine' WHERE id = 'a'")
    #expect(try world.settle() == 1)
  }

  @Test("a migration that is rolled back stamps nothing")
  func rolledBack() throws {
    let world = try Self.world()
    let registers = try world.registers(0)
    try world.devices[0].store.close()
    let sql = Self.upper + "; DELETE FROM books WHERE id = 'b'"
    let failed = try Store.open(at: world.folder.file("0.sqlite"), schemas: [Self.schema(sql)], options: .testing)
    #expect(failed.openingError?.code == .migrationLostRows)
    try failed.close()
    try world.migrate(0, nil)
    #expect(try world.registers(0) == registers)
    #expect(try world.settle() == 0)
    #expect(try world.shown("SELECT title FROM books ORDER BY id") == ["Emma", "Persuasion"])
  }
}

extension SyncedStores {
  /// Opens a device's store with this migration; nil: with the first version.
  fileprivate func migrate(_ number: Int, _ sql: String?, together: [[String]] = []) throws {
    try reopen(number, MigrationTests.schema(sql, together: together))
  }

  /// The stamps and states of all rows of a device.
  fileprivate func registers(_ number: Int) throws -> [String] {
    let store = devices[number].store
    return try store.rows("SELECT tbl, key, generation, hlc, node, dirty FROM holdfast_sync_row", columns: 6)
      + store.rows("SELECT tbl, key, grp, hlc, node FROM holdfast_sync_cell", columns: 5)
  }
}
