import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Reading and writing without blocking", .timeLimit(.minutes(10)))
struct AsyncTests {
  let store: Store

  init() throws { store = try Shelves.temporary() }

  @Test("a write that was cancelled before it began changes nothing")
  func cancelledBefore() async throws {
    let store = store
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.write { tx in try tx.insert(Shelf("never")) }
    }
    #expect(await asyncFailure { try await task.value }?.code == .cancelled)
    #expect(try store.count("shelves") == 0)
  }

  @Test("a write that is cancelled while it waits for another one changes nothing")
  func cancelledWhileWaiting() async throws {
    let store = store
    let begun = DispatchSemaphore(value: 0)
    let cancelled = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? store.write { _ in
        begun.signal()
        cancelled.wait()
      }
    }
    begun.wait()
    let task = Task { try await store.write { tx in try tx.insert(Shelf("never")) } }
    task.cancel()
    cancelled.signal()
    #expect(await asyncFailure { try await task.value }?.code == .cancelled)
    #expect(try store.count("shelves") == 0)
  }

  @Test("a write that has begun is finished and reported as done, even when its task is cancelled meanwhile")
  func shielded() async throws {
    let store = store
    let begun = AsyncStream.makeStream(of: Void.self)
    let cancelled = DispatchSemaphore(value: 0)
    let task = Task {
      try await store.write { tx in
        try tx.insert(Shelf("one"))
        begun.continuation.yield()
        cancelled.wait()
        try tx.insert(Shelf("two", number: 2))
        return try tx.count("SELECT count(*) FROM shelves")
      }
    }
    for await _ in begun.stream { break }
    task.cancel()
    cancelled.signal()
    #expect(try await task.value == 2)
    #expect(try store.count("shelves") == 2)
  }

  @Test("a read whose task is cancelled ends, also in the middle of a long statement")
  func cancelledRead() async throws {
    let store = store
    let begun = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await store.read { reader in
        begun.continuation.yield()
        // Counts for minutes, unless it is interrupted.
        return try reader.count(
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT count(*) FROM n")
      }
    }
    for await _ in begun.stream { break }
    task.cancel()
    #expect(await asyncFailure { try await task.value }?.code == .cancelled)
    #expect(try store.count("shelves") == 0)
  }

  @Test("a read is cancelled at whatever moment its task is, also just before a statement begins")
  func cancelledAtAnyMoment() async throws {
    for round in 0..<100 {
      let begun = DispatchSemaphore(value: 0)
      let store = store
      let task = Task {
        try await store.read { reader in
          begun.signal()
          // A text of its own is prepared first; then it counts for a second.
          return try reader.count(
            "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 5000000) SELECT count(*) + \(raw: "\(round)") FROM n")
        }
      }
      Thread.detachNewThread {
        begun.wait()
        task.cancel()
      }
      #expect(await asyncFailure { try await task.value }?.code == .cancelled)
    }
  }

  @Test("reads that are cancelled again and again leave no transaction open behind them")
  func cancelledOften() async throws {
    let store = try Store.temporary(schemas: [Shelves.schema], options: .testing.with { $0.readerCount = 1 })
    // SQLite counts the steps of a statement over all its runs: one of a thousand is interrupted, whatever it is.
    for _ in 0..<1_500 {
      let task = Task {
        try await store.read { reader in
          withUnsafeCurrentTask { $0?.cancel() }
          return try reader.count("SELECT count(*) FROM shelves")
        }
      }
      let result = await task.result
      let code = failure { try result.get() }?.code
      #expect(code == nil || code == .cancelled)
    }
    #expect(try store.count("shelves") == 0)
  }

  @Test("a read leaves the main actor free, also where a reader waits for it already")
  @MainActor
  func notOnMain() async throws {
    for _ in 0..<3 {
      let others = DispatchSemaphore(value: 0)
      let other = Task { @MainActor in _ = others.signal() }
      #expect(try await store.read { _ in others.wait(timeout: .now() + 30) == .success })
      await other.value
    }
  }

  @Test("however many reads last, a thread is left to other tasks")
  func threadsLeft() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount
    let store = try Shelves.temporary(options: .testing.with { $0.readerCount = count })
    // A free reader for each of them, from the start.
    let (reading, read) = (DispatchGroup(), DispatchGroup())
    for _ in 0..<count {
      reading.enter()
      Thread.detachNewThread(in: read) {
        try? store.read { _ in
          reading.leave()
          reading.wait()
        }
      }
    }
    await withCheckedContinuation { continuation in read.notify(queue: .global()) { continuation.resume() } }
    let others = DispatchSemaphore(value: 0)
    let reads = (0..<count).map { _ in
      Task {
        try await store.read { _ in
          defer { others.signal() }
          return others.wait(timeout: .now() + 10) == .success
        }
      }
    }
    let other = Task { others.signal() }
    for read in reads { #expect(try await read.value) }
    _ = await other.value
  }
}

extension Thread {
  fileprivate static func detachNewThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    detachNewThread {
      body()
      group.leave()
    }
  }
}
