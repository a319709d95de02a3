import GRDB
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A connection")
struct ConnectionTests {
  let store: Store

  init() throws {
    store = try Shelves.temporary()
    try store.fill()
  }

  @Test("a transaction that could not be rolled back ends no process, and whoever comes next rolls it back")
  func settles() throws {
    let doors: [(Store) throws -> Void] = [
      { _ = try $0.write { tx in try tx.count("SELECT count(*) FROM books") } },
      { try $0.vacuum() },
      { _ = try $0.integrityCheck() },
    ]
    for door in doors {
      try store.onWriter { db in try db.execute(sql: "BEGIN IMMEDIATE; DELETE FROM books") }
      try door(store)
      #expect(try store.titles().count == 3)
    }
    try store.readers?.read { db in try db.execute(sql: "BEGIN; SELECT 1") }
    #expect(try store.titles().count == 3)
  }

  @Test("ROLLBACK is compiled before a transaction begins: one that fails for want of memory can still be rolled back")
  func rollbackIsReady() throws {
    try store.write { tx in
      let rollback = tx.connection.rollbackWriting
      rollback.give(try #require(rollback.take()))
    }
  }
}
