internal import ArgumentParser
internal import Foundation
internal import SyncHistory

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "The same, with each part killed once before your eyes, and what it cost.")

  func run() throws {
    let begun = Clock.nanoseconds
    let run = try FaultRun(devices: 4, seed: UInt64(getpid())) { try Cluster(in: $0, isSynchronous: true, seed: 1, $1) }
    guard let cluster = run.side as? Cluster else { return }
    tell("Starting PostgreSQL with two replicas, two nodes of holdfast-server, nginx, and four devices …")
    let isFine = run.run {
      wait(seconds: FaultRun.patience) { run.stations.allSatisfy { $0.history.acknowledged() > 0 } }
      tell(
        """
        Running after \(Self.seconds(since: begun)) s, PostgreSQL \(cluster.database.version). \
        Four devices write all the time and sync through nginx.
        A commit counts when one of the two replicas has it, too. Now each part is killed with SIGKILL.

        \(Self.row("killed", "next push", "all four", "acknowledged", "lost"))
        """)
      try show("nothing, to compare", run) {}
      let station = run.stations[1]
      try show("device 2 of 4, started again", run) {
        run.kill(station)
        try run.startDevice(station)
      }
      for fault in [.nodeKilled, .nodeStopped, .balancerKilled, .replicaKilled, .replicasKilled, .primaryKilled, .primaryKilled] as [Fault]
      {
        try show(nil, run) { _ = try cluster.breakIt(fault, in: run) }
      }
      try consult(cluster)
      tell("\nNow they stop writing, send what waits, and all is compared …")
    }
    run.reportViolations()
    guard isFine else { throw ExitCode(1) }
    tell(
      """
      \(run.sum { $0.committed }) transactions by four devices; every device and the server have all of them, with the same rows and digest.
      Lost: nothing. \(Self.seconds(since: begun)) s in all. “next push”: seconds from the kill until a device's push was acknowledged,
      “all four”: until each device's was. Whoever notices a dead primary needs time on top of it: here that is this program, at once.
      """)
  }

  /// Does something, and tells in one line how long pushes waited and what is lost of what was acknowledged.
  private func show(_ name: String?, _ run: FaultRun, _ body: () throws -> Void) throws {
    let since = Clock.nanoseconds
    try body()
    guard wait(seconds: FaultRun.patience, for: { run.stations.allSatisfy { $0.recovery(since: since) != nil } }) else {
      throw ServerProgram.Failure("not all devices could push any more after: \(name ?? "")")
    }
    let times = run.stations.compactMap { $0.recovery(since: since) }.sorted()
    let before = run.tally.violations.count
    let acknowledged = run.stations.map { $0.history.acknowledged() }.reduce(0, +)
    try run.check()
    let lost = run.tally.violations.count - before
    let story = name ?? (run.side as? Cluster)?.story ?? ""
    tell(Self.row(story, times[0].tenths + " s", times[times.count - 1].tenths + " s", "\(acknowledged)", "\(lost)"))
  }

  /// Asks `doctor` about the real replicas: both, one, and none.
  private func consult(_ cluster: Cluster) throws {
    tell("")
    for (dead, expected) in [[], ["spare"], ["replicas", "waiting"]].enumerated() {
      if dead > 0 { _ = cluster.database.kill(cluster.database.replicas[dead - 1]) }
      var findings = ["nothing yet"]
      // The primary needs a moment to notice.
      wait(seconds: 30) {
        findings = (try? cluster.findings()) ?? ["no answer"]
        return findings == expected
      }
      guard findings == expected else { throw ServerProgram.Failure("with \(2 - dead) replicas, doctor finds \(findings)") }
      tell("holdfast-server doctor, with \(2 - dead) replicas: \(findings.isEmpty ? "no findings" : findings.joined(separator: ", "))")
    }
    for replica in cluster.database.replicas { try cluster.database.start(replica) }
    try cluster.database.waitForReplicas()
  }

  private static func seconds(since nanosecond: UInt64) -> String { (Double(Clock.nanoseconds - nanosecond) / 1e9).tenths }

  private static func row(_ cells: String...) -> String {
    zip(cells, [-36, 12, 12, 15, 7]).map { cell, width in
      let space = String(repeating: " ", count: max(0, abs(width) - cell.count))
      return width < 0 ? cell + space : space + cell
    }.joined()
  }

  /// At once, also into a file.
  private func tell(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
