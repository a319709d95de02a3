import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("What a schema declares or created is made again")
struct MadeAgainTests {
  /// What another program does to the tables of a search index, or to an object without rows.
  static let indexDamages = [
    "DELETE FROM books_search_config", "UPDATE books_search_config SET v = 9 WHERE k = 'version'", "DROP TABLE books_search_idx",
    "DROP TABLE books_search_data", "DROP TABLE books_search_docsize", "DROP TABLE books_search_config", "DELETE FROM books_search_data",
    "DROP TABLE books_search",
  ]
  static let objectDamages = ["DROP INDEX books_by_shelf", "DROP TRIGGER books_search_insert"]

  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = try folder.shipShelves()
  }

  private func raw(_ sql: String) throws { try RawDatabase.with(url) { try $0.execute(sql) } }
  private func check() throws -> [IntegrityReport.Finding] {
    try Store.check(at: url, schemas: [Shelves.schema], options: .testing).findings
  }
  private func heal(_ schemas: [StoreSchema] = [Shelves.schema]) throws -> HealReport {
    try Store.heal(at: url, schemas: schemas, options: .testing)
  }
  private func found(_ store: Store) throws -> Int {
    try store.read { reader in try reader.count("SELECT count(*) FROM books_search WHERE books_search MATCH 'book'") }
  }

  @Test("the plan names it, opening makes it again, and then search, writing and the check work", arguments: indexDamages + objectDamages)
  func opening(damage: String) throws {
    try raw(damage)
    if damage.contains("TRIGGER") {
      try raw("INSERT INTO books SELECT 'new', shelf_id, 'book new', pages, rating, finished, added_at, cover, extra FROM books LIMIT 1")
      try raw("UPDATE books SET id = '\(IDCodec.lowercase(.numbered(7)))' WHERE id = 'new'")
    }
    #expect(try !check().isEmpty)
    #expect(try Store.plan(at: url, schemas: [Shelves.schema], options: .testing).notAsDeclared.count == 1)
    let store = try folder.store([Shelves.schema])
    #expect(store.notices.map(\.kind) == [.declarationsMadeAgain] && store.access == .readWrite)
    #expect(try found(store) == store.count("books"))
    try store.write { tx in try tx.insert(Book("book later", number: 9)) }
    #expect(try found(store) == store.count("books"))
    #expect(try store.integrityCheck().findings == [])
    try store.close()
    #expect(try folder.store([Shelves.schema]).notices == [])
  }

  @Test("heal makes it again and loses no row, and a second heal finds a sound store", arguments: indexDamages + objectDamages)
  func healing(damage: String) throws {
    try raw(damage)
    #expect(try check().contains { $0.message.contains("makes it again") })
    let report = try heal()
    #expect(report.means == .indexes && report.kept != nil, "\(report)")
    #expect(try check() == [])
    let again = try heal()
    #expect(again.means == .none && again.isHealed && again.notes == [], "\(again)")
    let store = try folder.store([Shelves.schema])
    #expect(try store.notices == [] && found(store) == 3 && store.titles().count == 3)
  }

  @Test("a search index is made again by a program that does not know the schema", arguments: indexDamages.dropLast())
  func unknownSchema(damage: String) throws {
    try raw(damage)
    #expect(try heal([]).means == .indexes)
    #expect(try heal([]).means == .none)
    #expect(try check() == [])
  }

  @Test("an open store heals its search index", arguments: ["DROP TABLE books_search_idx", "DROP INDEX books_by_shelf"])
  func open(damage: String) throws {
    let store = try folder.store([Shelves.schema])
    try raw(damage)
    #expect(try store.heal().means == .indexes)
    #expect(try store.integrityCheck().findings == [] && found(store) == 3)
  }

  @Test("reading and writing with an unreadable index is damage, and the error names the way out", arguments: indexDamages.dropLast())
  func error(damage: String) throws {
    try raw(damage)
    let store = try folder.store([Shelves.schema], options: .looking)
    guard let error = failure({ try found(store) }) else {
      #expect(damage.contains("docsize"))
      return
    }
    #expect(error.code == .damaged && error.recoverySuggestion != StoreError.Code.misuse.defaultSuggestion, "\(error)")
    #expect(failure { try store.rows("SELECT nothing FROM books") }?.code == .misuse)
  }

  @Test("triggers of one table keep their order when one of them is made again")
  func order() throws {
    try raw("DROP TRIGGER books_search_insert")
    try folder.store([Shelves.schema]).close()
    let names = try RawDatabase.with(url) { try $0.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid") }
    #expect(names.map(\.first) == ["books_search_insert", "books_search_delete", "books_search_update"])
  }

  @Test("an index that another program added stays")
  func added() throws {
    try raw("CREATE INDEX theirs ON books (title); DROP INDEX books_by_shelf")
    #expect(try heal().means == .indexes)
    let store = try folder.store([Shelves.schema])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql <> '' AND tbl_name = 'books'").count == 2)
  }

  @Test("a missing table is not made again: its rows are lost, and the check says so")
  func table() throws {
    try raw("DROP INDEX books_by_shelf; PRAGMA foreign_keys = OFF; DROP TABLE shelves")
    #expect(try Store.plan(at: url, schemas: [Shelves.schema], options: .testing).notAsDeclared == [])
    #expect(failure { try check() }?.message.contains("it lacks shelves.") == true)
    #expect(try heal().means == .rows)
  }

  @Test("a unique index that rows break now is an error that names it, and no row changes")
  func unique() throws {
    let migration = Migration(
      "pairs/001", sql: "CREATE TABLE pairs (a INTEGER NOT NULL) STRICT; CREATE UNIQUE INDEX pairs_once ON pairs (a)")
    let (schema, file) = (StoreSchema("pairs", migrations: [migration]), folder.file("pairs.sqlite"))
    try Store.open(at: file, schemas: [schema], options: .testing).close()
    try RawDatabase.with(file) { try $0.execute("DROP INDEX pairs_once; INSERT INTO pairs VALUES (1), (1)") }
    let store = try Store.open(at: file, schemas: [schema], options: .testing)
    #expect(store.access != .readWrite && store.openingError?.message.contains("the index pairs_once is missing and rows break it") == true)
    try store.close()
    let before = try Data(contentsOf: file)
    let error = failure { try Store.heal(at: file, schemas: [schema], options: .testing) }
    #expect(error?.code == .damaged && error?.message.contains("pairs_once") == true, "\(String(describing: error))")
    #expect(try Data(contentsOf: file) == before)
  }

  @Test("a store that may not migrate is written without a plain index, and not without a trigger")
  func never() throws {
    let options = StoreOptions.testing.with { $0.migrating = .never }
    try raw("DROP INDEX books_by_shelf")
    let store = try folder.store([Shelves.schema], options: options)
    #expect(store.access == .readWrite)
    try store.close()
    try raw("DROP TRIGGER books_search_insert")
    #expect(
      try folder.store([Shelves.schema], options: options).access == .readOnly(reason: "books_search_insert is not as the schema declares"))
  }

  @Test("an archive that ends before the store does not replace it because an index is missing")
  func archived() throws {
    try folder.archivedStore().close()
    try raw("UPDATE books SET title = 'book of theirs' WHERE title = 'book 0'; DROP INDEX books_by_shelf; PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try heal().means == .indexes)
    #expect(try folder.store([Shelves.schema]).titles().contains("book of theirs"))
  }

  @Test("an index with a tokenizer that this program lacks is a finding, and no damage that heal would claim to mend")
  func tokenizer() throws {
    let text = "replace(sql, 'content = ', 'tokenize = ''theirs'', content = ')"
    try raw("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = \(text) WHERE name = 'books_search'")
    let report = try heal()
    #expect(report.means == .none && report.notes.contains { $0.contains("no such tokenizer") }, "\(report)")
  }

  @Test("heal does not claim that an index was made again which still differs from its text")
  func hopeless() throws {
    try raw("CREATE VIEW noise AS SELECT rowid AS docid, hex(randomblob(8)) AS word FROM books")
    try raw("CREATE VIRTUAL TABLE noise_search USING fts5 (word, content = 'noise', content_rowid = 'docid')")
    let report = try? heal()
    #expect(report?.means != .indexes, "\(String(describing: report))")
  }
}
