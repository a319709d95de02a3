import Foundation
import GRDB
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Integrity check: each part finds its damage")
struct IntegrityCheckTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let store = try folder.store([Shelves.schema])
    try store.fill(books: 200)
    try store.close()
  }

  /// Damages the file with plain SQL while it is open, with foreign keys off, and checks it.
  private func check(after sql: String, quick: Bool = false) throws -> IntegrityReport {
    let store = try folder.store([Shelves.schema])
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: folder.file("store.sqlite").path, configuration: configuration)
    try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    try queue.close()
    let before = try store.statistics().rows
    let report = try store.integrityCheck(quick: quick)
    #expect(try store.statistics().rows == before)
    return report
  }

  @Test("a healthy store has no findings, and every part was checked", arguments: [true, false])
  func healthy(_ quick: Bool) throws {
    let report = try check(after: "SELECT 1", quick: quick)
    #expect(report.findings == [])
    #expect(report.isHealthy)
    // The kinds are for tables of which no record is declared.
    #expect(report.checked == IntegrityReport.Part.allCases.filter { $0 != .files && $0 != .kinds })
  }

  @Test(
    "what breaks a rule is told, with its table and its row where they are known",
    arguments: [
      ("UPDATE books SET title = '' WHERE rowid = 1", ["invariants books \(id(1100)): breaks: every book has a title"]),
      (
        "UPDATE books SET shelf_id = 'gone' WHERE rowid = 7",
        [
          "foreignKeys books 7: points at a row of shelves that is gone",
          "records books \(id(1106)): cannot be read: shelf_id should hold a UUID, and holds text that is not",
        ]
      ),
      ("PRAGMA ignore_check_constraints = ON; UPDATE books SET pages = -1 WHERE rowid = 1", ["file - -: CHECK constraint failed in books"]),
    ])
  func broken(sql: String, told: [String]) throws {
    #expect(try check(after: sql).findings.map { "\($0.part) \($0.table ?? "-") \($0.row ?? "-"): \($0.message)" } == told)
  }

  private static func id(_ number: Int) -> String { IDCodec.lowercase(.numbered(number)) }

  @Test("a search index out of step with its text")
  func fullText() throws {
    let report = try check(after: "DROP TRIGGER books_search_update; UPDATE books SET title = 'changed' WHERE rowid = 3")
    #expect(report.findings.filter { $0.part == .fullText }.map(\.table) == ["books_search"])
    #expect(
      report.findings.filter { $0.part == .schema }.map(\.message) == ["trigger books_search_update is missing\(SchemaShape.madeAgain)"])
  }

  @Test("a search index whose own tables are damaged is a finding")
  func fullTextTables() throws {
    let report = try check(after: "UPDATE books_search_config SET v = 0 WHERE k = 'version'")
    #expect(!report.isHealthy && report.findings.contains { $0.message.contains("invalid fts5 file format") })
  }

  @Test("objects that are not the declared ones")
  func schema() throws {
    let report = try check(after: "DROP INDEX books_by_shelf; ALTER TABLE shelves ADD COLUMN sneaked TEXT; CREATE TABLE extra (a)")
    #expect(report.findings.allSatisfy { $0.part == .schema })
    #expect(
      report.findings.map { String($0.message.prefix { $0 != ":" && $0 != ";" }) } == [
        "index books_by_shelf is missing", "table shelves is not as declared", "table extra is not declared",
      ])
  }

  @Test("a row that nobody can read", arguments: [true, false])
  func records(_ quick: Bool) throws {
    let report = try check(
      after: "UPDATE books SET added_at = \(Int64.max) WHERE rowid = 1; UPDATE shelves SET name = CAST(x'41FF' AS TEXT)", quick: quick)
    #expect(
      report.findings == [
        .init(
          part: .records, table: "shelves", row: IDCodec.lowercase(.numbered(1)),
          message: "cannot be read: name should hold UTF-8 text, and holds text that is not"),
        .init(
          part: .records, table: "books", row: IDCodec.lowercase(.numbered(1100)),
          message: "cannot be read: added_at should hold a date, and holds an integer"),
      ])
  }

  @Test("an invariant about a column that is gone cannot be checked, and says so")
  func invariantWithoutColumn() throws {
    let report = try check(
      after: """
        DROP TRIGGER books_search_insert; DROP TRIGGER books_search_update; DROP TRIGGER books_search_delete;
        DROP TABLE books_search; ALTER TABLE books DROP COLUMN title
        """)
    #expect(report.findings.last?.message.hasPrefix("cannot be checked: every book has a title") == true)
  }

  @Test("a page that was overwritten, wherever it lies behind the first", arguments: [true, false])
  func pages(_ quick: Bool) throws {
    let url = folder.file("store.sqlite")
    let healthy = try Data(contentsOf: url)
    // Nothing is on a free page.
    let free = try RawDatabase.with(url) { try $0.rows("PRAGMA freelist_count").first?.first.flatMap { Int($0) } ?? 0 }
    var found = 0
    for page in 2...(healthy.count / 4096) {
      try healthy.write(to: url)
      try Damage.overwritePage(url, page)
      guard let store = try? folder.store([Shelves.schema]) else {
        found += 1
        continue
      }
      if try store.integrityCheck(quick: quick).findings.contains(where: { $0.part == .file || $0.part == .fullText }) { found += 1 }
      try? store.close()
    }
    #expect(found >= healthy.count / 4096 - 1 - free)
  }

  @Test("an index that lacks its rows is found by a whole check, and not by a quick one")
  func index() throws {
    try RawDatabase.with(folder.file("store.sqlite")) { raw in
      try raw.execute("PRAGMA writable_schema = ON")
      try raw.execute("UPDATE sqlite_schema SET sql = replace(sql, 'added_at)', 'title)') WHERE name = 'books_by_shelf'")
    }
    let store = try folder.store([Shelves.schema])
    #expect(try !store.integrityCheck().findings.filter { $0.part == .file }.isEmpty)
    #expect(try store.integrityCheck(quick: true).findings.filter { $0.part == .file }.isEmpty)
  }

  @Test("a store that is open read-only is checked except for its search index")
  func readOnly() throws {
    let report = try folder.store([Shelves.schema], options: .looking).integrityCheck()
    #expect(report.findings == [])
    #expect(report.checked == [.file, .foreignKeys, .schema, .records, .invariants])
  }

  @Test("many findings are cut to a hundred a part")
  func many() throws {
    let report = try check(after: "UPDATE books SET shelf_id = 'gone', title = ''")
    #expect(Dictionary(grouping: report.findings, by: \.part).mapValues(\.count) == [.foreignKeys: 100, .records: 100, .invariants: 100])
  }

  /// How often a check asks whether it is cancelled: once in a thousand steps of SQLite's machine.
  private func questions(_ store: Store, endsAt last: Int = .max) throws -> Int {
    let asked = Counter()
    do {
      #expect(try store.integrityCheck { asked.next() > last }.isHealthy)
    } catch let error as StoreError where error.code == .cancelled {}
    return asked.value
  }

  @Test("a check ends when it is cancelled, at whatever moment, and leaves the store as it is", .timeLimit(.minutes(10)))
  func cancelled() throws {
    let store = try folder.store([Shelves.schema])
    for shelf in 3..<8 { try store.fill(books: 100, shelf: shelf) }
    let all = try questions(store)
    #expect(all > 20)
    for last in stride(from: 0, to: all, by: 3) {
      #expect(try questions(store, endsAt: last) == last + 1)
      try store.write { tx in _ = try tx.count("SELECT count(*) FROM books") }
    }
    #expect(try store.integrityCheck().isHealthy)
    try store.close()
    let url = folder.file("store.sqlite")
    #expect(failure { try Store.check(at: url, schemas: [Shelves.schema]) { true } }?.code == .cancelled)
    #expect(try Store.check(at: url, schemas: [Shelves.schema]).isHealthy)
  }

  @Test("a check of four times as many rows takes about four times as many steps")
  func linear() throws {
    let store = try folder.store([Shelves.schema])
    for shelf in 3..<23 { try store.fill(books: 100, shelf: shelf) }
    let few = try questions(store)
    for shelf in 23..<83 { try store.fill(books: 100, shelf: shelf) }
    let many = try questions(store)
    #expect(few > 50 && many < 5 * few)
  }

  @Test("asking the store whether a check is cancelled is misuse, and traps nowhere")
  func asksTheStore() throws {
    let memory = try Shelves.inMemory()
    // Enough rows that their check is asked.
    for shelf in 1...3 { try memory.fill(books: 90, shelf: shelf) }
    for store in [try folder.store([Shelves.schema]), memory] {
      let asked = Counter()
      _ = try store.integrityCheck {
        asked.next()
        #expect(failure { try store.count("books") }?.code == .misuse)
        #expect(failure { try store.fill(shelf: 9) }?.code == .misuse)
        return false
      }
      #expect(asked.value > 0)
    }
  }
}
