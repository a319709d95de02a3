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
      case "archived-store": try ArchiveDamageRun.store(rest)
      case "writer": try Processes.writer(rest)
      case "foreign": Processes.foreign(rest)
      case "version": Versions.version(rest)
      case "upkeep-writer": try Upkeep.writer(rest)
      case "keeper": try Upkeep.keeper(rest)
      case "stranger": try StrangersVerdict.judge(rest)
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
    fflush(nil)
    switch verb {
    case "encrypted":
      guard Keys.key != nil else { return try Keys.again(verb, rest) }
      return report([try options.kills(500).run("kills of encrypted stores"), try options.power(1_000).run()])
    case "salvage": return try options.salvages(20).run()
    case "controls": return try controls(options, 300)
    case "short": return try all(options, isShort: true)
    case "all": return try all(options, isShort: false)
    default:
      guard let method = methods.first(where: { $0.verb == verb }) else { usage() }
      return report([try method.run(options, method.own)])
    }
  }

  private struct Method {
    let verb: String
    /// How much it does alone, and as a part of a short run. A long run ends by its time.
    let own, short: Int
    /// Its part of the time of a long run: most goes to states, then to kills.
    let weight: Double
    let run: (Options, _ wanted: Int) throws -> Tally
  }

  private static var methods: [Method] {
    [
      Method(verb: "power", own: 3_000, short: 2_000, weight: 0.3) { try $0.power($1).run() },
      Method(verb: "kill", own: 300, short: 300, weight: 0.15) { try $0.kills($1).run() },
      Method(verb: "fault", own: 200, short: 200, weight: 0.1) { try $0.faults($1).run() },
      Method(verb: "damage", own: 500, short: 500, weight: 0.1) { try $0.damages($1).run() },
      // Each kind of damage four times or more.
      Method(verb: "archive-damage", own: 500, short: 232, weight: 0.07) { try $0.archiveDamages($1).run() },
      // Each kind of damage three times or more.
      Method(verb: "tool", own: 300, short: 168, weight: 0.06) { try $0.tool($1).run("damages, by the tool") },
      Method(verb: "full-disk", own: 60, short: 40, weight: 0.03) { try $0.fullDisks($1).run() },
      Method(verb: "limits", own: 100, short: 88, weight: 0.03) { try $0.limits($1).run() },
      Method(verb: "folders", own: 60, short: 30, weight: 0.02) { try $0.folders($1).run() },
      Method(verb: "shared-kills", own: 300, short: 112, weight: 0.03) { try $0.sharedKills($1).run() },
      Method(verb: "upkeep", own: 20, short: 4, weight: 0.04) { try $0.upkeep($1).run() },
      Method(verb: "versions", own: 40, short: 10, weight: 0.02) { try $0.versions($1).run() },
      // Each stranger with each way back once.
      Method(verb: "strangers", own: 72, short: 72, weight: 0.05) { try $0.strangers($1).run() },
      // For so many seconds.
      Method(verb: "processes", own: 20, short: 10, weight: 0.05) { try $0.processes($1 == .max ? $0.seconds : Double($1)).run() },
    ]
  }

  private static func all(_ options: Options, isShort: Bool) throws -> Bool {
    var tallies: [Tally] = []
    for method in methods {
      var options = options
      // On a quiet machine no method of a short run needs half of its time.
      options.seconds = isShort ? 150 : options.seconds * method.weight
      let tally = try method.run(options, isShort ? method.short : .max)
      tally.report()
      tallies.append(tally)
    }
    // A run that was too slow has not shown what it should.
    let isEnough = !isShort || zip(tallies, methods.prefix(4)).allSatisfy { $0.done >= $1.short }
    if !isEnough { print("too few: the machine was too slow for the numbers that a short run must reach") }
    let controlled = try controls(options, 150)
    print(
      "in all: " + tallies.map { "\($0.method) \($0.done)" }.joined(separator: "; ") + "; findings \(tallies.map(\.total).reduce(0, +))")
    // Once more: of a long output often only the end is kept.
    for tally in tallies { tally.reportFindings() }
    return controlled && isEnough && tallies.allSatisfy { $0.total == 0 }
  }

  private static func report(_ tallies: [Tally]) -> Bool {
    for tally in tallies { tally.report() }
    return tallies.allSatisfy { $0.total == 0 }
  }

  /// Each must find something, or the method proves nothing.
  private static func controls(_ given: Options, _ states: Int) throws -> Bool {
    var options = given
    options.seconds = 20
    options.only = Attack(workload: .commits, durability: .durable, seed: options.seed)
    // Each is made when its turn comes: its time begins then.
    var tallies = [
      try options.power(states).control(.fastAsDurable), try options.power(states).control(.noFolderFlushes),
      try options.power(states).control(.noSegmentFlushes),
    ]
    func control(_ method: some Sabotaged, _ sabotage: String, _ name: String) throws {
      var method = method
      method.environment = ["TORTURE_SABOTAGE": sabotage]
      tallies.append(try method.run("control, \(name)"))
    }
    func kills(_ sabotage: String, _ workload: Workload, _ name: String) throws {
      var kills = options.kills(40)
      kills.only = Attack(workload: workload, durability: .durable, seed: options.seed)
      try control(kills, sabotage, "\(name), kills")
    }
    try kills("split", .commits, "a batch in two transactions")
    try kills("misremembers", .archive, "states told with another commit's number")
    try kills("forgets", .retention, "an entry of the audit and a row that go unseen")
    try kills("unnoted", .synced, "a batch that nobody will send")
    try control(options.faults(40), "early", "acknowledged too early, faults")
    var damages = options.damages(60)
    damages.believesNoCheck = true
    tallies.append(try damages.run("control, without the product's check, damages"))
    var flips = options.damages(8)
    flips.believesNoCheck = true
    flips.only = (what: "log-flip", isHalfClosed: true)
    tallies.append(try flips.run("control, without the product's check and notices, flipped logs"))
    var archives = options.archiveDamages(40)
    archives.misremembers = true
    tallies.append(try archives.run("control, states that never were, damages of archives"))
    try control(options.processes(2), "claims", "claims of commits, processes")
    try control(options.sharedKills(28), "claims", "claims of commits, kills among writers")
    try control(options.upkeep(2), "unlocked", "what is replaced is kept without the lock, upkeep")
    try control(options.versions(10), "over", "a migrated copy moved over the file, two versions")
    var strangers = options.strangers(20)
    strangers.believesAnother = true
    tallies.append(try strangers.run("control, another store's rows are expected, strangers"))
    try control(options.folders(6), "deaf", "errors passed over, folders")
    try control(options.limits(4), "deaf", "errors passed over, limits")
    var tool = options.tool(40)
    tool.tool = "/bin/true"
    tallies.append(try tool.run("control, a tool that finds nothing, damages"))
    if SmallDisk.isPossible { try control(options.fullDisks(8), "early", "acknowledged too early, full disks") }
    for tally in tallies {
      print("\(tally.method): \(tally.done), \(tally.wrongs) findings\(tally.wrongs == 0 ? ": IT SHOULD FIND SOME" : ", as it must")")
    }
    return tallies.allSatisfy { $0.wrongs > 0 }
  }

  private static func usage() -> Never {
    print(
      """
      torture short|all|controls [--seconds N] [--seed N]
      torture power|kill|fault|damage|archive-damage|tool|full-disk|limits|folders|processes|shared-kills|upkeep|versions|strangers
        [--seconds N] [--number N] [--seed N] [--workload NAME --durability fast|durable] [--at N] [--after MICROSECONDS]
        [--fault KIND,N,ERROR,once|for-good] [--way WAY,MICROSECONDS] [--limit file|memory,BYTES] [--what DAMAGE --state closed|half]
      torture salvage [--number SEEDS] [--seed N] [--what CLASS] [--schema batches|audiobooks|odd|random]
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
  var after: Int?
  var only: Attack?
  var fault: String?
  var way: String?
  var limit: String?
  var damage: (what: String, isHalfClosed: Bool)?
  var schema: String?

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
    after = named["after"].flatMap { Int($0) }
    fault = named["fault"]
    way = named["way"]
    limit = named["limit"]
    schema = named["schema"]
    damage = named["what"].map { ($0, named["state"] == "half") }
    if let name = named["workload"] {
      guard let workload = Workload(rawValue: name) else { throw Unknown(argument: name) }
      only = Attack(workload: workload, durability: named["durability"] == "fast" ? .fast : .durable, seed: seed)
    }
  }

  var deadline: Date { Date().addingTimeInterval(seconds) }

  func power(_ wanted: Int) -> PowerLoss { PowerLoss(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only) }
  func kills(_ wanted: Int) -> Kills { Kills(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only, at: at, after: after) }
  func faults(_ wanted: Int) -> Faults { Faults(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only, fault: fault) }
  func damages(_ wanted: Int) -> DamageRun { DamageRun(seed: seed, wanted: number ?? wanted, deadline: deadline, only: damage) }
  func archiveDamages(_ wanted: Int) -> ArchiveDamageRun {
    ArchiveDamageRun(seed: seed, wanted: number ?? wanted, deadline: deadline, only: damage)
  }
  /// It takes as long as it takes.
  func salvages(_ wanted: Int) throws -> SalvageRun {
    let (what, store) = (damage.flatMap { SalvageDamage(rawValue: $0.what) }, schema.flatMap { SalvageStores(rawValue: $0) })
    if let damage, what == nil { throw Unknown(argument: damage.what) }
    if let schema, store == nil { throw Unknown(argument: schema) }
    return SalvageRun(seed: seed, wanted: number ?? wanted, onlyDamage: what, onlyStore: store)
  }
  func fullDisks(_ wanted: Int) -> FullDisk { FullDisk(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only, free: at) }
  func folders(_ wanted: Int) -> Folders { Folders(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only, way: way) }
  func processes(_ seconds: Double) -> Processes { Processes(seed: seed, seconds: number.map(Double.init) ?? seconds) }
  func tool(_ wanted: Int) -> DamageRun {
    DamageRun(seed: seed, wanted: number ?? wanted, deadline: deadline, only: damage, tool: Paths.tool)
  }
  func limits(_ wanted: Int) -> Limits { Limits(seed: seed, wanted: number ?? wanted, deadline: deadline, only: only, limit: limit) }
  func sharedKills(_ wanted: Int) -> SharedKills { SharedKills(seed: seed, wanted: number ?? wanted, deadline: deadline) }
  func upkeep(_ wanted: Int) -> Upkeep { Upkeep(seed: seed, wanted: number ?? wanted, deadline: deadline) }
  func strangers(_ wanted: Int) -> Strangers { Strangers(seed: seed, wanted: number ?? wanted, deadline: deadline) }
  func versions(_ wanted: Int) -> Versions { Versions(seed: seed, wanted: number ?? wanted, deadline: deadline) }
}
