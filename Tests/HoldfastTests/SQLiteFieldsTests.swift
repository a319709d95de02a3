import Foundation
import GRDB
import Holdfast
import HoldfastTesting
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

  @Test("a column that the table does not have is nil, and missing where it must be")
  func noSuchColumn() throws {
    #expect(try Self.read("1") { "\($0.int64OrNil("y") as Any) \($0.dataOrNil("y") as Any) \($0.textOrNil("y") as Any)" } == "nil nil nil")
    #expect(try Self.read("1") { $0.text("y") } == "y is missing")
    #expect(try Self.read("1") { $0.unknown(besides: ["y"]) } == #"["X"]"#)
  }
}
