import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Query plans")
struct QueryPlanTests {
  let log: StatementLog
  let store: Store

  init() throws {
    log = StatementLog()
    store = try Shelves.temporary(options: log.options())
    try store.fill()
  }

  @Test("statements that use an index or a key pass, whatever their verb")
  func indexed() throws {
    try log.recording {
      try store.write { tx in
        try tx.upsert(Shelf("one"))
        try tx.upsert(Book("a"))
        _ = try tx.delete(Book.self, id: .numbered(1001))
      }
      _ = try store.read { reader in
        try reader.all(Book.self, "WHERE shelf_id = \(UUID.numbered(1)) ORDER BY added_at LIMIT \(5)")
          + reader.all(Book.self, "WHERE rowid IN (SELECT rowid FROM books_search WHERE books_search MATCH \("book"))")
      }
    }
    #expect(log.statements.map { $0.prefix { $0 != " " } } == ["INSERT", "INSERT", "DELETE", "SELECT", "SELECT"])
    try log.checkNoTableScans(in: store)
  }

  @Test("a table scan is told with its statement, unless it was declared")
  func scan() throws {
    try log.recording { _ = try store.read { reader in try reader.all(Book.self, "WHERE pages = \(3) ORDER BY title") } }
    let error = failure { try log.checkNoTableScans(in: store) }
    #expect(error?.code == .verificationFailed)
    #expect(error?.message.hasPrefix("SCAN books in: SELECT id,") == true)
    try log.checkNoTableScans(in: store, except: ["books"])
    #expect(try log.plans(in: store).map(\.sorts) == [["USE TEMP B-TREE FOR ORDER BY"]])
  }

  @Test("scans inside subqueries, joins and updates are found; constant rows and table functions are none")
  func kinds() throws {
    try log.recording {
      try store.write { tx in
        _ = try tx.execute("UPDATE books SET pages = 1 WHERE pages = 2")
        _ = try tx.count("SELECT count(*) FROM (SELECT DISTINCT title FROM books b WHERE b.pages > 1)")
        _ = try tx.count("SELECT count(*) FROM (VALUES (1), (2))")
        _ = try tx.count("SELECT count(*) FROM json_each('[1]')")
      }
    }
    let scans = try log.plans(in: store).map(\.tableScans)
    #expect(scans == [["SCAN books"], ["SCAN b"], [], []])
  }

  @Test("nothing collected is misuse: a test of nothing must not pass")
  func nothing() throws {
    #expect(failure { try log.checkNoTableScans(in: store) }?.code == .misuse)
  }
}
