/// The calls of one verb, in a form that adds up: the counts of two times together are those of both.
struct VerbCounts: Sendable, Equatable, Codable {
  var reads = 0
  var writes = 0
  var rowsWritten = 0
  var errors: [String: Int] = [:]
  var latency = Histogram()
  var lockWait = Histogram()

  var calls: Int { reads &+ writes }

  mutating func add(_ other: VerbCounts) {
    reads &+= other.reads
    writes &+= other.writes
    rowsWritten &+= other.rowsWritten
    errors.merge(other.errors) { $0 &+ $1 }
    latency.add(other.latency)
    lockWait.add(other.lockWait)
  }

  /// The calls that were counted after `earlier`, which is an earlier value of these counts.
  func since(_ earlier: VerbCounts) -> VerbCounts {
    var new = self
    new.reads &-= earlier.reads
    new.writes &-= earlier.writes
    new.rowsWritten &-= earlier.rowsWritten
    new.errors.merge(earlier.errors) { $0 &- $1 }
    new.errors = new.errors.filter { $0.value > 0 }
    new.latency = latency.since(earlier.latency)
    new.lockWait = lockWait.since(earlier.lockWait)
    return new
  }

  /// The counts with their percentiles.
  var verb: StoreMetrics.Verb {
    StoreMetrics.Verb(
      reads: reads, writes: writes, errors: errors, latency: StoreMetrics.Latency(latency), lockWait: StoreMetrics.Latency(lockWait),
      rowsWritten: rowsWritten)
  }
}
