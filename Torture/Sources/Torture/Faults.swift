import Foundation
import Holdfast

/// Lets one call of the system fail, once or from there on, and asks: is it told with the right code, is nothing lost, does the next
/// run work.
struct Faults: Sabotaged {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var only: Attack?
  /// `<kind>,<n>,<error>,<once|for-good>`, to repeat one.
  var fault: String?
  var environment: [String: String] = [:]

  /// Calls by the shim's names, and the errors that each can meet.
  private static let kinds: [(name: String, errors: [String])] = [
    ("create", ["5", "28", "13", "24"]), ("open", ["5", "13", "24"]), ("read", ["5"]), ("write", ["5", "28", "short"]),
    ("sync", ["5", "28"]), ("dirsync", ["5"]), ("truncate", ["5", "28"]), ("rename", ["5", "28", "13"]), ("link", ["5", "28", "1"]),
    ("unlink", ["5", "13"]), ("mkdir", ["5", "28", "13"]), ("rmdir", ["5"]),
  ]

  /// The codes that tell the truth about an error of the system.
  private static func codes(_ error: String, _ kind: String, _ failure: String) -> Set<String> {
    // SQLite takes a page that cannot be read for damage, and says so.
    if kind == "read" { return ["input_output", "damaged", "verification_failed"] }
    // Where a file cannot be opened for writing, SQLite opens it for reading, and the first write fails.
    if kind == "open" { return ["input_output", "cannot_create", "permission_denied", "read_only"] }
    // A replacement that could not be undone is an I/O error, whatever stopped it: the next opening finishes it.
    if kind == "rename", failure.contains("was interrupted; the next command or opening") { return ["input_output"] }
    // Of a journal that cannot be removed SQLite may have lost the reason when it tells.
    let others: Set = kind == "unlink" && failure.hasSuffix("disk I/O error") ? ["input_output"] : []
    return others.union(codes(ofSystem: error, kind))
  }

  private static func codes(ofSystem error: String, _ kind: String) -> Set<String> {
    switch error {
    // SQLite tries a file that it could not make once more without making it, and the second reason takes the first one's place.
    // Of a flush at a commit SQLite rolls back before it looks at the reason, and may find another one.
    case "28": return kind == "create" ? ["disk_full", "cannot_create"] : kind == "sync" ? ["disk_full", "input_output"] : ["disk_full"]
    // SQLite calls a store read-only whose log may not be made.
    case "13", "1": return ["permission_denied", "cannot_create", "read_only"]
    case "24": return ["input_output", "cannot_create"]
    // A short write is no error: the rest is written by a second call. When all are short, a full disk is a fair guess.
    case "short": return ["disk_full", "input_output"]
    default: return ["input_output", "cannot_create"]
    }
  }

  private struct Job: Sendable {
    var attack: Attack
    var fault: String
  }

  func run(_ name: String = "faults") throws -> Tally {
    let tally = Tally(name)
    var round: UInt64 = 0
    while tally.done < wanted, Date() < deadline {
      let jobs = try jobs(round, wanted - tally.done)
      inLanes(jobs, until: deadline) { job, worker, lane in try fail(job, worker, lane, tally) }
      round += 1
      if fault != nil || jobs.isEmpty { break }
    }
    return tally
  }

  private func jobs(_ round: UInt64, _ wanted: Int) throws -> [Job] {
    var random = Chance(seed &+ 31 &+ round)
    var jobs: [Job] = []
    let attacks = (only.map { [$0] } ?? Attack.all(seed: seed)).map {
      Attack(workload: $0.workload, durability: $0.durability, seed: $0.seed + round)
    }
    for attack in attacks {
      _ = try attack.prepare()
      if let fault {
        jobs.append(Job(attack: attack, fault: fault))
        continue
      }
      let counts = try Kills.counts(of: attack)
      for (kind, errors) in Self.kinds {
        guard let count = counts[kind], count > 0 else { continue }
        // All the calls of a kind when there are few, otherwise some of them by chance and always the last.
        let places = count <= 12 ? Array(1...count) : (0..<12).map { _ in 1 + random.below(count) } + [count]
        for place in places {
          for error in errors {
            for how in ["once", "for-good"] { jobs.append(Job(attack: attack, fault: "\(kind),\(place),\(error),\(how)")) }
          }
        }
      }
    }
    jobs.shuffle(using: &random)
    guard wanted < jobs.count else { return jobs }
    // Every workload and every kind of call gets its turn.
    var groups = Dictionary(grouping: jobs) { "\($0.fault.prefix { $0 != "," }) \($0.attack.workload.rawValue)" }
    var chosen: [Job] = []
    while chosen.count < wanted, !groups.isEmpty {
      for key in groups.keys.sorted() {
        if let job = groups[key]?.popLast() { chosen.append(job) } else { groups[key] = nil }
      }
    }
    return chosen
  }

  private func fail(_ job: Job, _ worker: Worker, _ lane: Int, _ tally: Tally) throws {
    let root = try Paths.fresh("fault-\(lane)").appendingPathComponent("live")
    try FileManager.default.copyItem(at: job.attack.prepare(), to: root)
    var environment = environment
    environment["TORTURE_FAULT"] = job.fault
    let outcome = try job.attack.run(in: root, environment: environment)
    tally.count()
    let parts = job.fault.split(separator: ",").map(String.init)
    let name = "\(job.attack.workload.rawValue) \(parts[0]) \(parts[2])"
    let command = "torture fault \(job.attack.arguments) --fault \(job.fault)"
    outcome.judge(name, tally, repeatBy: command, otherwise: "went on") { Self.codes(parts[2], parts[0], $0) }
    if outcome.end == .exited(3), let done = try Self.doneThough(job.attack, parts[0], outcome, root) {
      tally.find(Finding(kind: "failed-though-done", detail: "\(done); \(outcome.failure ?? "")"), name, repeatBy: command)
    }
    try job.attack.judged(root, outcome.done, losesPower: false)
      .judge(by: worker, name, tally, repeatBy: command, as: "fault", keeps: self.environment.isEmpty)
  }

  /// What was done all the same, where a failure was reported that promises that nothing was.
  private static func doneThough(_ attack: Attack, _ kind: String, _ outcome: Attack.Outcome, _ root: URL) throws -> String? {
    let store = Workload.store(root)
    switch attack.workload {
    case .export where !outcome.acks.contains("exported"):
      return (try? Data(contentsOf: Workload.exported(root))) == Workload.oldExport ? nil : "the export was replaced"
    case .importNew where !outcome.acks.contains("imported"):
      return FileManager.default.fileExists(atPath: store.path) ? "the store was made" : nil
    case .snapshot where !outcome.acks.contains(where: { $0.hasPrefix("snapshot") }):
      return (try? Snapshot.all(of: store))?.isEmpty == false ? "the snapshot was made" : nil
    case .restoreReplacing:
      let raw = Oracle(store.path, readOnly: true)
      return raw.batches == Workload.inSnapshot ? "the snapshot was put back" : nil
    default:
      // The frames of a commit whose flush failed stay in the log: the process rolls it back, and the next one that opens the file may find
      // it. SQLite promises no more.
      return kind == "sync" ? nil : try committedThough(attack, outcome, root)
    }
  }

  /// The same for workloads whose work is one commit in a store that was there before.
  private static func committedThough(_ attack: Attack, _ outcome: Attack.Outcome, _ root: URL) throws -> String? {
    let ack: String
    switch attack.workload {
    case .importInto, .importOpen: ack = "imported"
    case .restoreInPlace: ack = "restored"
    case .migrate: ack = "migrated"
    case .vacuum: ack = "vacuumed"
    default: return nil
    }
    guard !outcome.done.contains(where: { $0 == ack || $0.hasPrefix(ack + " ") }) else { return nil }
    // The one error that says that the change is done.
    guard outcome.failure?.contains("the change is stored") != true else { return nil }
    // On a copy, for looking replays the log and moves it into the file.
    let copy = URL(fileURLWithPath: root.path + ".look")
    defer { try? FileManager.default.removeItem(at: copy) }
    try FileManager.default.copyItem(at: root, to: copy)
    let raw = Oracle(Workload.store(copy).path)
    switch attack.workload {
    case .importInto, .importOpen: return raw.batches == Workload.prepared + Workload.imported ? "the source was imported" : nil
    case .restoreInPlace: return raw.batches == Workload.inSnapshot ? "the snapshot was put back" : nil
    case .migrate: return raw.version == 2 ? "the store was migrated" : nil
    // Only a vacuum takes pages away.
    default: return try pages(copy) < pages(attack.prepare()) ? "the store was vacuumed" : nil
    }
  }

  /// The length of the store's file in pages, as its header has it.
  private static func pages(_ folder: URL) throws -> Int {
    try Data(contentsOf: Workload.store(folder)).dropFirst(28).prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }
}
