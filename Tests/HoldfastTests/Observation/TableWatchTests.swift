import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Watches of tables")
struct TableWatchTests {
  let store: Store

  init() throws {
    store = try Shelves.temporary()
    try store.fill()
  }

  /// Returns once all that was asked of the writer before is done.
  private func drain() throws { try store.write { _ in } }

  @Test("a rolled back change does not wake a watch at the next commit")
  func rolledBackChange() throws {
    let watch = TableWatch(store, ["books"])
    try drain()
    let before = watch.count
    _ = try? store.write { tx in
      try tx.insert(Book("lost", number: 9))
      throw CancellationError()
    }
    try store.write { tx in try tx.insert(Shelf("other", number: 2)) }
    #expect(watch.count == before)
    try store.write { tx in try tx.insert(Book("kept", number: 9)) }
    #expect(watch.count == before + 1)
  }

  @Test("what a search index writes wakes the watch of that index, and no watch of a table that the statement could have changed")
  func searchIndex() throws {
    try store.write { tx in
      _ = try tx.execute(
        "CREATE TABLE loans (id INTEGER PRIMARY KEY, book_id TEXT NOT NULL REFERENCES books (id) ON DELETE CASCADE) STRICT")
    }
    let (loans, search) = (TableWatch(store, ["loans"]), TableWatch(store, ["books_search"]))
    try drain()
    let before = (loans.count, search.count)
    // The deletion could cascade to loans, and there are none.
    try store.write { tx in _ = try tx.execute("DELETE FROM books WHERE title = 'book 1'") }
    #expect(loans.count == before.0 && search.count == before.1 + 1)
  }

  @Test("a commit between the making of a watch and its beginning is counted")
  func lateWatch() throws {
    let (begun, goOn, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread { [store] in
      try? store.write { tx in
        try tx.insert(Book("late", number: 9))
        begun.signal()
        goOn.wait()
      }
      done.signal()
    }
    begun.wait()
    let watch = TableWatch(store, ["books"])
    goOn.signal()
    done.wait()
    try drain()
    #expect(watch.count == 1)
  }

  @Test("a change that is committed while a value is read is delivered next")
  func changeDuringTheRead() async throws {
    let store = store
    let changed = Flag()
    var counts = try await FollowedUpdates(
      store.updates { reader in
        let count = try reader.count("SELECT count(*) FROM books")
        if count == 4, changed.raise() {
          let done = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            try? store.write { tx in try tx.insert(Book("meanwhile", number: 10)) }
            done.signal()
          }
          done.wait()
        }
        return count
      })
    try await store.write { tx in try tx.insert(Book("new", number: 9)) }
    #expect(try await counts.next() == 4)
    #expect(counts.hasHeard)
    #expect(try await counts.next() == 5)
  }
}
