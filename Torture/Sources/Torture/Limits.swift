import CSteps
import Foundation
import Holdfast

/// A process that may not have more: files only up to a length, as a full disk gives it, and memory only up to a sum.
struct Limits: Sabotaged {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var only: Attack?
  /// `<kind>,<bytes>`, to repeat one.
  var limit: String?
  var environment: [String: String] = [:]

  enum Kind: String, CaseIterable, Sendable {
    /// `RLIMIT_FSIZE`, with `SIGXFSZ` ignored: a write beyond it fails with EFBIG.
    case file
    /// SQLite's own limit of its memory. Swift ends a process to which the system gives no memory, so `RLIMIT_AS` tests Swift.
    case memory

    /// The codes that tell the truth.
    var codes: Set<String> { self == .file ? ["disk_full", "input_output"] : ["out_of_memory"] }

    func bytes(_ attack: Attack, _ random: inout Chance) -> Int {
      switch self {
      // SQLite's index of the log alone has 32 KB.
      case .file:
        random.percent(30) ? 4_096 + random.below(40_000) : 32_768 + random.below(attack.workload == .largeCommit ? 4_000_000 : 160_000)
      case .memory: 60_000 + random.below(attack.workload == .largeCommit ? 4_000_000 : 700_000)
      }
    }
  }

  private struct Job: Sendable {
    var attack: Attack
    var kind: Kind
    var bytes: Int
  }

  func run(_ name: String = "limits") throws -> Tally {
    let tally = Tally(name)
    try tally.rounds(wanted, until: deadline, isSingle: limit != nil) { round in
      var random = Chance(seed &+ 19 &+ round)
      var jobs: [Job] = []
      for attack in only.map({ [$0] }) ?? Attack.all(seed: seed &+ round) {
        _ = try attack.prepare()
        if let parts = limit?.split(separator: ","), parts.count == 2, let kind = Kind(rawValue: String(parts[0])) {
          jobs.append(Job(attack: attack, kind: kind, bytes: Int(parts[1]) ?? 0))
        } else {
          for kind in Kind.allCases { jobs.append(Job(attack: attack, kind: kind, bytes: kind.bytes(attack, &random))) }
        }
      }
      inLanes(jobs, until: deadline) { job, worker, lane in try hold(job, worker, lane, tally) }
    }
    return tally
  }

  private func hold(_ job: Job, _ worker: Worker, _ lane: Int, _ tally: Tally) throws {
    let root = try Paths.fresh("limit-\(lane)").appendingPathComponent("live")
    try FileManager.default.copyItem(at: job.attack.prepare(), to: root)
    var environment = environment
    environment["TORTURE_LIMIT"] = "\(job.kind.rawValue),\(job.bytes)"
    let outcome = try job.attack.run(in: root, environment: environment)
    tally.count()
    let name = "\(job.attack.workload.rawValue) \(job.kind.rawValue)"
    let command = "torture limits \(job.attack.arguments) --limit \(job.kind.rawValue),\(job.bytes)"
    outcome.judge(name, tally, repeatBy: command, otherwise: "had enough") { _ in job.kind.codes }
    try job.attack.judged(root, outcome.done, losesPower: false)
      .judge(by: worker, name, tally, repeatBy: command, as: "limit", keeps: self.environment.isEmpty)
  }

  /// The child's side.
  static func setOwn() {
    guard let parts = ProcessInfo.processInfo.environment["TORTURE_LIMIT"]?.split(separator: ","), parts.count == 2,
      let kind = Kind(rawValue: String(parts[0])), let bytes = Int(parts[1])
    else { return }
    switch kind {
    case .file:
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    case .memory: memory_limit(Int64(bytes))
    }
  }
}
