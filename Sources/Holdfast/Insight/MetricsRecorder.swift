import Foundation

/// Counts what a store does. One for each store; its read-only views share it.
///
/// The path of a call allocates nothing once its verb is known: one lock, one look-up of an address, a few additions.
final class MetricsRecorder: @unchecked Sendable {
  /// The verb of the reads of live queries.
  static let observing: StaticString = "the read of a live query"
  /// Takes the calls of all verbs that come after the first 1,000.
  static let other = "other"

  private let keptVerbs: Int
  private let now: @Sendable () -> Date
  private let began = SteadyTime.nanoseconds
  private let lock = NSLock()
  // Guarded by `lock`.
  private var names: [String] = []
  /// The calls of each verb, in the order of `names`.
  private var entries: [VerbCounts] = []
  /// The place of a verb in `entries`, by the address of its text. The same text may stand at several addresses.
  private var places: [UInt: Int] = [:]
  private var readerWaits = Histogram()
  private var checkpoints = Histogram()
  private var cacheHits = 0
  private var cacheMisses = 0
  private var slow = SlowStatements()
  private var lastErrors: [FailedCall] = []
  /// How many of `lastErrors` came after the last `takeLatest`.
  private var newErrors = 0

  init(keptVerbs: Int = 1_000, now: @escaping @Sendable () -> Date = { Date() }) {
    self.keptVerbs = keptVerbs
    self.now = now
  }

  /// Counts a call that has ended, with the code of the error that it throws.
  func count(_ call: Call, error: String? = nil) {
    let latency = SteadyTime.nanoseconds &- call.began
    let failed = error.map { FailedCall(time: now(), verb: "\(call.verb)", code: $0) }
    lock.lock()
    defer { lock.unlock() }
    let place = placeOfVerb(call.verb)
    if call.writes { entries[place].writes &+= 1 } else { entries[place].reads &+= 1 }
    entries[place].latency.add(latency)
    if let wait = call.lockWait { entries[place].lockWait.add(wait) }
    entries[place].rowsWritten &+= call.rowsWritten
    if let error { entries[place].errors[error, default: 0] &+= 1 }
    if let failed {
      lastErrors = Array(lastErrors.suffix(DayNotes.keptErrors - 1)) + [failed]
      newErrors &+= 1
    }
    cacheHits &+= call.cacheHits
    cacheMisses &+= call.cacheMisses
  }

  /// Counts a read's wait for a free connection, since `asked` by `SteadyTime`.
  func countReaderWait(since asked: UInt64) { lock.withLock { readerWaits.add(SteadyTime.nanoseconds &- asked) } }
  /// Counts a checkpoint that began at `began` by `SteadyTime`.
  func countCheckpoint(since began: UInt64) { lock.withLock { checkpoints.add(SteadyTime.nanoseconds &- began) } }

  /// Counts one slow run of a statement. Returns whether its plan is unknown.
  func countSlow(_ sql: String, nanoseconds: UInt64, rows: Int) -> Bool {
    lock.withLock { slow.add(sql, nanoseconds: nanoseconds, rows: rows) }
  }

  /// - Parameter plan: nil when it could not be read.
  func explain(_ sql: String, _ plan: StatementPlan?) { lock.withLock { slow.explain(sql, plan) } }

  private func placeOfVerb(_ verb: StaticString) -> Int {
    // A text of one character may have no address; no text stands at an address as low as the number of a character.
    let address = verb.hasPointerRepresentation ? UInt(bitPattern: verb.utf8Start) : UInt(verb.unicodeScalar.value)
    if let place = places[address] { return place }
    let text = "\(verb)"
    let name = names.count < keptVerbs || names.contains(text) ? text : Self.other
    let place = names.firstIndex(of: name) ?? names.count
    if place == names.count {
      names.append(name)
      entries.append(VerbCounts())
    }
    places[address] = place
    return place
  }

  /// The calls of each verb until now.
  var counts: [String: VerbCounts] { countsWithReads.filter { $0.key != "\(Self.observing)" } }

  /// The same, with the reads of live queries.
  private var countsWithReads: [String: VerbCounts] {
    let (names, entries) = lock.withLock { (self.names, self.entries) }
    return Dictionary(uniqueKeysWithValues: zip(names, entries))
  }

  /// The slow runs and the last failed calls since the last call of this function.
  func takeLatest() -> (slow: [SlowStatement], errors: [FailedCall]) {
    lock.withLock {
      defer { newErrors = 0 }
      return (slow.takeNew(), Array(lastErrors.suffix(newErrors)))
    }
  }

  /// The figures until now, without those that the store itself knows.
  var metrics: StoreMetrics {
    let (readerWaits, checkpoints, cacheHits, cacheMisses) = lock.withLock {
      (self.readerWaits, self.checkpoints, self.cacheHits, self.cacheMisses)
    }
    let (slow, lastErrors) = lock.withLock { (self.slow, self.lastErrors) }
    var metrics = StoreMetrics()
    metrics.slowest = slow.slowest
    metrics.mostExpensive = slow.mostExpensive
    metrics.lastErrors = lastErrors
    metrics.periodNanoseconds = Int64(clamping: SteadyTime.nanoseconds &- began)
    metrics.verbs = countsWithReads.mapValues(\.verb)
    metrics.observerReads = metrics.verbs.removeValue(forKey: "\(Self.observing)")?.latency ?? StoreMetrics.Latency()
    metrics.readerWaits = StoreMetrics.Latency(readerWaits)
    metrics.checkpoints = StoreMetrics.Latency(checkpoints)
    metrics.cacheHits = cacheHits
    metrics.cacheMisses = cacheMisses
    return metrics
  }
}
