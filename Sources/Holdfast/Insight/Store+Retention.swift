import Foundation
internal import GRDBSQLite
import Logging

extension Store {
  /// Removes the rows that are beyond the limits that the schemas declare and the app sets: by age first, then by count, the oldest first.
  ///
  /// Each transaction removes at most 500 rows, so other writers wait for milliseconds. Rows that were removed before an error stay
  /// removed. The next call goes on. An error of one table does not keep the other tables from being looked at; then the first error is
  /// thrown. `KeptMetrics` tells for 30 days what was removed.
  ///
  /// - Throws: `.constraint` when another row references a row that may go; `.readOnly`, `.closed`, and the errors of `write`.
  @discardableResult
  public func applyRetention() throws -> RetentionReport { try applyRetention { false } }
  /// The same without blocking the caller. When the task is cancelled, it ends after the transaction under way with `.cancelled`.
  @discardableResult
  public func applyRetention() async throws -> RetentionReport { try await offTask { try self.applyRetention(isCancelled: $0) } }

  /// Rows that one transaction removes at most.
  private static let batch = 500

  private func applyRetention(isCancelled: () -> Bool) throws -> RetentionReport {
    try checkWritable()
    let policies = schemas.flatMap(\.retention)
    let limits = policies.map { options.retention.limits[$0.table] ?? $0.limits }
    var report = RetentionReport()
    var now = options.now()
    if (limits + [options.retention.audit]).contains(where: { $0.maxAgeSeconds != nil }) {
      let clock = try write(as: "applyRetention") { tx in try tx.readTrustedTime() }
      // A clock that was set back makes nothing older.
      (now, report.isClockTrusted) = (Date(timeIntervalSince1970: Double(clock.time) / 1_000_000), clock.ahead == nil)
    }
    var failure: (any Error)?
    func run(_ table: String, _ limits: RetentionLimits, _ remove: (Writer, Date?) throws -> Int) throws {
      guard limits != RetentionLimits() else { return }
      // NaN is no limit.
      let age = limits.maxAgeSeconds.flatMap { $0.isNaN ? nil : max(0, $0) }
      let before = age.map { now.addingTimeInterval(-$0) }
      do {
        var removed = 0
        repeat {
          if isCancelled() { throw StoreError(.cancelled, "the task was cancelled; what was removed stays removed") }
          removed = try write(as: "applyRetention") { tx in
            let removed = try remove(tx, before)
            if removed > 0 { try tx.noteRemoved(removed, of: table) }
            return removed
          }
          report.removed[table, default: 0] += removed
        } while removed >= Self.batch
      } catch {
        failure = failure ?? error
      }
    }
    for (policy, limits) in zip(policies, limits) {
      try run(policy.table, limits) { tx, before in
        try policy.remove(beyond: limits, before: before.flatMap { DateCodec.milliseconds($0) }, most: Self.batch, in: tx)
      }
    }
    let audit = options.retention.audit
    try run("holdfast_audit", audit) { tx, before in
      try tx.removeAudit(before: before, keepingLast: audit.maxCount, most: Self.batch)
    }
    report.removed = report.removed.filter { $0.value > 0 }
    if let failure { throw failure }
    if !report.removed.isEmpty { logger.info("retention", metadata: ["path": "\(path)", "removed": "\(report.removed)"]) }
    return report
  }

  /// Fails when a policy does not fit the tables, or the app sets limits of a table without a policy.
  func checkRetention() throws {
    let policies = schemas.flatMap(\.retention)
    if let unknown = options.retention.limits.keys.sorted().first(where: { table in !policies.contains { $0.table == table } }) {
      throw StoreError(.misuse, "the options limit the table \(unknown), for which no schema declares a retention")
    }
    guard !policies.isEmpty else { return }
    try read { reader in
      for policy in policies { try policy.check(in: reader) }
    }
  }
}

extension Writer {
  /// Brings the store's trusted time, at first that of the last migration, up to the clock. Less than half a day is not worth a commit.
  fileprivate func readTrustedTime() throws -> TrustedTime {
    let clock = ArchiveTime.microseconds(currentDate())
    let stored = try database.insightText("clock", day: "", name: "retention").flatMap { TrustedTime(Data($0.utf8)) }
    let ran = try value("SELECT max(ran_at) FROM holdfast_migrations") { try $0.dateOrNil() } ?? nil
    let last = stored ?? TrustedTime(ran.map(ArchiveTime.microseconds) ?? clock)
    var trusted = last
    trusted.read(clock)
    if !trusted.isLike(last, within: TrustedTime.day / 2) {
      try putInsight("clock", "", "retention", trusted)
    }
    return trusted
  }

  fileprivate func noteRemoved(_ count: Int, of table: String) throws {
    guard let day = currentDate().insightDay else { return }
    let before = try database.insightText("removed", day: day, name: table).flatMap { Int($0) } ?? 0
    try putInsight("removed", day, table, before &+ count)
  }

  /// The rows that the kit notes are none of the commit's.
  private func putInsight(_ kind: String, _ day: String, _ name: String, _ value: some Encodable) throws {
    try database.putInsight(kind, day, name, value)
    connection.checkpoints.leaveOutRows()
  }
}
