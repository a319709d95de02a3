import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastTool

/// A database of another app goes into a store whose library this program does not know.
@Suite("Tables by name")
final class TablesByNameTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// Another app's database: two beds, the inner one first; two plants; three tags of plants; and a table of its own.
  private static let sample = """
    CREATE TABLE beds (id TEXT PRIMARY KEY, aboveId TEXT, name TEXT, letters INTEGER);
    INSERT INTO beds VALUES ('0A0A0A0A-0000-4000-8000-000000000002', '0a0a0a0a-0000-4000-8000-000000000001', 'Corner', 6);
    INSERT INTO beds VALUES ('0a0a0a0a-0000-4000-8000-000000000001', NULL, 'South', 5);
    CREATE TABLE Plants (id BLOB PRIMARY KEY, bedId TEXT, plantedAt TEXT, isWild INTEGER, labels TEXT, height REAL, photo BLOB, colour TEXT);
    INSERT INTO Plants VALUES (x'0B0B0B0B000040008000000000000001', '0a0a0a0a-0000-4000-8000-000000000002', '2023-11-14 22:13:20.500', 1,
      '["a", "b"]', 12, x'FFD8', 'red');
    INSERT INTO Plants VALUES (x'0B0B0B0B000040008000000000000002', '0A0A0A0A-0000-4000-8000-000000000001', '2023-11-14T22:13:20Z', 0, '[]',
      NULL, NULL, NULL);
    CREATE TABLE plantTags (plantId BLOB, tag TEXT);
    INSERT INTO plantTags VALUES (x'0B0B0B0B000040008000000000000001', 'old'), (x'0B0B0B0B000040008000000000000001', 'new'),
      (x'0B0B0B0B000040008000000000000002', 'old');
    CREATE TABLE settings (name TEXT);
    INSERT INTO settings VALUES ('x');
    """

  private static func store(in bench: borrowing Workbench) throws -> String {
    try Store.open(at: bench.url("garden.sqlite"), schemas: [Garden.schema]).close()
    return bench.path("garden.sqlite")
  }

  private static func source(_ changes: String = "", of sql: String = sample, in bench: borrowing Workbench) throws -> String {
    try RawDatabase.with(bench.url("other.sqlite"), creating: true) { try $0.execute(sql + changes) }
    return bench.path("other.sqlite")
  }

  private static func read<T>(_ bench: borrowing Workbench, _ body: (Reader) throws -> T) throws -> T {
    let store = try Store.open(at: bench.url("garden.sqlite"), schemas: [Garden.schema])
    let result = try store.read(body)
    try store.close()
    return result
  }

  private static func count(_ finished: Finished, _ table: String) -> [String: Int] {
    (finished.document["counts"] as? [String: [String: Int]])?[table] ?? [:]
  }

  @Test("without --yes the plan says what has a place and what has none, and nothing is written")
  func plan() throws {
    let (store, source) = (try Self.store(in: bench), try Self.source("ALTER TABLE Plants DROP COLUMN labels", in: bench))
    let before = try bench.content()
    let finished = try bench.run("import", source, "--into", store)
    #expect(finished.status == 64 && finished.output.isEmpty)
    #expect(
      finished.errors == """
        This imports into \(store), by the names of tables and columns:
        beds -> beds: 2 rows, columns id, aboveId -> above_id, name
          no place for: letters
          not in the source, so a new row has the default or NULL: dug_at
        Plants -> plants: 2 rows, columns id, bedId -> bed_id, plantedAt -> planted_at, isWild -> is_wild, height, photo
          no place for: colour
          not in the source, so a new row has the default or NULL: labels
        plantTags -> plant_tags: 3 rows, columns plantId -> plant_id, tag
        no place for the table settings: 1 row
        Error: this needs a confirmation, and there is no terminal to ask on; nothing was changed
        Try: the same command with --yes

        """)
    #expect(try bench.content() == before)
  }

  @Test("with --yes all rows are in and verified, as the app's own records read them; the same again adds nothing")
  func everything() throws {
    let (store, source) = (try Self.store(in: bench), try Self.source(in: bench))
    let finished = try bench.run("import", source, "--into", store, "--yes", "--json")
    #expect(finished.status == 0 && finished.document["verified"] as? Bool == true, "\(finished.output)\(finished.errors)")
    let tables = (finished.document["plan"] as? [String: Any])?["tables"] as? [[String: Any]]
    #expect(tables?.compactMap { $0["table"] as? String } == ["beds", "plants", "plant_tags"])
    #expect(FileManager.default.fileExists(atPath: source + ".backup"))
    let id = try #require(UUID(uuidString: "0B0B0B0B-0000-4000-8000-000000000001"))
    let corner = try #require(UUID(uuidString: "0A0A0A0A-0000-4000-8000-000000000002"))
    try Self.read(bench) { reader in
      let plants = try reader.all(Garden.Plant.self, "ORDER BY id")
      #expect(
        plants.first
          == Garden.Plant(
            id: id, bedID: corner, plantedAt: Date(timeIntervalSince1970: 1_700_000_000.5), isWild: true, labels: ["a", "b"], height: 12,
            photo: Data([0xFF, 0xD8])))
      #expect(plants.last?.plantedAt == Date(timeIntervalSince1970: 1_700_000_000) && plants.count == 2)
      #expect(try reader.all(Garden.Bed.self, "ORDER BY id").map(\.name) == ["South", "Corner"])
      #expect(try reader.all(Garden.PlantTag.self, "ORDER BY plant_id, tag").map(\.tag) == ["new", "old", "old"])
    }
    #expect(try bench.run("check", store).status == 0)
    let again = try bench.run("import", source, "--into", store, "--yes", "--json")
    #expect(again.status == 0 && again.document["skipped"] as? [String: Int] == ["in the store already": 7], "\(again.output)")
  }

  @Test("a row that was changed in the store stays so; one that was changed in the source only comes in again")
  func edits() throws {
    let (store, source) = (try Self.store(in: bench), try Self.source(in: bench))
    #expect(try bench.run("import", source, "--into", store, "--yes").status == 0)
    let open = try Store.open(at: bench.url("garden.sqlite"), schemas: [Garden.schema])
    try open.write { _ = try $0.execute("UPDATE beds SET name = 'Mine' WHERE name = 'South'") }
    try open.close()
    try RawDatabase.with(bench.url("other.sqlite")) { try $0.execute("UPDATE beds SET name = name || ' 2'") }
    let again = try bench.run("import", source, "--into", store, "--yes", "--json")
    #expect(Self.count(again, "beds") == ["source": 2, "imported": 0, "merged": 1, "skipped": 1, "quarantined": 0], "\(again.output)")
    #expect(try Self.read(bench) { try $0.all(Garden.Bed.self, "ORDER BY id").map(\.name) } == ["Mine", "Corner 2"])
  }

  @Test("a row that a CHECK refuses, that a trigger would change, or with a value of another kind is quarantined with the reason")
  func refusedRows() throws {
    let store = try Self.store(in: bench)
    let source = try Self.source(
      """
      INSERT INTO beds VALUES ('0a0a0a0a-0000-4000-8000-000000000003', NULL, '', 0);
      INSERT INTO Plants (id, bedId, plantedAt, isWild, labels, height) VALUES
        (x'0B0B0B0B000040008000000000000003', '0a0a0a0a-0000-4000-8000-000000000003', '2023-11-14', 0, '[]', 1),
        (x'0B0B0B0B000040008000000000000004', '0a0a0a0a-0000-4000-8000-000000000001', '2023-11-14', 0, '[]', 100),
        (x'0B0B0B0B000040008000000000000005', '0a0a0a0a-0000-4000-8000-000000000001', 'yesterday', 0, '[]', 1),
        (x'0B0B0B0B000040008000000000000006', '0a0a0a0a-0000-4000-8000-000000000001', '2023-11-14', 2, '[]', 1),
        (x'0B0B0B0B000040008000000000000007', '0a0a0a0a-0000-4000-8000-000000000001', '2023-11-14', 0, '[', 1),
        (NULL, '0a0a0a0a-0000-4000-8000-000000000001', '2023-11-14', 0, '[]', 1);
      """, in: bench)
    let finished = try bench.run("import", source, "--into", store, "--yes", "--json")
    #expect(finished.status == 2 && finished.document["verified"] as? Bool == true, "\(finished.output)\(finished.errors)")
    let reasons = (finished.document["problems"] as? [[String: Any]] ?? []).compactMap { $0["reason"] as? String }
    try #require(reasons.count == 7, "\(reasons)")
    #expect(reasons[0].contains("CHECK"))
    #expect(
      Array(reasons.dropFirst()) == [
        "the record that it belongs to is quarantined", "the store would keep another value of height",
        "plantedAt should be a date, found \"yesterday\"", "isWild should be 0 or 1, found 2", "labels should be JSON text, found \"[\"",
        "a part of the key is NULL",
      ])
    #expect(try Self.read(bench) { try $0.all(Garden.Plant.self).count } == 2)
    #expect(try bench.run("quarantine", store).output.contains("Plants[rowid 3]"))
  }

  @Test("a table that needs a guess or a value is refused with its columns, before anything is written")
  func refusedTables() throws {
    let plants = "CREATE TABLE plants (id, bed_id TEXT, planted_at, is_wild INTEGER);"
    let cases = [
      ("CREATE TABLE plants (id TEXT, planted_at TEXT, is_wild INTEGER); INSERT INTO plants VALUES ('a', 'b', 0)", "bed_id needs a value"),
      (plants + "INSERT INTO plants VALUES ('a', 'b', 721692800.5, 0)", "planted_at has numbers"),
      (plants + "INSERT INTO plants VALUES (7, 'b', '2023-11-14', 0)", "id has numbers, and the store's ids are UUIDs"),
      ("CREATE TABLE plant_tags (tag TEXT); INSERT INTO plant_tags VALUES ('a')", "plant_id needs a value"),
      ("CREATE TABLE notes (id TEXT, text TEXT); INSERT INTO notes VALUES ('a', 'b')", "does not tell what the columns hold"),
    ]
    for (sql, reason) in cases {
      let bench = try Workbench()
      let (store, source) = (try Self.store(in: bench), try Self.source(of: sql, in: bench))
      let before = try bench.content()
      for arguments in [["--yes"], ["--dry-run"], []] {
        let finished = try bench.run(["import", source, "--into", store] + arguments)
        #expect(finished.status == 65 && finished.errors.contains(reason) && finished.errors.contains("\nTry: "), "\(finished.errors)")
      }
      #expect(try bench.content() == before)
    }
  }

  private struct Loan: StoredRecord, Codable {
    static let table = "loans"
    var id: Int64
    var name: String
  }

  @Test("a row's number is a key where the source gives it; of two spellings, the table's own counts")
  func numbers() throws {
    let sql = "CREATE TABLE loans (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"
    let store = try bench.stranger("desk", sql, records: [Loan.self])
    let source = try Self.source(
      of: """
        CREATE TABLE lo_ans (id INTEGER, name TEXT);
        CREATE TABLE LOANS (id INTEGER PRIMARY KEY, Name TEXT);
        INSERT INTO LOANS VALUES (7, 'Dune');
        """, in: bench)
    let finished = try bench.run("import", source, "--into", store, "--yes")
    #expect(finished.status == 0 && finished.errors.contains("no place for the table lo_ans: no rows"), "\(finished.errors)")
    #expect(try bench.run("show", store, "loans:7").output.contains("Dune"))
    // With a row that the store made, the number 8 may mean another loan in the source.
    #expect(try bench.run("import", source, "--into", store, "--yes").status == 0)
    try RawDatabase.with(bench.url("desk.sqlite")) { try $0.execute("INSERT INTO loans VALUES (8, 'Emma')") }
    try bench.run("import", source, "--into", store, "--yes", status: 65, errors: "whose numbers mean other rows")
    try RawDatabase.with(bench.url("other.sqlite")) { try $0.execute("ALTER TABLE LOANS RENAME COLUMN id TO number") }
    let unkeyed = try bench.run("import", source, "--into", store, "--yes")
    #expect(
      unkeyed.status == 65 && unkeyed.errors.contains("a row is found again by id, which the source does not have"), "\(unkeyed.errors)")
  }

  private struct Copy: StoredRecord, Codable {
    static let table = "books"
    var id: Int64
    var code: String
  }

  @Test("a number that another key stands beside is refused as well, where it may name a row of the store's own")
  func numbersBesideAKey() throws {
    let sql = "CREATE TABLE books (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE) STRICT"
    let store = try bench.stranger("desk", sql, records: [Copy.self])
    let source = try Self.source(of: "CREATE TABLE books (id INTEGER, code TEXT); INSERT INTO books VALUES (7, 'Emma')", in: bench)
    for _ in 0..<2 { #expect(try bench.run("import", source, "--into", store, "--yes").status == 0) }
    try RawDatabase.with(bench.url("desk.sqlite")) { try $0.execute("INSERT INTO books VALUES (8, 'Dune')") }
    try RawDatabase.with(bench.url("other.sqlite")) { try $0.execute("INSERT INTO books VALUES (8, 'Ivanhoe')") }
    try bench.run("import", source, "--into", store, "--yes", status: 65, errors: "whose numbers mean other rows")
  }

  private struct Person: StoredRecord, Codable {
    static let table = "people"
    static let key = ["name"]
    var name: String
    var email: String?
  }

  @Test("a row never replaces another one: not by a column that the table says to replace by, nor by a key in other letters")
  func neverReplaced() throws {
    let sql = "CREATE TABLE people (name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, email TEXT UNIQUE ON CONFLICT REPLACE) STRICT"
    let store = try bench.stranger("club", sql, records: [Person.self])
    try RawDatabase.with(bench.url("club.sqlite")) { try $0.execute("INSERT INTO people VALUES ('own', 'a@x')") }
    let source = try Self.source(
      of: """
        CREATE TABLE people (name TEXT, email TEXT);
        INSERT INTO people VALUES ('taken', 'a@x'), ('ann', 'b@x'), ('ANN', 'c@x');
        """, in: bench)
    let finished = try bench.run("import", source, "--into", store, "--yes", "--json")
    #expect(finished.status == 2 && Self.count(finished, "people")["quarantined"] == 2, "\(finished.output)\(finished.errors)")
    let rows = try RawDatabase.with(bench.url("club.sqlite")) { try $0.rows("SELECT name, email FROM people ORDER BY rowid") }
    #expect(rows == [["own", "a@x"], ["ann", "b@x"]])
  }

  @Test("an empty table is never refused")
  func emptyTable() throws {
    let (store, source) = (try Self.store(in: bench), try Self.source("CREATE TABLE notes (text TEXT)", in: bench))
    #expect(try bench.run("import", source, "--into", store, "--yes").status == 0)
  }

  @Test("a dry run imports and verifies, and keeps nothing; its document has the plan")
  func dryRun() throws {
    let (store, source) = (try Self.store(in: bench), try Self.source(in: bench))
    let finished = try bench.run("import", source, "--into", store, "--dry-run", "--json")
    #expect(finished.status == 0 && finished.document["dry_run"] as? Bool == true, "\(finished.output)\(finished.errors)")
    #expect(Self.count(finished, "plant_tags")["imported"] == 3)
    let plan = try #require(finished.document["plan"] as? [String: Any])
    let settings = try #require((plan["unplaced"] as? [[String: Any]])?.first)
    #expect(settings["source"] as? String == "settings" && settings["rows"] as? Int == 1)
    #expect(try Self.read(bench) { try $0.all(Garden.Bed.self).count } == 0)
    #expect(!FileManager.default.fileExists(atPath: source + ".backup"))
  }

  @Test("a database without a table of the store, and a Holdfast store, are refused, and so is an option of a format")
  func noWay() throws {
    let store = try Self.store(in: bench)
    let source = try Self.source(of: "CREATE TABLE holdfast_columns (kind); CREATE TABLE x (y)", in: bench)
    try bench.run("import", source, "--into", store, "--yes", status: 65, errors: "none of them has the name of a table")
    try bench.run("import", try bench.store(), "--into", store, "--yes", status: 65, errors: "is a Holdfast library already")
    let unit = try bench.run("import", source, "--into", store, "--unit", "kg")
    #expect(unit.status == 65 && unit.errors.contains("an import by the names of tables has no use for --unit"), "\(unit.errors)")
  }
}
