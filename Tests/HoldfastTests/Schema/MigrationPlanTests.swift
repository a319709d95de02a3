import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Planning a migration")
struct MigrationPlanTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = try folder.shipShelves()
  }

  private func schema(_ migration: Migration) -> StoreSchema { StoreSchema("shelves", migrations: [Shelves.v1, migration]) }

  @Test("a plan names what is pending and the rows of each table before and after, and changes nothing")
  func plan() throws {
    let before = try Data(contentsOf: url)
    let next = Migration(
      "shelves/002-split",
      sql: """
        CREATE TABLE covers (book_id TEXT NOT NULL PRIMARY KEY) STRICT;
        INSERT INTO covers SELECT id FROM books;
        DELETE FROM books WHERE title = 'book 0';
        """, losesRowsOf: ["books"])
    let plan = try Store.plan(at: url, schemas: [schema(next)], options: .testing)
    #expect(plan.pending == ["shelves/002-split"])
    let tables = plan.tables.filter { !$0.name.hasPrefix("holdfast_") }
    #expect(
      tables == [
        .init(name: "books", before: 3, after: 2), .init(name: "covers", before: nil, after: 3),
        .init(name: "shelves", before: 1, after: 1),
      ])
    #expect(plan.tables.first { $0.name == "holdfast_migrations" } == .init(name: "holdfast_migrations", before: 2, after: 3))
    #expect(try Data(contentsOf: url) == before)
    #expect(try folder.contents() == ["store.sqlite"])
  }

  @Test("a plan for a store that is up to date has nothing pending")
  func upToDate() throws {
    let plan = try Store.plan(at: url, schemas: [Shelves.schema], options: .testing)
    #expect(plan.pending == [])
    #expect(plan.tables.allSatisfy { $0.before == $0.after })
  }

  @Test("a plan sees what is still in the log of a store that is open")
  func open() throws {
    let store = try folder.store([Shelves.schema])
    try store.fill(books: 5, shelf: 2)
    let plan = try Store.plan(at: url, schemas: [Shelves.schema], options: .testing)
    #expect(plan.tables.first { $0.name == "books" }?.before == 8)
    try store.fill(books: 1, shelf: 3)
    #expect(try store.count("books") == 9)
  }

  @Test("a plan fails as opening would")
  func failing() throws {
    let losing = Migration("shelves/002", sql: "DELETE FROM books")
    #expect(failure { try Store.plan(at: url, schemas: [schema(losing)], options: .testing) }?.code == .migrationLostRows)
    let edited = StoreSchema("shelves", migrations: [Migration("shelves/001-first", sql: "SELECT 1")])
    #expect(failure { try Store.plan(at: url, schemas: [edited], options: .testing) }?.code == .editedMigration)
    #expect(failure { try Store.plan(at: folder.file("none"), schemas: [edited], options: .testing) }?.code == .notFound)
    try folder.store([schema(Migration("shelves/002", sql: "CREATE INDEX i ON books (title)"))]).close()
    #expect(failure { try Store.plan(at: url, schemas: [Shelves.schema], options: .testing) }?.code == .newerSchema)
  }

  @Test("a plan is not made on a damaged copy")
  func damagedPlan() throws {
    let page = try RawDatabase.with(url) { raw in try raw.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'books'")[0][0] }
    try Damage.overwritePage(url, try #require(Int(page)))
    #expect(failure { try Store.plan(at: url, schemas: [Shelves.schema], options: .testing) }?.code == .damaged)
  }

  @Test("a plan for an empty file is what a new store would be")
  func empty() throws {
    try Data().write(to: folder.file("empty.sqlite"))
    let plan = try Store.plan(at: folder.file("empty.sqlite"), schemas: [Shelves.schema], options: .testing)
    #expect(plan.pending == ["holdfast/001-import-ledger", "shelves/001-first"])
    #expect(plan.tables.first { $0.name == "books" } == .init(name: "books", before: nil, after: 0))
  }
}
