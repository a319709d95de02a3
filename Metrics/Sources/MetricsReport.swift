import CoreMetrics
import Holdfast

/// Gives one store's metrics to a factory: of every figure what has come since the last time.
struct MetricsReport {
  private let dimensions: [(String, String)]
  private let factory: any MetricsFactory
  private var given: StoreMetrics?
  // Each metric is made once: a factory may look for one under a lock.
  private var counters: [Key: Counter] = [:]
  private var timers: [Key: CoreMetrics.Timer] = [:]
  private let logSize: Meter

  private struct Key: Hashable {
    var label: String
    var verb: String?
    var kind: [String] = []
  }

  init(name: String, factory: any MetricsFactory) {
    dimensions = [("db.system.name", "sqlite"), ("db.namespace", name)]
    self.factory = factory
    logSize = Meter(label: "holdfast.log.size", dimensions: dimensions, factory: factory)
  }

  mutating func give(_ metrics: StoreMetrics) {
    for (name, verb) in metrics.verbs {
      let old = given?.verbs[name]
      record(Key(label: "db.client.operation.duration", verb: name), verb.latency, since: old?.latency)
      record(Key(label: "holdfast.verb.lock_wait", verb: name), verb.lockWait, since: old?.lockWait)
      count(Key(label: "holdfast.verb.calls", verb: name, kind: ["holdfast.access", "read"]), verb.reads, since: old?.reads)
      count(Key(label: "holdfast.verb.calls", verb: name, kind: ["holdfast.access", "write"]), verb.writes, since: old?.writes)
      count(Key(label: "holdfast.verb.rows_written", verb: name), verb.rowsWritten, since: old?.rowsWritten)
      for (code, times) in verb.errors {
        count(Key(label: "holdfast.verb.errors", verb: name, kind: ["error.type", code]), times, since: old?.errors[code])
      }
    }
    record(Key(label: "holdfast.observer_reads"), metrics.observerReads, since: given?.observerReads)
    record(Key(label: "db.client.connection.wait_time"), metrics.readerWaits, since: given?.readerWaits)
    record(Key(label: "holdfast.checkpoints"), metrics.checkpoints, since: given?.checkpoints)
    count(Key(label: "holdfast.cache.hits"), metrics.cacheHits, since: given?.cacheHits)
    count(Key(label: "holdfast.cache.misses"), metrics.cacheMisses, since: given?.cacheMisses)
    count(Key(label: "holdfast.retries"), metrics.retries, since: given?.retries)
    logSize.set(metrics.logBytes)
    given = metrics
  }

  private mutating func count(_ key: Key, _ value: Int, since old: Int?) {
    let new = value - (old ?? 0)
    guard new > 0 else { return }
    let counter = counters[key] ?? Counter(label: key.label, dimensions: allDimensions(key), factory: factory)
    counters[key] = counter
    counter.increment(by: new)
  }

  private mutating func record(_ key: Key, _ latency: StoreMetrics.Latency, since old: StoreMetrics.Latency?) {
    guard latency.count > old?.count ?? 0 else { return }
    let timer = timers[key] ?? CoreMetrics.Timer(label: key.label, dimensions: allDimensions(key), factory: factory)
    timers[key] = timer
    let oldCounts = Dictionary((old?.buckets ?? []).map { ($0.upperBound, $0.count) }) { $0 + $1 }
    for bucket in latency.buckets {
      let time = min(bucket.upperBound, latency.max)
      for _ in 0..<max(0, bucket.count - (oldCounts[bucket.upperBound] ?? 0)) { timer.recordNanoseconds(Self.nanoseconds(time)) }
    }
  }

  private func allDimensions(_ key: Key) -> [(String, String)] {
    dimensions + (key.verb.map { [("db.operation.name", $0)] } ?? []) + (key.kind.count == 2 ? [(key.kind[0], key.kind[1])] : [])
  }

  private static func nanoseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return isTooLarge ? .max : whole + attoseconds / 1_000_000_000
  }
}
