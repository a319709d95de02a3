import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A store describes itself")
struct StoreDescriptionTests {
  /// Written by hand, with an enum that only its own words make, and a column whose meaning another one tells.
  private struct Cover: StoredRecord {
    static let table = "covers"
    static let columns = ["id", "made_at", "length", "is_dark", "labels", "picture", "kind", "payload", "title", "size"]
    enum Kind: String { case colour, page }
    let kind: Kind
    init(row: inout StoredRow) throws {
      _ = (try row.id(), try row.dateOrNil(), try row.secondsOrNil(), try row.bool(), try row.jsonOrNil([String].self), try row.dataOrNil())
      guard let kind = Kind(rawValue: try row.text()) else { throw StoreError(.decoding, "no kind of cover") }
      self.kind = kind
      if kind == .colour { _ = try row.text() } else { _ = try row.int64() }
      _ = (try row.textOrNil(), try row.double())
    }
    func encode(into values: inout Values) throws {}
  }

  private struct Note: StoredRecord, Codable {
    static let table = "notes"
    var id: UUID
    var dueAt: Date?
    var labels: [String]
  }

  private static let tables = """
    CREATE TABLE covers (
      id TEXT PRIMARY KEY, made_at INTEGER, length REAL, is_dark INTEGER, labels TEXT, picture BLOB,
      kind TEXT CHECK (kind IN ('colour', 'page')), payload ANY, title TEXT, size REAL) STRICT;
    CREATE TABLE notes (id TEXT PRIMARY KEY, due_at INTEGER, labels TEXT NOT NULL) STRICT;
    CREATE TABLE secrets (name TEXT PRIMARY KEY) STRICT;
    """

  private static func schema(_ records: [any StoredRecord.Type], _ more: [Migration] = []) -> StoreSchema {
    StoreSchema("art", migrations: [Migration("art/001", sql: tables)] + more, records: records, neverExported: ["secrets"])
  }

  private let folder: TemporaryFolder
  private var url: URL { folder.file("art.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func open(_ schema: StoreSchema) throws -> Store { try Store.open(at: url, schemas: [schema], options: .testing) }

  private func kinds(_ store: Store, _ table: String, _ columns: [String]) throws -> [ColumnKind?] {
    let description = try store.read { try $0.description() }
    return columns.map { description.kind(of: $0, in: table) }
  }

  @Test("the kinds of the columns are in the file, of derived records and of those by hand; what another column decides has none")
  func kinds() throws {
    let store = try open(Self.schema([Cover.self, Note.self]))
    #expect(
      try kinds(store, "covers", Cover.columns) == [.id, .date, .seconds, .flag, .json, .bytes, .text, nil, .text, .number])
    #expect(try kinds(store, "notes", ["id", "due_at", "labels"]) == [.id, .date, .json])
    #expect(try store.read { try $0.description().isNeverExported("Secrets") })
  }

  @Test("a version with the same migrations leaves the description as it is; one with a further migration writes it anew")
  func versions() throws {
    try open(Self.schema([Note.self])).close()
    let second = try open(Self.schema([Note.self, Cover.self]))
    #expect(try kinds(second, "covers", ["id"]) == [nil] && kinds(second, "notes", ["id"]) == [.id])
    try second.close()
    let drop = Migration("art/002", sql: "DROP TABLE notes", losesRowsOf: ["notes"])
    let third = try open(Self.schema([Cover.self], [drop]))
    #expect(try kinds(third, "covers", ["id"]) == [.id] && kinds(third, "notes", ["id"]) == [nil])
  }

  @Test("a version that hides a table, and a second library of an older file, are described without a migration")
  func later() throws {
    let open = StoreSchema("art", migrations: [Migration("art/001", sql: Self.tables)], records: [Note.self])
    let other = StoreSchema("other", migrations: [Migration("other/001", sql: "CREATE TABLE keys (id TEXT);")], neverExported: ["keys"])
    try Store.open(at: url, schemas: [open, other], options: .testing).close()
    try RawDatabase.with(url, key: nil) { try $0.execute("DROP TABLE holdfast_columns") }
    try Store.open(at: url, schemas: [open], options: .testing).close()
    let first = try self.open(Self.schema([Note.self]))
    #expect(try first.read { try ["secrets", "keys"].map(try $0.description().isNeverExported) } == [true, false])
    try first.close()
    try Store.open(at: url, schemas: [open, other], options: .testing).close()
    let second = try self.open(open)
    #expect(try second.read { try ["secrets", "keys"].map(try $0.description().isNeverExported) } == [true, true])
  }

  @Test("a store that is opened without migrations stays as it is, and a damaged description hides no other finding")
  func untouched() throws {
    let schema = Self.schema([Note.self])
    try open(schema).close()
    try RawDatabase.with(url, key: nil) { try $0.execute("DROP TABLE holdfast_columns") }
    try Store.open(at: url, schemas: [schema], options: .testing.with { $0.migrating = .never }).close()
    try RawDatabase.with(url, key: nil) { database in
      #expect(try database.rows("SELECT name FROM sqlite_schema WHERE name = 'holdfast_columns'").isEmpty)
      try database.execute("CREATE TABLE holdfast_columns (table_name TEXT)")
      try database.execute("INSERT INTO notes VALUES ('x', 1, '[]')")
    }
    let found = try Store.check(at: url, schemas: [schema], options: .testing).findings
    #expect(found.map(\.part) == [.records, .kinds] && found.map(\.table) == ["notes", "holdfast_columns"], "\(found)")
  }

  @Test("names are compared as SQLite compares them; a text behind a NUL and one that is not UTF-8 are found; a dropped table stays hidden")
  func exactly() throws {
    struct Row: StoredRecord, Codable {
      static let table = "Übung"
      var id: UUID
      var size: String
      var labels: [String]
      enum CodingKeys: String, CodingKey {
        case id
        case size = "größe"
        case labels
      }
    }
    let sql = """
      CREATE TABLE "Übung" (id TEXT PRIMARY KEY, "größe" TEXT NOT NULL, labels TEXT NOT NULL);
      CREATE TABLE secrets (name TEXT);
      INSERT INTO "Übung" VALUES ('00000000-0000-4000-8000-000000000000' || char(0) || 'x', cast(x'61ff' AS TEXT), '{}' || char(0) || 'x');
      """
    let schema = StoreSchema("art", migrations: [Migration("art/001", sql: sql)], records: [Row.self], neverExported: ["secrets"])
    let drop = Migration("art/002", sql: "DROP TABLE secrets", losesRowsOf: ["secrets"])
    try open(schema).close()
    let found = try Store.check(at: url, schemas: [], options: .testing).findings
    #expect(
      found.map(\.message) == [
        "id should hold a UUID, and does not", "größe should hold text in UTF-8, and does not",
        "labels should hold JSON text, and does not",
      ])
    let store = try open(StoreSchema("art", migrations: schema.migrations + [drop], records: [Row.self]))
    #expect(try store.read { try $0.description().isNeverExported("secrets") })
  }

  @Test("a file that lacks the description is sound, is read as it is, and gets it when it is opened for writing")
  func older() throws {
    let schema = Self.schema([Note.self])
    try open(schema).close()
    try RawDatabase.with(url, key: nil) { try $0.execute("DROP TABLE holdfast_columns") }
    #expect(try Store.check(at: url, schemas: [schema], options: .testing).findings == [])
    let looking = try Store.open(at: url, schemas: [schema], options: .testing.with { $0.opensReadOnly = true })
    #expect(try kinds(looking, "notes", ["id"]) == [nil])
    try looking.close()
    let store = try open(schema)
    #expect(try kinds(store, "notes", ["id"]) == [.id])
  }

  @Test("without the library the check tests the kinds, and does not say that it has read the records")
  func check() throws {
    let store = try open(Self.schema([Note.self]))
    try store.write { try $0.insert(Note(id: UUID(), dueAt: Date(timeIntervalSince1970: 1), labels: ["a"])) }
    try store.close()
    let sound = try Store.check(at: url, schemas: [], options: .testing)
    #expect(sound.findings == [] && sound.checked.contains(.kinds) && !sound.checked.contains(.records))
    try RawDatabase.with(url, key: nil) {
      try $0.execute("INSERT INTO notes VALUES ('x', 9000000000000000, 'no JSON')")
    }
    let found = try Store.check(at: url, schemas: [], options: .testing).findings
    #expect(found.map(\.part) == [.kinds, .kinds, .kinds] && found.map(\.row) == ["x", "x", "x"])
    #expect(
      found.map(\.message) == [
        "id should hold a UUID, and does not", "due_at should hold a date, and does not", "labels should hold JSON text, and does not",
      ])
    let known = try Store.check(at: url, schemas: [Self.schema([Note.self])], options: .testing)
    #expect(known.checked.contains(.records) && !known.checked.contains(.kinds) && known.findings.map(\.part) == [.records])
  }
}
