import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("An import by the names of tables") struct NamedTablesTests {
  private struct Loan: StoredRecord, Codable {
    static let table = "loans"
    var id: Int64
    var title: String
  }

  @Test(
    "a row that the app adds after the plan was made, and before it is written, refuses numbers that may mean it", arguments: [true, false])
  func addedMeanwhile(isAdded: Bool) throws {
    let folder = try TemporaryFolder()
    try RawDatabase.with(folder.file("source.sqlite"), creating: true) {
      try $0.execute("CREATE TABLE loans (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO loans VALUES (3, 'Dune')")
    }
    let table = "CREATE TABLE loans (id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT"
    let schema = StoreSchema("shop", migrations: [Migration("shop/001", sql: table)], records: [Loan.self])
    let (store, file) = (try Store.inMemory(schemas: [schema]), try ImportSource(folder.file("source.sqlite")))
    let source = try SQLiteSource(file)
    let format = try NamedTablesImport(store.read { try NamedTables(source, in: $0) }, source)
    if isAdded {
      try store.write { tx in _ = try tx.execute("INSERT INTO loans VALUES (3, 'Ours')") }
      let error = #expect(throws: StoreError.self) { try store.importing(format, from: file) }
      #expect(error?.code == .invalidSource)
    } else {
      #expect(try store.importing(format, from: file).isClean)
    }
    #expect(try store.read { try $0.values("SELECT title FROM loans") { try $0.text() } } == [isAdded ? "Ours" : "Dune"])
  }
}
