import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Capture for sync")
struct CaptureTests {
  @Test("a store that is not connected has no trigger and no table of sync")
  func unconnected() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%sync%'") == [])
    #expect(store.notices.isEmpty)
  }

  @Test("connecting makes the triggers, rebuilds no other declaration, and gives each row a register of its own time")
  func connects() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    try store.run("INSERT INTO books (id, title) VALUES ('a', 'A')", "INSERT INTO places VALUES ('a', 1, 5000)")
    let audit = try store.rows("SELECT count(*) FROM holdfast_audit")
    try store.connect()
    #expect(try store.rows("SELECT count(*) FROM holdfast_audit") == audit)
    #expect(try store.rows("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%\\_sync\\_%' ESCAPE '\\'") == ["12"])
    #expect(try store.registers("books") == ["a 1 0 dirty"])
    #expect(try store.registers("places") == ["a 1 5000 dirty"])
  }

  @Test("two stores with equal rows give them equal stamps, and different rows never have one stamp")
  func equalRows() throws {
    let nodes = try [("A", 1), ("A", 2), ("B", 3)].map { title, node in
      let store = try Store.inMemory(schemas: [SyncedShelf.schema])
      try store.run("INSERT INTO books (id, title) VALUES ('a', \(title))")
      try store.connect(node: Int64(node))
      return try store.rows("SELECT node FROM holdfast_sync_row")
    }
    #expect(nodes[0] == nodes[1] && nodes[0] != nodes[2])
  }

  @Test("an insertion is a birth, a change a stamp of its group, a deletion ends all, and what comes again is a new generation")
  func verbs() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    try store.connect()
    try store.at(1_000, "INSERT INTO books (id, title) VALUES ('a', 'A')")
    #expect(try store.registers("books") == ["a 1 1000 dirty"])
    try store.at(2_000, "UPDATE books SET title = 'B' WHERE id = 'a'", "UPDATE books SET title = title")
    try store.at(3_000, "UPDATE books SET cover_file = 'f' WHERE id = 'a'")
    #expect(try store.cells("books") == ["a cover_kind,cover_file 3000", "a title 2000"])
    try store.at(4_000, "DELETE FROM books")
    #expect(try store.registers("books") == ["a 2 1000 dirty"] && store.cells("books") == [])
    try store.at(5_000, "INSERT INTO books (id, title) VALUES ('a', 'C')")
    #expect(try store.registers("books") == ["a 3 5000 dirty"])
  }

  @Test("stamps of one place never go back, whatever the clock does")
  func clockGoesBack() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    try store.connect()
    try store.at(9_000, "INSERT INTO books (id, title) VALUES ('a', 'A')")
    try store.at(10, "UPDATE books SET title = 'B'")
    try store.at(20, "UPDATE books SET title = 'C'")
    #expect(try store.rows("SELECT hlc - (9000 << 15) FROM holdfast_sync_cell") == ["2"])
  }

  @Test("a row that is one value has no groups: a change is a new birth, of its own time unless that lies ahead")
  func whole() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    try store.connect()
    try store.at(1_000, "INSERT INTO books (id, title) VALUES ('a', 'A')", "INSERT INTO places VALUES ('a', 1, 500)")
    try store.at(2_000, "UPDATE places SET position = 2, updated_at = 1500")
    #expect(try store.registers("places") == ["a 1 1500 dirty"] && store.cells("places") == [])
    try store.at(3_000, "UPDATE places SET position = 3, updated_at = 99000")
    #expect(try store.registers("places") == ["a 1 3000 dirty"])
  }

  @Test("cascades, and a changed key, are changes of each row")
  func cascades() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    try store.connect()
    try store.at(1_000, "INSERT INTO books (id, title) VALUES ('a', 'A')", "INSERT INTO places VALUES ('a', 1, 500)")
    try store.at(2_000, "INSERT INTO tags VALUES ('a', 'x/y%', 1)", "UPDATE tags SET tag = 'z'")
    #expect(try store.registers("tags") == ["a/x%2Fy%25 2 2000 dirty", "a/z 1 2000 dirty"])
    try store.at(3_000, "DELETE FROM books")
    #expect(try store.registers("places").map { $0.prefix(3) } == ["a 2"])
    #expect(try store.registers("tags").last == "a/z 2 2000 dirty")
  }

  @Test("what stays here, what the record computes and what SQLite computes is no change")
  func notSynced() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    try store.connect()
    try store.at(1_000, "INSERT INTO books (id, title) VALUES ('a', 'A')")
    try store.run("UPDATE holdfast_sync_row SET dirty = 0")
    try store.at(2_000, "UPDATE books SET file = 'f', search = 's'")
    #expect(try store.cells("books") == [] && store.registers("books") == ["a 1 1000 clean"])
  }

  @Test("a value of another type is a change, also where SQLite takes both for equal")
  func types() throws {
    let migration = Migration("any/001", sql: "CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY, value ANY) STRICT;")
    let store = try Store.inMemory(schemas: [StoreSchema("any", migrations: [migration], declarations: [.synced("notes")])])
    try store.connect()
    try store.at(1_000, "INSERT INTO notes VALUES ('a', 1)", "UPDATE notes SET value = 1")
    #expect(try store.rows("SELECT count(*) FROM holdfast_sync_cell") == ["0"])
    try store.at(2_000, "UPDATE notes SET value = 1.0")
    #expect(try store.rows("SELECT hlc >> 15 FROM holdfast_sync_cell") == ["2000"])
  }

  @Test("while what arrived is written, nothing is noted")
  func applying() throws {
    let store = try Store.inMemory(schemas: [SyncedShelf.schema])
    try store.connect()
    try store.run("UPDATE holdfast_sync SET applying = 1", "INSERT INTO books (id, title) VALUES ('a', 'A')", "DELETE FROM books")
    #expect(try store.registers("books") == [])
  }

  @Test("rows that came and went while the triggers were missing are found when the store opens")
  func lostTriggers() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([SyncedShelf.schema])
    try store.run("INSERT INTO books (id, title) VALUES ('a', 'A'), ('b', 'B')")
    try store.connect()
    try store.run("UPDATE holdfast_sync_row SET dirty = 0")
    try store.close()
    try RawDatabase.with(folder.file("store.sqlite")) { other in
      try other.execute("DROP TRIGGER books_sync_insert; DROP TRIGGER books_sync_delete")
      try other.execute("DELETE FROM books WHERE id = 'a'; INSERT INTO books (id, title) VALUES ('c', 'C')")
    }
    let opened = try folder.store([SyncedShelf.schema])
    #expect(opened.notices.map(\.kind) == [.declarationsMadeAgain])
    #expect(try opened.registers("books") == ["a 2 0 dirty", "b 1 0 clean", "c 1 0 dirty"])
    try opened.at(7_000, "UPDATE books SET title = 'D' WHERE id = 'b'")
    #expect(try opened.cells("books") == ["b title 7000"])
  }

  @Test("what a migration of a connected store changes counts as old as the row, and capture goes on behind it")
  func migration() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([SyncedShelf.schema])
    try store.run("INSERT INTO books (id, title) VALUES ('a', 'A')")
    try store.connect()
    try store.run("UPDATE holdfast_sync_row SET dirty = 0")
    try store.close()
    let opened = try folder.store([SyncedShelf.grown])
    #expect(try opened.registers("books") == ["a 1 0 dirty"] && opened.cells("books") == ["a pages 0"])
    #expect(try opened.integrityCheck().isHealthy)
    try opened.at(7_000, "UPDATE books SET pages = 3")
    #expect(try opened.cells("books") == ["a pages 7000"])
  }

  @Test("a declaration that does not fit is misuse", arguments: SyncedShelf.misuses)
  func misuse(_ declaration: SchemaDeclaration) {
    #expect(throws: StoreError.self) {
      _ = try Store.inMemory(schemas: [StoreSchema("shelf", migrations: SyncedShelf.schema.migrations, declarations: [declaration])])
    }
  }

  @Test("a table that is never exported, or loses old rows by itself, cannot be synced")
  func excluded() throws {
    let synced = [SchemaDeclaration.synced("books")]
    let secret = StoreSchema("shelf", migrations: SyncedShelf.schema.migrations, declarations: synced, neverExported: ["books"])
    let policy = RetentionPolicy("books", time: "title", keeps: RetentionLimits(maxCount: 1))
    let fading = StoreSchema("shelf", migrations: SyncedShelf.schema.migrations, declarations: synced, retention: [policy])
    for schema in [secret, fading] { #expect(code { _ = try Store.inMemory(schemas: [schema]) } == .misuse) }
  }
}

private enum SyncedShelf {
  static let schema = make([])
  static let grown = make([
    Migration("shelf/002-pages", sql: "ALTER TABLE books ADD COLUMN pages INTEGER; UPDATE books SET pages = 1")
  ])

  private static func make(_ more: [Migration]) -> StoreSchema {
    StoreSchema(
      "shelf", migrations: [first] + more,
      declarations: [
        .synced("books", together: [["cover_kind", "cover_file"]], here: ["file": .null], derived: ["search"]),
        .synced("places", key: ["book_id"], whole: true, time: "updated_at"), .synced("tags", key: ["book_id", "tag"]), .audit("books"),
      ])
  }

  private static let first = Migration(
    "shelf/001-books",
    sql: """
      CREATE TABLE books (
        id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, cover_kind TEXT, cover_file TEXT, file TEXT, search TEXT,
        length INTEGER GENERATED ALWAYS AS (length(title)) VIRTUAL) STRICT;
      CREATE TABLE places (
        book_id TEXT NOT NULL PRIMARY KEY REFERENCES books (id) ON DELETE CASCADE, position REAL NOT NULL, updated_at INTEGER) STRICT;
      CREATE TABLE tags (
        book_id TEXT NOT NULL REFERENCES books (id) ON DELETE CASCADE, tag TEXT NOT NULL, place INTEGER, PRIMARY KEY (book_id, tag)) STRICT;
      """)

  static let misuses: [SchemaDeclaration] = [
    .synced("nothing"), .synced("books", key: []), .synced("books", key: ["missing"]), .synced("books", together: [["title"], ["title"]]),
    .synced("books", together: [["id", "title"]]), .synced("books", here: ["id": .null]),
    .synced("books", derived: ["title"], time: "title"),
    .synced("books", together: [["length", "title"]]), .synced("holdfast_audit"),
    .synced("places", key: ["book_id"], together: [["position"]], whole: true),
  ]
}

extension Store {
  /// As `SyncDevice.connect` does it.
  fileprivate func connect(node: Int64 = 7) throws {
    try write { tx in
      for sql in SyncTables.making { try tx.execute(BoundSQL(raw: sql)) }
      try tx.execute("INSERT INTO holdfast_sync (place, node, space) VALUES (1, \(node), 's')")
      try makeDeclared(in: tx)
    }
  }

  /// Runs statements at a time in milliseconds.
  fileprivate func at(_ time: Int64, _ statements: BoundSQL...) throws {
    try run("UPDATE holdfast_sync SET clock = \(time)")
    for sql in statements { try run(sql) }
  }

  fileprivate func registers(_ table: String) throws -> [String] {
    try rows(
      """
      SELECT key || ' ' || generation || ' ' || (hlc >> 15) || ' ' || iif(dirty, 'dirty', 'clean') FROM holdfast_sync_row
      WHERE tbl = \(SyncedTable.number(of: table)) ORDER BY key
      """)
  }

  fileprivate func cells(_ table: String) throws -> [String] {
    let names = ["cover_kind,cover_file", "title", "pages", "place"].map { "WHEN \(SyncedTable.number(of: $0)) THEN '\($0)'" }
    return try rows(
      """
      SELECT key || ' ' || CASE grp \(raw: names.joined(separator: " ")) ELSE grp END || ' ' || (hlc >> 15) FROM holdfast_sync_cell
      WHERE tbl = \(SyncedTable.number(of: table)) ORDER BY 1
      """)
  }
}
