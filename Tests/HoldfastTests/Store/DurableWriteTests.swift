import Foundation
import GRDB
import HoldfastTesting
import Synchronization
import Testing

@testable import Holdfast

@Suite("Durable writes")
struct DurableWriteTests {
  let folder: TemporaryFolder
  let flushes = Counter()

  init() throws { folder = try TemporaryFolder() }

  /// - Parameter fails: gets the number of a flush, counted from 1; returns the system's error number, or 0 to flush.
  private func durable(_ fails: @escaping @Sendable (Int) -> Int32 = { _ in 0 }) throws -> Store {
    var options = StoreOptions.testing
    options.durability = .durable
    options.flushLog = { [flushes] descriptor in
      let failure = fails(flushes.next())
      return failure == 0 ? DurableFile.flushContent(descriptor) : failure
    }
    return try folder.store([Shelves.schema], options: options)
  }

  @Test("a durable write is flushed before it returns; one that writes nothing is not flushed")
  func alone() throws {
    let store = try durable()
    #expect(flushes.value == 0)
    try store.fill()
    #expect(flushes.value == 1)
    // The second transaction of a log may write the log's mark.
    try store.fill(shelf: 2)
    #expect(flushes.value == 2)
    try store.write { tx in _ = try tx.count("SELECT count(*) FROM books") }
    let error = failure {
      try store.write { tx in
        try tx.insert(Shelf("never", number: 4))
        throw CancellationError()
      }
    }
    #expect(error?.code == .cancelled)
    #expect(flushes.value == 2)
    // This takes away the listener that hears of commits.
    try store.write { tx in
      try tx.execute("PRAGMA wal_autocheckpoint = 0")
      try tx.insert(Shelf("unheard", number: 3))
    }
    #expect(flushes.value == 3)
  }

  @Test("an async durable write is flushed before it returns")
  func aloneAsync() async throws {
    let store = try durable()
    for number in 1...2 {
      try await store.write { tx in try tx.insert(Shelf("\(number)", number: number)) }
      #expect(flushes.value == number)
    }
    try await store.write { tx in _ = try tx.count("SELECT count(*) FROM books") }
    #expect(flushes.value == 2)
  }

  @Test("writers that wait at the same time share a flush, and it counts only for commits that were finished when it began")
  func shared() async throws {
    let writers = 8
    let commits = Counter()
    let allCommitted = DispatchSemaphore(value: 0)
    let (begun, flushing) = AsyncStream.makeStream(of: Void.self)
    let store = try durable { number in
      if number == 1 {
        flushing.finish()
        allCommitted.wait()
      }
      return 0
    }
    store.commitWork.addAfter { if commits.next() == writers { allCommitted.signal() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await store.write { tx in try tx.insert(Shelf("1")) } }
      for await _ in begun {}
      // The first flush is under way, and ends when the others have committed, too.
      for number in 2...writers {
        group.addTask {
          guard number.isMultiple(of: 2) else {
            return try await store.write { tx in try tx.insert(Shelf("\(number)", number: number)) }
          }
          try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue(label: "writer").async {
              continuation.resume(with: Result { try store.write { tx in try tx.insert(Shelf("\(number)", number: number)) } })
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.count("shelves") == writers)
    // The last commit may not have been counted yet when the second flush began.
    #expect((2...3).contains(flushes.value))
  }

  @Test("a flush waits for a writer that is in the queue, and they share it")
  func gathered() async throws {
    for _ in 1...50 {
      let flush = LogFlush(folder.file("log"), patience: .seconds(60)) { [flushes] _ in
        flushes.next()
        return 0
      }
      flush.expect()
      let first = flush.countCommit()
      async let waits: Void = withCheckedThrowingContinuation { continuation in
        flush.whenFlushed(first) { flushed in continuation.resume(with: flushed) }
      }
      // Time for the flush to begin, if it waits for nobody.
      for _ in 1...10_000 { try flush.check() }
      let second = flush.countCommit()
      flush.arrive()
      try await waits
      try flush.wait(for: second)
    }
    #expect(flushes.value == 50)
  }

  @Test("a flush waits no longer than its patience for a writer that does not come")
  func impatient() throws {
    let waits = Mutex<[Bool]>([])
    let flush = LogFlush(folder.file("log")) { _ in 0 }
    flush.didWait = { hasCome in waits.withLock { $0.append(hasCome) } }
    flush.expect()
    try flush.wait(for: flush.countCommit())
    #expect(waits.withLock { $0 } == [false])
  }

  @Test("a writer that comes when the wait for it has just ended does not end the next wait")
  func late() throws {
    let waits = Mutex<[Bool]>([])
    let flush = LogFlush(folder.file("log")) { _ in 0 }
    flush.didWait = { [weak flush] haveCome in
      let count = waits.withLock { waits in
        waits.append(haveCome)
        return waits.count
      }
      if count == 1 { flush?.arrive() }
    }
    for _ in 1...2 {
      flush.expect()
      try flush.wait(for: flush.countCommit())
    }
    #expect(waits.withLock { $0 } == [false, false])
  }

  @Test("a flush does not count for a commit that is made while it runs")
  func madeMeanwhile() throws {
    let made = Mutex<LogFlush?>(nil)
    let flush = LogFlush(folder.file("log")) { [flushes] _ in
      if flushes.next() == 1 { _ = made.withLock { $0?.countCommit() } }
      return 0
    }
    made.withLock { $0 = flush }
    try flush.wait(for: flush.countCommit())
    #expect(flushes.value == 1)
    try flush.wait(for: 2)
    #expect(flushes.value == 2)
    made.withLock { $0 = nil }
  }

  @Test("a commit that cannot be flushed is reported as stored and in danger, and the store writes no more until it is opened again")
  func failed() throws {
    let store = try durable { number in number == 2 ? EIO : 0 }
    try store.fill()
    let error = failure { try store.write { tx in try tx.insert(Shelf("stored", number: 2)) } }
    #expect(error?.code == .inputOutput && error?.message.contains("is stored") == true)
    #expect(try store.count("shelves") == 2)
    let refused = failure { try store.write { tx in try tx.insert(Shelf("never", number: 3)) } }
    #expect(refused?.code == .inputOutput && refused?.message.hasPrefix("nothing was written") == true)
    #expect(failure { try store.durably { try store.fill(shelf: 3) } }?.code == .inputOutput)
    #expect(flushes.value == 2)
    try store.close()
    let again = try durable()
    try again.fill(shelf: 3)
    #expect(try again.count("shelves") == 3)
  }

  @Test("each waiting writer is told that the shared flush failed")
  func failedForAll() throws {
    let flush = LogFlush(folder.file("log")) { _ in EIO }
    try Data().write(to: folder.file("log"))
    try flush.prepare()
    let commits = [flush.countCommit(), flush.countCommit()]
    for commit in commits { #expect(failure { try flush.wait(for: commit) }?.code == .inputOutput) }
    #expect(failure { try flush.prepare() }?.code == .inputOutput)
  }

  @Test("what a durable store commits outside `write` is flushed by SQLite, and a write inside durable work is flushed once")
  func maintenance() throws {
    let store = try durable()
    func level() throws -> Int? { try store.onWriter { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") } }
    // 1 is NORMAL, 2 is FULL.
    #expect(try level() == 2)
    #expect(try store.write { tx in try tx.count("PRAGMA synchronous") } == 1)
    try store.durably { try store.fill() }
    #expect(flushes.value == 0)
    try store.fill(shelf: 2)
    #expect(flushes.value == 1)
  }

  @Test("a closed durable store has flushed everything and left one file")
  func closed() throws {
    let store = try durable()
    try store.fill()
    try store.close()
    #expect(failure { try store.fill(shelf: 2) }?.code == .closed)
    #expect(try folder.contents() == ["store.sqlite"])
  }
}
