import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Rows of lost pages", .timeLimit(.minutes(5)))
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
    try store.run("DELETE FROM beds WHERE place % 10 = 1")
    try plant(400..<500, in: store)
    try store.close()
    let rows = try SalvageWorld.rows(file)
    _ = try losePages(of: ["plants", "beds"])
    let report = try Store.heal(at: file, schemas: [Self.schema], options: .testing)
    #expect(report.means == .rows && report.notes.contains { $0.contains("and the store's audit") }, "\(report)")
    #expect(try SalvageWorld.rows(file) == rows)
  }

  @Test("that nothing tells any more are counted where an index has them all, and unknown where none has")
  func counted() throws {
    let store = try folder.store([Self.unaudited])
    try plant(0..<400, in: store)
    try store.close()
    let lost = try losePages(of: ["plants", "beds"])
    let report = try Store.salvage(file, to: new, schemas: [Self.unaudited], options: .testing)
    let counts = Dictionary(uniqueKeysWithValues: report.tables.map { ($0.table, $0) })
    #expect(counts["plants"]?.lost == lost["plants"] && counts["plants"]?.rows == 400 - (lost["plants"] ?? 0))
    #expect(try #require(counts["beds"]).lost == nil && counts["beds"]?.filled == 0)
    #expect(counts["holdfast_schemas"]?.lost == 0)
    _ = try losePages(of: ["sqlite_autoindex_plants_1"])
    let less = try Store.salvage(file, to: folder.file("less.sqlite"), schemas: [Self.unaudited], options: .testing)
    #expect(try #require(less.tables.first { $0.table == "plants" }).lost == nil)
  }

  @Test("that the audit tells without all their columns are not made up")
  func notWhole() throws {
    let declared = StoreSchema("plants", migrations: [Self.plants], declarations: [.audit("plants", unaudited: ["photo"])])
    let store = try folder.store([declared])
    try plant(0..<400, in: store)
    try store.close()
    let lost = try losePages(of: ["plants"])
    let report = try Store.salvage(file, to: new, schemas: [declared], options: .testing)
    let plants = try #require(report.tables.first { $0.table == "plants" })
    #expect(plants.filled == 0 && plants.lost == lost["plants"])
  }
}
