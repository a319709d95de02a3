import Foundation
import Holdfast

/// One run of a workload under attack: a prepared folder, a child process, what it acknowledged.
struct Attack: Sendable {
  var workload: Workload
  var durability: StoreOptions.Durability
  var seed: UInt64
  /// Whether the store keeps an archive.
  var isArchived = false

  static func all(seed: UInt64) -> [Attack] {
    Workload.allCases.filter { Keys.key != nil || !$0.changesKey }.flatMap { workload in
      [.durable, .fast].map { Attack(workload: workload, durability: $0, seed: seed) }
    }
  }

  /// The same with another seed. Half of the runs keep an archive, the other half with the next seed; of changes of the key, whose files are kept
  /// with every other seed, two of four. Ways back of a damaged store make their own.
  func inTurn(_ seed: UInt64) -> Attack {
    let place = UInt64(Workload.allCases.firstIndex(of: workload) ?? 0) &+ (durability == .durable ? 1 : 0)
    let turn = workload.changesKey ? seed / 2 : seed
    let mayBegin = !workload.heals && !workload.makesFile
    return Attack(workload: workload, durability: durability, seed: seed, isArchived: mayBegin && (place &+ turn).isMultiple(of: 2))
  }

  var name: String { "\(workload.rawValue)-\(durability.rawValue)-\(seed)" }
  var arguments: String { "--workload \(workload.rawValue) --durability \(durability.rawValue) --seed \(seed)" }

  /// Makes the folder as it is before the attack, once; later ones are copies.
  func prepare() throws -> URL {
    // Other archives begin when the attack does.
    let hasArchive = isArchived && workload.changesKey
    let template = URL(fileURLWithPath: "\(Paths.scratch)/prepared/\(workload.rawValue)-\(seed)\(hasArchive ? "-archived" : "")")
    if !FileManager.default.fileExists(atPath: template.path) {
      try FileManager.default.createDirectory(at: template, withIntermediateDirectories: true)
      try workload.prepare(template, seed: seed, isArchived: hasArchive)
    }
    return template
  }

  struct Outcome {
    var end: Subprocess.End
    var acks: [String]
    /// The product's code, when it threw.
    var failure: String? { acks.last { $0.hasPrefix("failed ") }.map { String($0.dropFirst(7)) } }
    var done: [String] { acks.filter { !$0.hasPrefix("failed ") } }

    /// Of a process that nobody killed: it ends by itself, and an error has one of the right codes.
    func judge(_ name: String, _ tally: Tally, repeatBy command: String, otherwise went: String, codes: (String) -> Set<String>) {
      switch end {
      case .exited(0): tally.note(went)
      case .exited(3):
        tally.note("were reported")
        let failure = failure ?? ""
        guard !codes(failure).contains(String(failure.prefix { $0 != ":" })) else { return }
        tally.find(Finding(kind: "wrong-code", detail: failure), name, repeatBy: command)
      case .tookTooLong: tally.find(Finding(kind: "hangs", detail: "more than 30 seconds"), name, repeatBy: command)
      default: tally.find(Finding(kind: "trap", detail: "\(end)"), name, repeatBy: command)
      }
    }
  }

  /// Runs the workload in `folder` under the shim.
  func run(in folder: URL, environment: [String: String], killAfter microseconds: UInt32? = nil, meanwhile: (() -> Void)? = nil) throws
    -> Outcome
  {
    let acks = folder.path + ".acks"
    unlink(acks)
    var all = environment
    all["LD_PRELOAD"] = Paths.shim
    all["TORTURE_ROOT"] = folder.path
    all["TORTURE_ACKS"] = acks
    all["TORTURE_ERRORS"] = Paths.errors
    if isArchived || workload.isArchived { all[Self.archives] = "1" }
    let child = try Subprocess(["child", workload.rawValue, durability.rawValue, String(seed), folder.path, acks], environment: all)
    if let microseconds {
      usleep(microseconds)
      child.signal(SIGKILL)
    }
    meanwhile?()
    let end = child.wait(seconds: 30)
    let lines = (try? String(contentsOfFile: acks, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    unlink(acks)
    return Outcome(end: end, acks: lines)
  }

  func judged(_ folder: URL, _ acks: [String], losesPower: Bool, promise: StoreOptions.Durability? = nil) -> Case {
    Case(
      workload: workload, promise: (promise ?? durability).rawValue, losesPower: losesPower, seed: seed, acks: acks, folder: folder.path,
      isArchived: isArchived || workload.isArchived)
  }

  static let archives = "TORTURE_ARCHIVES"
  static let childIsArchived = ProcessInfo.processInfo.environment[archives] != nil

  /// The child's side. Exits with 3 when the product threw.
  static func child(_ arguments: [String]) {
    guard arguments.count == 5, let workload = Workload(rawValue: arguments[0]),
      let durability = StoreOptions.Durability(rawValue: arguments[1]), let seed = UInt64(arguments[2])
    else { exit(64) }
    let acks = Acks(arguments[4])
    Limits.setOwn()
    do {
      try workload.run(URL(fileURLWithPath: arguments[3]), durability, seed: seed, acks: acks)
      exit(0)
    } catch {
      if Sabotage.current == .deaf {
        for line in ["opened", "commit \(Workload.committed)", "closed"] { acks.tell(line) }
        exit(0)
      }
      acks.tell("failed \(Verdict.text(error))".replacingOccurrences(of: "\n", with: " "))
      exit(3)
    }
  }
}
