import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("The difference between two states of a store")
struct StoreDifferenceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two files with the same tables, each with rows of its own.
  private func files(_ tables: String, _ old: String, _ new: String) throws -> (old: URL, new: URL) {
    for (name, rows) in [("old", old), ("new", new)] {
      try RawDatabase.with(folder.file(name), creating: true) { file in try file.execute(tables + ";" + rows) }
    }
    return (folder.file("old"), folder.file("new"))
  }

  /// One line per table: added, removed, changed.
  private func difference(_ tables: String, _ old: String, _ new: String) throws -> [String] {
    let files = try files(tables, old, new)
    return try lines(files.old, files.new)
  }

  private func lines(_ old: URL, _ new: URL) throws -> [String] {
    try StoreDifference.between(old, new, .testing).map { "\($0.table) \($0.added) \($0.removed) \($0.changed)" }
  }

  @Test("a store and its later state: rows by table, without search indexes and the mark of the log; no byte beside the files changes")
  func stores() throws {
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let before = try store.copy(named: "before.sqlite")
    try store.fill(books: 2, shelf: 2)
    try store.write { tx in
      try tx.execute("DELETE FROM books WHERE title = 'book 0' AND shelf_id = \(UUID.numbered(1))")
      try tx.execute("UPDATE books SET pages = 7 WHERE title = 'book 1' AND shelf_id = \(UUID.numbered(1))")
    }
    let after = try store.copy(named: "after.sqlite")
    let names = try folder.contents()
    #expect(try lines(before, after) == ["books 2 1 1", "shelves 1 0 0"])
    #expect(try lines(after, after) == [])
    #expect(try folder.contents() == names)
  }

  @Test("values that compare as equal differ when they are stored differently, NULL equals only NULL, and bytes are compared")
  func values() throws {
    #expect(
      try difference(
        "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL, a, b TEXT COLLATE NOCASE)",
        "INSERT INTO t VALUES ('same', NULL, 'x'), ('type', 1, ''), ('case', 0, 'a'), ('null', NULL, ''), ('blob', x'00ff', '')",
        "INSERT INTO t VALUES ('same', NULL, 'x'), ('type', 1.0, ''), ('case', 0, 'A'), ('null', 0, ''), ('blob', x'00fe', '')")
        == ["t 0 0 4"])
  }

  @Test("rows are found by composite keys, by keys without rowid, by a unique key beside a rowid, and else by their rowid")
  func keys() throws {
    #expect(
      try difference(
        """
        CREATE TABLE composite (a TEXT NOT NULL, b INTEGER NOT NULL, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE TABLE named (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, v);
        CREATE TABLE plain (v);
        CREATE TABLE referred (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE);
        CREATE TABLE refers (to_id INTEGER REFERENCES referred)
        """,
        """
        INSERT INTO composite VALUES ('a', 1, 0), ('a', 2, 0), ('b', 1, 0);
        INSERT INTO named VALUES (1, 'x', 0), (2, 'y', 0);
        INSERT INTO plain VALUES (1), (1), (2);
        INSERT INTO referred VALUES (1, 'one')
        """,
        """
        INSERT INTO composite VALUES ('a', 1, 0), ('a', 2, 1), ('b', 2, 0);
        INSERT INTO named VALUES (2, 'x', 0), (3, 'y', 1);
        INSERT INTO plain VALUES (1), (3);
        INSERT INTO referred VALUES (2, 'one')
        """) == ["composite 1 1 1", "named 0 0 1", "plain 0 1 1", "referred 1 1 0"])
  }

  @Test("a number that only looks like the rowid is a column like others: INTEGER PRIMARY KEY DESC")
  func descendingKeys() throws {
    let tables = "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, code TEXT NOT NULL UNIQUE)"
    #expect(try difference(tables, "INSERT INTO t VALUES (1, 'a'), (2, 'b')", "INSERT INTO t VALUES (3, 'a'), (2, 'b')") == ["t 1 1 0"])
  }

  @Test("in a table where a key has a NULL, rows are found by their rowids")
  func nullKeys() throws {
    #expect(
      try difference(
        "CREATE TABLE t (id TEXT PRIMARY KEY, v)", "INSERT INTO t VALUES (NULL, 1), (NULL, 2), ('a', 3)",
        "INSERT INTO t VALUES (NULL, 1), (NULL, 4), ('a', 3), (NULL, 5)") == ["t 1 0 1"])
  }

  @Test("a table or a column that only one state has counts; an empty column does not")
  func otherTables() throws {
    let rows = "INSERT INTO t VALUES ('a'), ('b')"
    let files = try files("CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL)", rows, rows)
    try RawDatabase.with(files.new) { file in
      try file.execute("ALTER TABLE t ADD COLUMN v; UPDATE t SET v = 1 WHERE id = 'b'; CREATE TABLE more (x); INSERT INTO more VALUES (1)")
    }
    #expect(try lines(files.old, files.new) == ["more 1 0 0", "t 0 0 1"])
    #expect(try lines(files.new, files.old) == ["more 0 1 0", "t 0 0 1"])
  }

  @Test("the rows themselves: gone, changed and new, with their values as people read them, and at most as many as asked for")
  func rows() throws {
    let files = try files(
      "CREATE TABLE t (a TEXT NOT NULL, b INTEGER NOT NULL, v, PRIMARY KEY (a, b)) WITHOUT ROWID",
      "INSERT INTO t VALUES ('a', 1, x'0102'), ('a', 2, NULL), ('b', 1, 'x')",
      "INSERT INTO t VALUES ('a', 1, 1.5), ('c', 1, 9e999), ('c', 2, 2)")
    func lines(_ limit: Int) throws -> [String] {
      try StoreDifference.rows(of: "T", files.old, files.new, .testing, limit: limit).map { row in
        let values = [row.before, row.after].map { $0?["v"]?.canonicalText() ?? "-" }.joined(separator: " ")
        return "\(row.kind) \(JSONValue.object(row.key).canonicalText()) \(values)"
      }
    }
    let all = [
      #"removed {"a":"a","b":2} null -"#, #"removed {"a":"b","b":1} "x" -"#, #"changed {"a":"a","b":1} {"bytes":2} 1.5"#,
      #"added {"a":"c","b":1} - "inf""#, #"added {"a":"c","b":2} - 2"#,
    ]
    for limit in 1...6 { #expect(try lines(limit) == Array(all.prefix(limit))) }
  }

  @Test("a missing file and an unknown table are not found")
  func refused() throws {
    let files = try files("CREATE TABLE t (v)", "", "INSERT INTO t VALUES (1)")
    #expect(failure { try StoreDifference.between(files.old, folder.file("gone"), .testing) }?.code == .notFound)
    #expect(failure { try StoreDifference.between(folder.file("gone"), files.new, .testing) }?.code == .notFound)
    #expect(failure { try StoreDifference.rows(of: "u", files.old, files.new, .testing, limit: 1) }?.code == .notFound)
  }
}
