import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Slow statements", .timeLimit(.minutes(10)))
struct SlowStatementTests {
  static let schema = StoreSchema(
    "bookshop",
    migrations: [
      Migration(
        "bookshop/001",
        sql: """
          CREATE TABLE authors (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL) STRICT;
          CREATE TABLE books (
            id INTEGER NOT NULL PRIMARY KEY, author INTEGER NOT NULL, title TEXT NOT NULL COLLATE NOCASE, year INTEGER, shelf TEXT) STRICT;
          CREATE INDEX books_by_shelf ON books (shelf);
          """)
    ])

  /// A store with three books.
  private func bookshop(_ threshold: Duration?, _ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
    var options = StoreOptions.testing
    options.slowStatementThreshold = threshold
    change(&options)
    let store = try Store.temporary(schemas: [Self.schema], options: options)
    try store.write { tx in
      for id in 1...3 { try tx.execute("INSERT INTO books (id, author, title) VALUES (\(id), \(id), \("SECRET \(id)"))") }
    }
    return store
  }

  private func slow(_ store: Store) -> [String: SlowStatement] {
    Dictionary(store.metrics().slowest.map { ($0.sql, $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test("with a threshold of zero every statement is told, of readers and of the writer, with its plan, and never with a value")
  func every() async throws {
    let store = try bookshop(.zero)
    for _ in 1...2 { #expect(try await store.read { try $0.count("SELECT count(*) FROM books WHERE title = \("SECRET 2")") } == 1) }
    #expect(try await store.read { try $0.count("SELECT ifnull(year, 0) FROM books WHERE id = \(1)") } == 0)
    let found = slow(store)
    #expect(found["INSERT INTO books (id, author, title) VALUES (?, ?, ?)"]?.count == 3)
    let scan = try #require(found["SELECT count(*) FROM books WHERE title = ?"])
    #expect(scan.count == 2 && scan.rowsStepped > 0 && scan.longest > .zero && scan.total >= scan.longest)
    #expect(scan.plan == ["SCAN books"] && scan.advice == "CREATE INDEX books_by_title ON books (title)")
    let search = try #require(found["SELECT ifnull(year, 0) FROM books WHERE id = ?"])
    #expect(search.rowsStepped == 0 && search.advice == nil)
    #expect(search.plan == ["SEARCH books USING INTEGER PRIMARY KEY (rowid=?)"])
    #expect(found.keys.allSatisfy { !$0.hasPrefix("BEGIN") && !$0.hasPrefix("EXPLAIN") })
    #expect(try !String(decoding: JSONEncoder().encode(store.metrics()), as: UTF8.self).contains("SECRET"))
  }

  @Test("a statement that takes more than 20 ms is told by default")
  func recursive() throws {
    let store = try Store.inMemory(schemas: [Self.schema])
    let long: BoundSQL = """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(2_000_000)) SELECT count(*) FROM n
      """
    #expect(try store.read { try $0.count(long) } == 2_000_000)
    let told = try #require(slow(store)[long.text])
    #expect(told.longest >= .milliseconds(20) && !told.plan.isEmpty && told.advice == nil)
    #expect(store.metrics().mostExpensive.contains(told))
  }

  @Test("faster statements are not told, and nothing is when it is switched off", arguments: [Duration.seconds(3_600), nil])
  func off(threshold: Duration?) throws {
    let store = try bookshop(threshold)
    #expect(store.metrics().slowest.isEmpty && store.metrics().mostExpensive.isEmpty)
    let unmeasured = try bookshop(.zero) { $0.metrics = false }
    #expect(unmeasured.metrics() == StoreMetrics())
  }

  @Test("reading a plan changes no result and is not traced")
  func unseen() throws {
    let statements = TracedStatements()
    let store = try bookshop(.zero) { $0.trace = { statements.append($0) } }
    _ = statements.take()
    let changed = try store.write(as: "change") { tx in
      [try tx.execute("UPDATE books SET year = 1999 WHERE author > \(1)"), try tx.execute("DELETE FROM books WHERE author = \(3)")]
    }
    #expect(changed == [2, 1])
    #expect(store.metrics().verbs["change"]?.rowsWritten == 3)
    #expect(slow(store)["DELETE FROM books WHERE author = ?"]?.advice == "CREATE INDEX books_by_author ON books (author)")
    #expect(statements.take() == ["UPDATE books SET year = 1999 WHERE author > ?", "DELETE FROM books WHERE author = ?"])
  }

  @Test("a failed statement is told, too")
  func failed() throws {
    let store = try bookshop(.zero)
    #expect(failure { try store.write { tx in try tx.execute("INSERT INTO authors (id, name) VALUES (1, 'a'), (1, 'b')") } } != nil)
    #expect(slow(store)["INSERT INTO authors (id, name) VALUES (1, 'a'), (1, 'b')"]?.count == 1)
  }

  @Test("at most 100 statements are kept, the slowest among them, and 20 of each order are told")
  func bounds() {
    var statements = SlowStatements()
    _ = statements.add("once", nanoseconds: 1_000, rows: 0)
    statements.explain("once", nil)
    for number in 0..<300 {
      for _ in 0..<10 { _ = statements.add("often \(number)", nanoseconds: UInt64(101 + number), rows: 1) }
      statements.explain("often \(number)", nil)
    }
    #expect(statements.slowest.count == 20 && statements.mostExpensive.count == 20)
    #expect(statements.slowest.first?.sql == "once" && statements.mostExpensive.first?.sql == "often 299")
    #expect(statements.mostExpensive.first?.total == .nanoseconds(4_000) && statements.mostExpensive.first?.rowsStepped == 10)
    let needPlans = ["often 0", "often 299", "once"].filter { statements.add($0, nanoseconds: 1, rows: 0) }
    #expect(needPlans == ["often 0"], "it was forgotten, so its plan is unknown")
    _ = statements.add(String(repeating: "é", count: 3_000), nanoseconds: 10_000, rows: 0)
    #expect(statements.slowest.first?.sql == String(repeating: "é", count: 2_000))
  }

  @Test("new runs are taken once, after the plan was read, with the longest of them; lists of the same texts add up")
  func new() {
    var statements = SlowStatements()
    for nanoseconds in [900, 20] as [UInt64] { _ = statements.add("a", nanoseconds: nanoseconds, rows: 1) }
    #expect(statements.takeNew().isEmpty, "its plan is still to be read")
    statements.explain("a", nil)
    let first = statements.takeNew()
    #expect(first.map(\.longestNanoseconds) == [900] && first.map(\.count) == [2] && statements.takeNew().isEmpty)
    _ = statements.add("a", nanoseconds: 30, rows: 1)
    let second = statements.takeNew()
    #expect(second.map(\.longestNanoseconds) == [30] && statements.slowest.map(\.count) == [3])
    let others = ["b": 40, "c": 2_000].map { text, nanoseconds in SlowStatement(sql: text, nanoseconds: Int64(nanoseconds), rows: 0) }
    let merged = first.merged(with: second + others, most: 2)
    #expect(merged.map(\.sql) == ["c", "a"] && merged.map(\.count) == [1, 3] && merged.map(\.totalNanoseconds) == [2_000, 950])
  }

  @Test("the last 20 failed calls are told with time, verb and code, the newest last")
  func lastErrors() throws {
    let clock = TestClock()
    let store = try bookshop(nil) { $0.now = { clock.now } }
    for _ in 1...25 { _ = failure { try store.write(as: "lost") { _ in throw StoreError(.notFound, "SECRET") } } }
    let time = clock.advance()
    struct OwnError: Error {}
    #expect(throws: OwnError.self) { try store.read(as: "own") { _ in throw OwnError() } }
    let errors = store.metrics().lastErrors
    #expect(errors.count == 20 && errors.first?.verb == "lost" && errors.first?.code == "not_found")
    #expect(errors.last == FailedCall(time: time, verb: "own", code: "app") && errors.last?.time == time)
  }
}
