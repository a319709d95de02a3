import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Another program's database")
struct SQLiteImportTests {
  private struct Author: StoredRecord, Codable, Equatable, Identifiable {
    static let table = "authors"
    var id: Int64
    var name: String
  }

  private struct Book: StoredRecord, Codable, Equatable, Identifiable {
    struct Cover: Codable, Equatable, Sendable {
      var color: String
      var size: Double
      var drawnAt: Date?
    }

    static let table = "books"
    var id: Int64
    var title: String
    var cover: Cover?
    var scan: Data?
    var length: Int?
  }

  private struct Credit: StoredRecord, Codable, Equatable {
    static let table = "credits"
    static let key = ["book_id", "author_id"]
    var bookID: Int64
    var authorID: Int64
    var place: Int
  }

  private struct Folder: StoredRecord, Codable, Equatable, Identifiable {
    static let table = "folders"
    var id: Int64
    var aboveID: Int64?
    var name: String
  }

  private struct Day: StoredRecord, Codable, Equatable {
    enum Kind: String, Codable, CaseIterable { case morning, evening }

    static let table = "days"
    static let key = ["book_id", "kind"]
    var bookID: Int64
    var kind: Kind
    var pages: Int?
  }

  private static let schema = StoreSchema(
    "shelf",
    migrations: [
      Migration(
        "shelf/001",
        sql: """
          CREATE TABLE authors (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL CHECK (name <> '')) STRICT;
          CREATE TABLE books (
            id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, cover TEXT, scan BLOB, length INTEGER
          ) STRICT;
          CREATE TABLE credits (
            book_id INTEGER NOT NULL REFERENCES books (id), author_id INTEGER NOT NULL REFERENCES authors (id), place INTEGER NOT NULL,
            PRIMARY KEY (book_id, author_id)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE folders (id INTEGER PRIMARY KEY, above_id INTEGER REFERENCES Folders, name TEXT NOT NULL) STRICT;
          CREATE TABLE days (book_id INTEGER NOT NULL, kind TEXT NOT NULL, pages INTEGER, PRIMARY KEY (book_id, kind)) STRICT;
          """)
    ], records: [Author.self, Book.self, Credit.self, Folder.self, Day.self])

  private static let authors: FieldTable<Author> = [.required("id", \.id, .int64), .required("name", \.name, .text)]
  private static let books: FieldTable<Book> = [
    .required("id", \.id, .int64), .required("title", \.title, .text), .optional("cover", \.cover, .json(Book.Cover.self)),
    .optional("scan", \.scan, .base64), .optional("length", \.length, .int),
  ]
  private static let credits: FieldTable<Credit> = [
    .required("bookId", \.bookID, .int64), .required("authorId", \.authorID, .int64), .required("place", \.place, .int),
  ]

  private let folder: TemporaryFolder
  private var source: URL { folder.file("app.db") }
  private var store: URL { folder.file("shelf.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func write(_ sql: String) throws {
    try RawDatabase.with(source, creating: true) { try $0.execute(sql) }
  }

  private static let tables = """
    CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, cover TEXT, scan BLOB, pages INTEGER,
      length INTEGER GENERATED ALWAYS AS (length(title))
    );
    CREATE TABLE bookAuthor (bookId INTEGER, authorId INTEGER, place INTEGER, PRIMARY KEY (bookId, authorId));
    """

  private func importing(_ tables: [SQLiteImport.Table]? = nil) throws -> ImportReport {
    let source = try ImportSource(source)
    let format = try SQLiteImport(
      "shelf-grdb", SQLiteSource(source),
      tables ?? [.table("author", Self.authors), .table("book", Self.books), .table("bookAuthor", Self.credits)])
    return try Store.importing(format, from: source, into: store, schemas: [Self.schema], storeOptions: .testing)
  }

  private func reading<T>(_ body: (Reader) throws -> T) throws -> T {
    let opened = try Store.open(at: store, schemas: [Self.schema], options: .testing)
    defer { try? opened.close() }
    return try opened.read(body)
  }

  @Test("numbers as keys, a join table of two columns, JSON, bytes and a computed column come in whole, and the same again adds nothing")
  func whole() throws {
    try write(
      Self.tables + """
        INSERT INTO author VALUES (1, 'Cao Xueqin'), (5, 'Gao E');
        INSERT INTO book (id, title, cover, scan) VALUES
          (3, '红楼梦', '{"color":"red","size":12,"drawnAt":1760000000500}', x'FFD800'), (7, 'Two', CAST('{"color":"blue","size":1.0,"drawnAt":null}' AS BLOB), NULL);
        INSERT INTO bookAuthor VALUES (3, 5, 2), (3, 1, 1), (7, 1, 1);
        """)
    let report = try importing()
    #expect(report.verified)
    #expect(
      report.picture == """
        authors 2: 2 imported
        books 2: 2 imported
        credits 3: 3 imported
        """)
    let books = try reading { try $0.all(Book.self, "ORDER BY id") }
    let drawn = Date(timeIntervalSince1970: 1_760_000_000.5)
    #expect(
      books == [
        Book(id: 3, title: "红楼梦", cover: .init(color: "red", size: 12, drawnAt: drawn), scan: Data([0xFF, 0xD8, 0]), length: 3),
        Book(id: 7, title: "Two", cover: .init(color: "blue", size: 1), length: 3),
      ])
    let credits = try reading { try $0.all(Credit.self, "ORDER BY book_id, place") }.map { [$0.bookID, $0.authorID, Int64($0.place)] }
    #expect(credits == [[3, 1, 1], [3, 5, 2], [7, 1, 1]])
    try write("UPDATE bookAuthor SET place = 9 WHERE bookId = 7")
    let again = try importing()
    #expect(again.counts.values.allSatisfy { $0.imported == 0 && $0.quarantined == 0 })
    #expect(again.counts["credits"]?.merged == 1)
    #expect(try reading { try $0.first(Credit.self, "WHERE book_id = 7") }?.place == 9)
  }

  @Test("what belongs to a row that was not taken goes into quarantine with it, whichever of its parents that is; a row without a key, too")
  func parents() throws {
    try write(
      Self.tables + """
        INSERT INTO author VALUES (1, 'Cao Xueqin'), (2, '');
        INSERT INTO book (id, title) VALUES (3, 'One'), (4, x'FF');
        INSERT INTO bookAuthor VALUES (3, 1, 1), (3, 2, 2), (4, 1, 1), (NULL, 1, 1);
        """)
    #expect(
      try importing().picture == """
        authors 2: 1 imported, 1 quarantined
        books 2: 1 imported, 1 quarantined
        credits 4: 1 imported, 3 quarantined
        author[rowid 2]: authors: CHECK constraint failed: name <> ''
        book[rowid 4]: title should be a text, found bytes that are not text
        bookAuthor[rowid 2]: the record that it belongs to is quarantined
        bookAuthor[rowid 3]: the record that it belongs to is quarantined
        bookAuthor[rowid 4]: bookId is missing
        """)
  }

  @Test("JSON with a member that the type lacks is not half read: the value is kept aside, and the row comes in without it")
  func unknownMember() throws {
    try write(
      Self.tables + #"INSERT INTO book (id, title, cover) VALUES (1, 'One', '{"color":"red","size":1,"font":"Kai"}'), (2, 'Two', 'red')"#)
    let report = try importing([.table("book", Self.books)])
    #expect(report.counts["books"]?.imported == 2)
    #expect(report.problems.map(\.field) == ["cover", "cover"])
    #expect(report.problems.allSatisfy { $0.reason.hasPrefix("cover should be Cover as JSON, found") }, "\(report.problems)")
    #expect(try reading { try $0.all(Book.self) }.allSatisfy { $0.cover == nil })
  }

  @Test("fields that do not give the whole key are refused before anything is read, and so is a table without a column that rows need")
  func refused() throws {
    try write(Self.tables + "INSERT INTO bookAuthor VALUES (3, 1, 1)")
    let half = #expect(throws: StoreError.self) { try importing([.table("bookAuthor", Self.credits.without(["authorId"]))]) }
    #expect(half?.code == .misuse)
    #expect(half?.message == "credits: no field gives author_id, a part of the key of Credit")
    #expect(half?.suggestion == "Add a field for it. The fields are bookId, place.")
    let column = #expect(throws: StoreError.self) { try importing([.table("author", Self.books.without([]))]) }
    #expect(column?.code == .invalidSource)
    #expect(column?.message == "the table author has no column title; its columns are id, name")
    #expect(try folder.contents() == ["app.db"])
  }

  @Test("the report names the tables with rows that were not read")
  func notRead() throws {
    try write(Self.tables + "CREATE TABLE settings (a); CREATE TABLE empty (a); INSERT INTO settings VALUES (1), (2)")
    #expect(try importing().notes == ["the table settings was not read; rows: 2 (first: settings)": 1])
  }

  @Test("rows of a tree come in, wherever the row above them stands; one that hangs under nothing is kept aside")
  func tree() throws {
    try write(
      """
      CREATE TABLE folder (id INTEGER PRIMARY KEY, aboveId INTEGER, name TEXT);
      INSERT INTO folder VALUES (1, 5, 'leaf'), (2, 1, 'below the leaf'), (3, 99, 'lost'), (4, 3, 'below the lost'), (5, NULL, 'root');
      """)
    let fields: FieldTable<Folder> = [
      .required("id", \.id, .int64), .optional("aboveId", \.aboveID, .int64), .required("name", \.name, .text),
    ]
    let report = try importing([.table("folder", fields)])
    #expect(
      report.picture == """
        folders 5: 3 imported, 2 quarantined
        folder[rowid 3]: folders: FOREIGN KEY constraint failed
        folder[rowid 4]: folders: FOREIGN KEY constraint failed
        """)
    #expect(try reading { try $0.all(Folder.self) }.map(\.id) == [1, 2, 5])
  }

  @Test("a key may have a part that takes few values")
  func enumKey() throws {
    try write("CREATE TABLE day (bookId INTEGER, kind TEXT, pages INTEGER); INSERT INTO day VALUES (1, 'morning', 3), (1, 'evening', 4)")
    let fields: FieldTable<Day> = [
      .required("bookId", \.bookID, .int64), .required("kind", \.kind, .word), .optional("pages", \.pages, .int),
    ]
    #expect(try importing([.table("day", fields)]).picture == "days 2: 2 imported")
  }

  @Test("what a person changed in the store stays, also where the source has changed the row that it belongs to")
  func edited() throws {
    try write(
      Self.tables
        + "INSERT INTO author VALUES (1, 'Cao'); INSERT INTO book (id, title) VALUES (3, 'One'); INSERT INTO bookAuthor VALUES (3, 1, 1)")
    _ = try importing()
    let store = try Store.open(at: store, schemas: [Self.schema], options: .testing)
    try store.write { try $0.execute("UPDATE credits SET place = 7") }
    try store.close()
    try write("UPDATE author SET name = 'Cao Xueqin'; UPDATE book SET title = 'Two'")
    let report = try importing()
    #expect(report.counts["authors"]?.merged == 1 && report.counts["credits"]?.skipped == 1)
    #expect(try reading { try $0.first(Credit.self) }?.place == 7)
  }
}
