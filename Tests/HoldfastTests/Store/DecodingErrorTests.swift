import Foundation
import Holdfast
import HoldfastTesting
import Testing

/// Each accessor against each storage class: what it accepts gives a value, what it does not gives an error that says where.
@Suite("Decoding errors name table, column and row")
struct DecodingErrorTests {
  static let id = "00000000-0000-7000-8000-0000000000ff"
  static let values = [
    "NULL", "1", "2", "1.5", "'text'", "x'41'", "'\(id)'", "'{\(id)}'", "CAST(x'41FF42' AS TEXT)", "9223372036854775807",
  ]

  enum Accessor: String, CaseIterable {
    case text, textOrNil, int64, int64OrNil, int, bool, double, doubleOrNil, id, idOrNil, date, dateOrNil, data, dataOrNil, json

    func read(_ row: inout StoredRow) throws -> String {
      switch self {
      case .text: try row.text()
      case .textOrNil: try row.textOrNil() ?? "nil"
      case .int64: String(try row.int64())
      case .int64OrNil: try row.int64OrNil().map { String($0) } ?? "nil"
      case .int: String(try row.int())
      case .bool: String(try row.bool())
      case .double: String(try row.double())
      case .doubleOrNil: try row.doubleOrNil().map { String($0) } ?? "nil"
      case .id: IDCodec.lowercase(try row.id())
      case .idOrNil: try row.idOrNil().map { IDCodec.lowercase($0) } ?? "nil"
      case .date: String(try DateCodec.milliseconds(row.date()) ?? -1)
      case .dateOrNil: try row.dateOrNil().map { String(DateCodec.milliseconds($0) ?? -1) } ?? "nil"
      case .data: String(try row.data().count)
      case .dataOrNil: try row.dataOrNil().map { String($0.count) } ?? "nil"
      case .json: try row.json([String: String].self).text
      }
    }
  }

  /// By accessor, what it makes of each of `values`; "✗" is a decoding error with its place.
  static let expected: [Accessor: [String]] = {
    let x = "✗"
    let max = "9223372036854775807"
    let texts = ["text", x, id, "{\(id)}", x, x]
    return [
      .text: [x, x, x, x] + texts, .textOrNil: ["nil", x, x, x] + texts, .json: [x, x, x, x] + texts,
      .int64: [x, "1", "2", x, x, x, x, x, x, max], .int64OrNil: ["nil", "1", "2", x, x, x, x, x, x, max],
      .int: [x, "1", "2", x, x, x, x, x, x, max], .bool: [x, "true", x, x, x, x, x, x, x, x],
      .double: [x, "1.0", "2.0", "1.5", x, x, x, x, x, "9.223372036854776e+18"],
      .doubleOrNil: ["nil", "1.0", "2.0", "1.5", x, x, x, x, x, "9.223372036854776e+18"],
      .id: [x, x, x, x, x, x, id, x, x, x], .idOrNil: ["nil", x, x, x, x, x, id, x, x, x],
      .date: [x, "1", "2", x, x, x, x, x, x, x], .dateOrNil: ["nil", "1", "2", x, x, x, x, x, x, x],
      .data: [x, x, x, x, x, "1", x, x, x, x], .dataOrNil: ["nil", x, x, x, x, "1", x, x, x, x],
    ]
  }()

  @Test("every accessor refuses every value that is not its own", arguments: Accessor.allCases)
  func matrix(_ accessor: Accessor) throws {
    let store = try Store.inMemory(schemas: [])
    let found = try store.read { reader in
      try Self.values.map { value in
        do {
          return try reader.value("SELECT 'row 7' AS id, \(raw: value) AS field") { row in
            _ = try row.text()
            return try accessor.read(&row)
          } ?? "no row"
        } catch let error as StoreError {
          #expect(error.code == .decoding)
          #expect(error.column == "field")
          #expect(error.row == "row 7")
          return "✗"
        }
      }
    }
    #expect(found == Self.expected[accessor])
  }

  @Test("a value of any kind is read as what it is, except text that is not UTF-8")
  func anyValue() throws {
    let store = try Store.inMemory(schemas: [])
    let read = { (sql: String) in try store.read { reader in try reader.value("SELECT \(raw: sql)") { row in try row.value() } } }
    #expect(
      try ["NULL", "1", "1.5", "'é'", "x'4100'", "x''"].map { try read($0) } == [
        .null, .integer(1), .real(1.5), .text("é"), .blob(Data([0x41, 0])), .blob(Data()),
      ])
    #expect(failure { try read("CAST(x'FF' AS TEXT)") }?.code == .decoding)
  }

  @Test("a damaged row names its table, whichever way it is read")
  func table() throws {
    let store = try Shelves.inMemory()
    try store.fill(books: 1)
    try store.write { tx in _ = try tx.execute("UPDATE books SET title = CAST(x'C3' AS TEXT)") }
    let reads: [(Reader) throws -> Void] = [
      { _ = try $0.all(Book.self) }, { _ = try $0.first(Book.self) }, { _ = try $0.find(Book.self, id: .numbered(1100)) },
      { reader in try reader.rows("SELECT id, title FROM books", of: "books") { row in _ = (try row.id(), try row.text()) } },
    ]
    for read in reads {
      let error = failure { try store.read(read) }
      #expect([error?.table, error?.column, error?.row] == ["books", "title", IDCodec.lowercase(.numbered(1100))])
      #expect(
        error?.message == "books, row \(IDCodec.lowercase(.numbered(1100))): title should hold UTF-8 text, and holds text that is not")
      #expect(error?.recoverySuggestion == "Run an integrity check; the row was left as it is.")
    }
  }

  @Test("a statement of several tables names the table, the column and the row whose value is damaged")
  func joined() throws {
    let store = try Shelves.inMemory()
    try store.fill(books: 1)
    try store.write { tx in _ = try tx.execute("UPDATE books SET title = CAST(x'C3' AS TEXT)") }
    let error = failure {
      try store.read { reader in
        try reader.values("SELECT s.id, b.id, s.name, b.title AS found FROM shelves s JOIN books b ON b.shelf_id = s.id") { row in
          _ = (try row.id(), try row.id(), try row.text(), try row.text())
        }
      }
    }
    #expect([error?.table, error?.column, error?.row] == ["books", "title", IDCodec.lowercase(.numbered(1100))])
    #expect(error?.message.hasPrefix("books, row \(IDCodec.lowercase(.numbered(1100))): title should hold") == true)
  }

  @Test("a row whose id is damaged is named by its bytes")
  func damagedID() throws {
    let store = try Store.inMemory(schemas: [])
    let error = failure { try store.read { try $0.value("SELECT x'01ff' AS id") { row in try row.id() } } }
    #expect(error?.row == "x'01ff'")
    #expect(error?.message == "row x'01ff': id should hold a UUID, and holds bytes")
  }

  @Test("reading more columns than the statement has is an error, not a trap")
  func tooManyColumns() throws {
    let store = try Store.inMemory(schemas: [])
    let error = failure { try store.read { reader in try reader.value("SELECT 1") { row in (try row.int(), try row.text()) } } }
    #expect(error?.code == .decoding)
    #expect(error?.column == "column 1")
  }
}
