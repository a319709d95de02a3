import Foundation
import Holdfast

/// Attacks stores, and exits with 1 when something was found that must not be. `Torture/README.md` says how it works.
@main
struct Torture {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let verb = arguments.first else { usage() }
    let rest = Array(arguments.dropFirst())
    // A worker or child that ends must not end this process.
    signal(SIGPIPE, SIG_IGN)
    do {
      switch verb {
      case "child": Attack.child(rest)
      case "worker": Worker.serve()
      case "store": try DamageRun.store(rest)
      default:
        try FileManager.default.createDirectory(atPath: Paths.scratch, withIntermediateDirectories: true)
        let isFine = try run(verb, rest)
        try? FileManager.default.removeItem(atPath: Paths.scratch)
        exit(isFine ? 0 : 1)
      }
    } catch {
      try? FileManager.default.removeItem(atPath: Paths.scratch)
      print("the harness failed: \(error)")
      exit(2)
    }
  }

  private static func run(_ verb: String, _ rest: [String]) throws -> Bool {
    if verb == "judge", let path = rest.first { return try Failures.judge(path) }
    let options = try Options(rest)
    print("torture \(verb): seed \(options.seed)")
    switch verb {
    case "power": return report([try options.power(3_000).run()])
    case "kill": return report([try options.kills(300).run()])
    case "fault": return report([try options.faults(200).run()])
    case "damage": return report([try options.damages(500).run()])
    case "controls": return try controls(options)
    default: usage()
    }
  }

  private static func report(_ tallies: [Tally]) -> Bool {
    for tally in tallies { tally.report() }
    return tallies.allSatisfy { $0.total == 0 }
  }

  /// Each must find something, or the method proves nothing.
  private static func controls(_ options: Options) throws -> Bool {
    let tallies = [
      try options.power(300).control(.fastAsDurable), try options.power(300).control(.noFolderFlushes),
    ]
    for tally in tallies { print("\(tally.method): \(tally.done), \(tally.total) findings\(tally.total == 0 ? ": IT SHOULD FIND SOME" : ", as it must")") }
    return tallies.allSatisfy { $0.total > 0 }
  }

  private static func usage() -> Never {
    print(
      """
      torture power|kill|fault|damage|controls [--seconds N] [--number N] [--seed N]
        [--workload NAME --durability fast|durable] [--at N] [--fault KIND,N,ERROR,once|for-good] [--what DAMAGE --state closed|half]
      torture judge FOLDER
      """)
    exit(64)
  }
}

/// What the command line says.
struct Options {
  var seed: UInt64 = 1
  var seconds: Double = 600
  /// How many to do, in place of the method's own number.
  var number: Int?
  var at: Int?
  var only: Attack?
  var fault: String?
  var damage: (what: String, isHalfClosed: Bool)?

  struct Unknown: Error { var argument: String }

  init(_ arguments: [String]) throws {
    var named: [String: String] = [:]
    var index = 0
    while index < arguments.count {
      guard arguments[index].hasPrefix("--"), index + 1 < arguments.count else { throw Unknown(argument: arguments[index]) }
      named[String(arguments[index].dropFirst(2))] = arguments[index + 1]
      index += 2
    }
    seed = named["seed"].flatMap { UInt64($0) } ?? seed
    seconds = named["seconds"].flatMap { Double($0) } ?? seconds
    number = named["number"].flatMap { Int($0) }
    at = named["at"].flatMap { Int($0) }
    fault = named["fault"]
    damage = named["what"].map { ($0, named["state"] == "half") }
    if let name = named["workload"] {
      guard let workload = Workload(rawValue: name) else { throw Unknown(argument: name) }
      only = Attack(workload: workload, durability: named["durability"] == "fast" ? .fast : .durable, seed: seed)
    }
  }

  var deadline: Date { Date().addingTimeInterval(seconds) }

  func power(_ wanted: Int) -> PowerLoss { PowerLoss(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only) }
  func kills(_ wanted: Int) -> Kills { Kills(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only, at: at) }
  func faults(_ wanted: Int) -> Faults { Faults(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only, fault: fault) }
  func damages(_ wanted: Int) -> DamageRun { DamageRun(seed: seed, wanted: number ?? wanted, deadline: deadline, only: damage) }
}
