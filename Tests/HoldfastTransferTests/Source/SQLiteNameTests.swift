import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Names of another database's tables and columns")
struct SQLiteNameTests {
  @Test("tables whose names are one text to Swift, but not to SQLite, are read each for itself, also within each other")
  func names() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("other.sqlite")
    let tables = ["caf\u{E9}", "cafe\u{301}"]
    try RawDatabase.with(url, creating: true) { database in
      for (number, table) in tables.enumerated() {
        try database.execute("CREATE TABLE \"\(table)\" AS SELECT \(number) AS x UNION SELECT 7")
      }
    }
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

  @Test("names of tables and columns are one in either case of A to Z, and of no other letter: a Kelvin sign is no K")
  func otherLetters() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("other.sqlite")
    try RawDatabase.with(url, creating: true) {
      try $0.execute("CREATE TABLE trac\u{212A}s (x); CREATE TABLE Kinds (\u{212A}ind, KIND, \u{C9}); INSERT INTO Kinds VALUES (1, 2, 3)")
    }
    let source = try SQLiteSource(ImportSource(url))
    #expect(try source.columns(of: "tracks") == [] && source.count(of: "tracks") == 0)
    #expect(try source.columns(of: "kINDS") == ["\u{212A}ind", "KIND", "\u{C9}"])
    try source.rows(of: "kinds", only: ["kind", "\u{E9}"], where: nil, orderedBy: [.column("kind")]) { row in
      #expect(row.columns == ["KIND"])
    }
    try source.rows(of: "kinds") { row in
      #expect(row.value("kind") == .integer(2) && row.value("\u{212A}ind") == .integer(1) && row.value("\u{E9}") == nil)
    }
  }
}
