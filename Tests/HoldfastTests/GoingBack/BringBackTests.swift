import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Bringing rows of an older state back")
struct BringBackTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A store with these tables and rows, and a file with this state.
  private func world(_ tables: String, _ rows: String) throws -> (store: Store, then: URL) {
    let store = try folder.store([StoreSchema("world", migrations: [Migration("world/001", sql: tables)])])
    try run(rows, store)
    return (store, try store.copy(named: "then.sqlite"))
  }

  private func run(_ statements: String, _ store: Store) throws {
    try store.write { tx in for sql in statements.split(separator: ";") { try tx.execute(BoundSQL(raw: String(sql))) } }
  }

  private static let tree = """
    CREATE TABLE artists (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE albums (
      rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, artist_id TEXT NOT NULL REFERENCES artists ON DELETE RESTRICT, title TEXT UNIQUE,
      cover BLOB);
    CREATE TABLE tracks (
      album_id TEXT NOT NULL REFERENCES albums (id) ON DELETE CASCADE, number INTEGER NOT NULL, title TEXT, PRIMARY KEY (album_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE plays (album_id TEXT, number INTEGER, at, FOREIGN KEY (album_id, number) REFERENCES tracks ON DELETE CASCADE);
    """

  private static let rows = """
    INSERT INTO artists VALUES ('x', 'X'), ('y', 'Y');
    INSERT INTO albums VALUES (1, 'a', 'x', 'A', x'0001'), (2, 'b', 'x', NULL, NULL), (3, 'c', 'y', 'C', NULL);
    INSERT INTO tracks VALUES ('a', 1, 'one'), ('a', 2, NULL), ('b', 1, 'other');
    INSERT INTO plays VALUES ('a', 1, 5), ('a', 1, 5), ('a', 2, NULL), ('b', 1, 6)
    """

  /// All rows of these tables but plays, whose order means nothing.
  private func state(_ store: Store) throws -> [String] {
    try store.rows("SELECT id, name FROM artists ORDER BY id", columns: 2)
      + store.rows("SELECT rowid, id, artist_id, title, cover FROM albums ORDER BY id", columns: 5)
      + store.rows("SELECT * FROM tracks ORDER BY album_id, number", columns: 3)
      + store.rows("SELECT album_id, number, at FROM plays ORDER BY album_id, number, at", columns: 3)
  }

  @Test("a deleted row comes back with its children and grandchildren, equal rows among them, and a second time nothing comes")
  func cascade() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    let before = try state(store)
    try run("DELETE FROM albums WHERE id = 'a'", store)
    let gone = try state(store)
    let plan = try store.bringBack("albums", where: ["id": .text("a")], from: then, isDry: true)
    #expect(try state(store) == gone)
    let report = try store.bringBack("albums", where: ["id": .text("a")], from: then)
    #expect(report.inserted == ["albums": 1, "tracks": 2, "plays": 3] && report == plan)
    #expect(report.kept == [:] && report.leftOut == [:])
    #expect(try state(store) == before)
    let again = try store.bringBack("albums", where: ["id": .text("a")], from: then)
    #expect([again.inserted, again.kept, again.leftOut] == [[:], [:], [:]])
    #expect(try state(store) == before)
    #expect(try store.integrityCheck().findings == [])
  }

  @Test("a row that changed since stays and counts as kept; what is gone below it comes")
  func kept() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    try run("UPDATE albums SET title = 'new' WHERE id = 'a'; DELETE FROM tracks WHERE number = 2", store)
    try run("INSERT INTO tracks VALUES ('a', 3, 'later')", store)
    let report = try store.bringBack("ALBUMS", where: ["id": .text("a")], from: then)
    #expect(report.kept == ["albums": 1])
    #expect(report.inserted == ["tracks": 1, "plays": 1])
    #expect(try store.rows("SELECT title FROM albums WHERE id = 'a'") == ["new"])
    #expect(try store.rows("SELECT number FROM tracks WHERE album_id = 'a' ORDER BY number") == ["1", "2", "3"])
  }

  @Test("with takesChanged the wanted row gets its older values, and rows below it keep today's; both states are told")
  func takesChanged() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    try run("UPDATE albums SET title = 'new', cover = NULL WHERE id = 'a'; UPDATE tracks SET title = 'now' WHERE number = 1", store)
    try run("DELETE FROM tracks WHERE number = 2", store)
    let told = try store.bringBack("albums", where: ["id": .text("a")], from: then, isDry: true)
    #expect(told.takenBack == [:] && told.kept == ["albums": 1, "tracks": 1])
    #expect(told.changes.map { $0.before?["title"] } == [.string("new")] && told.changes.map { $0.after?["title"] } == [.string("A")])
    let report = try store.bringBack("albums", where: ["id": .text("a")], from: then, takesChanged: true)
    #expect(report.takenBack == ["albums": 1] && report.kept == ["tracks": 1] && report.inserted == ["tracks": 1, "plays": 1])
    #expect(report.changes == told.changes)
    #expect(try store.rows("SELECT title, hex(cover) FROM albums WHERE id = 'a'", columns: 2) == ["A 0001"])
    #expect(try store.rows("SELECT title FROM tracks WHERE album_id = 'a' AND number = 1") == ["now"])
    let again = try store.bringBack("albums", where: ["id": .text("a")], from: then, takesChanged: true)
    #expect([again.takenBack, again.inserted] == [[:], [:]] && again.changes.isEmpty)
  }

  @Test("a changed row whose older unique value belongs to another row, or whose parent cannot come, stays and counts as left out")
  func cannotTakeChanged() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    try run("UPDATE albums SET title = 'new' WHERE id = 'a'; UPDATE albums SET title = 'A' WHERE id = 'c'", store)
    let before = try state(store)
    let report = try store.bringBack("albums", where: ["id": .text("a")], from: then, takesChanged: true)
    #expect(report.leftOut == ["albums": 1] && report.takenBack == [:])
    #expect(try state(store) == before)
    try run("UPDATE albums SET artist_id = 'y', title = 'A2' WHERE artist_id = 'x' AND id = 'a'; DELETE FROM albums WHERE id = 'b'", store)
    try run("DELETE FROM artists WHERE id = 'x'; UPDATE albums SET title = 'C' WHERE id = 'c'", store)
    let moved = try store.bringBack("albums", where: ["id": .text("a")], from: then, takesChanged: true)
    #expect(moved.inserted == ["artists": 1] && moved.takenBack == ["albums": 1], "the parent comes first")
    #expect(try store.integrityCheck().findings == [])
  }

  @Test("a row that is not as in the plan any more is not taken back, also where only bytes differ; a report encodes no values")
  func changedSince() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    func taken(as plan: BringBackReport? = nil, _ mark: () throws -> Void = {}) throws -> BringBackReport {
      try store.bringBack(
        "albums", where: ["id": .text("a")], from: then, takesChanged: true, isDry: plan == nil, as: plan, mark: mark)
    }
    let same = try taken()
    try run("UPDATE albums SET cover = x'0002' WHERE id = 'a'", store)
    let plan = try taken()
    try run("UPDATE albums SET cover = x'0003' WHERE id = 'a'", store)
    let before = try state(store)
    for old in [same, plan] {
      #expect(failure { try taken(as: old) }?.code == .busy)
      #expect(try state(store) == before)
    }
    #expect(failure { try taken(as: taken()) { throw StoreError(.diskFull, "no room for a copy") } }?.code == .diskFull)
    #expect(try state(store) == before)
    var marks = 0
    let (first, second) = (try taken(as: taken()) { marks += 1 }, try taken(as: taken()) { marks += 1 })
    #expect(first.takenBack == ["albums": 1] && second.takenBack == [:] && marks == 1)
    #expect(try !plan.changes.isEmpty && !String(decoding: JSONEncoder().encode(plan), as: UTF8.self).contains("cover"))
  }

  @Test("older values that a CHECK refuses today, or a trigger, are an error, and nothing has changed; no trigger is left out")
  func refusedValues() throws {
    let (store, then) = try world(
      "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, n); CREATE TABLE last (one INTEGER PRIMARY KEY, id TEXT)",
      "INSERT INTO t VALUES ('a', 1)")
    try run("DROP TABLE t", store)
    try run("CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, n CHECK (n > 1))", store)
    try run("INSERT INTO t VALUES ('a', 2)", store)
    func taken() throws -> BringBackReport { try store.bringBack("t", where: ["id": .text("a")], from: then, takesChanged: true) }
    #expect(failure { try taken() }?.code == .constraint)
    try run("DROP TABLE t", store)
    try run("CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, n)", store)
    try run("INSERT INTO t VALUES ('a', 2); INSERT INTO last VALUES (1, 'b')", store)
    let trigger: BoundSQL = "CREATE TRIGGER told AFTER UPDATE ON t BEGIN INSERT OR REPLACE INTO last VALUES (1, new.id); END"
    try store.write { tx in _ = try tx.execute(trigger) }
    #expect(failure { try taken() }?.code == .constraint)
    #expect(try store.rows("SELECT n, (SELECT id FROM last) FROM t", columns: 2) == ["2 b"])
  }

  @Test("texts of the older state are found by their beginning, and no numbers")
  func beginnings() throws {
    let (store, then) = try world("CREATE TABLE t (id PRIMARY KEY)", "INSERT INTO t VALUES (7), (70), ('7a'), ('AB'), ('ac')")
    func found(_ text: String) throws -> [String] { try store.bringable("t", "id", beginningWith: text, from: then) }
    #expect(try ["7", "70", "A", "a", "AB", "ab"].map(found) == [["7a"], [], ["AB", "ac"], ["ac"], ["AB"], []])
  }

  @Test("a parent that is gone comes first, without its other children")
  func missingParent() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    try run("DELETE FROM albums WHERE artist_id = 'x'; DELETE FROM artists WHERE id = 'x'", store)
    let report = try store.bringBack("tracks", where: ["album_id": .text("b"), "number": .integer(1)], from: then)
    #expect(report.inserted == ["artists": 1, "albums": 1, "tracks": 1, "plays": 1])
    #expect(try store.rows("SELECT id FROM albums ORDER BY id") == ["b", "c"])
  }

  @Test("a row whose unique value belongs to another row today is left out, with what hangs on it; its rowid is given again")
  func clash() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    try run("DELETE FROM albums WHERE id = 'a'; INSERT INTO albums VALUES (1, 'new', 'y', 'A', NULL)", store)
    let before = try state(store)
    let report = try store.bringBack("albums", where: ["id": .text("a")], from: then)
    #expect(report.leftOut == ["albums": 1, "tracks": 2, "plays": 3] && report.inserted == [:])
    #expect(try state(store) == before)
    try run("UPDATE albums SET title = 'B' WHERE id = 'new'", store)
    #expect(try store.bringBack("albums", where: ["id": .text("a")], from: then).inserted == ["albums": 1, "tracks": 2, "plays": 3])
    #expect(try store.rows("SELECT rowid, id FROM albums ORDER BY id", columns: 2).filter { $0.hasPrefix("1 ") } == ["1 new"])
  }

  @Test("rows that point at each other in a circle, and at themselves, come back together")
  func circle() throws {
    let (store, then) = try world(
      """
      CREATE TABLE people (
        id INTEGER PRIMARY KEY, best_friend INTEGER REFERENCES people DEFERRABLE INITIALLY DEFERRED, home TEXT REFERENCES homes);
      CREATE TABLE homes (id TEXT NOT NULL PRIMARY KEY, owner INTEGER REFERENCES people (id) DEFERRABLE INITIALLY DEFERRED)
      """,
      "INSERT INTO homes VALUES ('h', 1); INSERT INTO people VALUES (1, 2, 'h'), (2, 1, NULL), (3, 3, NULL)")
    try run("DELETE FROM people; DELETE FROM homes", store)
    #expect(try store.bringBack("people", where: ["id": .integer(1)], from: then).inserted == ["people": 2, "homes": 1])
    #expect(try store.bringBack("people", where: ["id": .integer(3)], from: then).inserted == ["people": 1])
    #expect(try store.rows("SELECT id, best_friend, home FROM people ORDER BY id", columns: 3) == ["1 2 h", "2 1 NULL", "3 3 NULL"])
    #expect(try store.integrityCheck().findings == [])
  }

  @Test("a chain of five thousand rows that are all gone comes back")
  func longChain() throws {
    let (store, then) = try world(
      """
      CREATE TABLE notes (id INTEGER PRIMARY KEY, after INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED);
      CREATE INDEX notes_by_after ON notes (after)
      """,
      """
      INSERT INTO notes WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, nullif(i - 1, 0) FROM n
      """)
    try run("DELETE FROM notes", store)
    #expect(try store.bringBack("notes", where: ["id": .integer(5_000)], from: then).inserted == ["notes": 5_000])
  }

  @Test("a row comes into a store with other columns: a new one gets its default")
  func otherColumns() throws {
    let (store, then) = try world(
      "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, gone TEXT, v TEXT)", "INSERT INTO t VALUES ('a', 'g', 'v')")
    try run("DELETE FROM t", store)
    try run("ALTER TABLE t DROP COLUMN gone; ALTER TABLE t ADD COLUMN more TEXT DEFAULT 'm'", store)
    #expect(try store.bringBack("t", where: ["id": .text("a")], from: then).inserted == ["t": 1])
    #expect(try store.rows("SELECT id, v, more FROM t", columns: 3) == ["a v m"])
  }

  @Test("the triggers of the store fire: a book that came back is found by its title")
  func triggers() throws {
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let then = try store.copy()
    try store.write { tx in _ = try tx.execute("DELETE FROM shelves") }
    #expect(try store.bringBack("shelves", where: ["id": .id(.numbered(1))], from: then).inserted == ["shelves": 1, "books": 3])
    #expect(try store.rows("SELECT title FROM books_search WHERE books_search MATCH 'book' ORDER BY title").count == 3)
    #expect(try store.integrityCheck().findings == [])
  }

  @Test("what cannot be brought back is refused, and nothing has changed")
  func refused() throws {
    let (store, then) = try world(Self.tree, Self.rows)
    func code(_ table: String, _ key: [String: SQLValue], _ file: URL) -> StoreError.Code? {
      failure { try store.bringBack(table, where: key, from: file) }?.code
    }
    #expect(code("albums", ["id": .text("none")], then) == .notFound)
    #expect(code("albums", ["id": .text("a")], folder.file("gone")) == .notFound)
    #expect(code("nothing", ["id": .text("a")], then) == .misuse)
    #expect(code("albums", ["nothing": .text("a")], then) == .misuse)
    #expect(code("albums", [:], then) == .misuse)
    try run("DELETE FROM albums WHERE id = 'a'", store)
    let before = try state(store)
    let refusal: BoundSQL = "CREATE TRIGGER refusal BEFORE INSERT ON plays BEGIN SELECT raise(ABORT, 'refused'); END"
    try store.write { tx in _ = try tx.execute(refusal) }
    #expect(code("albums", ["id": .text("a")], then) == .constraint)
    #expect(try state(store) == before)
  }
}
