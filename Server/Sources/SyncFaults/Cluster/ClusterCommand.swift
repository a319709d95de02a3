internal import ArgumentParser
internal import SyncHistory

struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Two nodes behind nginx, and PostgreSQL with two replicas.")

  @Option(help: "How long faults happen.") var seconds = 100.0
  @Option(help: "Chooses faults, edits and times. What the system makes of them differs from run to run.") var seed: UInt64 = 1
  @Flag(help: "No commit waits for a replica, and replicas that lag take over: acknowledged writes are lost on the server for a while.")
  var lagging = false

  @Flag(help: "Lets a lagging replica take over and expects it to have all. The run then fails unless its checks find that it has not.")
  var sabotage = false

  func run() throws {
    let run = try FaultRun(devices: 4, seed: seed, expecting: sabotage ? .lostAcknowledged : nil) {
      try Cluster(in: $0, isSynchronous: !lagging && !sabotage, isSabotaged: sabotage, seed: seed, $1)
    }
    let needed = (seconds < 100 ? [] : run.side.faults + Fault.ofConnections) + (lagging ? [.laggingPromoted] : [])
    let isFine = run.run(needed) {
      try run.breakThings(seconds: seconds)
      if sabotage { try run.insist(on: .laggingPromoted) { run.hasFound(.lostAcknowledged) } }
    }
    run.report()
    if lagging { print("\(run.tally[Cluster.lost]) \(Cluster.lost)") }
    print("seconds until the next acknowledged push, median and longest:")
    for (fault, seconds) in run.tally.seconds.sorted(by: { $0.key < $1.key }) {
      let sorted = seconds.sorted()
      print("  \(fault): \(sorted[sorted.count / 2].tenths), \(sorted[sorted.count - 1].tenths) of \(sorted.count)")
    }
    if !isFine { throw ExitCode(1) }
  }
}

extension Double {
  /// With one digit behind the point.
  var tenths: String { "\((self * 10).rounded() / 10)" }
}
