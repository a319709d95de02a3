internal import ArgumentParser
internal import SyncHistory

/// `sync-faults`: the real server and real devices, as processes that are killed, cut off, and run out of disk. For Linux.
@main
struct SyncFaults: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-faults",
    abstract: "Breaks devices, server and network for a while, and checks what the devices saw and what is there at the end.",
    discussion: "Exit codes: 0 every promise held and every kind of fault happened; 1 otherwise: the files are kept.",
    subcommands: [RunCommand.self, ClusterCommand.self, ShowCommand.self, DeviceCommand.self])
}

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "One server with its store in a file.")

  @Option(help: "How long faults happen.") var seconds = 60.0
  @Option(help: "Chooses faults, edits and times. What the system makes of them differs from run to run.") var seed: UInt64 = 1
  @Flag(help: "Makes the server lose what it has acknowledged. The run then fails unless its checks find that.") var sabotage = false

  func run() throws {
    let run = try FaultRun(devices: 3, seed: seed, expecting: sabotage ? .lostAcknowledged : nil) { folder, _ in
      SingleServer(in: folder, isSabotaged: sabotage)
    }
    let needed = seconds < 60 ? [] : run.side.faults + Fault.ofConnections
    let isFine = run.run(needed) {
      try run.breakThings(seconds: seconds)
      if sabotage { try run.insist(on: .serverKilled) { run.hasFound(.lostAcknowledged) } }
    }
    run.report()
    if !isFine { throw ExitCode(1) }
  }
}
