import GRDB
import Holdfast
import HoldfastGRDB
import HoldfastTransfer
import Testing

/// Compiles only while no public name of ours is one of GRDB's: each name here stands without its module.
@Suite("Names beside GRDB's") struct NamesBesideGRDB {
  @Test("an app that imports GRDB and Holdfast writes the names of both without their modules")
  func bothAreNamed() throws {
    let schema: StoreSchema = Shelves.schema
    let store = try Store.inMemory(schemas: [schema])
    let title = try store.write { (tx: Writer) in
      try tx.insert(Shelf("A"))
      return try tx.withGRDB { (db: Database) in
        let rows: [Row] = try SQLRequest<Row>(literal: SQL("SELECT name FROM shelves WHERE name = \("A")")).fetchAll(db)
        return try rows.first.map { try $0.decode(String.self, forColumn: Column("name").name) }
      }
    }
    #expect(title == "A")
    let named: BoundSQL = "SELECT name FROM shelves WHERE name = \(title)"
    #expect(try store.read { (reader: Reader) in try reader.values(named) { (row: inout StoredRow) in try row.text() } } == ["A"])
    #expect(StoredJSON<[String: String]>.empty.text == "{}" && JSONColumn("extra").name == "extra")
    #expect(ImportOptions().dryRun == false)
  }

  @Test("GRDB's connection of a read reads, and refuses to write")
  func reader() throws {
    let store = try Store.inMemory(schemas: [Shelves.schema])
    try store.write { tx in try tx.insert(Shelf("A")) }
    let name = try store.read { reader in try reader.withGRDBReader { db in try String.fetchOne(db, sql: "SELECT name FROM shelves") } }
    #expect(name == "A")
    #expect(throws: StoreError.self) {
      try store.read { reader in try reader.withGRDBReader { db in try db.execute(sql: "DELETE FROM shelves") } }
    }
  }
}
