import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Values of another database")
struct SQLiteValueTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.file("other.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func make(_ sql: String) throws { try RawDatabase.with(url, creating: true) { try $0.execute(sql) } }

  // Checking the file computes such a value.
  @Test(
    "a file of a few KB whose schema computes a value of 40 or 900 MB is refused before the value takes memory",
    arguments: ["b AS (zeroblob(900000000)) NOT NULL", "CHECK (length(hex(zeroblob(a))) > 0)"])
  func computed(_ computing: String) throws {
    try make("PRAGMA ignore_check_constraints = 1; CREATE TABLE t (a, \(computing)); INSERT INTO t (a) VALUES (20000000)")
    let error = #expect(throws: StoreError.self) { _ = try SQLiteSource(ImportSource(url)) }
    #expect(error?.code == .invalidSource && error?.message.contains("too big") == true)
  }

  @Test("a long value that is stored is read; generated columns and views are not")
  func stored() throws {
    try make(
      """
      CREATE TABLE t (a, b AS (zeroblob(900000000)));
      INSERT INTO t (a) VALUES (zeroblob(3000000));
      CREATE VIEW v AS SELECT hex(zeroblob(450000000)) AS a
      """)
    let source = try SQLiteSource(ImportSource(url))
    #expect(try source.columns(of: "t") == ["a"] && source.columns(of: "v") == [])
    var lengths: [Int] = []
    for name in ["t", "v"] {
      try source.rows(of: name) { row in
        guard case .blob(let value)? = row.value("a") else { return }
        lengths.append(value.count)
      }
    }
    #expect(lengths == [3_000_000])
  }
}
