import Foundation
import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

/// Of two rows with one slug the one that was inserted first stands, the other is parked.
@Suite("Purging rows that wait, and rows that these refer to")
struct PurgedWaitingRowsTests {
  private static let schema = StoreSchema(
    "books",
    migrations: [
      Migration(
        "books/001",
        sql: """
          CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY, slug TEXT UNIQUE) STRICT;
          CREATE TABLE reviews (
            id TEXT NOT NULL PRIMARY KEY, slug TEXT UNIQUE, book_id TEXT REFERENCES books (id) ON DELETE SET NULL) STRICT;
          CREATE TABLE chapters (
            id TEXT NOT NULL PRIMARY KEY, slug TEXT UNIQUE, book_id TEXT REFERENCES books (id) ON DELETE CASCADE) STRICT;
          CREATE TABLE pages (id TEXT NOT NULL PRIMARY KEY, chapter_id TEXT REFERENCES chapters (id) ON DELETE CASCADE) STRICT;
          CREATE TABLE drafts (
            id TEXT NOT NULL PRIMARY KEY, chapter_id TEXT REFERENCES chapters (id) ON DELETE CASCADE,
            book_id TEXT REFERENCES books (id) ON DELETE SET NULL) STRICT;
          """)
    ], declarations: ["books", "reviews", "chapters", "pages"].map { .synced($0) })

  private static let book = NewID.counting(from: 1)()
  private static let bookKey = text(1)
  private static let chapter = text(2)
  private static let page = text(3)
  private let folder: TemporaryFolder
  private let device: LoneDevice

  init() throws {
    folder = try TemporaryFolder()
    device = try LoneDevice(folder.store([Self.schema]))
  }

  private static func text(_ number: Int) -> String { IDCodec.lowercase(NewID.counting(from: number)()) }

  /// - Parameter renamed: the slug that it got later.
  private func row(_ table: String, _ key: String, at time: Int64 = 1, _ values: [String: String] = [:], renamed: String? = nil) -> SyncRow
  {
    .texts(table, key, at: time, values, later: renamed.map { ["slug": (Int64(9), $0)] } ?? [:])
  }

  @Test("a parked row that refers to a purged one with SET NULL is not deleted: it comes back without the reference")
  func setNull() throws {
    try device.pull(
      row("books", Self.bookKey), row("reviews", "r1", ["slug": "s"]),
      row("reviews", "r2", at: 2, ["slug": "s", "book_id": Self.bookKey]))
    #expect(try device.store.rows("SELECT key FROM holdfast_sync_parked") == ["r2"])
    try device.store.purge(Book.self, id: Self.book)
    #expect(try device.pull().map(\.name.key.text) == [Self.bookKey])
    try device.pull(row("reviews", "r1", ["slug": "s"], renamed: "t"))
    #expect(try device.store.rows("SELECT id, book_id FROM reviews ORDER BY id", columns: 2) == ["r1 NULL", "r2 NULL"])
  }

  @Test("with a parked row that is purged the parked rows go that hang on it, and on those; their ids go from the ledger, too")
  func cascade() throws {
    try device.pull(
      row("books", "b", ["slug": "s"]), row("books", Self.bookKey, at: 2, ["slug": "s"]),
      row("chapters", Self.chapter, ["book_id": Self.bookKey]), row("pages", Self.page, ["chapter_id": Self.chapter]),
      row("pages", "p", ["chapter_id": "not here"]))
    #expect(device.sync.status.parked == 4)
    try device.store.edit("INSERT INTO holdfast_imported VALUES ('pages', \(Self.page), 1)")
    try device.store.purge(Book.self, id: Self.book)
    #expect(try device.store.rows("SELECT key FROM holdfast_sync_parked") == ["p"])
    #expect(try device.store.rows("SELECT key FROM holdfast_imported") == [])
    let sent = try device.pull()
    #expect(sent.allSatisfy(\.forgets) && Set(sent.map(\.name.key.text)) == [Self.bookKey, Self.chapter, Self.page])
  }

  @Test("a parked row that was deleted and came back, by a rewind, is purged in its present life")
  func laterLife() throws {
    try device.pull(row("books", "b", ["slug": "s"]), row("books", Self.bookKey, at: 2, ["slug": "s"]))
    // As a rewind leaves it until the next answer: the content is of the first life.
    try device.store.edit("UPDATE holdfast_sync_row SET generation = 3 WHERE key = \(Self.bookKey)")
    try device.store.purge(Book.self, id: Self.book)
    let sent = try device.pull()
    #expect(sent.map(\.generation) == [4] && sent.allSatisfy(\.forgets))
  }

  @Test("what went with a parked row goes with it, and by its own id; what only mentions a purged row comes back without it")
  func aside() throws {
    let (draft, other) = (NewID.counting(from: 4)(), Self.text(5))
    try device.pull(
      row("books", Self.bookKey), row("chapters", Self.chapter, at: 2, ["slug": "s", "book_id": Self.bookKey]),
      row("chapters", other, at: 2, ["slug": "t"]))
    try device.write("INSERT INTO drafts VALUES ('d1', \(Self.chapter), NULL), ('d2', \(other), \(Self.bookKey))")
    try device.write("INSERT INTO drafts VALUES (\(IDCodec.lowercase(draft)), \(other), NULL)")
    try device.pull(row("chapters", "c1", ["slug": "s"]), row("chapters", "c2", ["slug": "t"]))
    #expect(try device.store.rows("SELECT count(*) FROM holdfast_sync_aside") == ["3"])
    try device.store.purge(Draft.self, id: draft)
    try device.store.purge(Book.self, id: Self.book)
    #expect(try device.store.rows("SELECT json_extract(body, '$.k') FROM holdfast_sync_aside") == ["d2"])
    try device.pull(row("chapters", "c2", ["slug": "t"], renamed: "u"))
    #expect(try device.store.rows("SELECT * FROM drafts", columns: 3) == ["d2 \(other) NULL"])
  }

  @Test("of what this version does not know only that of the purged row itself goes, not what mentions it")
  func extra() throws {
    try device.pull(
      row("books", Self.bookKey, ["blurb": "secret"]), row("clubs", "k", ["book_id": Self.bookKey]))
    #expect(try device.store.rows("SELECT count(*) FROM holdfast_sync_extra") == ["2"])
    try device.store.purge(Book.self, id: Self.book)
    #expect(try device.store.rows("SELECT tbl FROM holdfast_sync_extra") == ["clubs"])
  }
}

private struct Book: StoredRecord, Codable {
  static let table = "books"
  var id: UUID
}

private struct Draft: StoredRecord, Codable {
  static let table = "drafts"
  var id: UUID
}
