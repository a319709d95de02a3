import Foundation
import GRDB
import Holdfast
import HoldfastGRDB
import HoldfastTesting
import Testing

@Suite("A transaction that SQLite ends by itself")
struct WriteTransactionTests {
  let store: Store

  init() throws {
    store = try Shelves.temporary()
    try store.fill()
    try store.write { tx in
      _ = try tx.execute("CREATE TRIGGER refuse BEFORE INSERT ON books WHEN new.title = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
    }
  }

  @Test("what runs after it reaches nothing, and throws the error that ended it")
  func guardsEveryStatement() throws {
    let error = failure {
      try store.write { tx in
        try tx.insert(Book("before", number: 10))
        #expect(failure { try tx.insert(Book("bad", number: 11)) }?.code == .constraint)
        #expect(failure { try tx.insert(Book("after", number: 12)) }?.code == .constraint)
        #expect(failure { _ = try tx.execute("DELETE FROM books") }?.code == .constraint)
        #expect(failure { _ = try tx.count("SELECT count(*) FROM books") }?.code == .constraint)
        #expect(failure { try tx.savepoint { try tx.insert(Book("inside", number: 13)) } }?.code == .constraint)
      }
    }
    #expect(error?.code == .constraint)
    #expect(try store.titles() == ["book 0", "book 1", "book 2"])
    try store.write { tx in try tx.insert(Book("next", number: 14)) }
    #expect(try store.titles().count == 4)
  }

  @Test("what runs after it through GRDB reaches nothing either", arguments: [true, false])
  func guardsGRDB(_ throwsOn: Bool) throws {
    let error = failure {
      try store.write { tx in
        try tx.withGRDB { db in
          try db.execute(sql: "CREATE TRIGGER ending BEFORE DELETE ON books BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
          #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM books") }
          if throwsOn { try db.execute(sql: "UPDATE books SET pages = 99") } else { try? db.execute(sql: "UPDATE books SET pages = 99") }
        }
      }
    }
    #expect(error?.code == .rolledBack)
    #expect(try store.count("books WHERE pages = 99") == 0)
    #expect(try store.titles() == ["book 0", "book 1", "book 2"])
  }

  @Test("what a closure of GRDB's did before it threw is undone, and the transaction goes on")
  func undoesGRDB() throws {
    try store.write { tx in
      try tx.insert(Book("kept", number: 10))
      #expect(try tx.withGRDB { db in try Int.fetchOne(db, sql: "SELECT pages FROM books WHERE false") } == nil)
      #expect(throws: CancellationError.self) {
        try tx.withGRDB { db in
          try db.execute(sql: "DELETE FROM books")
          throw CancellationError()
        }
      }
    }
    #expect(try store.titles().count == 4)
  }

  @Test("a full disk in the middle of a closure that goes on leaves nothing of it")
  func fullDisk() throws {
    let pages = try store.statistics().pages
    try store.write { tx in _ = try tx.count("PRAGMA max_page_count = \(raw: String(pages + 4))") }
    let error = failure {
      try store.write { tx in
        for number in 20..<60 { try? tx.insert(Shelf(String(repeating: "x", count: 4000) + "\(number)", number: number)) }
      }
    }
    #expect(error?.code == .diskFull)
    #expect(try store.count("shelves") == 1)
  }

  @Test(
    "a closure cannot begin or end its transaction",
    arguments: [
      "COMMIT", " end", "ROLLBACK", "rollback transaction", "BEGIN", "/* x */ COMMIT", "; -- x\n END", "ROLLBACK /* TO */",
    ],
    [true, false])
  func control(_ sql: String, reads: Bool) throws {
    let error = failure {
      try store.write { tx in
        try tx.insert(Book("mine", number: 10))
        if reads { try tx.rows(BoundSQL(raw: sql)) { _ in } } else { try tx.execute(BoundSQL(raw: sql)) }
      }
    }
    #expect(error?.code == .misuse)
    #expect(try store.titles().count == 3)
  }

  @Test("binding the values of a statement may use the writer, and stores the values that were bound")
  func nestedBinding() throws {
    try store.write { tx in
      // The statement is there already, to be lent twice.
      try tx.execute("UPDATE books SET title = ?1, extra = ?2 WHERE id = ?3") { values in
        try values.text("x")
        try values.text("{}")
        try values.id(.numbered(9))
      }
      try tx.execute("UPDATE books SET title = ?1, extra = ?2 WHERE id = ?3") { values in
        try values.text("bound before")
        _ = try tx.find(Book.self, id: .numbered(1_100))
        try tx.insert(Book("inserted meanwhile", number: 50))
        _ = try tx.execute("UPDATE books SET title = ?1, extra = ?2 WHERE id = ?3") { inner in
          try inner.text("inner")
          try inner.text("{}")
          try inner.id(.numbered(1_101))
        }
        try values.text("{\"a\": \"b\"}")
        try values.id(.numbered(1_100))
      }
    }
    #expect(try store.titles() == ["book 2", "bound before", "inner", "inserted meanwhile"])
    let extra = try store.read { reader in try reader.find(Book.self, id: .numbered(1_100))?.extra.text }
    #expect(extra == "{\"a\": \"b\"}")
  }

  @Test("a statement does not run after binding its values has ended the transaction")
  func boundAfterTheEnd() throws {
    try store.write { tx in
      _ = try tx.execute("CREATE TRIGGER ending BEFORE INSERT ON shelves WHEN new.name = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
    }
    _ = try? store.write { tx in
      try tx.execute("UPDATE books SET title = ?1") { values in
        try? tx.insert(Shelf("bad", number: 2))
        try values.text("changed")
      }
    }
    #expect(try store.titles() == ["book 0", "book 1", "book 2"])
  }

  @Test(
    "a busy timeout of any length is waited for or refused, and never traps",
    arguments: [Duration.seconds(1_000_000_000_000), .seconds(-5), .zero])
  func busyTimeout(_ timeout: Duration) throws {
    let folder = try TemporaryFolder()
    let options = StoreOptions.testing.with { $0.busyTimeout = timeout }
    let store = try folder.store([Shelves.schema], options: options)
    try store.fill()
    let snapshot = try store.snapshot()
    try store.restore(snapshot: snapshot.id)
    try store.close()
    #expect(try Store.restore(at: folder.file("store.sqlite"), snapshot: snapshot.id, options: options) != nil)
  }
}
