import Holdfast
import HoldfastTesting
import Testing

@Suite("Savepoints")
struct SavepointTests {
  struct Stop: Error {}
  let store: Store

  init() throws {
    store = try Shelves.inMemory()
    try store.fill(books: 0)
  }

  @Test("a savepoint that ends well is part of the transaction")
  func released() throws {
    let result = try store.write { tx in
      try tx.savepoint {
        try tx.insert(Book("a"))
        return 7
      }
    }
    #expect(result == 7)
    #expect(try store.titles() == ["a"])
  }

  @Test("a savepoint that throws takes back what it wrote, and the transaction goes on")
  func takenBack() throws {
    try store.write { tx in
      try tx.insert(Book("before", number: 1))
      #expect(throws: Stop.self) {
        try tx.savepoint {
          try tx.insert(Book("inside", number: 2))
          try tx.execute("DELETE FROM books WHERE title = \("before")")
          throw Stop()
        }
      }
      try tx.insert(Book("after", number: 3))
    }
    #expect(try store.titles() == ["after", "before"])
  }

  @Test("a constraint that fails inside a savepoint takes only that back")
  func afterAnError() throws {
    try store.write { tx in
      for title in ["a", "b", "a again"] {
        let number = title.hasPrefix("a") ? 1 : 2
        try? tx.savepoint { try tx.insert(Book(title, number: number)) }
      }
    }
    #expect(try store.titles() == ["a", "b"])
  }

  @Test("savepoints nest: an inner one is taken back alone, an outer one with all inside it")
  func nested() throws {
    try store.write { tx in
      try tx.savepoint {
        try tx.insert(Book("outer", number: 1))
        try? tx.savepoint {
          try tx.insert(Book("inner", number: 2))
          throw Stop()
        }
      }
      try? tx.savepoint {
        try tx.savepoint { try tx.insert(Book("inner of a lost one", number: 3)) }
        throw Stop()
      }
    }
    #expect(try store.titles() == ["outer"])
  }
}
