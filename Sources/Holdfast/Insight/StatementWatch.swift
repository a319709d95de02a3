internal import GRDBSQLite

/// Times the statements that the readers and writers of one connection run, and gives the slow ones to the store's recorder.
///
/// What the kit runs itself, such as BEGIN, COMMIT, PRAGMA, checkpoints, checks and copies, runs elsewhere and is not timed. Used on the
/// connection's queue. A fast statement costs two readings of a clock and one of a counter, and no memory:
/// Documentation/Decisions/slow-statements.md
final class StatementWatch {
  private let recorder: MetricsRecorder?
  /// In nanoseconds.
  private let threshold: UInt64
  /// Whether the threshold is less than two of the longest ticks, so that a fast statement could pass for a slow one.
  private let isExact: Bool
  /// The SQL texts of slow statements whose plans are to be read.
  private var unexplained: Set<String> = []

  /// A statement under way.
  struct Run {
    let began: UInt64
    let rowsBefore: Int32
  }

  /// Nothing is timed without a recorder or a threshold.
  init(_ recorder: MetricsRecorder? = nil, threshold: Duration? = nil) {
    self.recorder = threshold == nil ? nil : recorder
    let nanoseconds = max(0, threshold?.inSeconds ?? 0) * 1e9
    self.threshold = UInt64(exactly: nanoseconds.rounded()) ?? .max
    isExact = nanoseconds < 20_000_000
  }

  /// Call before the first step. Nil when nothing is timed.
  @inline(__always)
  func begin(_ statement: OpaquePointer) -> Run? {
    guard recorder != nil else { return nil }
    return Run(began: now, rowsBefore: sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0))
  }

  /// Call after the last step, also after one that failed.
  @inline(__always)
  func end(_ run: Run?, _ statement: OpaquePointer, _ sql: @autoclosure () -> String) {
    guard let run else { return }
    let nanoseconds = now &- run.began
    if nanoseconds >= threshold { note(run, nanoseconds, statement, sql()) }
  }

  /// Reads the plans of newly slow statements. Call outside a transaction: the plan of an INSERT sets `sqlite3_changes` to 0.
  @inline(__always)
  func explain(on handle: OpaquePointer) {
    if !unexplained.isEmpty { explainAll(on: handle) }
  }

  @inline(__always)
  private var now: UInt64 { isExact ? SteadyTime.nanoseconds : SteadyTime.ticks }

  @inline(never)
  private func note(_ run: Run, _ nanoseconds: UInt64, _ statement: OpaquePointer, _ sql: String) {
    // SQLite's counter may pass its largest value.
    let rows = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) &- run.rowsBefore
    let isNew = recorder?.countSlow(sql, nanoseconds: nanoseconds, rows: Int(max(0, rows))) ?? false
    if isNew, unexplained.count < SlowStatements.kept { unexplained.insert(sql) }
  }

  @inline(never)
  private func explainAll(on handle: OpaquePointer) {
    for sql in unexplained { recorder?.explain(sql, try? StatementPlan(sql, on: handle)) }
    unexplained = []
  }
}
