import Foundation
import GRDB
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The columns of a row of another database, read leniently")
struct SQLiteFieldsTests {
  /// Stores the SQL literal in a column without a type and reads it; what came of it, or what is wrong.
  private static func read<T>(_ literal: String, _ body: (inout SQLiteFields) -> T) throws -> String {
    let folder = try TemporaryFolder()
    let url = folder.file("other.sqlite")
    let queue = try DatabaseQueue(path: url.path)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (X); INSERT INTO t VALUES (\(literal))") }
    try queue.close()
    var found = ""
    try SQLiteSource(ImportSource(url)).rows(of: "t") { row in
      var fields = SQLiteFields(row)
      let value = body(&fields)
      found = fields.problem ?? "\(value)"
    }
    return found
  }

  @Test("tables whose names are one text to Swift, but not to SQLite, are read each for itself, also within each other")
  func names() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("other.sqlite")
    let queue = try DatabaseQueue(path: url.path)
    let tables = ["caf\u{E9}", "cafe\u{301}"]
    try queue.write { db in
      for (number, table) in tables.enumerated() {
        try db.execute(sql: "CREATE TABLE \"\(table)\" AS SELECT \(number) AS x UNION SELECT 7")
      }
    }
    try queue.close()
    let source = try SQLiteSource(ImportSource(url))
    var found: [String] = []
    for table in tables {
      try source.rows(of: table) { row in
        try source.rows(of: table) { found.append("\(row.value("x") ?? .null) \($0.value("x") ?? .null)") }
      }
    }
    let pairs = [0, 1].flatMap { number in
      [(number, number), (number, 7), (7, number), (7, 7)].map { "\(SQLValue.integer(Int64($0.0))) \(SQLValue.integer(Int64($0.1)))" }
    }
    #expect(found == pairs)
  }

  @Test(
    "a whole number is read, NULL is nil, and anything else is wrong",
    arguments: [
      ("2025", "2025"), ("2025.0", "2025"), ("NULL", "nil"), ("-1", "x should be from 0 to 9999"), ("1e4", "x should be from 0 to 9999"),
      ("1.5", "x should be a whole number"), ("1e300", "x should be a whole number"), ("'7'", "x should be a whole number"),
      ("x'37'", "x should be a whole number"), ("9e999", "x should be a whole number"),
    ])
  func wholeNumbers(_ literal: String, _ expected: String) throws {
    #expect(try Self.read(literal) { $0.int64OrNil("x", in: 0...9999).map(String.init) ?? "nil" } == expected)
    let required = try Self.read(literal) { $0.int64("x", in: 0...9999) }
    #expect(required == (literal == "NULL" ? "x is missing" : expected))
  }

  @Test(
    "a blob is bytes, and text is none, whether it is UTF-8 or not",
    arguments: [
      ("x'0001FF'", "[0, 1, 255]"), ("x''", "[]"), ("NULL", "nil"), ("'text'", "x should be a blob"),
      ("CAST(x'FF' AS TEXT)", "x should be a blob"),
      ("5", "x should be a blob"),
    ])
  func blobs(_ literal: String, _ expected: String) throws {
    #expect(try Self.read(literal) { $0.dataOrNil("x").map { "\(Array($0))" } ?? "nil" } == expected)
  }

  @Test("names of tables and columns are one in either case of A to Z, and of no other letter: a Kelvin sign is no K")
  func otherLetters() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("other.sqlite")
    let queue = try DatabaseQueue(path: url.path)
    try queue.write { database in
      try database.execute(
        sql: "CREATE TABLE trac\u{212A}s (x); CREATE TABLE Kinds (\u{212A}ind, KIND, \u{C9}); INSERT INTO Kinds VALUES (1, 2, 3)")
    }
    try queue.close()
    let source = try SQLiteSource(ImportSource(url))
    #expect(try source.columns(of: "tracks") == [] && source.count(of: "tracks") == 0)
    #expect(try source.columns(of: "kINDS") == ["\u{212A}ind", "KIND", "\u{C9}"])
    try source.rows(of: "kinds", only: ["kind", "\u{E9}"], where: nil, orderedBy: [.column("kind")]) { row in
      #expect(row.columns == ["KIND"])
    }
    try source.rows(of: "kinds") { row in
      #expect(row.value("kind") == .integer(2) && row.value("\u{212A}ind") == .integer(1) && row.value("\u{E9}") == nil)
      #expect(SQLiteFields(row).unknown(besides: ["kind"]) == ["\u{212A}ind", "\u{C9}"])
    }
  }

  @Test("a column that the table does not have is nil, and missing where it must be")
  func noSuchColumn() throws {
    #expect(try Self.read("1") { "\($0.int64OrNil("y") as Any) \($0.dataOrNil("y") as Any) \($0.textOrNil("y") as Any)" } == "nil nil nil")
    #expect(try Self.read("1") { $0.text("y") } == "y is missing")
    #expect(try Self.read("1") { $0.unknown(besides: ["y"]) } == #"["X"]"#)
  }
}
