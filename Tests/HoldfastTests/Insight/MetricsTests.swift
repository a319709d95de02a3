import Foundation
import GRDB
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("What a store counts", .timeLimit(.minutes(10)))
struct MetricsTests {
  static let schema = StoreSchema(
    "families",
    migrations: [
      Migration(
        "families/001",
        sql: """
          CREATE TABLE parents (id INTEGER NOT NULL PRIMARY KEY) STRICT;
          CREATE TABLE children (
            id INTEGER NOT NULL PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parents (id) ON DELETE CASCADE) STRICT;
          CREATE INDEX children_by_parent ON children (parent);
          """)
    ])
  private struct OwnError: Error {}
  private let store: Store

  init() throws { store = try Store.temporary(schemas: [Self.schema], options: .testing) }

  private func add(_ id: Int, children: Int = 0) throws {
    try store.write { tx in
      try tx.execute("INSERT INTO parents (id) VALUES (\(id))")
      for _ in 0..<children { try tx.execute("INSERT INTO children (parent) VALUES (\(id))") }
    }
  }
  private func remove(_ id: Int) async throws {
    try await store.write { tx in _ = try tx.execute("DELETE FROM parents WHERE id = \(id)") }
  }
  private func parents() throws -> Int { try store.read { try $0.count("SELECT count(*) FROM parents") } }
  private func children() async throws -> Int { try await store.read { try $0.count("SELECT count(*) FROM children") } }
  private func throwOwn() throws { try store.write(as: "own") { _ in throw OwnError() } }
  private var calls: [String: [Int]] { store.metrics().verbs.mapValues { [$0.reads, $0.writes] } }

  @Test("a verb is called as its function, blocking or not, or as the caller says")
  func names() async throws {
    try add(1)
    try add(2)
    try await remove(1)
    #expect(try parents() == 1)
    #expect(try await children() == 0)
    try await store.write(as: "by hand") { _ in }
    try await store.read(as: "by hand") { _ in }
    #expect(calls == ["add(_:children:)": [0, 2], "remove(_:)": [0, 1], "parents()": [1, 0], "children()": [1, 0], "by hand": [1, 1]])
  }

  @Test("rows count with cascades, and only when they were committed")
  func rows() async throws {
    try add(1, children: 3)
    try await remove(1)
    let lost = failure { try store.write(as: "lost") { tx in _ = try tx.execute("INSERT INTO parents (id) VALUES (2), (2)") } }
    #expect(lost?.code == .constraint)
    #expect(store.metrics().verbs.mapValues(\.rowsWritten) == ["add(_:children:)": 4, "remove(_:)": 4, "lost": 0])
  }

  @Test("errors count by their code and name the verb; an app's own errors count as one")
  func errors() async throws {
    #expect(throws: OwnError.self) { try throwOwn() }
    try add(1)
    let refused = failure { try add(1) }
    let view = store.readOnly(because: "of this test")
    let viewed = failure { try view.write(as: "viewed") { _ in } }
    let viewedLater = await asyncFailure { try await view.write(as: "viewed") { _ in } }
    let inner = failure { try store.read(as: "outer") { _ in try parents() } }
    #expect([refused, viewed, viewedLater, inner].map { $0?.verb } == ["add(_:children:)", "viewed", "viewed", "parents()"])
    #expect(
      store.metrics().verbs.mapValues(\.errors) == [
        "own": ["app": 1], "add(_:children:)": ["constraint": 1], "viewed": ["read_only": 2], "outer": ["misuse": 1],
        "parents()": ["misuse": 1],
      ])
  }

  @Test("the wait for the write lock is counted, also in vain")
  func lockWait() throws {
    let folder = try TemporaryFolder()
    let patient = try folder.store([Self.schema], options: .testing.with { $0.busyTimeout = .milliseconds(20) })
    try patient.write(as: "first") { _ in }
    let lock = try HeldWriteLock(on: folder.file("store.sqlite"))
    #expect(failure { try patient.write(as: "second") { _ in } }?.code == .busy)
    lock.release()
    let verbs = patient.metrics().verbs
    #expect(verbs["first"]?.lockWait.count == 1 && verbs["second"]?.lockWait.count == 1)
    let second = try #require(verbs["second"])
    #expect(second.lockWait.max >= .milliseconds(20) && second.latency.max >= second.lockWait.max)
    #expect(second.errors == ["busy": 1])
  }

  @Test("reads of live queries, waits for a connection, checkpoints and the cache are counted apart from the verbs")
  func storeItself() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([Self.schema], options: .testing.with { $0.readerCount = 1 })
    var updates = store.updates { try $0.count("SELECT count(*) FROM parents") }.makeAsyncIterator()
    #expect(try await updates.next() == 0)
    var metrics = store.metrics()
    #expect(metrics.observerReads.count == 1 && metrics.verbs.isEmpty)
    #expect(metrics.readerWaits.count == 1, "the first read opened the connection")
    let readers = try #require(store.readers)
    var waits = 0
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      do {
        try store.read(as: "read") { _ in
          waits = store.metrics().readerWaits.count
          // The only connection is lent, so this second read waits.
          readers.asyncRead { _ in continuation.resume() }
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    let checkpoints = store.metrics().checkpoints.count
    try await store.checkpoint(.truncate)
    metrics = store.metrics()
    #expect(metrics.readerWaits.count == waits + 1 && metrics.checkpoints.count == checkpoints + 1)
    #expect(metrics.cacheHits + metrics.cacheMisses > 0 && metrics.logBytes == 0 && metrics.period > .zero)
  }

  @Test("calls through a read-only view count in its store")
  func view() throws {
    let view = store.readOnly(because: "of this test")
    try view.read(as: "through the view") { _ in }
    try add(1)
    #expect(calls == ["through the view": [1, 0], "add(_:children:)": [0, 1]])
    #expect(view.metrics().verbs == store.metrics().verbs)
  }

  @Test("the kit's own reads count under the verb that the app called")
  func ownReads() throws {
    _ = try store.statistics()
    #expect(calls == ["statistics()": [1, 0]])
  }

  @Test("switched off, nothing is counted, and errors still name their verb")
  func off() async throws {
    let store = try Store.inMemory(schemas: [Self.schema], options: .testing.with { $0.metrics = false })
    #expect(failure { try store.write(as: "lost") { _ in throw StoreError(.notFound, "nothing") } }?.verb == "lost")
    #expect(store.metrics() == StoreMetrics())
    for await _ in store.metricsUpdates(every: .seconds(3_600)) { Issue.record("metrics that are off are told") }
  }

  @Test("after the names that are kept, all further verbs count as one")
  func manyVerbs() {
    let recorder = MetricsRecorder(keptVerbs: 2)
    for verb in ["one", "two", "three", "one", "four"] as [StaticString] { recorder.count(Call(verb, recorder)) }
    #expect(recorder.metrics.verbs.mapValues(\.reads) == ["one": 2, "two": 1, "other": 2])
  }

  @Test("metrics are the same after encoding, with times in nanoseconds")
  func encoding() throws {
    try add(1)
    #expect(throws: OwnError.self) { try throwOwn() }
    let metrics = store.metrics()
    let encoded = try JSONEncoder().encode(metrics)
    #expect(try JSONDecoder().decode(StoreMetrics.self, from: encoded) == metrics)
    #expect(String(decoding: encoded, as: UTF8.self).contains("\"p95Nanoseconds\":"))
  }

  @Test("updates go on until the store is closed, end at once then with a last value, and do not keep a store open")
  func updates() async throws {
    var fast = store.metricsUpdates(every: .milliseconds(10)).makeAsyncIterator()
    let (first, second) = (await fast.next(), await fast.next())
    let (early, late) = (first?.period ?? .zero, second?.period ?? .zero)
    #expect(early > .zero && late > early)
    var slow = store.metricsUpdates(every: .seconds(3_600)).makeAsyncIterator()
    let beforeClosing = await slow.next()
    try add(1)
    try store.close()
    let (atClosing, afterClosing) = (await slow.next(), await slow.next())
    #expect(beforeClosing != nil && atClosing?.verbs["add(_:children:)"]?.writes == 1 && afterClosing == nil)
    while await fast.next() != nil {}
    for await metrics in store.metricsUpdates() { #expect(metrics.verbs == atClosing?.verbs) }
    for await _ in try Store.inMemory(schemas: [Self.schema]).metricsUpdates(every: .milliseconds(10)) {}
  }
}
