internal import ArgumentParser
internal import Foundation

/// `sync-bench load`: a server in a process of its own under load, as ratios within one run.
struct Load: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures a server under load, and prints a table of what must be and what is.",
    discussion: """
      Devices, server and database share this machine, so the figures are of all together. PostgreSQL's programs must be there for a \
      throw-away one, and psql and pgbench in the PATH. Memory and processor's time are those that Linux tells.

      Example: sync-bench load --store sqlite --only singles,polls
      Example: sync-bench load --only soak --minutes 60 --devices 200 --faults 5
      """)

  enum Part: String, CaseIterable { case pushes, singles, polls, pull, device, soak }

  @Option(
    help: ArgumentHelp(
      "The server's store: sqlite or postgres, which are thrown away, or a superuser's postgres://USER@HOST/DATABASE that is empty.",
      valueName: "store"))
  var store = "postgres"
  @Option(help: ArgumentHelp("What is measured: pushes, singles, polls, pull, device, soak. Default: all.", valueName: "parts"))
  var only = Part.allCases.map(\.rawValue).joined(separator: ",")
  @Option(help: "Timed rounds of what is compared.") var rounds = 5
  @Option(help: "Idle long polls.") var polls = 10_000
  @Option(help: "Rows of the first pull.") var rows = 100_000
  @Option(help: "Rows of the device whose memory is measured.") var deviceRows = 1_000_000
  @Option(help: "How long devices edit and sync.") var minutes = 2.0
  @Option(help: "Devices that edit and sync.") var devices = 200
  @Option(help: "Rounds of theirs that are cut off, in percent.") var faults = 5
  @OptionGroup var verdict: Table.Verdict

  private var parts: [Part?] { only.split(separator: ",").map { Part(rawValue: String($0)) } }

  func validate() throws {
    guard !parts.contains(nil) else { throw ValidationError("--only takes \(Part.allCases.map(\.rawValue).joined(separator: ","))") }
    guard min(rounds, polls, rows, deviceRows, devices) > 0, minutes > 0, 0...100 ~= faults else {
      throw ValidationError("the numbers must be above zero, and --faults at most 100")
    }
  }

  func run() async throws {
    let folder = try SyncBench.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let kept: LoadStore =
      switch store {
      case "sqlite": .file(folder.appendingPathComponent("server.sqlite"))
      case "postgres": .database(try Database.start())
      default: .database(try Database(store))
      }
    let process = try OwnProcess(["serve", kept.address])
    defer { process.end() }
    guard let address = URL(string: "http://127.0.0.1:\(try process.line())") else { throw Failure("the server has no port") }
    let server = BenchServer(server: try await BenchServer.open(kept.address), address: address, folder: folder)
    print(Table.head)
    var all: [Table.Line] = []
    for part in Part.allCases where parts.contains(part) {
      let lines = try await lines(of: part, server, process.id, kept)
      for line in lines { print(line.text) }
      fflush(nil)
      all += lines
    }
    print("\n\(try kept.settings())")
    var load = [0.0, 0, 0]
    getloadavg(&load, 3)
    print("\(ProcessInfo.processInfo.activeProcessorCount) processors, load \(Table.number(load[2])) on average of the last 15 minutes")
    try verdict.end(all)
  }

  private func lines(of part: Part, _ server: BenchServer, _ process: Int32, _ kept: LoadStore) async throws -> [Table.Line] {
    switch part {
    case .pushes:
      guard case .database(let database) = kept else { return [] }
      let pushes = try await LoadPushes.beside(database, server, rounds: rounds)
      let ratio = zip(pushes.pushed, pushes.upserted).map { $0 / $1 }.median
      return [
        Table.line(
          "pushes of 100 rows, \(LoadPushes.clients) devices", ">= 0.6 x pgbench", ratio, ratio >= 0.6,
          "\(Table.number(pushes.pushed.median)) pushes/s, pgbench \(Table.number(pushes.upserted.median))")
      ]
    case .singles:
      let singles = try await LoadPushes.singles(server, rounds: rounds)
      let ratio = zip(singles.byMany, singles.byOne).map { $0 / $1 }.median
      return [
        Table.line(
          "single pushes on one space, \(LoadPushes.many) devices", ">= 5 x one device", ratio, ratio >= 5,
          "\(Table.number(singles.byMany.median)) pushes/s, one device \(Table.number(singles.byOne.median))")
      ]
    case .polls:
      let idle = try await IdlePolls.run(server, process: process, polls: polls)
      let (all, percent) = (idle.waiting >= polls, idle.share * 100)
      // A server that has ended, and one on a system without /proc, seems to use nothing.
      let isWhole = all && idle.megabytes > 0
      let note = "\(idle.waiting) polls, \(idle.answers) answers in 50 s" + (all ? "" : "; a process may open \(idle.limit) files")
      return [
        Table.line("\(polls) idle long polls: the server's memory", "<= 500 MB", idle.megabytes, isWhole && idle.megabytes <= 500, note),
        Table.line("\(polls) idle long polls: of a core", "<= 5 %", percent, isWhole && percent <= 5, note),
      ]
    case .pull:
      let pull = try await LoadPulls.run(server, process: process, kept, rows: rows)
      let ratio = pull.reading > 0 ? (pull.server + pull.database) / pull.reading : 0
      func each(_ seconds: Double) -> String { Table.number(seconds / Double(LoadPulls.rounds)) }
      return [
        Table.line(
          "first pull of \(rows) rows: the server's CPU", "<= 3 x a plain SELECT to a file", ratio, pull.reading > 0 && ratio <= 3,
          "server \(each(pull.server)) s, database \(each(pull.database)) s, SELECT \(each(pull.reading)) s")
      ]
    case .device:
      let device = try await LoadPulls.device(server, rows: deviceRows)
      guard device.count == 3 else { throw Failure("the device says nothing") }
      return [
        Table.line(
          "first pull of \(deviceRows) rows: the device's memory", "<= 150 MB", device[2], device[2] > 0 && device[2] <= 150,
          "\(Table.number(device[0])) s, \(Table.number(device[1])) MB before")
      ]
    case .soak:
      let soak = try await Soak.run(server, process: process, minutes: minutes, devices: devices, faults: faults)
      let broken = Double(soak.differing + soak.problems.count)
      let (from, to) = (soak.memory.first ?? 0, soak.memory.last ?? 0)
      return [
        Table.line(
          "\(devices) devices, \(Table.number(minutes)) minutes: the server's memory", "+- 5 %", soak.drift * 100,
          soak.isMeasured && soak.drift <= 0.05,
          "\(Table.number(from)) MB after a fifth, \(Table.number(to)) MB at the end"),
        Table.line(
          "\(devices) devices, \(Table.number(minutes)) minutes: rows and digests that differ", "0", broken, broken == 0,
          "\(soak.rounds) rounds, \(soak.cut) cut off, \(soak.failed) failed otherwise \(soak.problems.prefix(1).joined())"),
      ]
    }
  }
}
