import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Query")
final class QueryTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try QueryTests.garden(in: bench)
  }

  /// A store of another program: a table with every kind of value, and one that is never exported.
  private static func garden(in bench: borrowing Workbench) throws -> String {
    let tables = """
      CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT, height REAL, photo BLOB) STRICT;
      CREATE TABLE secrets (value TEXT NOT NULL) STRICT;
      CREATE VIEW told AS SELECT value FROM secrets;
      INSERT INTO plants VALUES (1, 'Rose, "red"', 1.5, x'00FF'), (2, NULL, NULL, NULL), (3, '', 2.0, x'');
      INSERT INTO secrets VALUES ('marked-secret');
      """
    return try bench.stranger("garden", tables, hiding: ["secrets"])
  }

  private static let sql = "SELECT id, name, photo, height * 2 AS twice, id FROM plants ORDER BY id"

  @Test("query prints a table, and the same rows as JSON, lines of JSON, CSV and text with tabs; no byte of the store changes")
  func forms() throws {
    let before = try bench.content()
    let table = try bench.run("query", store, Self.sql)
    #expect(table.output.hasPrefix("ID  NAME         PHOTO    TWICE  ID_2\n"), "\(table.output)\(table.errors)")
    let json = try bench.run("query", store, Self.sql, "--json")
    let rows = try #require(json.document["rows"] as? [[String: Any]], "\(json.output)\(json.errors)")
    #expect(json.document["ok"] as? Bool == true && json.document["sql"] as? String == Self.sql && rows.count == 3)
    #expect(rows[0]["id_2"] as? Int == 1 && rows[0]["twice"] as? Double == 3 && rows[1]["name"] is NSNull)
    #expect((rows[0]["photo"] as? [String: Any])?["base64"] as? String == "AP8=")
    #expect(
      try bench.run("query", store, Self.sql, "--csv").output
        == "id,name,photo,twice,id_2\r\n1,\"Rose, \"\"red\"\"\",AP8=,3.0,1\r\n2,,,,2\r\n3,\"\",\"\",4.0,3\r\n")
    #expect(
      try bench.run("query", store, Self.sql, "--tsv").output.hasSuffix("1\tRose, \"red\"\tAP8=\t3.0\t1\n2\t\t\t\t2\n3\t\t\t4.0\t3\n"))
    let line = #"{"id":2,"id_2":2,"name":null,"photo":null,"twice":null}"#
    #expect(try bench.run("query", store, Self.sql, "--jsonl").output.split(separator: "\n")[1] == line)
    let none = try bench.run("query", store, "SELECT id FROM plants WHERE id = 9")
    #expect(none.status == 0 && none.output.isEmpty && none.errors == "No rows.\n")
    #expect(try bench.content() == before)
  }

  @Test("a value that comes unchanged from a column is shown as the file describes it, in any library's store")
  func described() throws {
    let store = try bench.store()
    let rows =
      try bench.run("query", store, "SELECT created_at, created_at + 0 AS number FROM collections ORDER BY 1 DESC", "--json")
      .document["rows"] as? [[String: Any]]
    #expect(rows?.first?["created_at"] as? String == "2025-11-03T02:10:05.000Z", "\(rows ?? [])")
    #expect(rows?.first?["number"] as? Int == 1_762_135_805_000)
  }

  @Test(
    "what would write, and what is no statement with rows, is 65 and changes nothing",
    arguments: [
      ("DELETE FROM plants", "would write"), ("INSERT INTO plants (id) VALUES (9) RETURNING id", "would write"),
      ("DROP TABLE plants", "would write"), ("BEGIN", "transaction"), ("SELECT 1; DELETE FROM plants", "only one statement"),
      ("SELECT lost FROM plants", "no such column: lost"), ("SELECT ?", "0 values were given for 1 parameters"),
      ("ATTACH 'other.sqlite' AS other", "no rows"), ("", "no statement"),
    ])
  func refused(sql: String, why: String) throws {
    let before = try bench.content()
    let finished = try bench.run("query", store, sql)
    #expect(finished.status == 65 && finished.output.isEmpty && finished.errors.contains(why), "\(finished.errors)")
    #expect(try bench.content() == before)
  }

  @Test(
    "a table that is never exported is not read: by its name, through a view, in a subquery or a count; nor the audit",
    arguments: [
      "SELECT * FROM secrets", "SELECT * FROM told", "SELECT (SELECT value FROM SECRETS)", "SELECT count(*) FROM secrets",
      "SELECT after FROM holdfast_audit",
    ])
  func hidden(sql: String) throws {
    for form in [[], ["--json"], ["--csv"]] {
      let finished = try bench.run(["query", store, sql] + form)
      #expect(finished.status == 64 && !(finished.output + finished.errors).contains("marked-secret"), "\(finished.output)")
      #expect((finished.output + finished.errors).contains("are never shown"), "\(finished.output)\(finished.errors)")
    }
  }

  /// A hidden table with an index that reads it, one that reads it through a view, one that its triggers fill, and lists of their words.
  private static let indexes = """
    CREATE VIRTUAL TABLE [Found] USING fts5 (value, content='secrets');
    CREATE VIEW texts AS SELECT rowid AS docid, value FROM secrets;
    CREATE VIRTUAL TABLE seen USING fts5 (value, content="texts", content_rowid='docid');
    CREATE VIRTUAL TABLE kept USING fts5 (value);
    CREATE TRIGGER keeps AFTER INSERT ON secrets BEGIN INSERT INTO kept (rowid, value) VALUES (new.rowid, new.value); END;
    CREATE VIRTUAL TABLE fours USING fts4 (content="secrets", value);
    CREATE VIRTUAL TABLE words USING fts5vocab (kept, row);
    CREATE VIRTUAL TABLE leaves USING fts5 (name, content='plants', content_rowid='id');
    INSERT INTO secrets VALUES ('marked-secret too');
    INSERT INTO found (found) VALUES ('rebuild');
    INSERT INTO seen (seen) VALUES ('rebuild');
    INSERT INTO fours (fours) VALUES ('rebuild');
    INSERT INTO leaves (leaves) VALUES ('rebuild');
    """

  @Test("a table that is never exported is not read through a virtual table either, nor through the tables in which that keeps its data")
  func hiddenBehindIndexes() throws {
    try RawDatabase.with(bench.url("garden.sqlite"), key: nil) { try $0.execute(Self.indexes) }
    let refused = [
      "SELECT value FROM found", "SELECT count(*) FROM FOUND WHERE found MATCH 'marked'", "SELECT block FROM found_data",
      "SELECT value FROM seen", "SELECT term FROM seen_idx", "SELECT * FROM kept ('marked')", "SELECT c0 FROM kept_content",
      "SELECT value FROM fours", "SELECT root FROM fours_segdir", "SELECT term FROM words", "SELECT id FROM plants, kept",
    ]
    for sql in refused {
      let query = try bench.run("query", store, sql)
      let isRefused = query.status == 64 && query.output.isEmpty && query.errors.contains("are never shown")
      #expect(isRefused, "\(sql): \(query.output)\(query.errors)")
      let export = try bench.run("export", store, "--query", sql, "--to", bench.path("out.csv"), "--format", "csv")
      #expect(export.status == 64 && !FileManager.default.fileExists(atPath: bench.path("out.csv")), "\(sql): \(export.output)")
    }
    try bench.run("query", store, "SELECT name FROM leaves WHERE leaves MATCH 'rose'", "--jsonl", status: 0, output: "Rose")
    #expect(try bench.run("query", store, "SELECT id FROM leaves_docsize").status == 0)
  }

  private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"

  @Test("rows come while the statement runs: of an endless one the first are there, and the reader may go", arguments: ["json", "csv"])
  func endless(form: String) throws {
    let finished = try bench.shell("\"$1\" query garden.sqlite '\(Self.endless)' --\(form) | head -n 2; exit ${PIPESTATUS[0]}")
    let lines = finished.output.split(whereSeparator: \.isNewline)
    #expect(finished.status == 0 && lines.count == 2 && finished.errors.isEmpty, "\(finished.errors)")
  }

  @Test("Ctrl-C ends a statement: 130, with the error beside the output that had begun")
  func interrupted() throws {
    let finished = try bench.shell(
      """
      "$1" query garden.sqlite '\(Self.endless)' --json > out.json &
      while [ ! -s out.json ]; do :; done
      kill -INT $!
      wait $!
      """)
    #expect(finished.status == 130 && finished.errors.hasPrefix("Error: interrupted; the store was only read\n"), "\(finished.errors)")
  }
}
