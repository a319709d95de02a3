import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("What a schema declares")
struct DeclarationTests {
  static let v1 = Migration(
    "notes/001",
    sql: """
      CREATE TABLE notes (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, search_title TEXT, sent INTEGER,
        revision INTEGER NOT NULL DEFAULT 1) STRICT;
      CREATE TABLE tags (rowid INTEGER PRIMARY KEY, note_id TEXT NOT NULL, tag TEXT NOT NULL) STRICT;
      """)
  static let index = SchemaDeclaration.fullText("notes_search", of: "notes", [FullTextColumn("title", segmented: "search_title")])
  static let revisions = SchemaDeclaration.revisions(of: "notes", except: ["sent"], parts: ["tags": "note_id"])
  static func schema(_ later: Migration..., declarations: [SchemaDeclaration] = [index, revisions]) -> StoreSchema {
    StoreSchema("notes", migrations: [v1] + later, declarations: declarations)
  }

  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let store = try folder.store([Self.schema()])
    _ = try store.write { tx in
      try tx.execute("INSERT INTO notes (id, title) VALUES ('a', 'red apple'), ('b', 'green pear')")
    }
    try store.close()
  }

  private func found(_ text: String, _ store: Store) throws -> [String] {
    let query = try #require(SearchText.query(text))
    return try store.rows(
      "SELECT id FROM notes WHERE rowid IN (SELECT rowid FROM notes_search WHERE notes_search MATCH \(query)) ORDER BY id")
  }

  private func revision(_ store: Store) throws -> [String] { try store.rows("SELECT revision FROM notes ORDER BY id") }

  @Test("an index follows every insert, change and deletion, and takes the segmented text where there is one")
  func follows() throws {
    let store = try folder.store([Self.schema()])
    #expect(try found("apple", store) == ["a"])
    try store.write { tx in
      try tx.execute("UPDATE notes SET title = 'yellow quince' WHERE id = 'a'")
      try tx.execute("DELETE FROM notes WHERE id = 'b'")
      try tx.execute("INSERT INTO notes (id, title, search_title) VALUES ('c', '三体问题', \(SearchText.segmented("三体问题")))")
    }
    #expect(try found("apple", store) == [])
    #expect(try found("pear", store) == [])
    #expect(try found("quin", store) == ["a"])
    #expect(try found("问题", store) == ["c"])
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test("a revision counts changes of what is declared, once each, and no others")
  func revises() throws {
    let store = try folder.store([Self.schema()])
    func raises(_ sql: BoundSQL) throws -> Int {
      let before = try revision(store)
      try store.write { tx in _ = try tx.execute(sql) }
      let after = try revision(store)
      return zip(before, after).reduce(0) { $0 + (Int($1.1) ?? 0) - (Int($1.0) ?? 0) }
    }
    #expect(try raises("UPDATE notes SET title = 'new' WHERE id = 'a'") == 1)
    #expect(try raises("UPDATE notes SET title = 'new', sent = 1 WHERE id = 'a'") == 0)
    #expect(try raises("INSERT INTO tags (note_id, tag) VALUES ('a', 'one')") == 1)
    #expect(try raises("UPDATE tags SET tag = 'one'") == 0)
    #expect(try raises("UPDATE tags SET note_id = 'b'") == 2)
    #expect(try raises("DELETE FROM tags") == 1)
    #expect(try revision(store) == ["4", "3"])
  }

  @Test("a migration rebuilds a table and thinks of nothing: the index and the revisions are there again, for new columns too")
  func rebuilt() throws {
    let rebuild = Migration(
      "notes/002",
      sql: """
        CREATE TABLE rebuilt (
          rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, search_title TEXT, sent INTEGER, colour TEXT,
          revision INTEGER NOT NULL DEFAULT 1) STRICT;
        INSERT INTO rebuilt (rowid, id, title, search_title, sent, revision)
          SELECT rowid + 10, id, title, search_title, sent, revision FROM notes;
        DROP TABLE notes;
        ALTER TABLE rebuilt RENAME TO notes;
        UPDATE notes SET title = 'red cherry' WHERE id = 'a';
        """)
    let store = try folder.store([Self.schema(rebuild)])
    #expect(store.notices == [])
    #expect(try found("cherry", store) == ["a"])
    #expect(try found("apple", store) == [])
    #expect(try revision(store) == ["1", "1"])
    try store.write { tx in _ = try tx.execute("UPDATE notes SET colour = 'red'") }
    #expect(try revision(store) == ["2", "2"])
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test(
    "what is gone or another at opening is told by the check and the plan, and opening makes it again, with what was written meanwhile",
    arguments: [
      "DROP TRIGGER notes_search_insert", "DROP TABLE notes_search", "DROP TRIGGER notes_revised",
      "DROP VIEW notes_search_text; CREATE VIEW notes_search_text AS SELECT rowid AS docid, id AS title FROM notes",
    ])
  func gone(damage: String) throws {
    try RawDatabase.with(url) { database in
      try database.execute(damage)
      guard damage.contains("_insert") || damage.contains("_revised") else { return }
      try database.execute("INSERT INTO notes (id, title) VALUES ('c', 'blue plum')")
    }
    #expect(try Store.check(at: url, schemas: [Self.schema()], options: .testing).findings.contains { $0.part == .schema })
    #expect(try Store.plan(at: url, schemas: [Self.schema()], options: .testing).notAsDeclared.count == 1)
    let store = try folder.store([Self.schema()])
    #expect(store.notices.map(\.kind) == [.declarationsMadeAgain])
    #expect(try found("apple", store) == ["a"])
    #expect(try found("plum", store) == (store.rows("SELECT id FROM notes WHERE id = 'c'")))
    #expect(try store.integrityCheck().isHealthy)
    try store.close()
    #expect(try folder.store([Self.schema()]).notices == [])
  }

  @Test(
    "a migration goes on where the tables of an index are damaged, and the index is made again",
    arguments: [
      "DELETE FROM notes_search_config", "DROP TABLE notes_search_config", "DELETE FROM notes_search_data", "DROP TABLE notes_search_data",
    ])
  func damagedIndex(damage: String) throws {
    try RawDatabase.with(url) { try $0.execute(damage) }
    let store = try folder.store([Self.schema(Migration("notes/002", sql: "ALTER TABLE notes ADD COLUMN colour TEXT"))])
    #expect(store.access == .readWrite)
    #expect(try found("apple", store) == ["a"])
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test("an UPDATE that writes a revision itself keeps it")
  func writtenRevision() throws {
    let store = try folder.store([Self.schema()])
    _ = try store.write { tx in try tx.execute("UPDATE notes SET title = 'new', revision = 10 WHERE id = 'a'") }
    #expect(try revision(store) == ["10", "1"])
  }

  @Test("a store that is opened for reading keeps what it has")
  func readOnly() throws {
    try RawDatabase.with(url) { try $0.execute("DROP TRIGGER notes_search_insert") }
    let before = try Data(contentsOf: url)
    try folder.store([Self.schema()], options: .testing.with { $0.opensReadOnly = true }).close()
    let store = try folder.store([Self.schema()], options: .testing.with { $0.migrating = .never })
    #expect(store.access == .readOnly(reason: "notes_search_insert is not as the schema declares"))
    try store.close()
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("what is declared no longer goes, and what another schema declares in the same file stays")
  func undeclared() throws {
    let other = StoreSchema(
      "lists", migrations: [Migration("lists/001", sql: "CREATE TABLE lists (rowid INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")],
      declarations: [.fullText("lists_search", of: "lists", ["name"])])
    try folder.store([Self.schema(), other]).close()
    let next = Self.schema(Migration("notes/002", sql: "DROP TABLE tags", losesRowsOf: ["tags"]), declarations: [])
    let removed = try Store.plan(at: url, schemas: [next], options: .testing).declaredNoLonger
    #expect(removed.contains("notes_search") && removed.contains("notes_revised") && !removed.contains("lists_search"))
    #expect(try Store.plan(at: url, schemas: [Self.schema()], options: .testing).declaredNoLonger == [])
    #expect(try Store.plan(at: url, schemas: [Self.schema(declarations: [Self.index])], options: .testing).declaredNoLonger.count == 4)
    let store = try folder.store([next])
    let left = try store.rows("SELECT name FROM sqlite_schema WHERE sql LIKE '%declared by%' ORDER BY name")
    #expect(left.allSatisfy { $0.hasPrefix("lists_search") } && left.count == 5)
  }

  @Test("a declaration that does not fit its table is told before anything is made")
  func misfit() throws {
    for (declaration, missing) in [
      (SchemaDeclaration.fullText("search", of: "plain", ["title"]), "rowid"), (.fullText("search", of: "notes", ["text"]), "text"),
      (.revisions(of: "tags"), "revision"), (.revisions(of: "notes", parts: ["tags": "note"]), "note"),
    ] {
      let plain = Migration("notes/002", sql: "CREATE TABLE plain (title TEXT) STRICT")
      let error = failure { try folder.store([Self.schema(plain, declarations: [declaration])]) }
      #expect(error?.code == .misuse && error?.message.contains("the column \(missing) of") == true)
    }
    #expect(try folder.store([Self.schema()]).notices == [])
  }

  @Test("a table that is never exported has no full-text index: its rows could be read through it")
  func neverExported() {
    let schema = StoreSchema("notes", migrations: [Self.v1], declarations: [Self.index], neverExported: ["NOTES"])
    let error = failure { try Store.inMemory(schemas: [schema]) }
    #expect(error?.code == .misuse && error?.message.contains("cannot have a full-text index") == true, "\(String(describing: error))")
  }

  @Test("an ordinary table that has the name of an index is the app's: nothing is taken away")
  func taken() throws {
    let table = Migration("notes/002", sql: "CREATE TABLE found (title TEXT) STRICT; INSERT INTO found VALUES ('mine')")
    let error = failure { try folder.store([Self.schema(table, declarations: [.fullText("found", of: "notes", ["title"])])]) }
    #expect(error?.message.contains("already") == true)
  }
}
