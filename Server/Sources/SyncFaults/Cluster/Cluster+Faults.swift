internal import Foundation
internal import SyncHistory

extension Cluster {
  func breakIt(_ fault: Fault, in run: FaultRun) throws -> Bool {
    let since = Clock.nanoseconds
    let hadEffect = try hadEffect(fault, run)
    guard wait(seconds: FaultRun.patience, for: { run.stations.contains { $0.recovery(since: since) != nil } }) else {
      throw ServerProgram.Failure("no push was acknowledged any more after: \(fault.rawValue)")
    }
    run.tally.measure(fault.rawValue, run.stations.compactMap { $0.recovery(since: since) }.min() ?? 0)
    return hadEffect
  }

  private func hadEffect(_ fault: Fault, _ run: FaultRun) throws -> Bool {
    switch fault {
    case .nodeKilled:
      let number = run.chance.below(2)
      run.expectKilled("node \(number + 1)", nodes[number].kill())
      usleep(UInt32(500_000 + run.chance.below(1_500_000)))
      try start(nodes[number])
      story = "node \(number + 1) of 2"
    case .nodeStopped:
      let number = run.chance.below(2)
      nodes[number].child?.signal(SIGSTOP)
      // The last is longer than nginx waits.
      usleep([2_000_000, 3_000_000, 4_000_000, 12_000_000][run.chance.below(4)])
      nodes[number].child?.signal(SIGCONT)
      story = "node \(number + 1) stands still"
    case .balancerKilled:
      run.expectKilled("nginx", killBalancer())
      try startBalancer()
      story = "nginx, started again"
    case .replicaKilled:
      let replica = database.replicas[run.chance.below(2)]
      expectKilled(replica, run)
      usleep(UInt32(500_000 + run.chance.below(1_500_000)))
      try database.start(replica)
      try database.waitForReplicas()
      story = "replica \(replica.name) of 2"
    case .replicasKilled:
      for replica in database.replicas { expectKilled(replica, run) }
      usleep(UInt32(500_000 + run.chance.below(1_500_000)))
      for replica in database.replicas { try database.start(replica) }
      try database.waitForReplicas()
      story = "both replicas, started again"
    case .primaryKilled:
      // Sometimes a replica dies with it, so that the other one may not have all.
      if run.chance.percent(30), let replica = database.replicas.randomElement(using: &run.chance) { expectKilled(replica, run) }
      try failOver(run)
    case .waitCancelled:
      for replica in database.replicas { expectKilled(replica, run) }
      usleep(1_500_000)
      let cancelled = try database.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").count
      usleep(500_000)
      try failOver(run)
      return cancelled > 0
    case .databaseFull: return try fillDisk(run)
    case .laggingPromoted: return try promoteLagging(run)
    default: return false
    }
    return true
  }

  private func expectKilled(_ member: Database.Member, _ run: FaultRun) {
    run.expectKilled("PostgreSQL \(member.name)", database.kill(member))
  }

  /// Kills the primary where it lives, and lets the replica that is farthest ahead take over. No node reaches it before it is checked: devices
  /// would send again what is lost.
  private func failOver(_ run: FaultRun) throws {
    let old = database.primary
    if old.child != nil { expectKilled(old, run) }
    letNodesIn(false)
    try database.promote()
    if !database.isSynchronous { run.rewoundAt = Clock.nanoseconds }
    try run.check()
    try database.follow()
    letNodesIn()
    story = "the primary \(old.name): \(database.primary.name) takes over"
    try database.mend()
  }

  /// A primary that cannot write ends its connections, and may end itself. Returns whether a request was refused.
  private func fillDisk(_ run: FaultRun) throws -> Bool {
    let (before, primary) = (run.tally[Proxy.refusals], database.primary)
    // Nothing; less than a segment of the log; less than the next segment.
    let size = [1, 100_000 + run.chance.below(500_000), 1_000_000][run.chance.below(3)]
    try primary.child?.limitFamilysFiles(to: size, errors: run.errors)
    let hasRefused = wait(seconds: 4) { run.tally[Proxy.refusals] > before || primary.child?.end != nil }
    usleep(1_000_000)
    try primary.child?.limitFamilysFiles(to: nil, errors: run.errors)
    wait(seconds: 20) { primary.child?.end != nil || (try? database.query("SELECT 1")) != nil }
    if primary.child?.end != nil {
      _ = database.kill(primary)
      try failOver(run)
    } else {
      try database.waitForReplicas()
    }
    return hasRefused
  }

  /// Cuts the replicas off, lets devices push, and lets a replica without these pushes take over. Returns whether anything acknowledged was lost.
  private func promoteLagging(_ run: FaultRun) throws -> Bool {
    try database.holdReplicas()
    let held = Clock.nanoseconds
    wait(seconds: 20) { run.stations.contains { $0.recovery(since: held) != nil } }
    let old = database.primary
    expectKilled(old, run)
    letNodesIn(false)
    try database.promote(isLast: true)
    let acknowledged = run.stations.map { $0.history.acknowledged() }
    let lost = zip(acknowledged, try sight(of: run.stations.count).counters).map { max(0, $0 - $1) }.reduce(0, +)
    run.tally.count(Self.lost, lost)
    if !isSabotaged { run.rewoundAt = Clock.nanoseconds }
    try run.check()
    letNodesIn()
    story = "the primary \(old.name): \(database.primary.name), which lags, takes over"
    try database.mend()
    return lost > 0
  }

  /// Counts transactions that were acknowledged and that a lagging replica did not have.
  static let lost = "acknowledged transactions that a lagging replica lacked, and devices sent again"
}
