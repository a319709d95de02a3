import Foundation
import Holdfast

/// Folders that may not be written to, that go away in the middle of a run and come back, and that are deleted.
struct Folders {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var only: Attack?

  private enum Way: String, CaseIterable {
    case readOnly = "read-only"
    case away, deleted
  }

  private struct Job: Sendable {
    var attack: Attack
    var way: Way
    var microseconds: UInt32
  }

  func run() throws -> Tally {
    let tally = Tally("folders")
    var random = Chance(seed &+ 9)
    while tally.done < wanted, Date() < deadline {
      var jobs: [Job] = []
      for attack in only.map({ [$0] }) ?? Attack.all(seed: seed) {
        _ = try attack.prepare()
        for way in Way.allCases where way != .readOnly || SmallDisk.isPossible {
          jobs.append(Job(attack: attack, way: way, microseconds: UInt32(3_000 + random.below(40_000))))
        }
      }
      inLanes(jobs, until: deadline) { job, worker, lane in try disturb(job, worker, lane, tally) }
    }
    return tally
  }

  private func disturb(_ job: Job, _ worker: Worker, _ lane: Int, _ tally: Tally) throws {
    let root = try Paths.fresh("folder-\(lane)").appendingPathComponent("live")
    let prepared = try job.attack.prepare()
    var disk: SmallDisk?
    defer { disk?.remove() }
    if job.way == .readOnly {
      disk = try SmallDisk(at: root, pages: SmallDisk.pages(of: prepared) + 4)
      for name in try FileManager.default.contentsOfDirectory(atPath: prepared.path) {
        try FileManager.default.copyItem(at: prepared.appendingPathComponent(name), to: root.appendingPathComponent(name))
      }
      try disk?.makeReadOnly()
    } else {
      try FileManager.default.copyItem(at: prepared, to: root)
    }
    let away = root.path + ".away"
    let outcome = try job.attack.run(
      in: root, environment: [:],
      meanwhile: job.way == .readOnly
        ? nil
        : {
          usleep(job.microseconds)
          // To a new name in one step: what a deletion would leave half done belongs to the deletion.
          rename(root.path, away)
          if job.way == .deleted { try? FileManager.default.removeItem(atPath: away) }
        })
    tally.count()
    let name = "\(job.attack.workload.rawValue) \(job.way.rawValue)"
    let command = "torture folders \(job.attack.arguments)"
    switch outcome.end {
    case .exited(0): tally.note("went on")
    case .exited(3):
      tally.note("were reported")
      let code = String((outcome.failure ?? "").prefix { $0 != ":" })
      let right: Set =
        job.way == .readOnly
        ? ["read_only", "cannot_create", "permission_denied", "disk_full"] : ["not_found", "input_output", "cannot_create", "read_only"]
      if !right.contains(code) { tally.find(Finding(kind: "wrong-code", detail: outcome.failure ?? ""), name, repeatBy: command) }
    default: tally.find(Finding(kind: "trap", detail: "\(outcome.end)"), name, repeatBy: command)
    }
    guard job.way != .deleted else { return }
    if job.way == .away {
      // What was made at the old place meanwhile stands in the way of what comes back.
      try? FileManager.default.removeItem(at: root)
      rename(away, root.path)
    }
    let copy = try Paths.fresh("folder-\(lane)-copy").appendingPathComponent("state")
    try FileManager.default.copyItem(at: root, to: copy)
    for finding in try worker.judge(job.attack.judged(copy, outcome.done, losesPower: false)) {
      tally.find(finding, name, repeatBy: command)
    }
  }
}
