import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Records")
struct StoredRecordTests {
  let store: Store

  init() throws {
    store = try Shelves.inMemory()
    try store.fill(books: 0)
  }

  private var full: Book {
    var book = Book("title", number: 2, pages: .max)
    book.rating = -0.5
    book.finished = true
    book.cover = Data([0, 255])
    book.extra = StoredJSON(text: "{ \"kept\" : \"word for word\" }")
    return book
  }

  @Test("a record comes back equal, with every value and with none")
  func roundTrip() throws {
    let books = [full, Book("", number: 3)]
    try store.write { tx in for book in books { try tx.insert(book) } }
    #expect(try store.read { reader in try reader.all(Book.self, "ORDER BY id") } == books)
    #expect(try store.read { reader in try reader.find(Book.self, id: .numbered(1002)) } == full)
    #expect(try store.read { reader in try reader.find(Book.self, id: .numbered(77)) } == nil)
    #expect(try store.read { reader in try reader.first(Book.self, "WHERE title = \("none")") } == nil)
  }

  @Test("an upsert by a key that is not unique is refused, and changes no row; one whose columns lack the key inserts")
  func upsertWithoutKey() throws {
    struct Twin: StoredRecord {
      static let table = "twins"
      static let columns = ["name", "size"]
      static let key = ["name"]
      var size: Int64
      init(size: Int64) { self.size = size }
      init(row: inout StoredRow) throws {
        _ = try row.text()
        size = try row.int64()
      }
      func encode(into values: inout Values) throws {
        try values.text("a")
        try values.int64(size)
      }
    }
    struct Note: StoredRecord {
      static let table = "noted"
      static let columns = ["size", "owner"]
      static let insertOnly = ["owner"]
      init() {}
      init(row: inout StoredRow) throws { _ = (try row.int64(), try row.text()) }
      func encode(into values: inout Values) throws {
        try values.int64(9)
        try values.text("new")
      }
    }
    try store.write { tx in
      try tx.execute("CREATE TABLE twins (name TEXT, size INTEGER)")
      try tx.execute("CREATE UNIQUE INDEX live_twins ON twins (name) WHERE size > 1")
      try tx.execute("INSERT INTO twins VALUES ('a', 1), ('a', 2)")
      try tx.execute("CREATE TABLE noted (id INTEGER PRIMARY KEY, size INTEGER, owner TEXT)")
      try tx.execute("INSERT INTO noted (size, owner) VALUES (1, 'old')")
    }
    let error = #expect(throws: StoreError.self) { try store.write { try $0.upsert(Twin(size: 5)) } }
    #expect(error?.message.contains("ON CONFLICT") == true, "\(error as Any)")
    #expect(try store.read { try $0.values("SELECT size FROM twins") { row in try row.int64() } } == [1, 2])
    try store.write { try $0.upsert(Note()) }
    #expect(try store.read { try $0.values("SELECT size FROM noted ORDER BY id") { row in try row.int64() } } == [1, 9])
  }

  @Test("an upsert changes the columns of the record, and leaves the others and those of the first insert alone")
  func upsert() throws {
    struct Title: StoredRecord {
      static let table = "books"
      static let columns = ["id", "shelf_id", "title", "finished", "added_at", "extra"]
      static let insertOnly = ["shelf_id", "finished", "added_at", "extra"]
      var title: String
      init(_ title: String) { self.title = title }
      init(row: inout StoredRow) throws {
        _ = (try row.id(), try row.id())
        title = try row.text()
      }
      func encode(into values: inout Values) throws {
        try values.id(.numbered(1002))
        try values.id(.numbered(1))
        try values.text(title)
        try values.bool(false)
        try values.date(Date(timeIntervalSince1970: 0))
        try values.text("{}")
      }
    }
    try store.write { tx in
      try tx.upsert(full)
      try tx.upsert(Title("new title"))
    }
    var expected = full
    expected.title = "new title"
    #expect(try store.read { reader in try reader.all(Book.self) } == [expected])
  }

  @Test("an update of one row leaves other rows and columns alone, and says when there is no such row or no one id")
  func updateOne() throws {
    struct Pair: StoredRecord, Codable {
      static let table = "pairs"
      static let key = ["a", "b"]
      var a: Int64
      var b: Int64
    }
    struct Counter: StoredRecord, Codable, Equatable {
      static let table = "counters"
      var id: Int64?
      var count: Int64
    }
    let other = Book("other", number: 3)
    try store.write { tx in
      for book in [full, other] { try tx.insert(book) }
      try tx.update(Book.self, id: full.id, "title = \("new; title"), rating = \(2.5)")
      try tx.execute("CREATE TABLE counters (id INTEGER PRIMARY KEY, count INTEGER)")
      for count in [1, 2] { try tx.insert(Counter(count: Int64(count))) }
      try tx.update(Counter.self, id: 2, "count = count + \(40)")
    }
    var expected = full
    (expected.title, expected.rating) = ("new; title", 2.5)
    #expect(try store.read { try $0.all(Book.self, "ORDER BY id") } == [expected, other])
    #expect(try store.read { try $0.all(Counter.self, "ORDER BY id") }.map(\.count) == [1, 42])
    func error(_ verb: (Writer) throws -> Void) -> StoreError? { #expect(throws: StoreError.self) { try store.write(verb) } }
    let missing = error { try $0.update(Book.self, id: .numbered(77), "title = 'x'") }
    #expect(missing?.code == .notFound && missing?.message == "books has no row \(IDCodec.lowercase(.numbered(77)))")
    #expect(error { try $0.update(Counter.self, id: 3, "count = 1") }?.message == "counters has no row 3")
    #expect(error { try $0.update(Book.self, id: full.id, "added_at = \(Date(timeIntervalSince1970: .nan))") }?.code == .invalidValue)
    #expect(error { try $0.update(Pair.self, id: 1, "b = 1") }?.code == .misuse)
    #expect(try store.read { try $0.all(Book.self, "ORDER BY id") } == [expected, other])
  }

  @Test("SQLite chooses the number of a record without one; the record is found, changed and deleted by its number")
  func wholeNumbers() throws {
    struct Line: StoredRecord, Equatable {
      static let table = "lines"
      static let columns = ["id", "text"]
      var id: Int64?
      var text: String
      init(_ id: Int64?, _ text: String) { (self.id, self.text) = (id, text) }
      init(row: inout StoredRow) throws { (id, text) = (try row.int64(), try row.text()) }
      func encode(into values: inout Values) throws {
        try values.int64(id)
        try values.text(text)
      }
    }
    try store.write { tx in
      try tx.execute("CREATE TABLE lines (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
      try tx.execute("CREATE TABLE told (id INTEGER PRIMARY KEY, line INTEGER NOT NULL) STRICT")
      try tx.execute("CREATE TRIGGER tells AFTER INSERT ON lines BEGIN INSERT INTO told VALUES (100 + new.id, new.id); END")
      try tx.insert(Line(7, "seven"))
      #expect(try tx.lastInsertedID == 7)
      try tx.insert(Line(nil, "eight"))
      #expect(try tx.lastInsertedID == 8)
      try tx.insert(contentsOf: [Line(nil, "nine"), Line(20, "last")])
      #expect(try tx.lastInsertedID == 20)
      try tx.delete(Line.self, id: 20)
      try tx.upsert(Line(nil, "ten"))
      #expect(try tx.lastInsertedID == 10)
      try tx.upsert(Line(8, "EIGHT"))
      #expect(try tx.delete(Line.self, id: 7))
      #expect(try !tx.delete(Line.self, id: 7))
    }
    #expect(try store.read { try $0.find(Line.self, id: 8) } == Line(8, "EIGHT"))
    #expect(try store.read { try $0.find(Line.self, id: 7) } == nil)
    #expect(try store.read { try $0.all(Line.self, "ORDER BY id") } == [Line(8, "EIGHT"), Line(9, "nine"), Line(10, "ten")])
  }

  @Test("many records go in together, in any number", arguments: [0, 1, 7, 33, 500])
  func insertMany(_ count: Int) throws {
    let books = (0..<count).map { Book("book \($0)", number: $0, pages: Int64($0)) }
    try store.write { tx in try tx.insert(contentsOf: books) }
    #expect(try store.read { reader in try reader.all(Book.self, "ORDER BY pages") } == books)
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test("a record that binds too few or too many values is refused", arguments: [1, 2, 4])
  func mismatch(_ count: Int) throws {
    struct Odd: StoredRecord {
      static let table = "shelves"
      static let columns = ["id", "name", "created_at"]
      var count: Int
      init(_ count: Int) { self.count = count }
      init(row: inout StoredRow) throws { count = 0 }
      func encode(into values: inout Values) throws { for _ in 0..<count { try values.text("x") } }
    }
    let error = failure { try store.write { tx in try tx.insert(Odd(count)) } }
    #expect(error?.code == .misuse)
    #expect(try store.count("shelves") == 1)
  }

  @Test("a value that cannot be stored makes the write throw, and the row is not there")
  func invalid() throws {
    var nan = full
    nan.rating = .nan
    var never = full
    never.addedAt = Date(timeIntervalSince1970: -.infinity)
    for book in [nan, never] {
      #expect(failure { try store.write { tx in try tx.insert(book) } }?.code == .invalidValue)
      #expect(failure { try store.write { tx in try tx.upsert(book) } }?.code == .invalidValue)
    }
    #expect(try store.count("books") == 0)
  }

  @Test("a date is stored to the millisecond")
  func milliseconds() throws {
    let shelf = Shelf("s", number: 2, createdAt: Date(timeIntervalSince1970: 1_700_000_000.123456))
    try store.write { tx in try tx.insert(shelf) }
    let loaded = try store.read { reader in try reader.find(Shelf.self, id: .numbered(2)) }
    #expect(loaded?.createdAt == DateCodec.rounded(shelf.createdAt))
  }

  @Test("rows larger than the binding memory are stored like others")
  func large() throws {
    var book = full
    book.title = String(repeating: "长", count: 30_000)
    book.cover = Data(repeating: 7, count: 300_000)
    try store.write { tx in
      try tx.insert(book)
      try tx.upsert(book)
    }
    #expect(try store.read { reader in try reader.all(Book.self) } == [book])
  }
}
