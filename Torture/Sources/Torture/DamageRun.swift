import Foundation
import Holdfast

/// Damages closed and half-closed stores, and judges what the product makes of them.
struct DamageRun {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  /// Only this one, to repeat it.
  var only: (what: String, isHalfClosed: Bool)?
  /// Takes every check for a healthy one, and reads no notice: then the method must find something. Damages no log unless `only` asks for
  /// it: untold rollbacks would be enough to pass.
  var believesNoCheck = false
  /// The command line tool, when it is asked in place of the library's verbs.
  var tool: String?

  private struct Job: Sendable {
    var damage: Damage
    var isHalfClosed: Bool
    var family: UInt64
  }

  func run(_ name: String = "damages") throws -> Tally {
    let tally = Tally(name)
    try tally.rounds(wanted, until: deadline, isSingle: only != nil && !isControl) { round in
      let family = seed &+ round
      var jobs: [Job] = []
      for (number, kind) in Damage.kinds.enumerated() {
        for isHalfClosed in [false, true] {
          let damage = Damage(what: kind, seed: family &* 1_000 &+ UInt64(number))
          if damage.needsLog && !isHalfClosed || kind == "swapped" && !isHalfClosed { continue }
          if kind == "file-of-another", !isHalfClosed { continue }
          if believesNoCheck, only == nil, damage.needsLog { continue }
          if let only, only.what != kind || only.isHalfClosed != isHalfClosed { continue }
          jobs.append(Job(damage: damage, isHalfClosed: isHalfClosed, family: family))
        }
      }
      try prepare(family)
      inLanes(jobs, until: deadline) { job, worker, lane in try damage(job, worker, lane, tally) }
    }
    return tally
  }

  private var isControl: Bool { believesNoCheck || (tool != nil && tool != Paths.tool) }
  private var library: DamagedLibrary { tool == nil ? .batches : .audiobooks }

  private func template(_ seed: UInt64, _ name: String) -> URL {
    URL(fileURLWithPath: "\(Paths.scratch)/prepared/damage-\(library.rawValue)-\(name)-\(seed)")
  }

  private func prepare(_ seed: UInt64) throws {
    for (name, content) in [("closed", seed), ("half", seed), ("other", seed &+ 500_000)] {
      let folder = template(seed, name)
      guard !FileManager.default.fileExists(atPath: folder.path) else { continue }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let child = try Subprocess(["store", name == "closed" ? "closed" : "half", String(content), folder.path, library.rawValue])
      guard child.wait() == .exited(0) else { throw POSIXError(.EIO) }
    }
  }

  /// The child: a store with two snapshots and ten batches, closed or left as a killed process leaves it.
  static func store(_ arguments: [String]) throws {
    guard arguments.count == 4, let seed = UInt64(arguments[1]), let library = DamagedLibrary(rawValue: arguments[3]) else { exit(64) }
    let folder = URL(fileURLWithPath: arguments[2])
    let store = try Store.open(at: Workload.store(folder), schemas: [library.schema], options: Workload.options(.durable, seed: seed))
    for number in 1...Workload.prepared {
      try store.write { try library.save(number, seed: seed, in: $0) }
      if number == 3 || number == Workload.inSnapshot {
        try store.snapshot()
        try store.checkpoint(.truncate)
      }
    }
    if arguments[0] == "closed" { try store.close() }
    _exit(0)
  }

  /// Of a log damaged in these ways SQLite keeps the commits before the damage, as after power loss. The log itself may not show that there
  /// were later ones.
  private static let cutShort: Set = ["log-cut", "log-flip", "log-zero", "log-header", "log-deleted"]

  private func damage(_ job: Job, _ worker: Worker, _ lane: Int, _ tally: Tally) throws {
    let state = try Paths.fresh("damage-\(lane)").appendingPathComponent("state")
    try FileManager.default.copyItem(at: template(job.family, job.isHalfClosed ? "half" : "closed"), to: state)
    var judged = DamageCase(
      damage: job.damage, folder: state.path, seed: job.family, isHalfClosed: job.isHalfClosed, batches: Workload.prepared,
      believesNoCheck: believesNoCheck, tool: tool)
    if job.damage.what == "log-stale" {
      judged.batches = Workload.prepared + 2
      let stale = try Data(contentsOf: URL(fileURLWithPath: Workload.store(state).path + "-wal"))
      let store = try Store.open(
        at: Workload.store(state), schemas: [library.schema], options: Workload.options(.durable, seed: job.family))
      for number in 1...2 {
        try store.write { [library] in try library.save(Workload.prepared + number, seed: job.family, in: $0) }
      }
      try store.close()
      try stale.write(to: URL(fileURLWithPath: Workload.store(state).path + "-wal"))
    } else {
      try job.damage.apply(to: state, other: template(job.family, "other"))
    }
    let log = try LogBytes(Workload.store(state).path + "-wal")
    let mayRollBack = Self.cutShort.contains(job.damage.what) && !log.hidesCommits
    tally.count()
    let name = "\(job.damage.what) \(job.isHalfClosed ? "half-closed" : "closed")"
    let command =
      "torture \(tool == nil ? "damage" : "tool") --what \(job.damage.what) --state \(job.isHalfClosed ? "half" : "closed") --seed \(job.family)"
    let findings = try judged.judge(
      by: worker, name, tally, repeatBy: command, as: tool == nil ? "damage" : "tool", keeps: !isControl
    ) { finding in
      guard finding.kind == "untold-rollback", mayRollBack else { return false }
      tally.note("\(job.damage.what) rolled back to a prefix")
      return true
    }
    if findings.isEmpty { tally.note("harmless or told") }
  }
}
