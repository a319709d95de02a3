internal import GRDBSQLite

/// One call of `read` or `write` while it is under way.
struct Call {
  let verb: StaticString
  let writes: Bool
  /// `Audit.actor` of the caller; nil for a read.
  let actor: String?
  /// By `SteadyTime`; 0 where nothing is measured.
  let began: UInt64
  /// From the call until it had the write lock, or gave up waiting, in nanoseconds. Nil for a call that did not ask for the lock.
  var lockWait: UInt64?
  var rowsWritten = 0
  private(set) var cacheHits = 0
  private(set) var cacheMisses = 0

  init(_ verb: StaticString, _ recorder: MetricsRecorder?, writes: Bool = false) {
    self.verb = verb
    self.writes = writes
    actor = writes ? Audit.actor : nil
    began = recorder == nil ? 0 : SteadyTime.nanoseconds
  }

  /// Takes over, and sets back to zero, the connection's counts of its page cache. Call on the connection's queue.
  mutating func takeCacheCounts(_ handle: OpaquePointer) {
    var (hits, misses, highest): (Int32, Int32, Int32) = (0, 0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_HIT, &hits, &highest, 1)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highest, 1)
    cacheHits = Int(hits)
    cacheMisses = Int(misses)
  }
}
