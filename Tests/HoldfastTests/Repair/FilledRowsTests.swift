import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Rows of lost pages", .timeLimit(.minutes(10)))
struct FilledRowsTests {
  let folder: TemporaryFolder
  private var file: URL { folder.file("store.sqlite") }
  private var new: URL { folder.file("new.sqlite") }

  private static let plants = Migration(
    "plants/001",
    sql: """
      CREATE TABLE plants (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, height REAL, photo BLOB, number INTEGER) STRICT;
      CREATE TABLE beds (plant TEXT NOT NULL, place INTEGER NOT NULL, note ANY, PRIMARY KEY (plant, place)) STRICT, WITHOUT ROWID;
      """)
  private static let schema = StoreSchema(
    "plants", migrations: [plants], declarations: [.audit("plants"), .audit("beds", key: ["plant", "place"])])
  private static let unaudited = StoreSchema("plants", migrations: [plants])

  init() throws { folder = try TemporaryFolder() }

  private func plant(_ numbers: Range<Int>, in store: Store) throws {
    try store.write { tx in
      for number in numbers {
        let (id, name, photo) = ("plant \(number)", String(repeating: "n\(number) ", count: 20), Data([UInt8(number % 256), 0]))
        try tx.execute("INSERT INTO plants VALUES (\(id), \(name), \(Double(number) / 7), \(photo), NULL)")
        try tx.execute("INSERT INTO beds VALUES (\(id), \(-number), \(number % 2 == 0 ? SQLValue.real(0.1) : .text("t")))")
      }
    }
  }

  /// Overwrites the pages of these tables that hold rows, but for the first one of each. Returns how many rows stood on them, by table.
  private func losePages(of tables: [String]) throws -> [String: Int] {
    var lost: [String: Int] = [:]
    for table in tables {
      let pages = try RawDatabase.with(file) {
        try $0.rows("SELECT pageno, ncell FROM dbstat WHERE name = '\(table)' AND pagetype = 'leaf' ORDER BY path")
      }
      try #require(pages.count > 1)
      for page in pages.dropFirst() {
        try Damage.overwritePage(file, try #require(Int(page[0])))
        lost[table, default: 0] += try #require(Int(page[1]))
      }
    }
    return lost
  }

  @Test("come from the store's audit, value for value, where there is no copy at all")
  func audited() throws {
    let store = try folder.store([Self.schema])
    try plant(0..<400, in: store)
    try store.run("UPDATE plants SET height = 1e300, number = 9007199254740993 WHERE id LIKE '%3'")
    try store.run("UPDATE plants SET id = id || ' moved', name = 'new' WHERE id LIKE '%5'")
    try store.run("DELETE FROM plants WHERE id LIKE '%8'")
    try store.close()
    let rows = try SalvageWorld.rows(file)
    let lost = try losePages(of: ["plants", "beds"])
    let report = try Store.salvage(file, to: new, schemas: [Self.schema], options: .testing)
    #expect(try SalvageWorld.rows(new) == rows)
    let plants = try #require(report.tables.first { $0.table == "plants" })
    #expect(plants.filled == lost["plants"] && plants.audited == plants.filled && plants.lost == 0)
    #expect(report.findings == [] && report.setAside == nil)
  }

  @Test("come from the snapshot, and what was changed and deleted since then is as the audit tells it")
  func snapshotAndAudit() throws {
    let store = try folder.store([Self.schema])
    try plant(0..<400, in: store)
    try store.snapshot()
    // The audit begins anew, so it does not tell the older rows whole.
    try store.write { tx in
      _ = try tx.execute("DELETE FROM holdfast_audit WHERE operation <> 'base'")
    }
    try store.run("UPDATE plants SET height = NULL, photo = x'00' WHERE id LIKE '%3'")
    try store.run("DELETE FROM plants WHERE id LIKE '%8'")
    try store.run("DELETE FROM beds WHERE place % 10 = -1")
    try plant(400..<500, in: store)
    try store.close()
    let rows = try SalvageWorld.rows(file)
    _ = try losePages(of: ["plants", "beds"])
    let report = try Store.heal(at: file, schemas: [Self.schema], options: .testing)
    #expect(report.means == .rows && report.notes.contains { $0.contains("the store's audit told") }, "\(report)")
    #expect(try SalvageWorld.rows(file) == rows)
  }

  @Test("that nothing tells any more are counted where an index has them all, and unknown where none has")
  func counted() throws {
    let store = try folder.store([Self.unaudited])
    try plant(0..<400, in: store)
    try store.close()
    let sound = folder.file("sound.sqlite")
    try FileManager.default.copyItem(at: file, to: sound)
    let lost = try losePages(of: ["plants", "beds"])
    let report = try Store.salvage(file, to: new, schemas: [Self.unaudited], options: .testing)
    let counts = Dictionary(uniqueKeysWithValues: report.tables.map { ($0.table, $0) })
    #expect(counts["plants"]?.lost == lost["plants"] && counts["plants"]?.rows == 400 - (lost["plants"] ?? 0))
    #expect(try #require(counts["beds"]).lost == nil && counts["beds"]?.filled == 0)
    #expect(counts["holdfast_schemas"]?.lost == 0)
    // Where a page of the index should be stands a sound page of another tree.
    func leaf(_ name: String) throws -> Int {
      let sql = "SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = 'leaf' ORDER BY path LIMIT 1"
      return try #require(try RawDatabase.with(sound) { try $0.rows(sql) }.first.flatMap { Int($0[0]) })
    }
    var bytes = try Data(contentsOf: file)
    let (index, other) = (try leaf("sqlite_autoindex_plants_1") * 4_096, try leaf("beds") * 4_096)
    bytes.replaceSubrange(index - 4_096..<index, with: bytes[other - 4_096..<other])
    try bytes.write(to: file)
    let less = try Store.salvage(file, to: folder.file("less.sqlite"), schemas: [Self.unaudited], options: .testing)
    #expect(try #require(less.tables.first { $0.table == "plants" }).lost == nil)
  }

  /// A table `t` with 300 rows of `id`, `name` and `number`, which is audited only from `later` on.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var columns: String
    var unaudited: Set<String> = []
    /// Run after the snapshot.
    var later: [String]
  }

  static let cases = [
    Case(
      testDescription: "a rowid that was used again", columns: "rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT, number INT",
      unaudited: ["rowid"],
      later: [
        "DELETE FROM t WHERE id = 'k300'", "INSERT INTO t (id, name) VALUES ('new', 'precious')",
        "UPDATE t SET name = 'x' WHERE id = 'k299'",
      ]),
    Case(
      testDescription: "a key that changes its case", columns: "id TEXT COLLATE NOCASE PRIMARY KEY, name TEXT, number INT",
      later: ["UPDATE t SET id = 'K120' WHERE id = 'k120'"]),
    Case(
      testDescription: "no primary key", columns: "id TEXT UNIQUE, name TEXT, number INT",
      later: [
        "DELETE FROM t WHERE id = 'k298'", "UPDATE t SET name = 'x' WHERE id = 'k297'",
        "INSERT INTO t SELECT 'new' || number, name, number FROM t WHERE number < 40",
      ]),
    Case(
      testDescription: "unique values that move to other rows", columns: "id TEXT PRIMARY KEY, name TEXT, number INT UNIQUE",
      later: ["UPDATE t SET number = -number", "UPDATE t SET number = 1 - number"]),
    Case(
      testDescription: "unique values that new rows take", columns: "id TEXT PRIMARY KEY, name TEXT UNIQUE, number INT",
      later: [
        "UPDATE t SET name = 'v' || number WHERE number > 290",
        "INSERT INTO t SELECT 'new' || number, replace(name, 'v', 'name '), number FROM t WHERE name LIKE 'v%'",
      ]),
    Case(
      testDescription: "a column that is not audited", columns: "id TEXT PRIMARY KEY, name TEXT, number INT, cover TEXT DEFAULT 'none'",
      unaudited: ["cover"],
      later: [
        "UPDATE t SET name = 'changed' WHERE number > 280", "DELETE FROM t WHERE number = 120",
        "INSERT INTO t (id, name, number) VALUES ('k120', 'another book', 120)",
      ]),
  ]

  @Test("are what they were in the end, with a snapshot and an audit that begins after it", arguments: cases)
  func became(_ one: Case) throws {
    let migration = Migration("t/001", sql: "CREATE TABLE t (\(one.columns))")
    let plain = try folder.store([StoreSchema("t", migrations: [migration])])
    let hasCover = one.columns.contains("cover")
    try plain.write { tx in
      for number in 1...300 {
        try tx.execute("INSERT INTO t (id, name, number) VALUES (\("k\(number)"), \("name \(number)"), \(number))")
      }
      if hasCover { try tx.execute("UPDATE t SET cover = 'cover ' || number") }
    }
    try plain.close()
    let schema = StoreSchema("t", migrations: [migration], declarations: [.audit("t", unaudited: one.unaudited)])
    let store = try folder.store([schema])
    try store.snapshot()
    for sql in one.later { try store.run(BoundSQL(raw: sql)) }
    let content = BoundSQL(raw: "SELECT id || '/' || name || '/' || coalesce(number, '')\(hasCover ? " || '/' || cover" : "") FROM t")
    let truth = Set(try store.read { try $0.values(content) { try $0.text() } })
    try store.close()
    _ = try losePages(of: ["t"])
    let report = try Store.heal(at: file, schemas: [schema], options: .testing)
    #expect(report.means == .rows && report.salvage?.setAside == nil, "\(report)")
    let healed = try folder.store([schema])
    #expect(Set(try healed.read { try $0.values(content) { try $0.text() } }) == truth)
    #expect(try healed.read { try $0.count("SELECT count(*) FROM t") } == truth.count)
  }

  @Test("do not come from an audit with a hole, from one that is no longer declared, or from one whose end is gone")
  func untrusted() throws {
    let store = try folder.store([Self.schema])
    try plant(0..<400, in: store)
    try store.run("DELETE FROM plants WHERE id LIKE '%8'")
    try store.close()
    let lost = try losePages(of: ["plants"])
    let undeclared = try Store.salvage(file, to: new, schemas: [Self.unaudited], options: .testing)
    #expect(try #require(undeclared.tables.first { $0.table == "plants" }).filled == 0)
    for (number, hole) in ["id = 500", "id = (SELECT max(id) FROM holdfast_audit)"].enumerated() {
      let copy = folder.file("copy\(number).sqlite")
      try FileManager.default.copyItem(at: file, to: copy)
      try RawDatabase.with(copy) { try $0.execute("DELETE FROM holdfast_audit WHERE \(hole)") }
      let report = try Store.salvage(copy, to: folder.file("new\(number).sqlite"), schemas: [Self.schema], options: .testing)
      let plants = try #require(report.tables.first { $0.table == "plants" })
      // Behind entry 500 stand the insertions of the later half.
      #expect(number == 0 ? plants.filled > 0 && plants.filled < lost["plants"] ?? 0 : plants.filled == 0, "\(hole): \(plants)")
    }
  }

  @Test("that the audit tells without all their columns are set aside, unless the column has a default")
  func notWhole() throws {
    let declared = StoreSchema("plants", migrations: [Self.plants], declarations: [.audit("plants", unaudited: ["photo"])])
    let store = try folder.store([declared])
    try plant(0..<400, in: store)
    try store.close()
    let lost = try losePages(of: ["plants"])
    let report = try Store.salvage(file, to: new, schemas: [declared], options: .testing)
    let plants = try #require(report.tables.first { $0.table == "plants" })
    #expect(plants.filled == 0 && plants.setAside == lost["plants"] && plants.lost == 0)
    let lines = try String(contentsOf: #require(report.setAside), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == lost["plants"] && lines.allSatisfy { $0.contains("only the audit tells it, and not its photo") })
  }

  @Test("of a table that the file tells, and none of whose pages is left, are not taken for an empty table")
  func wholeTable() throws {
    let store = try folder.store([Self.unaudited])
    try plant(0..<20, in: store)
    try store.close()
    let root = try RawDatabase.with(file) { try $0.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'beds'") }
    try Damage.overwritePage(file, try #require(Int(root[0][0])))
    let report = try Store.salvage(file, to: new, schemas: [Self.unaudited], options: .testing)
    #expect(try #require(report.tables.first { $0.table == "beds" }).lost == nil && report.unplaced == [])
  }
}
