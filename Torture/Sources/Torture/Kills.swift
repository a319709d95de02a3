import Foundation
import Holdfast

/// Ends the process at every place between two file operations, and at random moments.
struct Kills: Sabotaged {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var only: Attack?
  /// Only this one, to repeat it.
  var at: Int?
  /// Only after so many microseconds: about the same moment.
  var after: Int?
  var environment: [String: String] = [:]

  private struct Job: Sendable {
    var attack: Attack
    var at: Int?
    var microseconds: UInt32?
  }

  func run(_ name: String = "kills") throws -> Tally {
    let tally = Tally(name)
    try tally.rounds(wanted, until: deadline, isSingle: at != nil || after != nil) { round in
      let jobs = try jobs(round, wanted - tally.done)
      inLanes(jobs, until: deadline) { job, worker, lane in try kill(job, worker, lane, tally) }
    }
    return tally
  }

  /// The places of all workloads, mixed, so that a short run meets every workload.
  private func jobs(_ round: UInt64, _ wanted: Int) throws -> [Job] {
    var random = Chance(seed &+ round)
    var jobs: [Job] = []
    let attacks = (only.map { [$0] } ?? Attack.all(seed: seed)).map {
      $0.inTurn($0.seed + round)
    }
    for attack in attacks {
      _ = try attack.prepare()
      if let at {
        jobs.append(Job(attack: attack, at: at))
        continue
      }
      if let after {
        jobs.append(Job(attack: attack, microseconds: UInt32(after)))
        continue
      }
      let places = try Self.changes(of: attack)
      // Every place of most workloads; of those with thousands, some by chance in each round.
      let most = attack.workload == .largeCommit ? 40 : 220
      jobs += (1...max(1, places)).shuffled(using: &random).prefix(most).map { Job(attack: attack, at: $0) }
      let longest = attack.workload == .housekeeping ? 500_000 : 60_000
      jobs += (0..<max(2, min(most, places) / 10)).map { _ in Job(attack: attack, microseconds: UInt32(5_000 + random.below(longest))) }
    }
    jobs.shuffle(using: &random)
    guard wanted < jobs.count else { return jobs }
    // Each workload gets its turn.
    var byAttack = Dictionary(grouping: jobs, by: { $0.attack.name })
    var chosen: [Job] = []
    while chosen.count < wanted, !byAttack.isEmpty {
      for name in byAttack.keys.sorted() {
        if let job = byAttack[name]?.popLast() { chosen.append(job) } else { byAttack[name] = nil }
      }
    }
    return chosen
  }

  /// How many operations that change something an undisturbed run has.
  static func changes(of attack: Attack) throws -> Int { try counts(of: attack)["changes"] ?? 0 }

  static func counts(of attack: Attack) throws -> [String: Int] {
    let root = try Paths.fresh("counted").appendingPathComponent("live")
    try FileManager.default.copyItem(at: attack.prepare(), to: root)
    let counts = root.path + ".counts"
    _ = try attack.run(in: root, environment: ["TORTURE_COUNTS": counts])
    let text = (try? String(contentsOfFile: counts, encoding: .utf8)) ?? ""
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        return words.count == 2 ? Int(words[1]).map { (String(words[0]), $0) } : nil
      }, uniquingKeysWith: max)
  }

  private func kill(_ job: Job, _ worker: Worker, _ lane: Int, _ tally: Tally) throws {
    let root = try Paths.fresh("kill-\(lane)").appendingPathComponent("live")
    try FileManager.default.copyItem(at: job.attack.prepare(), to: root)
    var environment = environment
    if let at = job.at { environment["TORTURE_KILL_AT"] = String(at) }
    let outcome = try job.attack.run(in: root, environment: environment, killAfter: job.microseconds)
    let place = job.at ?? Int(job.microseconds ?? 0)
    let name = "\(job.attack.workload.rawValue) \(job.attack.durability.rawValue)"
    let command = "torture kill \(job.attack.arguments)" + (job.at.map { " --at \($0)" } ?? " --after \(job.microseconds ?? 0)")
    switch outcome.end {
    case .signalled(SIGKILL):
      tally.count()
      let left = try FileManager.default.subpathsOfDirectory(atPath: root.path)
      for work in Interrupted.works(left) { tally.note("during \(work)") }
    case .exited(0): tally.note("ended before the kill")
    default: tally.find(Finding(kind: "trap", detail: "\(outcome.end) \(outcome.failure ?? "")"), name, repeatBy: command)
    }
    var judged = job.attack.judged(root, outcome.acks, losesPower: false)
    judged.isOnlyKilled = true
    if job.attack.workload.isArchived, place.isMultiple(of: 2) {
      // The opening of a store that was killed, or what follows it, is killed as well.
      environment["TORTURE_KILL_AT"] = String(1 + place * 7 % (job.attack.workload == .housekeeping ? 400 : 60))
      let second = try job.attack.run(in: root, environment: environment)
      judged.acks += second.acks
      if second.end != .signalled(SIGKILL), second.end != .exited(0) {
        tally.find(Finding(kind: "trap", detail: "the second run: \(second.end) \(second.failure ?? "")"), name, repeatBy: command)
      }
    }
    try judged.judge(by: worker, name, tally, repeatBy: command, as: "kill", keeps: self.environment.isEmpty)
  }
}
