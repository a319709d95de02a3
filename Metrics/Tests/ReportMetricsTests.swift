import CoreMetrics
import Foundation
import Holdfast
import HoldfastMetrics
import HoldfastTesting
import MetricsTestKit
import Testing

/// What a library does, and what swift-metrics hears of it.
@Suite("a store's metrics are given to swift-metrics")
struct ReportMetricsTests {
  static let schema = StoreSchema(
    "notes",
    migrations: [Migration("notes/001", sql: "CREATE TABLE notes(id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT")])
  let metrics = TestMetrics()
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store([Self.schema])
  }

  private func add(_ text: String) throws { _ = try store.write { try $0.execute("INSERT INTO notes(text) VALUES (\(text))") } }

  private func dimensions(_ more: (String, String)...) -> [(String, String)] {
    [("db.system.name", "sqlite"), ("db.namespace", "notes")] + more
  }

  @Test("what happened before the first report, between two reports and before closing is counted once", .timeLimit(.minutes(10)))
  func counts() async throws {
    try add("one")
    let reporting = store.reportMetrics(as: "notes", every: .milliseconds(10), to: metrics)
    try add("two")
    let calls = dimensions(("db.operation.name", "add(_:)"), ("holdfast.access", "write"))
    while metrics.counterTotal(label: "holdfast.verb.calls", dimensions: calls) < 2 { await Task.yield() }
    #expect(throws: StoreError.self) { try add("two") }
    try store.close()
    await reporting.value
    let verb = ("db.operation.name", "add(_:)")
    #expect(metrics.counterTotal(label: "holdfast.verb.calls", dimensions: calls) == 3)
    #expect(metrics.counterTotal(label: "holdfast.verb.rows_written", dimensions: dimensions(verb)) == 2)
    #expect(metrics.counterTotal(label: "holdfast.verb.errors", dimensions: dimensions(verb, ("error.type", "constraint"))) == 1)
    let timer = try metrics.expectTimer("db.client.operation.duration", dimensions(verb))
    #expect(timer.values.count == 3)
    let told = try #require(store.metrics().verbs["add(_:)"])
    #expect(timer.values.max().map { .nanoseconds($0) } == told.latency.max, "never longer than the longest")
    #expect(try metrics.expectMeter("holdfast.log.size", dimensions()).values.count > 1)
  }

  @Test("as the documents show, the app's own backend is fed", .timeLimit(.minutes(10)))
  func documented() async throws {
    try add("one")
    try reportAsDocumented()
    let calls = [("db.namespace", "library"), ("db.operation.name", "add(_:)"), ("holdfast.access", "write")]
    while metrics.counterTotal(label: "holdfast.verb.calls", dimensions: calls) == 0 { await Task.yield() }
    #expect(metrics.counterTotal(label: "holdfast.verb.calls", dimensions: calls) == 1)
    try store.close()
  }

  private func reportAsDocumented() throws {
    try withMetricsFactory(metrics) {
      // snippet: swift-metrics
      store.reportMetrics(as: "library")
      // end
    }
  }

  @Test("a cancelled task ends, and gives nothing more", .timeLimit(.minutes(10)))
  func cancelled() async throws {
    let reporting = store.reportMetrics(as: "notes", every: .seconds(3_600), to: metrics)
    reporting.cancel()
    await reporting.value
    try add("one")
    #expect(metrics.counters(label: "holdfast.verb.rows_written").isEmpty)
  }

  @Test("a store without metrics gives nothing", .timeLimit(.minutes(10)))
  func off() async throws {
    var options = StoreOptions.testing
    options.metrics = false
    let store = try Store.inMemory(schemas: [Self.schema], options: options)
    let reporting = store.reportMetrics(as: "notes", to: metrics)
    await reporting.value
    #expect(metrics.counters.isEmpty && metrics.timers.isEmpty)
  }
}
