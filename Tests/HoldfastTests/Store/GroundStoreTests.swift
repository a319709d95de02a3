import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Promises of a transaction and of a watch")
struct GroundStoreTests {
  let store: Store

  init() throws {
    store = try Shelves.temporary()
    try store.fill()
  }

  @Test("the work that belongs to every commit runs, and what it throws rolls back")
  func hook() throws {
    store.beforeCommit { _ in throw CancellationError() }
    #expect(failure { try store.write { tx in try tx.insert(Shelf("never", number: 2)) } }?.code == .cancelled)
    #expect(try store.count("shelves") == 1)
  }

  @Test("durable work is flushed at each commit of a fast store, and what comes after it is not")
  func durably() throws {
    func level() throws -> Int { try store.write { tx in try tx.count("PRAGMA synchronous") } }
    #expect(try store.durably { try level() } == 2)
    #expect(try level() == 1)
    // Two at once: the first that ends leaves the other's commits flushed.
    let levels = try store.durably { try [store.durably { try level() }, level()] }
    #expect(levels == [2, 2])
    #expect(try level() == 1)
  }

  @Test("a statement does not run after binding its values has ended the transaction")
  func boundAfterTheEnd() throws {
    try store.write { tx in
      _ = try tx.execute("CREATE TRIGGER refuse BEFORE INSERT ON shelves WHEN new.name = 'bad' BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
    }
    _ = try? store.write { tx in
      try tx.execute("UPDATE books SET title = ?1") { values in
        try? tx.insert(Shelf("bad", number: 2))
        try values.text("changed")
      }
    }
    #expect(try store.titles() == ["book 0", "book 1", "book 2"])
  }

  @Test("a lock is waited for as long as the options say, and no longer than they allow")
  func lockWait() {
    var options = StoreOptions.testing
    options.busyTimeout = .milliseconds(30)
    #expect((0..<99).first { !LockWait(options).goesOn(attempt: $0) } == 5)
    options.stopsWaiting = { true }
    #expect(!LockWait(options).goesOn(attempt: 0))
  }

  @Test("an error has the code of its own call, also where an earlier call failed with another one")
  func ownCode() throws {
    let connection = try RawConnection(":memory:", path: "in memory", flags: 2)
    #expect(failure { try connection.run("SELECT * FROM nothing") }?.code == .misuse)
    #expect(StoreError(sqlite: connection.handle, 10).code == .inputOutput)
  }

  /// Returns once all that was asked of the writer before is done.
  private func drain() throws { try store.write { _ in } }

  @Test("a rolled back change does not wake a watch at the next commit")
  func rolledBackChange() throws {
    let watch = TableWatch(store, [WatchedTable("books")])
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
    let watch = TableWatch(store, [WatchedTable("books")])
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
      store.updates(of: ["books"]) { reader in
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
