import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A table as SQLite tells it")
struct SQLTableTests {
  /// The tables of a new database with this SQL.
  private func tables(_ sql: String, named: String? = nil, inner: Bool = false) throws -> [SQLTable] {
    let folder = try TemporaryFolder()
    try RawDatabase.with(folder.file("tables"), creating: true) { file in try file.execute(sql) }
    return try SQLTable.all(ConnectionFactory.plain(folder.file("tables").path).texts, named: named, inner: inner)
  }

  private func table(_ sql: String) throws -> SQLTable { try #require(tables(sql, named: "T").first) }

  @Test("columns: what an INSERT can give, what the file holds, and the primary key in its own order")
  func columns() throws {
    let found = try table(
      "CREATE TABLE t (b int, a TEXT NOT NULL DEFAULT 'x', c AS (b + 1), d AS (b + 2) STORED, PRIMARY KEY (a, b)) WITHOUT ROWID")
    #expect(found.given == ["b", "a"] && found.primaryKey == ["a", "b"] && found.storedOrder == ["a", "b"])
    #expect(found.columns.map(\.isStored) == [true, true, false, true])
    #expect(found.columns.map(\.type) == ["INT", "TEXT", "", ""] && found.columns.map(\.fallback) == [nil, "'x'", nil, nil])
    #expect(!found.hasRowID && found.rowID == nil && found.rowIDColumn == nil)
    #expect(try table("CREATE TABLE t (a ANY) STRICT").isStrict)
  }

  @Test(
    "the rowid has the name of a column, or a free one; an INTEGER PRIMARY KEY with an index of its own is not the rowid",
    arguments: [
      ("a INTEGER PRIMARY KEY", "a", "a"), ("a INTEGER PRIMARY KEY DESC", nil, "_rowid_"), ("a INT PRIMARY KEY", nil, "_rowid_"),
      ("a INTEGER, b, PRIMARY KEY (a, b)", nil, "_rowid_"), ("_rowid_, a", nil, "rowid"), ("_ROWID_, rowid, oid", nil, nil),
    ] as [(String, String?, String?)])
  func rowIDs(_ columns: String, _ column: String?, _ name: String?) throws {
    let found = try table("CREATE TABLE t (\(columns))")
    #expect(found.rowIDColumn == column && found.rowID == name)
    #expect(found.storedOrder == name.map { [$0] } ?? found.given)
  }

  @Test(
    "the unique key is the table's first one without NULL, or else that of an index without a condition",
    arguments: [
      ("a TEXT NOT NULL UNIQUE, b NOT NULL UNIQUE", "", ["a"]), ("a UNIQUE, b NOT NULL, c NOT NULL, UNIQUE (c, b)", "", ["c", "b"]),
      ("a NOT NULL, b NOT NULL UNIQUE", "CREATE UNIQUE INDEX i ON t (a)", ["b"]),
      ("a NOT NULL, b NOT NULL", "CREATE UNIQUE INDEX i ON t (a) WHERE a > 1; CREATE UNIQUE INDEX j ON t (b)", ["b"]),
      ("a NOT NULL, b", "CREATE UNIQUE INDEX i ON t (a, b); CREATE UNIQUE INDEX j ON t (a, a + 1); CREATE INDEX k ON t (a)", nil),
      ("a NOT NULL, b NOT NULL AS (a) STORED UNIQUE", "", nil),
    ] as [(String, String, [String]?)])
  func uniqueKeys(_ columns: String, _ indexes: String, _ key: [String]?) throws {
    #expect(try table("CREATE TABLE t (\(columns)); \(indexes)").uniqueKey == key)
  }

  @Test("foreign keys: the newest first, with the columns of both sides, or none of the parent")
  func references() throws {
    let found = try table(
      "CREATE TABLE t (a, b, c REFERENCES One ON DELETE CASCADE, FOREIGN KEY (b, a) REFERENCES Two (x, y))"
    ).references
    #expect(found.map(\.parent) == ["Two", "One"] && found.map(\.from) == [["b", "a"], ["c"]])
    #expect(found.map(\.to) == [["x", "y"], []] && found.map(\.cascades) == [false, true])
  }

  @Test("SQLite's own tables and those of a search index are inner ones; views and virtual tables are none")
  func inner() throws {
    let sql = """
      CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE holdfast_x (a); CREATE VIEW v AS SELECT a FROM t;
      CREATE VIRTUAL TABLE s USING fts5 (body)
      """
    #expect(try tables(sql).map(\.name) == ["holdfast_x", "t"] && tables(sql).map(\.isOfKit) == [true, false])
    #expect(
      try tables(sql, inner: true).map(\.name)
        == ["holdfast_x", "s_config", "s_content", "s_data", "s_docsize", "s_idx", "sqlite_sequence", "t"])
  }

  @Test("an entry of an index has what it is sorted by, and then what names the row")
  func entries() throws {
    let found = try table("CREATE TABLE t (a, b, PRIMARY KEY (b)) WITHOUT ROWID; CREATE INDEX i ON t (a + 1, a)")
    let index = try #require(found.indexes.first { $0.name == "i" })
    #expect(index.key.map(\.column) == [-2, 0] && index.rest.map(\.column) == [1] && index.rest.map(\.name) == ["b"])
    let plain = try #require(try table("CREATE TABLE t (a); CREATE INDEX i ON t (a)").indexes.first)
    #expect(plain.key.map(\.name) == ["a"] && plain.rest.map(\.column) == [-1] && plain.origin == "c")
  }
}
