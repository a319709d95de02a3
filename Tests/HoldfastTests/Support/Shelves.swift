import Foundation
import Holdfast
import HoldfastTesting

/// The small universe of these tests: shelves with books on them, and a search index over the books.
enum Shelves {
  static let v1 = Migration(
    "shelves/001-first",
    sql: """
      CREATE TABLE shelves (
        id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT;
      CREATE TABLE books (
        id TEXT NOT NULL PRIMARY KEY,
        shelf_id TEXT NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
        title TEXT NOT NULL, pages INTEGER CHECK (pages >= 0), rating REAL, finished INTEGER NOT NULL,
        added_at INTEGER NOT NULL, cover BLOB, extra TEXT NOT NULL) STRICT;
      CREATE INDEX books_by_shelf ON books (shelf_id, added_at);
      CREATE VIRTUAL TABLE books_search USING fts5 (title, content = 'books');
      CREATE TRIGGER books_search_insert AFTER INSERT ON books BEGIN
        INSERT INTO books_search (rowid, title) VALUES (new.rowid, new.title);
      END;
      CREATE TRIGGER books_search_delete AFTER DELETE ON books BEGIN
        INSERT INTO books_search (books_search, rowid, title) VALUES ('delete', old.rowid, old.title);
      END;
      CREATE TRIGGER books_search_update AFTER UPDATE OF title ON books BEGIN
        INSERT INTO books_search (books_search, rowid, title) VALUES ('delete', old.rowid, old.title);
        INSERT INTO books_search (rowid, title) VALUES (new.rowid, new.title);
      END;
      """)

  static let schema = StoreSchema(
    "shelves", migrations: [v1], records: [Shelf.self, Book.self],
    invariants: [Invariant("every book has a title", table: "books", findings: "SELECT id FROM books WHERE title = ''")])

  static func inMemory() throws -> Store { try Store.inMemory(schemas: [schema]) }
  static func temporary(options: StoreOptions = .testing) throws -> Store {
    try Store.temporary(schemas: [schema], options: options)
  }
}

struct Shelf: StoredRecord, Equatable {
  static let table = "shelves"
  static let columns = ["id", "name", "created_at"]

  var id: UUID
  var name: String
  var createdAt: Date

  init(_ name: String, number: Int = 1, createdAt: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    id = .numbered(number)
    self.name = name
    self.createdAt = createdAt
  }

  init(row: inout StoredRow) throws {
    id = try row.id()
    name = try row.text()
    createdAt = try row.date()
  }

  func encode(into values: inout Values) throws {
    try values.id(id)
    try values.text(name)
    try values.date(createdAt)
  }
}

struct Book: StoredRecord, Equatable {
  static let table = "books"
  static let columns = ["id", "shelf_id", "title", "pages", "rating", "finished", "added_at", "cover", "extra"]
  static let insertOnly = ["shelf_id"]

  var id: UUID
  var shelfID: UUID
  var title: String
  var pages: Int64?
  var rating: Double?
  var finished = false
  var addedAt = Date(timeIntervalSince1970: 1_700_000_000.123)
  var cover: Data?
  var extra = StoredJSON<[String: String]>.empty

  init(_ title: String, number: Int = 1, on shelf: Int = 1, pages: Int64? = nil) {
    id = .numbered(1000 + number)
    shelfID = .numbered(shelf)
    self.title = title
    self.pages = pages
  }

  init(row: inout StoredRow) throws {
    id = try row.id()
    shelfID = try row.id()
    title = try row.text()
    pages = try row.int64OrNil()
    rating = try row.doubleOrNil()
    finished = try row.bool()
    addedAt = try row.date()
    cover = try row.dataOrNil()
    extra = try row.json()
  }

  func encode(into values: inout Values) throws {
    try values.id(id)
    try values.id(shelfID)
    try values.text(title)
    try values.int64(pages)
    try values.double(rating)
    try values.bool(finished)
    try values.date(addedAt)
    try values.data(cover)
    try values.json(extra)
  }
}

extension UUID {
  /// 00000000-0000-7000-8000-0000000000xx.
  static func numbered(_ number: Int) -> UUID { NewID.counting(from: number)() }
}

extension Store {
  /// One shelf with `count` books on it.
  func fill(books count: Int = 3, shelf: Int = 1) throws {
    try write { tx in
      try tx.insert(Shelf("shelf \(shelf)", number: shelf))
      for number in 0..<count { try tx.insert(Book("book \(number)", number: shelf * 100 + number, on: shelf)) }
    }
  }

  func titles() throws -> [String] {
    try read { reader in try reader.values("SELECT title FROM books ORDER BY title") { row in try row.text() } }
  }

  func count(_ table: String) throws -> Int {
    try read { reader in try reader.count("SELECT count(*) FROM \(raw: table)") }
  }
}

/// The `StoreError` that `body` throws, or nil.
func failure<T>(_ body: () throws -> T) -> StoreError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? StoreError
  }
}

func asyncFailure<T>(_ body: () async throws -> T) async -> StoreError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? StoreError
  }
}

/// Why a store could not be migrated: what opening threw, or what the store that is open read-only tells.
func migrationError(_ schema: StoreSchema, in folder: TemporaryFolder) -> StoreError? {
  do {
    let store = try folder.store([schema])
    defer { try? store.close() }
    return store.access == .readWrite ? nil : store.openingError
  } catch {
    return error as? StoreError
  }
}

extension TemporaryFolder {
  /// A store of shelves that keeps an archive, which has its first base.
  func archivedStore(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
    var options = StoreOptions.testing
    options.archive.mode = .begins
    change(&options)
    let store = try store([Shelves.schema], options: options)
    _ = try store.archive()
    return store
  }
}
