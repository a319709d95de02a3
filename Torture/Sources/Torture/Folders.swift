import Foundation
import Holdfast

/// Folders that may not be written to, that go away in the middle of a run and come back, and that are deleted.
struct Folders: Sabotaged {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var only: Attack?
  /// `<way>,<microseconds>`, to repeat one at about the same moment.
  var way: String?
  var environment: [String: String] = [:]

  private enum Way: String, CaseIterable {
    case readOnly = "read-only"
    case away, deleted
  }

  private struct Job: Sendable {
    var attack: Attack
    var way: Way
    var microseconds: UInt32
  }

  func run(_ name: String = "folders") throws -> Tally {
    let tally = Tally(name)
    let given = way?.split(separator: ",").map(String.init)
    var random = Chance(seed &+ 9)
    try tally.rounds(wanted, until: deadline, isSingle: way != nil) { _ in
      var jobs: [Job] = []
      for attack in only.map({ [$0] }) ?? Attack.all(seed: seed) {
        _ = try attack.prepare()
        for way in Way.allCases where way != .readOnly || SmallDisk.isPossible {
          if let given, given.first != way.rawValue { continue }
          let microseconds = given?.last.flatMap(UInt32.init) ?? UInt32(3_000 + random.below(40_000))
          jobs.append(Job(attack: attack, way: way, microseconds: microseconds))
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
      in: root, environment: environment,
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
    let command = "torture folders \(job.attack.arguments) --way \(job.way.rawValue),\(job.microseconds)"
    outcome.judge(name, tally, repeatBy: command, otherwise: "went on") { _ in
      job.way == .readOnly
        ? ["read_only", "cannot_create", "permission_denied", "disk_full"] : ["not_found", "input_output", "cannot_create", "read_only"]
    }
    guard job.way != .deleted else { return }
    if job.way == .away {
      // What was made at the old place meanwhile stands in the way of what comes back.
      try? FileManager.default.removeItem(at: root)
      rename(away, root.path)
    }
    let copy = try Paths.fresh("folder-\(lane)-copy").appendingPathComponent("state")
    try FileManager.default.copyItem(at: root, to: copy)
    try job.attack.judged(copy, outcome.done, losesPower: false)
      .judge(by: worker, name, tally, repeatBy: command, as: "folder", keeps: environment.isEmpty)
  }
}
