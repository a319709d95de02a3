import Foundation
import Holdfast
import HoldfastTransfer

/// One process restores, imports, vacuums and takes snapshots, while others write into the same store.
///
/// All tell into one file, so its lines stand in the order of what they tell: `try n` and `commit n` around a transaction,
/// `begin <snapshot>` and `restored <snapshot> <where the old state is>` around a restore.
struct Upkeep: Sabotaged {
  var seed: UInt64
  /// How many rounds, of twelve acts each.
  var wanted: Int
  var deadline: Date
  var environment: [String: String] = [:]

  static let writers = 3

  func run(_ name: String = "upkeep among writers, rounds") throws -> Tally {
    let tally = Tally(name)
    let worker = Worker()
    try tally.rounds(wanted, until: deadline) { try attend(seed &+ $0, worker, tally) }
    return tally
  }

  private func attend(_ seed: UInt64, _ worker: Worker, _ tally: Tally) throws {
    let command = "torture upkeep --seed \(seed) --number 1"
    let folder = try Paths.fresh("upkeep")
    let live = folder.appendingPathComponent("live")
    try FileManager.default.createDirectory(at: live, withIntermediateDirectories: true)
    let writers = try (1...Self.writers).map {
      try Subprocess(["upkeep-writer", String($0), String(seed), live.path], environment: environment)
    }
    let keeper = try Subprocess(["keeper", String(seed), live.path], environment: environment)
    let end = keeper.wait(seconds: 60)
    if end != .exited(0) {
      tally.find(Finding(kind: end == .tookTooLong ? "hangs" : "trap", detail: "\(end)"), "keeper", repeatBy: command)
    }
    for writer in writers {
      if let end = writer.poll() { tally.find(Finding(kind: "trap", detail: "\(end)"), "writer", repeatBy: command) }
      writer.signal(SIGKILL)
      _ = writer.wait()
    }
    tally.count()
    let judged = SharedCase(method: .upkeep, folder: folder.path, seed: seed)
    for word in ["commit", "restored", "imported", "vacuumed", "snapshot", "busy", "refused"] {
      tally.note(word, judged.lines.count { $0.hasPrefix(word) })
    }
    try judged.judge(by: worker, "upkeep", tally, repeatBy: command, as: judged.method.rawValue, keeps: environment.isEmpty)
  }

  // MARK: Their side

  static func writer(_ arguments: [String]) throws {
    guard arguments.count == 3, let process = Int(arguments[0]), let seed = UInt64(arguments[1]) else { exit(64) }
    let folder = URL(fileURLWithPath: arguments[2])
    let acks = Acks("\(folder.path).acks")
    var random = Chance(seed &* 89 &+ UInt64(process))
    var number = process * 1_000_000
    while true {
      var (begun, what) = (ContinuousClock.now, "opening")
      do {
        let store = try Store.open(
          at: Workload.store(folder), schemas: [Library.old], options: Workload.options(process % 2 == 0 ? .fast : .durable, seed: seed))
        for _ in 0..<(1 + random.below(60)) {
          number += 1
          acks.tell("try \(number)")
          (begun, what) = (ContinuousClock.now, "writing")
          do {
            try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
          } catch {
            acks.tell("refused \(number)")
            throw error
          }
          acks.tell("commit \(number)")
          usleep(UInt32(random.below(4_000)))
        }
        (begun, what) = (ContinuousClock.now, "closing")
        try store.close()
      } catch {
        acks.tell(failure: error, since: begun, what)
      }
    }
  }

  static func keeper(_ arguments: [String]) throws {
    guard arguments.count == 2, let seed = UInt64(arguments[0]) else { exit(64) }
    let folder = URL(fileURLWithPath: arguments[1])
    let acks = Acks("\(folder.path).acks")
    var random = Chance(seed &* 83)
    // The kit keeps the newest five of its own snapshots.
    var restores = 0
    for act in 0..<12 {
      usleep(UInt32(random.below(60_000)))
      let begun = ContinuousClock.now
      let what = act == 0 ? "snapshot" : ["vacuum", "import", "snapshot", "restore", "restore", "replace"][random.below(6)]
      do {
        let url = Workload.store(folder)
        let options = Workload.options(.durable, seed: seed)
        if what == "replace" || what == "restore", restores == 4 { continue }
        if what == "replace" {
          // Refused while another has it open; done between two openings.
          guard let id = try chosen(url, &random) else { continue }
          acks.tell("begin \(id)")
          let kept = try Store.restore(at: url, snapshot: id, options: options)
          acks.tell("restored \(id) quarantine/\(kept?.lastPathComponent ?? "")/list.sqlite")
          restores += 1
          continue
        }
        let store = try Store.open(at: url, schemas: [Library.old], options: options)
        switch what {
        case "vacuum":
          try store.vacuum()
          acks.tell("vacuumed")
        case "import":
          let numbers = (1...Workload.imported).map { 900_000 + act * 1_000 + $0 }
          let source = folder.appendingPathComponent("source-\(act).json")
          try BatchFormat.data(numbers.map { Batch(number: $0, seed: seed) }).write(to: source)
          let file = try ImportSource(source)
          for number in numbers { acks.tell("try \(number)") }
          _ = try store.importing(BatchFormat(file.content()), from: file)
          for number in numbers { acks.tell("commit \(number)") }
          acks.tell("imported")
        case "restore":
          guard let id = try chosen(url, &random) else { break }
          acks.tell("begin \(id)")
          var kept: String?
          if Sabotage.current == .unlocked {
            kept = try store.snapshot().id
            usleep(20_000)
          }
          let replaced = try store.restore(snapshot: id).id
          acks.tell("restored \(id) snapshots/\(kept ?? replaced).sqlite")
          restores += 1
        default: acks.tell("snapshot \(try store.snapshot().id)")
        }
        try store.close()
      } catch {
        acks.tell(failure: error, since: begun, what)
      }
    }
  }

  /// One that was made by hand.
  private static func chosen(_ url: URL, _ random: inout Chance) throws -> String? {
    let made = try Snapshot.all(of: url).filter { !$0.isAutomatic }
    return made.isEmpty ? nil : made[random.below(made.count)].id
  }
}
