import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A migration never shuts people out")
struct StrandedTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = try folder.shipShelves()
  }

  private static let adding = Shelves.next("ALTER TABLE shelves ADD COLUMN colour TEXT", name: "shelves/002-colour")

  @Test("a row that dangled before does not stop a migration, and its snapshot says what it found")
  func danglingBefore() throws {
    try RawDatabase.with(url) { try $0.execute("PRAGMA foreign_keys = OFF; UPDATE books SET shelf_id = 'gone' WHERE title = 'book 1'") }
    let store = try folder.store([Self.adding])
    #expect(store.access == .readWrite)
    let snapshot = try #require(try store.snapshots().first)
    #expect(snapshot.isAutomatic)
    #expect(snapshot.findings.count == 1)
    try store.restore(snapshot: snapshot.id)
    #expect(try store.titles().count == 3)
  }

  @Test("a migration that makes a row dangle is rolled back, also where others dangled before")
  func danglingAfter() throws {
    try RawDatabase.with(url) { try $0.execute("PRAGMA foreign_keys = OFF; UPDATE books SET shelf_id = 'gone' WHERE title = 'book 1'") }
    let breaking = Shelves.next("UPDATE books SET shelf_id = 'gone'")
    let store = try folder.store([breaking])
    #expect(store.openingError?.code == .migrationFailed)
    #expect(try store.read { try $0.count("SELECT count(*) FROM books WHERE shelf_id = 'gone'") } == 1)
  }

  @Test("a migration that fails at every opening needs one snapshot")
  func failsEveryTime() throws {
    let failing = Shelves.next("CREATE UNIQUE INDEX one ON books (shelf_id)")
    for _ in 0..<6 {
      let store = try folder.store([failing])
      #expect(store.openingError?.code == .migrationFailed)
      try store.close()
    }
    #expect(try Snapshot.all(of: url).count == 1)
  }

  @Test("of the kit's own snapshots the newest five stay, and every one that somebody asked for")
  func rotation() throws {
    let store = try folder.store([Shelves.schema])
    let mine = try store.snapshot(label: "mine")
    for shelf in 2..<10 {
      try store.fill(shelf: shelf)
      try store.restore(snapshot: mine.id)
    }
    // A restore removes none.
    #expect(try store.snapshots().count == 9)
    try store.fill(shelf: 10)
    _ = try Snapshot.make(StoreFiles(url), label: "before more", isAutomatic: true, .testing)
    let labels = try store.snapshots().map(\.label)
    #expect(labels.filter { $0.hasPrefix("before") }.count == 5)
    #expect(labels.contains("mine"))
    #expect(try folder.contents().filter { $0.hasSuffix(".sqlite") && $0.contains("snapshots") }.count == 6)
  }

  @Test("what is replaced stays, although the clock was set back and five of the kit's snapshots seem newer")
  func clockSetBack() throws {
    var options = StoreOptions.testing
    options.now = { Date(timeIntervalSince1970: 1_900_000_000) }
    var store = try folder.store([Shelves.schema], options: options)
    let mine = try store.snapshot(label: "mine")
    for shelf in 2..<8 {
      try store.fill(shelf: shelf)
      try store.restore(snapshot: mine.id)
    }
    try store.close()
    options.now = { Date(timeIntervalSince1970: 1_800_000_000) }
    store = try folder.store([Shelves.schema], options: options)
    try store.fill(shelf: 9)
    let titles = try store.titles()
    let replaced = try store.restore(snapshot: mine.id)
    try store.restore(snapshot: replaced.id)
    #expect(try store.titles() == titles)
  }

  @Test("a snapshot that is damaged is not taken for the one that is needed now", arguments: [0, 60_000])
  func damagedIsNotReused(_ length: Int) throws {
    let store = try folder.store([Shelves.schema])
    let mine = try store.snapshot(label: "mine")
    try store.fill(shelf: 2)
    let titles = try store.titles()
    let same = try store.snapshot(label: "same")
    let file = folder.file("store.sqlite.holdfast/snapshots/\(same.id).sqlite")
    try Data(contentsOf: file).prefix(length).write(to: file)
    let replaced = try store.restore(snapshot: mine.id)
    #expect(replaced.id != same.id)
    try store.restore(snapshot: replaced.id)
    #expect(try store.titles() == titles)
  }

  @Test(
    "declarations that only an older SQLite wrote otherwise are the same",
    arguments: [
      "CREATE TABLE \"shelves\" (`id` TEXT NOT NULL PRIMARY KEY, [name] TEXT NOT NULL UNIQUE, \"created_at\" integer NOT NULL) strict",
      "create table shelves (id text not null primary key, name text not null unique, /* x */ created_at INTEGER NOT NULL) STRICT",
    ])
  func rewritten(_ sql: String) throws {
    try RawDatabase.with(url) { raw in
      try raw.execute(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(sql.replacingOccurrences(of: "'", with: "''"))' WHERE name = 'shelves'"
      )
    }
    let store = try folder.store([Shelves.schema])
    #expect(try store.integrityCheck().findings == [])
    try store.close()
    let migrated = try folder.store([Self.adding])
    #expect(migrated.access == .readWrite)
  }

  @Test(
    "declarations that differ in a constraint or a text are not the same",
    arguments: [("pages >= 0", "pages >= 1"), ("''delete''", "''DELETE''")])
  func reallyDifferent(_ old: String, _ new: String) throws {
    try RawDatabase.with(url) { raw in
      try raw.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)')")
    }
    #expect(try Set(folder.store([Shelves.schema]).integrityCheck().findings.map(\.part)) == [.schema])
  }

  @Test(
    "what the kit keeps about schemas tells damage from an edit",
    arguments: [
      "UPDATE holdfast_migrations SET hash = 'f' || substr(hash, 2) WHERE name LIKE 'shelves/%'",
      "UPDATE holdfast_schemas SET name = 'shelver' WHERE name = 'shelves'",
      "UPDATE holdfast_migrations SET name = 'shelves/009' WHERE name LIKE 'shelves/%'",
      "DROP TABLE holdfast_schemas",
    ])
  func damagedBookkeeping(_ sql: String) throws {
    try RawDatabase.with(url) { try $0.execute(sql) }
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
  }

  @Test("a view without an end in the place of our tables ends the look")
  func endlessView() throws {
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT 'a' AS name, i AS version FROM n"
    try RawDatabase.with(url) { try $0.execute("DROP TABLE holdfast_migrations; CREATE VIEW holdfast_migrations AS \(endless)") }
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
    #expect(failure { try Store.check(at: url, schemas: [Shelves.schema]) }?.code == .damaged)
    #expect(failure { try Store.kinds(at: url) }?.code == .damaged)
  }
}
