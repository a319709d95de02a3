import Foundation
import GRDB
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Migrations that cannot lose a row")
struct MigrationGuardTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.shipShelves()
  }

  private func schema(_ migration: Migration) -> StoreSchema { StoreSchema("shelves", migrations: [Shelves.v1, migration]) }

  private static let rebuild = """
    CREATE TABLE shelves_new (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
    INSERT INTO shelves_new SELECT id, name, created_at FROM shelves;
    DROP TABLE shelves;
    ALTER TABLE shelves_new RENAME TO shelves;
    """

  @Test("with foreign keys on, rebuilding a parent deletes its children, and no check of SQLite's finds it")
  func theTrap() throws {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE shelves (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
          CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY, shelf_id TEXT REFERENCES shelves (id) ON DELETE CASCADE) STRICT;
          INSERT INTO shelves VALUES ('s', 'shelf', 1);
          INSERT INTO books VALUES ('b', 's');
          """)
      try db.execute(sql: Self.rebuild)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM books") == 0)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      #expect(try String.fetchAll(db, sql: "PRAGMA foreign_key_check") == [])
    }
    try queue.close()
  }

  @Test("a parent that is rebuilt the naive way keeps its children")
  func cascadeTrap() throws {
    let store = try folder.store([schema(Migration("shelves/002-rebuild", sql: Self.rebuild))])
    #expect(try store.titles().count == 3)
    #expect(try store.integrityCheck().findings == [])
    #expect(try store.write { tx in try tx.count("PRAGMA foreign_keys") } == 1)
    #expect(failure { try store.write { tx in try tx.insert(Book("orphan", number: 9, on: 9)) } }?.code == .constraint)
  }

  @Test("a parent that is renamed away and dropped leaves children that point at nothing, which is refused")
  func renamedAway() throws {
    let sql = """
      ALTER TABLE shelves RENAME TO shelves_old;
      CREATE TABLE shelves (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
      INSERT INTO shelves SELECT * FROM shelves_old;
      DROP TABLE shelves_old;
      """
    #expect(migrationError(schema(Migration("shelves/002", sql: sql)), in: folder)?.code == .migrationFailed)
    try folder.store([Shelves.schema]).write { tx in _ = try tx.execute("DELETE FROM books") }
    let error = migrationError(schema(Migration("shelves/002", sql: sql)), in: folder)
    #expect(error?.code == .migrationFailed)
    #expect(error?.message.contains("books → shelves_old") == true)
  }

  @Test(
    "a migration that loses rows says so or is refused, and everything is as before",
    arguments: [
      "DELETE FROM books WHERE title = 'book 1'",
      "DROP TABLE books_search; DROP TABLE books",
    ])
  func lostRows(_ sql: String) throws {
    let error = migrationError(schema(Migration("shelves/002-loses", sql: sql)), in: folder)
    #expect(error?.code == .migrationLostRows)
    #expect(error?.table == "books")
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 3)
    try store.close()
    let declared = try folder.store([schema(Migration("shelves/002-loses", sql: sql, losesRowsOf: ["books"]))])
    #expect(declared.access == .readWrite)
  }

  @Test("a table that is renamed is compared under its new name, and a loss is found there too")
  func renames() throws {
    let rename = "ALTER TABLE books RENAME TO volumes"
    let undeclared = migrationError(schema(Migration("shelves/002", sql: rename)), in: folder)
    #expect(undeclared?.code == .migrationLostRows)
    let losing = Migration("shelves/002", sql: rename + "; DELETE FROM volumes", renames: ["books": "volumes"])
    #expect(migrationError(schema(losing), in: folder)?.table == "volumes")
    let store = try folder.store([schema(Migration("shelves/002", sql: rename, renames: ["books": "volumes"]))])
    #expect(try store.count("volumes") == 3)
  }

  @Test("a migration that leaves rows pointing at nothing is refused")
  func dangling() throws {
    let sql = "UPDATE books SET shelf_id = 'nowhere' WHERE title = 'book 1'"
    let error = migrationError(schema(Migration("shelves/002", sql: sql)), in: folder)
    #expect(error?.code == .migrationFailed)
    #expect(error?.message.contains("1 rows would point at rows that are gone, the first in books") == true)
  }

  @Test("a file whose schema is not what its migrations made is not migrated further")
  func drift() throws {
    try RawDatabase.with(folder.file("store.sqlite")) { try $0.execute("ALTER TABLE books ADD COLUMN sneaked TEXT") }
    let error = migrationError(schema(Migration("shelves/002", sql: "CREATE INDEX by_title ON books (title)")), in: folder)
    #expect(error?.code == .migrationFailed)
    #expect(error?.message.contains("table books is not as declared") == true)
  }

  @Test("triggers and tables of others do not stand in the way")
  func othersObjects() throws {
    let watching = "CREATE TABLE log (id TEXT); CREATE TRIGGER watch AFTER INSERT ON books BEGIN INSERT INTO log VALUES (new.id); END"
    try RawDatabase.with(folder.file("store.sqlite")) { try $0.execute(watching) }
    #expect(try folder.store([schema(Migration("shelves/002", sql: "CREATE INDEX by_title ON books (title)"))]).access == .readWrite)
  }

  @Test("nothing is begun when the volume has no room for the snapshot")
  func freeSpace() throws {
    // The check reads the sizes of the file and its volume; a sparse file is long without taking space.
    let store = try folder.store([Shelves.schema])
    let handle = try FileHandle(forWritingTo: folder.file("store.sqlite-wal"))
    try handle.truncate(atOffset: 1 << 42)
    #expect(failure { try store.vacuum() }?.code == .diskFull)
    try handle.truncate(atOffset: 0)
    try handle.close()
  }
}
