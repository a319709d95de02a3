import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Records derived from Codable")
struct DerivedRecordTests {
  enum Mood: String, Codable, CaseIterable { case calm, wild }
  enum Grade: Int, Codable, CaseIterable {
    case low = 1
    case high
  }
  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case square(side: Double)
  }
  struct Point: Codable, Equatable { var x: Double, y: Double }
  struct Name: RawRepresentable, Codable, Equatable { var rawValue: String }

  struct Everything: StoredRecord, Codable, Equatable {
    static let table = "everything"
    var id: UUID
    var dueAt: Date
    var photo: Data
    var isDone: Bool
    var count: Int
    var small: Int8
    var unsigned: UInt64
    var size: Double
    var ratio: Float
    var text: String
    var homeURL: URL
    var mood: Mood
    var grade: Grade
    var name: Name
    var labels: [String]
    var place: Point
    var shape: Shape
    var map: [String: Date]
    var json: StoredJSON<[Int]>
    var otherID: UUID?
    var doneAt: Date?
    var note: String?
    var flag: Bool?
    var pages: Int?
    var moodOrNil: Mood?
    var corner: Point?

    static let sql = """
      CREATE TABLE everything (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, due_at INTEGER NOT NULL, photo BLOB NOT NULL, is_done INTEGER NOT NULL,
        count INTEGER NOT NULL, small INTEGER NOT NULL, unsigned INTEGER NOT NULL, size REAL NOT NULL, ratio REAL NOT NULL,
        text TEXT NOT NULL, home_url TEXT NOT NULL, mood TEXT NOT NULL, grade INTEGER NOT NULL, name TEXT NOT NULL, labels TEXT NOT NULL,
        place TEXT NOT NULL, shape TEXT NOT NULL, map TEXT NOT NULL, json TEXT NOT NULL, other_id TEXT, done_at INTEGER, note TEXT,
        flag INTEGER, pages INTEGER, mood_or_nil TEXT, corner TEXT
      ) STRICT
      """
  }

  private let store: Store
  private let full = Everything(
    id: UUID(), dueAt: Date(timeIntervalSince1970: 1.234), photo: Data([0, 255]), isDone: true, count: -7, small: -8, unsigned: 9,
    size: 1.5, ratio: 0.1, text: "Tomaten & Öl", homeURL: URL(fileURLWithPath: "/a b"), mood: .wild, grade: .high,
    name: Name(rawValue: "Ada"), labels: ["b", "a/c", "\"\n"], place: Point(x: 1, y: -0.5), shape: .square(side: 2),
    map: ["when": Date(timeIntervalSince1970: 0.5)], json: StoredJSON(text: "[1, 2]"), otherID: UUID(),
    doneAt: Date(timeIntervalSince1970: -0.001), note: "", flag: false, pages: .max, moodOrNil: .calm, corner: Point(x: 0, y: 0))

  private let bare: Everything

  init() throws {
    var bare = full
    (bare.id, bare.photo, bare.labels) = (UUID(), Data(), [])
    (bare.otherID, bare.doneAt, bare.note, bare.flag, bare.pages, bare.moodOrNil, bare.corner) = (nil, nil, nil, nil, nil, nil, nil)
    self.bare = bare
    store = try Store.inMemory(schemas: [
      StoreSchema("everything", migrations: [Migration("everything/001", sql: Everything.sql)], records: [Everything.self])
    ])
  }

  @Test("every kind of property comes back as it was saved, in a batch and alone, set and nil")
  func roundTrip() throws {
    try store.write { tx in
      try tx.insert(full)
      try tx.upsert(bare)
      try tx.insert(contentsOf: (0..<60).map { _ in bare.with(UUID()) })
    }
    let back = try store.read { try $0.all(Everything.self, "ORDER BY rowid") }
    #expect(back.count == 62)
    #expect(back[0] == full)
    #expect(back[1...].allSatisfy { $0.with(bare.id) == bare })
    #expect(try store.read { try $0.find(Everything.self, id: full.id) } == full)
  }

  @Test("values are stored as the documentation says")
  func forms() throws {
    try store.write { try $0.insert(full) }
    let values = try store.read {
      try $0.value("SELECT \(columns: Everything.self) FROM everything") { row in
        try Everything.columns.map { _ in try row.value() }
      }
    }
    let stored = Dictionary(uniqueKeysWithValues: zip(Everything.columns, values ?? []))
    let expected: [String: SQLValue] = [
      "id": .text(IDCodec.lowercase(full.id)), "due_at": .integer(1234), "done_at": .integer(-1), "is_done": .integer(1),
      "home_url": .text("file:///a%20b"), "mood": .text("wild"), "grade": .integer(2), "labels": .text(#"["b","a/c","\"\n"]"#),
      "place": .text(#"{"x":1,"y":-0.5}"#), "shape": .text(#"{"square":{"side":2}}"#),
      "map": .text(#"{"when":"1970-01-01T00:00:00.500Z"}"#), "json": .text("[1, 2]"),
    ]
    #expect(stored.filter { expected[$0.key] != nil } == expected)
  }

  @Test("the kinds of the columns are those of the properties")
  func kinds() throws {
    let derived = try DerivedColumns.of(Everything.self)
    let kinds = zip(derived.names, derived.kinds).map { "\($0): \($1.rawValue)" }
    #expect(
      kinds == [
        "id: id", "due_at: date", "photo: bytes", "is_done: flag", "count: number", "small: number", "unsigned: number", "size: number",
        "ratio: number", "text: text", "home_url: text", "mood: text", "grade: number", "name: text", "labels: json", "place: json",
        "shape: json", "map: json", "json: json", "other_id: id", "done_at: date", "note: text", "flag: flag", "pages: number",
        "mood_or_nil: text", "corner: json",
      ])
  }

  @Test("a date is rounded to the millisecond when it is bound, and then stays")
  func rounding() throws {
    var one = full
    one.dueAt = Date(timeIntervalSince1970: 1.23449)
    one.map = ["when": Date(timeIntervalSince1970: 2.00051)]
    try store.write { try $0.insert(one) }
    let back = try #require(try store.read { try $0.find(Everything.self, id: one.id) })
    #expect(back.dueAt == DateCodec.rounded(one.dueAt))
    #expect(back.map == one.map.mapValues(DateCodec.rounded))
    try store.write { try $0.upsert(back) }
    #expect(try store.read { try $0.find(Everything.self, id: one.id) } == back)
  }

  @Test(
    "what cannot be stored is invalidValue, and nothing is stored",
    arguments: [
      { $0.unsigned = .max }, { $0.size = .nan }, { $0.size = .infinity }, { $0.ratio = -.infinity },
      { $0.dueAt = .distantPast.addingTimeInterval(-1e12) }, { $0.place.x = .nan }, { $0.map = ["a": Date(timeIntervalSince1970: .nan)] },
    ] as [@Sendable (inout Everything) -> Void])
  func refused(change: @Sendable (inout Everything) -> Void) throws {
    var one = full
    change(&one)
    let code = #expect(throws: StoreError.self) { try store.write { try $0.insert(one) } }?.code
    #expect(code == .invalidValue)
    #expect(try store.read { try $0.count("SELECT count(*) FROM everything") } == 0)
  }

  @Test(
    "a stored value of another type or form is a decoding error that names the column",
    arguments: [
      ("id", "'x'"), ("due_at", "999999999999999999"), ("is_done", "2"), ("small", "300"), ("unsigned", "-1"), ("mood", "'glum'"),
      ("grade", "7"), ("labels", "'[1]'"), ("labels", "'['"), ("place", "'{}'"), ("map", #"'{"a":"yesterday"}'"#),
    ])
  func damaged(column: String, value: String) throws {
    try store.write { tx in
      try tx.insert(full)
      try tx.execute("UPDATE everything SET \(raw: column) = \(raw: value)")
    }
    let error = #expect(throws: StoreError.self) { try store.read { try $0.all(Everything.self) } }
    #expect(error?.code == .decoding)
    #expect(error?.column == column)
    #expect(error?.row == (column == "id" ? "x" : IDCodec.lowercase(full.id)))
  }

  struct Renamed: StoredRecord, Codable, Equatable {
    static let table = "renamed"
    enum CodingKeys: String, CodingKey {
      case id
      case due = "dueAt"
      case textOfNote = "text"
    }
    var id: Int64?
    var due: Date?
    var textOfNote: String
    /// Has no column.
    var isShown = false
  }

  @Test("coding keys give columns other names and leave properties out; a number that SQLite chooses is nil before")
  func codingKeys() throws {
    #expect(Renamed.columns == ["id", "due_at", "text"])
    let store = try Store.inMemory(schemas: [
      StoreSchema(
        "renamed",
        migrations: [Migration("renamed/001", sql: "CREATE TABLE renamed (id INTEGER PRIMARY KEY, due_at INTEGER, text TEXT) STRICT")],
        records: [Renamed.self])
    ])
    let id = try store.write { tx in
      try tx.insert(Renamed(due: nil, textOfNote: "one", isShown: true))
      return try tx.lastInsertedID
    }
    #expect(try store.read { try $0.find(Renamed.self, id: id) } == Renamed(id: id, due: nil, textOfNote: "one"))
  }

  @Test("two derived records beside each other in a row are read one after the other")
  func join() throws {
    try store.write { tx in for one in [full, bare] { try tx.insert(one) } }
    let pairs = try store.read { reader in
      let columns = ["a", "b"].flatMap { name in Everything.columns.map { "\(name).\($0)" } }.joined(separator: ", ")
      return try reader.values(
        "SELECT \(raw: columns), 5 FROM everything AS a JOIN everything AS b ON a.id <> b.id ORDER BY a.rowid"
      ) { row in (try Everything(row: &row), try Everything(row: &row), try row.int()) }
    }
    #expect(pairs.map(\.0) == [full, bare])
    #expect(pairs.map(\.1) == [bare, full])
    #expect(pairs.map(\.2) == [5, 5])
  }

  enum Kind: String, Codable { case book, film }
  struct Required: StoredRecord, Codable {
    static let table = "required"
    var id: UUID
    var kind: Kind
  }
  struct Twice: StoredRecord, Codable {
    static let table = "twice"
    var id: UUID
    var bookID: UUID
    var bookId: UUID
  }
  struct Half: StoredRecord, Codable {
    static let table = "required"
    static let columns = ["kind", "id"]
    var id: UUID
    var kind: String
  }
  struct Extra: StoredRecord, Codable {
    static let table = "required"
    var id: UUID
    var kind: String?
    var dueAt: Date?
  }

  private static func open(_ record: any StoredRecord.Type) throws -> Store {
    try Store.inMemory(schemas: [
      StoreSchema(
        "required",
        migrations: [Migration("required/001", sql: "CREATE TABLE required (id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL) STRICT")],
        records: [record])
    ])
  }

  @Test("what cannot be made from nothing is an error of the opening that names the property and what to do")
  func noBlankRecord() throws {
    let error = #expect(throws: StoreError.self) { try Self.open(Required.self) }
    #expect(error?.code == .misuse)
    #expect(
      error?.message
        == "the columns of Required cannot be derived from Codable: no blank value of its property kind, Kind, can be made (Cannot initialize Kind from invalid String value )"
    )
    #expect(error?.recoverySuggestion?.contains("CaseIterable") == true)
    #expect(
      #expect(throws: StoreError.self) { try Self.open(Twice.self) }?.message.contains("two of its properties have the column book_id")
        == true)
  }

  @Test("a record whose type is in no schema says the same when it is used")
  func undeclared() throws {
    #expect(#expect(throws: StoreError.self) { try store.read { try $0.all(Required.self) } }?.code == .misuse)
    let book = Required(id: UUID(), kind: .book)
    #expect(#expect(throws: StoreError.self) { try store.write { try $0.insert(book) } }?.code == .misuse)
  }

  @Test("who writes the columns and not the reading is told so, and reads and stores nothing")
  func part() throws {
    let store = try Self.open(Half.self)
    let error = #expect(throws: StoreError.self) { try store.write { try $0.insert(Half(id: UUID(), kind: "book")) } }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("not all three") == true)
    try store.write { try $0.execute("INSERT INTO required VALUES ('x', 'y')") }
    #expect(#expect(throws: StoreError.self) { try store.read { try $0.all(Half.self) } }?.code == .misuse)
  }

  @Test("a column that a declared record uses and no table has is an error of the opening, for a new file and for one that is there")
  func missingColumn() throws {
    let error = #expect(throws: StoreError.self) { try Self.open(Extra.self) }
    #expect(error?.code == .misuse)
    #expect(error?.column == "due_at")
    let folder = try TemporaryFolder()
    func open(_ record: any StoredRecord.Type) throws -> Store {
      try folder.store([
        StoreSchema(
          "required", migrations: [Migration("required/001", sql: "CREATE TABLE required (id TEXT PRIMARY KEY, kind TEXT) STRICT")],
          records: [record])
      ])
    }
    try open(Half.self).close()
    let again = #expect(throws: StoreError.self) { try open(Extra.self) }
    #expect(again?.message == "the record Extra uses the column required.due_at, and no migration makes it")
    let other = #expect(throws: StoreError.self) { try open(Everything.self) }
    #expect(other?.message == "the record Everything has the table everything, and no migration makes it")
  }

  @Test(
    "a name in camel case becomes one in snake case",
    arguments: [
      ("id", "id"), ("dueAt", "due_at"), ("collectionID", "collection_id"), ("homeURLText", "home_url_text"), ("URLPath", "url_path"),
      ("isbn13", "isbn13"), ("due_at", "due_at"), ("x", "x"), ("aB", "a_b"), ("größeÄndern", "größe_ändern"), ("", ""),
    ])
  func names(key: String, column: String) { #expect(ColumnName.of(key) == column) }
}

extension DerivedRecordTests.Everything {
  fileprivate func with(_ id: UUID) -> Self {
    var copy = self
    copy.id = id
    return copy
  }
}
