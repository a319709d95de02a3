import Foundation
import Holdfast
import Synchronization

/// Records a workload, and rebuilds what a disk may hold when the power goes after each of its operations.
struct PowerLoss {
  var seed: UInt64
  /// How many different states at least, time allowing.
  var wanted: Int
  var deadline: Date
  var only: Attack?

  enum Control: String {
    case fastAsDurable = "fast held to durable"
    case noFolderFlushes = "folders are not flushed"
    /// Rule R1 of the archive is off.
    case noSegmentFlushes = "an archive's segments are not flushed"
  }

  func run() throws -> Tally {
    let tally = Tally("power loss, states")
    try attack(tally, wanted: wanted, only.map { [$0] })
    return tally
  }

  /// With these, the method must find something.
  func control(_ control: Control) throws -> Tally {
    let tally = Tally("control, \(control.rawValue), states")
    let workloads: [Workload] =
      switch control {
      case .fastAsDurable: [.commits]
      case .noFolderFlushes: [.commits, .importNew, .export, .snapshot]
      case .noSegmentFlushes: [.archive]
      }
    let attacks = workloads.map { Attack(workload: $0, durability: control == .fastAsDurable ? .fast : .durable, seed: seed) }
    try attack(tally, wanted: wanted, attacks, control)
    return tally
  }

  private func attack(_ tally: Tally, wanted: Int, _ attacks: [Attack]?, _ control: Control? = nil) throws {
    try tally.rounds(wanted, until: deadline) { round in
      let attacks = (attacks ?? Attack.all(seed: seed)).map { $0.inTurn($0.seed + round) }
      for attack in attacks { _ = try attack.prepare() }
      // Not more of one seed: another one finds more.
      let share = min(400, max(40, (wanted - tally.done - 1) / attacks.count + 1))
      inLanes(attacks, until: deadline) { attack, worker, lane in
        try states(of: attack, share, worker, lane, tally, control)
      }
    }
  }

  private func states(of attack: Attack, _ share: Int, _ worker: Worker, _ lane: Int, _ tally: Tally, _ control: Control?) throws {
    let root = try Paths.fresh("power-\(lane)").appendingPathComponent("live")
    try FileManager.default.copyItem(at: attack.prepare(), to: root)
    let model = try DiskModel(root)
    let trace = root.path + ".trace"
    unlink(trace)
    var environment = ["TORTURE_TRACE": trace]
    if control == .noFolderFlushes { environment["TORTURE_IGNORE"] = "folders" }
    if control == .noSegmentFlushes { environment["TORTURE_IGNORE"] = "segments" }
    let outcome = try attack.run(in: root, environment: environment)
    guard outcome.end == .exited(0) else {
      tally.find(
        Finding(kind: "cannot-run", detail: "\(outcome.end) \(outcome.failure ?? "")"), attack.workload.rawValue,
        repeatBy: "torture power \(attack.arguments)")
      return
    }
    let operations = try Trace(trace, root: root.path).operations
    var random = Chance(attack.seed &+ 77)
    var seen: Set<Int> = []
    var acks: [String] = []
    let asked = share
    // The states of the first are megabytes long; those of the second take long to judge.
    let share = attack.workload == .largeCommit ? share / 8 : attack.workload == .housekeeping ? share / 2 : share
    // As many states at each point as the share allows; where there are more points than states, some by chance.
    let perPoint = max(1, min(10, share / max(1, operations.count)))
    let chance = max(1, min(100, 100 * share / max(1, operations.count * perPoint)))
    var made = 0
    for (index, operation) in operations.enumerated() {
      model.apply(operation)
      if case .acknowledge(let line) = operation { acks.append(line) }
      guard random.percent(chance) || index == operations.count - 1 else { continue }
      for number in 0..<perPoint {
        guard Date() < deadline else { return }
        let loss = perPoint >= 5 && number < 2 ? DiskModel.Loss.allCases[number] : DiskModel.Loss.allCases[random.below(5)]
        // The archive's ballast only takes room, and is made again.
        let files = model.files(after: loss, &random).filter { !$0.key.hasSuffix("/archive/ballast") }
        var hasher = Hasher()
        hasher.combine(acks.count)
        for (path, content) in files.sorted(by: { $0.key < $1.key }) {
          hasher.combine(path)
          if let content { content.withUnsafeBytes { hasher.combine(bytes: $0) } }
        }
        guard seen.insert(hasher.finalize()).inserted else { continue }
        let state = try Paths.fresh("power-\(lane)/state")
        try Failures.copy(files, to: state)
        var judged = attack.judged(state, acks, losesPower: true, promise: control == .fastAsDurable ? .durable : nil)
        made += 1
        for work in Interrupted.works(files.keys) { tally.note("during \(work)") }
        judged.looksFirst = made % 6 == 0
        judged.runsAgain = made % 4 == 0
        for finding in try worker.ask(judged) {
          let name = "\(attack.workload.rawValue) \(attack.durability.rawValue)"
          let isNew = tally.find(
            finding, name, repeatBy: "torture power \(attack.arguments) --number \(asked); operation \(index), loses \(loss.rawValue)")
          guard isNew, control == nil else { continue }
          let command = Failures.keep(judged, as: "power-\(attack.name)-\(finding.kind)") { try Failures.copy(files, to: $0) }
          tally.repeatBy(name, finding.kind, "\(command); \(loss.rawValue) is lost after operation \(index) of \(operations.count)")
        }
        tally.count()
      }
    }
  }
}
