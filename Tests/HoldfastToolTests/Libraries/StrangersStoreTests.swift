import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastInference
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@testable import HoldfastTool

/// A store whose library this program does not know is shown as its own app would show it.
@Suite("A stranger's store")
final class StrangersStoreTests {
  let bench: Workbench

  init() throws {
    knowFourLibraries()
    bench = try Workbench()
  }

  private struct Watering: StoredRecord, Codable {
    static let table = "waterings"
    var id: UUID
    var title: String
    var wateredAt: Date
    var isRain: Bool
    var labels: [String]
  }

  private static let id = "0a0a0a0a-0000-4000-8000-000000000001"

  /// A store with one watering and one secret.
  private static func store(in bench: borrowing Workbench) throws -> String {
    let schema = StoreSchema(
      "garden",
      migrations: [
        Migration(
          "garden/001",
          sql: """
            CREATE TABLE waterings (
              id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, watered_at INTEGER NOT NULL, is_rain INTEGER NOT NULL, labels TEXT NOT NULL) STRICT;
            CREATE TABLE secrets (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
            """)
      ], records: [Watering.self], declarations: [.audit("waterings")], neverExported: ["secrets"])
    var options = StoreOptions.production
    options.archive.mode = .begins
    let store = try Store.open(at: bench.url("garden.sqlite"), schemas: [schema], options: options)
    _ = try store.archive()
    let id = try #require(UUID(uuidString: id))
    try store.write { tx in
      try tx.insert(Watering(id: id, title: "Roses", wateredAt: Date(timeIntervalSince1970: 1_700_000_000), isRain: false, labels: ["a"]))
      _ = try tx.execute("INSERT INTO secrets VALUES ('key', 'marked-secret')")
    }
    try store.close()
    return bench.path("garden.sqlite")
  }

  @Test("dates, ids, flags and JSON are shown as such in list, show, audit and diff; no raw milliseconds")
  func shown() throws {
    let store = try Self.store(in: bench)
    let outputs = [
      try bench.run("list", store, "waterings"), try bench.run("show", store, "roses"), try bench.run("show", store, "0a0a"),
      try bench.run("audit", store), try bench.run("diff", store, "--from", "commit 0", "--rows", "waterings"),
      try bench.run("audit", store, "--json"), try bench.run("diff", store, "--from", "commit 0", "--rows", "waterings", "--json"),
    ]
    for finished in outputs {
      #expect(finished.status == 0, "\(finished.errors)")
      #expect(finished.output.contains("2023-11-14T22:13:20"), "\(finished.output)")
      #expect(!finished.output.contains("1700000000"), "\(finished.output)")
    }
    let line = try #require((bench.run("list", store, "waterings", "--json").document["waterings"] as? [[String: Any]])?.first)
    #expect(line["watered_at"] as? String == "2023-11-14T22:13:20.000Z" && line["is_rain"] as? Bool == false)
    #expect(line["labels"] as? [String] == ["a"] && line["id"] as? String == Self.id)
    let change = try #require((bench.run("audit", store, "--json").document["entries"] as? [[String: Any]])?.last)
    let after = try #require(change["after"] as? [String: Any])
    #expect(after["is_rain"] as? Bool == false && after["labels"] as? [String] == ["a"], "\(after)")
    #expect(try bench.run("show", store, "tulips").status == 66)
  }

  @Test("history, metrics and explain work on a store of any library; stats tells its rows, bytes and newest time")
  func insight() throws {
    let store = try Self.store(in: bench)
    try bench.run("history", store, status: 0, output: "waterings")
    let metrics = try bench.run("metrics", store, "--json")
    #expect(metrics.status == 0 && metrics.document["verbs"] is [Any], "\(metrics.output)\(metrics.errors)")
    try bench.run("explain", store, "SELECT id FROM waterings WHERE title = ?", status: 0, output: "SCAN waterings")
    let stats = try bench.run("stats", store, "--json").document
    #expect(stats["rows"] as? [String: Int] == ["waterings": 1])
    #expect((stats["bytes"] as? [String: Int])?["waterings"] ?? 0 > 0 && (stats["bytes"] as? [String: Int])?.count == 1, "\(stats)")
    #expect(stats["newest"] as? [String: String] == ["waterings": "2023-11-14T22:13:20.000Z"], "\(stats)")
    let text = try bench.run("stats", store).output
    #expect(text.hasPrefix("TABLE      ROWS") && text.contains(" kB") && text.contains("2023-11-14T22:13:20Z"), "\(text)")
  }

  @Test("where two tables have one number each, neither is taken for the other: the table is named")
  func numbers() throws {
    let store = try bench.stranger(
      "desk",
      """
      CREATE TABLE loans (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE fines (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO loans VALUES (1, 'Dune');
      INSERT INTO fines VALUES (1, 'Two days');
      """)
    let both = try bench.run("show", store, "1")
    #expect(both.status == 64 && both.errors.contains("fines:1") && both.errors.contains("loans:1"), "\(both.errors)")
    try bench.run("show", store, "loans:1", status: 0, output: "Dune")
  }

  @Test("tables and columns named like members of the document are all shown; an id is found in either case")
  func names() throws {
    let store = try bench.stranger(
      "desk",
      """
      CREATE TABLE total (id TEXT PRIMARY KEY, kind TEXT, ok INTEGER);
      INSERT INTO total VALUES ('ABCDEFAB-0000-4000-8000-000000000000', 'oak', 7);
      """)
    let rows = try bench.run("list", store, "total", "--json").document["rows"] as? [[String: Any]]
    #expect(rows?.first?["kind"] as? String == "oak")
    let shown = try bench.run("show", store, "abcdefab-0000-4000-8000-000000000000", "--json").document
    #expect(shown["kind"] as? String == "total" && shown["column_kind"] as? String == "oak" && shown["column_ok"] as? Int == 7, "\(shown)")
  }

  @Test("a hit has its table as its kind, and a column of that name as `column_kind`, as `show` has it")
  func kinds() throws {
    let table = "CREATE TABLE pens (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, ok INTEGER) STRICT;"
    let store = try bench.stranger(
      "desk", table + "INSERT INTO pens (id, kind, ok) VALUES ('p1', 'quill', 7);",
      declarations: [.fullText("pens_search", of: "pens", ["kind"])])
    let found = try bench.run("search", store, "quill", "--json")
    let hit = try #require((found.document["hits"] as? [[String: Any]])?.first, "\(found.output)\(found.errors)")
    #expect(hit["kind"] as? String == "pens" && hit["column_kind"] as? String == "quill" && hit["column_ok"] as? Int == 7, "\(hit)")
  }

  @Test("the beginning of any key finds it, in any script, as typed or else in lower case, also behind its table; of two, both are told")
  func beginnings() throws {
    let store = try bench.stranger(
      "desk",
      """
      CREATE TABLE plants (id TEXT PRIMARY KEY, height INTEGER);
      INSERT INTO plants VALUES ('rosy', 1), ('tulip', 2), ('Iris', 3), ('ivy-a', 4), ('ivy-z', 5), ('三体', 6), ('Ivory', 7);
      """)
    let typed =
      [
        ("ros", 1), ("TUL", 2), ("Ir", 3), ("ivy-", nil), ("三", 6), ("Iv", 7), ("rosyx", nil), ("plants:ros", 1), ("plants:TUL", 2),
        ("plants:ivy-", nil), ("plants:", nil),
      ] as [(String, Int?)]
    for (typed, height) in typed {
      let shown = try bench.run("show", store, typed, "--json")
      #expect(shown.document["height"] as? Int == height, "\(typed): \(shown.output)\(shown.errors)")
    }
    for typed in ["ivy-", "plants:ivy-"] {
      let both = try bench.run("show", store, typed)
      #expect(both.status == 64 && both.errors.contains("ivy-a") && both.errors.contains("ivy-z"), "\(both.errors)")
    }
  }

  @Test("a hidden table stays hidden whatever its name, in the audit too; what points at it is exported, and what cannot be is told")
  func hidden() throws {
    let store = try bench.stranger(
      "desk",
      """
      CREATE TABLE "ÄPFEL" (id INTEGER PRIMARY KEY, pw TEXT);
      CREATE TABLE notes (id INTEGER PRIMARY KEY, apple INTEGER REFERENCES "ÄPFEL" (id), text TEXT);
      CREATE VIRTUAL TABLE words USING fts5 (word);
      INSERT INTO "ÄPFEL" VALUES (1, 'marked-secret');
      INSERT INTO notes VALUES (1, 1, 'a');
      """, hiding: ["ÄPFEL"])
    try RawDatabase.with(bench.url("desk.sqlite"), key: nil) {
      try $0.execute(
        """
        INSERT INTO holdfast_audit (time, verb, kind, row, operation, after)
        VALUES (1700000000000, 'save', 'ÄPFEL', '1', 'insert', '{"pw": "marked-secret"}')
        """)
    }
    let exported = try bench.run("export", store, "--to", bench.path("out.json"), "--json")
    let leftOut = exported.document["left_out"] as? [[String: Any]]
    #expect(exported.status == 2 && leftOut?.map { $0["kind"] as? String } == ["words"], "\(exported.output)\(exported.errors)")
    #expect(exported.document["counts"] as? [String: Int] == ["notes": 1])
    let outputs = try [
      bench.run("audit", store), bench.run("audit", store, "--json"), bench.run("list", store), bench.run("show", store, "1"),
    ]
    for finished in outputs { #expect(!finished.output.contains("marked-secret"), "\(finished.output)") }
    #expect(try !String(contentsOf: bench.url("out.json"), encoding: .utf8).contains("marked-secret"))
    try RawDatabase.with(bench.url("desk.sqlite"), key: nil) { try $0.execute("ALTER TABLE holdfast_columns RENAME COLUMN kind TO sort") }
    try bench.run("export", store, "--to", bench.path("again.json"), status: 65, errors: "Open the store with its app")
  }

  @Test("a row is shown with the first 100 of the rows that are deleted with it; rows that stay, and hidden ones, are not shown")
  func contents() throws {
    let store = try bench.stranger(
      "desk",
      """
      CREATE TABLE boxes (id TEXT PRIMARY KEY, contents TEXT);
      CREATE TABLE pens (id INTEGER PRIMARY KEY, box TEXT REFERENCES boxes (id) ON DELETE CASCADE, ink TEXT);
      CREATE TABLE loans (id INTEGER PRIMARY KEY, box TEXT REFERENCES boxes (id));
      CREATE TABLE codes (id INTEGER PRIMARY KEY, box TEXT REFERENCES boxes (id) ON DELETE CASCADE, pin TEXT);
      INSERT INTO boxes VALUES ('b1', 'red');
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101) INSERT INTO pens (box, ink) SELECT 'b1', 'ink ' || i FROM n;
      INSERT INTO loans VALUES (1, 'b1');
      INSERT INTO codes VALUES (1, 'b1', 'marked-secret');
      """, hiding: ["codes"])
    let document = try bench.run("show", store, "b1", "--json").document
    let contents = try #require(document["contents"] as? [String: [String: Any]])
    #expect(document["column_contents"] as? String == "red" && contents.keys.sorted() == ["pens"])
    let rows = contents["pens"]?["rows"] as? [[String: Any]]
    #expect(contents["pens"]?["total"] as? Int == 101 && rows?.count == 100)
    #expect(rows?.first?["ink"] as? String == "ink 1" && rows?.first?["id"] as? Int == 1)
    let text = try bench.run("show", store, "b1").output
    #expect(text.contains("pens, the first 100 of 101") && text.contains("ink 100") && !text.contains("ink 101"), "\(text)")
    #expect(!text.contains("marked-secret"))
  }

  @Test("search finds what the declared indexes find, each with its table, and stats counts rows; hidden tables are in neither")
  func searched() throws {
    func table(_ name: String) -> String {
      "CREATE TABLE \(name) (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;"
    }
    let rows = """
      INSERT INTO pens (id, name) VALUES ('p1', 'Blue pen'), ('p2', 'Blueish pen, blue'), ('p3', 'Red');
      INSERT INTO codes (id, name) VALUES ('c1', 'blue marked-secret');
      """
    let store = try bench.stranger(
      "desk", table("pens") + table("codes") + rows,
      declarations: [.fullText("pens_search", of: "pens", ["name"]), .fullText("codes_search", of: "codes", ["name"])])
    // No schema may declare such an index, but a file may have one.
    try RawDatabase.with(bench.url("desk.sqlite"), key: nil) {
      try $0.execute("INSERT INTO holdfast_columns VALUES ('codes', '', 'never_exported')")
    }
    for arguments in [["--json"], ["--json", "--ranked"]] {
      let found = try bench.run(["search", store, "BLUE pe"] + arguments)
      let hits = found.document["hits"] as? [[String: Any]]
      #expect(Set(hits?.compactMap { $0["id"] as? String } ?? []) == ["p1", "p2"], "\(found.output)\(found.errors)")
      #expect(hits?.allSatisfy { $0["kind"] as? String == "pens" } == true && !found.output.contains("marked-secret"))
    }
    let counted = try bench.run("stats", store, "--json")
    #expect(counted.document["rows"] as? [String: Int] == ["pens": 3], "\(counted.output)\(counted.errors)")
    #expect(try bench.run("stats", store).output.contains("pens"))
    // The number of a row means nothing outside of this file.
    #expect(try bench.run("list", store, "pens").output.hasPrefix("ID  NAME\np1  Blue pen\n"))
    #expect(try bench.run("list", store, "pens", "--csv").output.hasPrefix("rowid,id,name\r\n1,p1,"))
    #expect(try bench.run("show", store, "p2", "--json").document["rowid"] as? Int == 2)
  }

  @Test("a library beside one that is known is named as left out")
  func beside() throws {
    let schema = StoreSchema("desk", migrations: [Migration("desk/001", sql: "CREATE TABLE pens (id TEXT PRIMARY KEY);")])
    try Store.open(at: bench.url("both.sqlite"), schemas: [AudiobookLibrary.schema, schema]).close()
    try bench.run("export", bench.path("both.sqlite"), "--to", bench.path("out.json"), "--json", status: 2, output: "desk")
  }

  @Test("what is never exported is in no list, query and export")
  func neverExported() throws {
    let store = try Self.store(in: bench)
    #expect(try bench.run("list", store, "secrets").status == 64)
    #expect(try bench.run("show", store, "key").status == 66)
    #expect(try bench.run("diff", store, "--from", "commit 0", "--rows", "secrets").status == 64)
    let exported = try bench.run("export", store, "--to", bench.path("out.json"), "--json")
    #expect(exported.document["counts"] as? [String: Int] == ["waterings": 1], "\(exported.output)\(exported.errors)")
    #expect(try !String(contentsOf: bench.url("out.json"), encoding: .utf8).contains("marked-secret"))
  }

  @Test("the check says that it has not read the records, and finds a value that is not of its kind")
  func check() throws {
    let store = try Self.store(in: bench)
    let sound = try bench.run("check", store)
    #expect(
      sound.status == 0 && sound.errors.contains("The records of garden were not read: this program does not know that library."),
      "\(sound.errors)")
    #expect(!sound.output.contains("records"), "\(sound.output)")
    try RawDatabase.with(bench.url("garden.sqlite"), key: nil) { try $0.execute("UPDATE waterings SET labels = 'none'") }
    try bench.run("check", store, status: 2, output: "labels should hold JSON text, and does not")
  }

  @Test("every column that a library's record reads has a kind")
  func libraries() throws {
    let unknown = try Libraries.all.flatMap { library in
      let store = try Store.inMemory(schemas: [library.schema])
      let description = try store.read { try $0.description() }
      return library.schema.records.flatMap { record in
        record.columns.filter { description.kind(of: $0, in: record.table) == nil }.map { "\(record.table).\($0)" }
      }
    }
    // The picture's bytes tell these; the record skips the columns.
    #expect(Set(unknown) == ["artwork.media_type", "artwork.width", "artwork.height", "artwork.bytes"])
  }
}
