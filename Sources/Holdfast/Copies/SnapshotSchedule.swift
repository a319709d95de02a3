import Foundation
import Logging

/// Takes the scheduled snapshots of one open store, and drills them and the archive, on a queue of its own with connections of its own. So it stops neither commits nor reads.
final class SnapshotSchedule: @unchecked Sendable {
  private let files: StoreFiles
  private let schemas: [StoreSchema]
  private let options: StoreOptions
  /// Nil when the store is not archived.
  private let archiver: Archiver?
  private let queue = DispatchQueue(label: "holdfast.snapshots", qos: .utility)
  private let ended = Flag()
  /// Called before each snapshot. Set once, before the store is used.
  var lookForDamage: () -> Void = {}
  // Guarded by `lock`.
  private var commits = 0
  private var error: StoreError?
  private let lock = NSLock()
  private lazy var idle = options.snapshots.idle.map { idle in IdleWatch(on: queue, after: idle) { [weak self] in self?.run() } }

  /// Nil when the options schedule nothing.
  init?(_ files: StoreFiles, _ schemas: [StoreSchema], _ options: StoreOptions, _ archiver: Archiver?) {
    let plan = options.snapshots
    guard plan.everyCommits != nil || plan.onOpen != nil || plan.idle != nil || plan.drill != nil else { return nil }
    (self.files, self.schemas, self.options, self.archiver) = (files, schemas, options, archiver)
  }

  var lastError: StoreError? { lock.withLock { error } }

  /// Call once, when the store is open.
  func opened() {
    queue.async { [weak self] in
      guard let self else { return }
      attempt {
        let newest = try Snapshot.all(files).first?.createdAt
        let last = [newest, SnapshotTimes(files).lookedAt].compactMap(\.self).max()
        if isDue(options.snapshots.onOpen, since: last) { try take() }
        try drillIfDue()
      }
    }
  }

  func committed() {
    let (isDue, idle) = lock.withLock {
      commits += 1
      let isDue = options.snapshots.everyCommits.map { commits >= $0 } ?? false
      if isDue { commits = 0 }
      return (isDue, self.idle)
    }
    if isDue { queue.async { [weak self] in self?.run() } }
    idle?.committed()
  }

  /// Ends a snapshot or drill under way after its step, and waits for that. Nothing begins later.
  func end() {
    ended.raise()
    settle()
  }

  /// Waits for everything that is due now.
  func settle() { queue.sync {} }

  private func run() {
    attempt {
      try take()
      try drillIfDue()
    }
  }

  private func attempt(_ body: () throws -> Void) {
    guard !ended.isRaised else { return }
    do {
      try body()
      lock.withLock { error = nil }
    } catch {
      // Closing the store ends the work; that is no failure.
      guard !ended.isRaised else { return }
      let failure = StoreError(error, path: files.path)
      lock.withLock { self.error = failure }
      options.logger.error("a scheduled snapshot failed", metadata: ["path": "\(files.path)", "code": "\(failure.code.rawValue)"])
    }
  }

  private func take() throws {
    lookForDamage()
    let snapshot = try Snapshot.make(files, label: "scheduled", isAutomatic: true, options, isCancelled: { ended.isRaised })
    let now = DateCodec.rounded(options.now())
    try SnapshotTimes.change(files) { $0.lookedAt = now }
    options.logger.info("snapshot", metadata: ["id": "\(snapshot.id)", "bytes": "\(snapshot.bytes)"])
  }

  private var drill: Drill { Drill(files: files, schemas: schemas, options: options) { [ended] in ended.isRaised } }

  private func drillIfDue() throws {
    // The archive is drilled also when the snapshot's drill fails.
    let snapshot = Result { try drillSnapshotIfDue() }
    try drillArchiveIfDue()
    try snapshot.get()
  }

  private func drillSnapshotIfDue() throws {
    guard !ended.isRaised, isDue(options.snapshots.drill, since: SnapshotTimes(files).drilledAt),
      let chosen = try Snapshot.toRestore(files)
    else { return }
    try checkPassed(drill.snapshot(chosen.id).report, "the snapshot \(chosen.id)")
  }

  /// Only the process that archives drills the archive by itself.
  private func drillArchiveIfDue() throws {
    guard let archiver, !ended.isRaised, isDue(options.snapshots.drill, since: ArchiveFolder(files).lastDrill), archiver.settle(),
      archiver.status.isWriting
    else { return }
    let drilled = try drill.archive(Archive(files, options), archiver)
    try checkPassed(drilled.report, "commit \(drilled.commit.number) of the archive")
  }

  private func checkPassed(_ report: IntegrityReport, _ restored: String) throws {
    guard let finding = report.findings.first else { return }
    throw StoreError(.verificationFailed, "the drill of \(restored) found: \(finding.message)")
  }

  private func isDue(_ period: Duration?, since last: Date?) -> Bool {
    guard let period else { return false }
    guard let last else { return true }
    let age = options.now().timeIntervalSince(last)
    // The clock may have been set back.
    return age < 0 || age >= period.inSeconds
  }
}
