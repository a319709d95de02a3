import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Snapshots, checks and restores without blocking", .timeLimit(.minutes(10)))
struct OffTaskTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store([Shelves.schema])
    try store.fill()
  }

  @Test("the async forms do what the blocking ones do, from the main actor too")
  @MainActor
  func sameAsBlocking() async throws {
    let url = folder.file("store.sqlite")
    let snapshot = try await store.snapshot(label: "three books")
    #expect(try await store.statistics().rows["books"] == 3)
    #expect(try await store.drill().hasPassed)
    _ = try await store.write { tx in try tx.execute("DELETE FROM books") }
    try await store.restore(snapshot: snapshot.id)
    try await store.vacuum()
    _ = try await store.write { tx in try tx.execute("UPDATE shelves SET name = 'in the log'") }
    #expect(try await store.statistics().logBytes > 0)
    try await store.checkpoint(.truncate)
    #expect(try await store.statistics().logBytes == 0)
    #expect(try store.titles().count == 3)
    #expect(try await store.integrityCheck().isHealthy)
    try store.close()
    #expect(try await Store.check(at: url, schemas: [Shelves.schema]).isHealthy)
    #expect(try await Store.drill(at: url, schemas: [Shelves.schema], snapshot: snapshot.id).hasPassed)
    #expect(try await Store.restore(at: url, snapshot: snapshot.id) != nil)
  }

  @Test("work whose task is cancelled before it begins does nothing")
  func cancelledBefore() async throws {
    let (store, url) = (store, folder.file("store.sqlite"))
    let snapshot = try await store.snapshot()
    let works: [@Sendable () async throws -> Void] = [
      { try await store.snapshot() }, { try await store.restore(snapshot: snapshot.id) }, { _ = try await store.integrityCheck() },
      { try await store.vacuum() }, { _ = try await Store.check(at: url, schemas: [Shelves.schema]) },
      { try await Store.restore(at: url, snapshot: snapshot.id) },
    ]
    for work in works {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await work()
      }
      #expect(await asyncFailure { try await task.value }?.code == .cancelled)
    }
    #expect(try store.snapshots() == [snapshot])
  }

  @Test("a snapshot whose task is cancelled while it is made ends after its step, and leaves no copy")
  func cancelledSnapshot() async throws {
    let (begun, cancelled) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    var options = StoreOptions.testing
    // A snapshot asks for the time first.
    options.now = {
      begun.continuation.yield()
      cancelled.wait()
      return Date(timeIntervalSince1970: 1_700_000_000)
    }
    let store = try folder.store([Shelves.schema], options: options)
    let task = Task { try await store.snapshot() }
    for await _ in begun.stream { break }
    task.cancel()
    cancelled.signal()
    #expect(await asyncFailure { try await task.value }?.code == .cancelled)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("store.sqlite.holdfast/snapshots").path) == [])
  }

  @Test("a check whose task is cancelled ends in the middle of a statement")
  func cancelledCheck() async throws {
    // Counts for a minute.
    let slow = Invariant(
      "numbers are positive", table: "books",
      findings: "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 400000000) SELECT i FROM n WHERE i < 0")
    let begun = AsyncStream.makeStream(of: Void.self)
    let schema = StoreSchema("shelves", migrations: [Shelves.v1], records: [Shelf.self, Book.self], invariants: [slow])
    let options = StoreOptions.testing.with { $0.trace = { if $0.contains("RECURSIVE n") { begun.continuation.yield() } } }
    let store = try folder.store([schema], options: options)
    let task = Task { try await store.integrityCheck() }
    for await _ in begun.stream { break }
    task.cancel()
    #expect(await asyncFailure { try await task.value }?.code == .cancelled)
  }

  @Test("however much of such work waits, tasks go on")
  func threadsLeft() async throws {
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount
    let others = DispatchSemaphore(value: 0)
    let works = (0..<count).map { _ in
      Task { try await offTask { _ in others.wait(timeout: .now() + 30) == .success } }
    }
    let other = Task { for _ in 0..<count { others.signal() } }
    for work in works { #expect(try await work.value) }
    await other.value
  }
}
