import Foundation
import Holdfast

/// Several processes that commit into one store at once; each is killed, at a random moment or before one of its file operations, and
/// another one takes its place. At the end of a round all are killed. In half of the rounds the store is archived, by one of them at a time.
struct SharedKills: Sabotaged {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var environment: [String: String] = [:]

  static let writers = 4
  private static let killsPerRound = 24

  private struct Victim {
    var process: Subprocess
    var end: Date
  }

  func run(_ name: String = "kills among writers") throws -> Tally {
    let tally = Tally(name)
    let worker = Worker()
    try tally.rounds(wanted, until: deadline) { try kill(seed &+ $0, worker, tally) }
    return tally
  }

  private func kill(_ seed: UInt64, _ worker: Worker, _ tally: Tally) throws {
    var random = Chance(seed &+ 57)
    let durability: StoreOptions.Durability = seed % 2 == 0 ? .fast : .durable
    let isArchived = seed / 2 % 2 == 0
    let command = "torture shared-kills --seed \(seed) --number 1"
    let folder = try Paths.fresh("shared-kills")
    let live = folder.appendingPathComponent("live")
    try FileManager.default.createDirectory(at: live, withIntermediateDirectories: true)
    var number = 0
    func start() throws -> Victim {
      number += 1
      var environment = environment
      if isArchived { environment[Attack.archives] = "1" }
      var end = Date().addingTimeInterval(Double(5 + random.below(200)) / 1_000)
      if random.percent(50) {
        environment["LD_PRELOAD"] = Paths.shim
        environment["TORTURE_ROOT"] = live.path
        environment["TORTURE_KILL_AT"] = String(1 + random.below(200))
        end += 1
      }
      return Victim(
        process: try Subprocess(["writer", String(number), String(seed), live.path, durability.rawValue], environment: environment),
        end: end)
    }
    var victims = try (0..<Self.writers).map { _ in try start() }
    var killed = 0
    while killed < Self.killsPerRound {
      usleep(1_000)
      for index in victims.indices {
        if Date() > victims[index].end { victims[index].process.signal(SIGKILL) }
        guard let end = victims[index].process.poll() else { continue }
        if end != .signalled(SIGKILL) { tally.find(Finding(kind: "trap", detail: "\(end)"), durability.rawValue, repeatBy: command) }
        killed += 1
        victims[index] = try start()
      }
    }
    for victim in victims { victim.process.signal(SIGKILL) }
    for victim in victims { _ = victim.process.wait() }
    tally.count(killed + victims.count)
    let judged = SharedCase(method: .writers, folder: folder.path, seed: seed, isArchived: isArchived)
    tally.note("commits acknowledged", judged.lines.count { $0.hasPrefix("commit") })
    tally.note("waits that ended as busy", judged.lines.count { $0.hasPrefix("busy") })
    try judged.judge(by: worker, durability.rawValue, tally, repeatBy: command, as: judged.method.rawValue, keeps: environment.isEmpty)
  }
}
