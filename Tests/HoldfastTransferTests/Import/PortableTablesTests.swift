import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

/// An export goes into a store by that store's own tables: no schema and no record is at hand.
@Suite("An export into a store that is not known") struct PortableTablesTests {
  private struct Bed: StoredRecord, Codable {
    static let table = "beds"
    var id: UUID
    var aboveID: UUID?
    var name: String
  }

  private struct Pot: StoredRecord, Codable {
    static let table = "pots"
    var id: UUID
    var name: String?
  }

  private struct Copy: StoredRecord, Codable {
    static let table = "copies"
    var id: Int64
    var code: String
  }

  private static let schema = StoreSchema(
    "garden",
    migrations: [
      Migration(
        "garden/001",
        sql: """
          CREATE TABLE beds (
            rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, above_id TEXT REFERENCES beds (id),
            name TEXT NOT NULL CHECK (name <> ''), label TEXT COLLATE NOCASE UNIQUE ON CONFLICT REPLACE) STRICT;
          CREATE TABLE rooms (name TEXT NOT NULL UNIQUE, id TEXT NOT NULL UNIQUE, within TEXT REFERENCES Rooms (ID)) STRICT;
          CREATE TABLE plants (
            code TEXT PRIMARY KEY, bed TEXT REFERENCES beds (id), height REAL, photo BLOB, anything ANY) STRICT;
          CREATE TABLE loans (id INTEGER PRIMARY KEY, plant TEXT REFERENCES plants (code)) STRICT;
          CREATE TABLE lines (line TEXT) STRICT;
          CREATE TRIGGER plants_grow AFTER INSERT ON plants WHEN new.height > 99 BEGIN
            UPDATE plants SET height = 99 WHERE code = new.code;
          END;
          """)
    ], records: [Bed.self])

  /// The second bed lies in the first one, whose id comes after its own; the attic in the house, whose name does.
  private static let rows = """
    INSERT INTO beds VALUES (7, '0b000000-0000-4000-8000-000000000000', NULL, 'South', 'S');
    INSERT INTO beds VALUES (9, '0a000000-0000-4000-8000-000000000000', '0b000000-0000-4000-8000-000000000000', 'Corner', NULL);
    INSERT INTO rooms VALUES ('house', 'r1', NULL), ('attic', 'r2', 'r1');
    INSERT INTO plants VALUES ('basil', '0a000000-0000-4000-8000-000000000000', 0.5, x'FFD8', 5.0), ('rose', NULL, NULL, NULL, '5')
    """

  private let folder: TemporaryFolder
  private var file: URL { folder.file("export.holdfast") }

  init() throws { folder = try TemporaryFolder() }

  private func store(_ sql: String..., schema: StoreSchema = Self.schema) throws -> Store {
    let store = try Store.inMemory(schemas: [schema])
    for statements in sql {
      for statement in statements.split(separator: ";\n") {
        try store.write { tx in _ = try tx.execute(BoundSQL(raw: String(statement))) }
      }
    }
    return store
  }

  private func imported(into store: Store) throws -> ImportReport {
    let source = try ImportSource(file)
    let document = try source.document()
    let format = try store.read { try PortableTablesImport(document, into: $0) }
    return try store.importing(format, from: source)
  }

  private func reasons(_ report: ImportReport) -> [String] { report.problems.map { "\($0.kind): \($0.reason)" } }

  @Test("every row comes back, the upper of a tree first, and is verified; an export of that store has the same bytes")
  func comesBack() throws {
    _ = try store(Self.rows, "INSERT INTO loans VALUES (3, 'basil')").exportTables(to: file)
    let other = try store()
    let report = try imported(into: other)
    #expect(report.isClean && report.verified, "\(report.text)")
    #expect(report.counts.mapValues(\.imported) == ["beds": 2, "rooms": 2, "plants": 2, "loans": 1, "lines": 0])
    func rows() throws -> ArraySlice<Substring> { try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst() }
    let before = try rows()
    _ = try other.exportTables(to: file)
    // The last line has the checksum of the first one, and so its time.
    #expect(try rows().dropLast() == before.dropLast())
    #expect(try imported(into: other).skipped == ["in the store already": 7])
  }

  @Test("an export has no numbers that only its file gives, so the app's own import reads it")
  func readByTheApp() throws {
    let table = "CREATE TABLE pots (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT) STRICT"
    let schema = StoreSchema("pots", migrations: [Migration("pots/001", sql: table)], records: [Pot.self])
    _ = try store("INSERT INTO pots VALUES (7, '0b000000-0000-4000-8000-000000000000', 'South')", schema: schema).exportTables(to: file)
    let source = try ImportSource(file)
    let report = try store(schema: schema).importing(PortableImport(source.document(), schemas: [schema]), from: source)
    #expect(report.isClean && report.counts["pots"]?.imported == 1)
  }

  @Test("a number stays where it is the key, where a record reads it, where a row refers to it, and where the file does not tell")
  func numbers() throws {
    let tables = """
      CREATE TABLE copies (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE loans (id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE pots (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT) STRICT;
      CREATE TABLE tags (number INTEGER PRIMARY KEY, tag TEXT NOT NULL UNIQUE, pot INTEGER REFERENCES pots) STRICT;
      """
    let schema = StoreSchema("pots", migrations: [Migration("pots/001", sql: tables)], records: [Pot.self, Copy.self])
    _ = try store(schema: schema).exportTables(to: file)
    let header = try #require(String(contentsOf: file, encoding: .utf8).split(separator: "\n").first)
    let expected = [
      #"{"columns":["id"],"key":["id"],"name":"loans"}"#, #"{"columns":["id","code"],"key":["code"],"name":"copies"}"#,
      #"{"columns":["rowid","id","name"],"key":["id"],"name":"pots"}"#, #"{"columns":["number","tag","pot"],"key":["tag"],"name":"tags"}"#,
    ]
    for table in expected { #expect(header.contains(table), "\(header)") }
  }

  @Test("a row that a CHECK refuses, that a trigger would change, without a key, or that would replace another one is quarantined")
  func refused() throws {
    let plain = StoreSchema(
      "garden",
      migrations: [
        Migration(
          "garden/001",
          sql: """
            CREATE TABLE beds (id TEXT NOT NULL UNIQUE, above_id TEXT, name TEXT NOT NULL, label TEXT) STRICT;
            CREATE TABLE plants (code TEXT PRIMARY KEY, bed TEXT, height REAL);
            CREATE TABLE lines (line TEXT) STRICT;
            INSERT INTO beds VALUES ('0a', NULL, '', NULL), ('0b', '0a', 'Pots', NULL), ('0c', NULL, 'East', 's');
            INSERT INTO plants VALUES ('oak', NULL, 100), (NULL, NULL, 1), ('fig', NULL, 1);
            INSERT INTO lines VALUES ('a'), ('a');
            """)
      ])
    _ = try store(schema: plain).exportTables(to: file)
    let other = try store("INSERT INTO beds VALUES (1, '0d', NULL, 'South', 'S')")
    let report = try imported(into: other)
    let key = "lines: its table has no key, by which the row could be found again"
    #expect(report.verified && reasons(report).filter { $0.hasPrefix("lines") } == [key, key])
    #expect(reasons(report).contains { $0.hasPrefix("beds: ") && $0.contains("CHECK") }, "\(reasons(report))")
    #expect(reasons(report).contains("beds: the record that it belongs to is quarantined"))
    #expect(reasons(report).contains { $0.hasPrefix("beds: ") && $0.contains("UNIQUE") })
    #expect(
      reasons(report).filter { $0.hasPrefix("plants") }.sorted() == [
        "plants: a part of the key is NULL", "plants: the store would keep another value of height",
      ])
    #expect(try other.read { try $0.values("SELECT name FROM beds") { try $0.text() } } == ["South"])
    #expect(try other.quarantine.count() == report.problemCount && report.problemCount == 7)
  }

  @Test("a row with a value that is not of its column's kind is quarantined: the app could not read it")
  func wrongKind() throws {
    _ = try store("INSERT INTO beds VALUES (1, 'no id', NULL, 'South', NULL)").exportTables(to: file)
    let other = try store()
    #expect(try reasons(imported(into: other)) == ["beds: id should hold a UUID, and does not"])
    #expect(try other.read { try $0.count("SELECT count(*) FROM beds") } == 0)
  }

  @Test("a row that the app adds after the export was read, and before it is written, refuses numbers that may mean it")
  func addedMeanwhile() throws {
    _ = try store(Self.rows, "INSERT INTO loans VALUES (3, 'basil')").exportTables(to: file)
    let (source, other) = (try ImportSource(file), try store())
    let document = try source.document()
    let format = try other.read { try PortableTablesImport(document, into: $0) }
    try other.write { tx in _ = try tx.execute("INSERT INTO loans VALUES (3, NULL)") }
    let error = #expect(throws: StoreError.self) { try other.importing(format, from: source) }
    #expect(error?.code == .invalidSource)
    #expect(try other.read { try $0.count("SELECT count(*) FROM beds") } == 0)
  }

  @Test("numbers that may mean other rows, another library, a newer version and a table that the store has not are refused whole")
  func refusedWhole() throws {
    func code(_ store: Store) -> StoreError.Code? { #expect(throws: StoreError.self) { try imported(into: store) }?.code }
    _ = try store(Self.rows, "INSERT INTO loans VALUES (3, 'basil')").exportTables(to: file)
    let own = try store("INSERT INTO loans VALUES (4, NULL)")
    #expect(code(own) == .invalidSource)
    #expect(try own.read { try $0.count("SELECT count(*) FROM beds") } == 0)
    let desk = StoreSchema("desk", migrations: [Migration("desk/001", sql: "CREATE TABLE pens (id TEXT NOT NULL UNIQUE) STRICT")])
    #expect(code(try store(schema: desk)) == .wrongKind)
    let secret = StoreSchema("garden", migrations: Self.schema.migrations, neverExported: ["lines"])
    #expect(code(try store(schema: secret)) == .invalidSource)
    let step = Migration("garden/002", sql: "CREATE TABLE pots (id TEXT NOT NULL UNIQUE) STRICT")
    _ = try store(schema: StoreSchema("garden", migrations: Self.schema.migrations + [step])).exportTables(to: file)
    #expect(code(try store()) == .newerSource)
  }
}
