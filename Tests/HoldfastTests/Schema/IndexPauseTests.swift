import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Indexes that wait for the end of an import")
struct IndexPauseTests {
  private static let sql =
    "SELECT name || ': ' || sql FROM sqlite_schema WHERE tbl_name = 'words' AND type = 'index' AND sql IS NOT NULL ORDER BY name"

  private func store() throws -> Store {
    let store = try Store.inMemory(schemas: [
      StoreSchema(
        "words",
        migrations: [
          Migration(
            "words/001",
            sql: """
              CREATE TABLE words (id TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL, size INTEGER) STRICT;
              CREATE INDEX "by 'text'" ON words (text, id) WHERE size > 0;
              CREATE UNIQUE INDEX by_size ON words (size);
              """)
        ])
    ])
    return store
  }

  @Test("those of a table without rows are dropped, and come back as they were; unique ones and others' names stay")
  func dropped() throws {
    let store = try store()
    let before = try store.rows(BoundSQL(raw: Self.sql))
    try store.write { tx in
      let pause = try IndexPause(["by 'text'", "by_size", "nothing", "words"], in: tx)
      #expect(try tx.values(BoundSQL(raw: Self.sql)) { try $0.text() }.map { $0.prefix(7) } == ["by_size"])
      _ = try tx.execute("INSERT INTO words VALUES ('a', 'x', 1), ('b', 'w', 2)")
      try pause.end(in: tx)
    }
    #expect(try store.rows(BoundSQL(raw: Self.sql)) == before)
    #expect(try store.integrityCheck().findings == [])
  }

  @Test("those of a table with rows stay, and a rollback brings back those that were dropped")
  func stay() throws {
    let store = try store()
    let before = try store.rows(BoundSQL(raw: Self.sql))
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.write { tx in
        _ = try IndexPause(["by 'text'"], in: tx)
        throw Stop()
      }
    }
    #expect(try store.rows(BoundSQL(raw: Self.sql)) == before)
    try store.write { tx in
      _ = try tx.execute("INSERT INTO words VALUES ('a', 'x', 1)")
      _ = try IndexPause(["by 'text'"], in: tx)
    }
    #expect(try store.rows(BoundSQL(raw: Self.sql)) == before)
  }
}
