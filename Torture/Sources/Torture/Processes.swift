import Foundation
import GRDBSQLite
import Holdfast

/// Sixteen processes that write into one store, with a foreign program that writes, checkpoints and vacuums; some are stopped while
/// they hold the lock, some are killed.
struct Processes: Sabotaged {
  var seed: UInt64
  /// Of writing.
  var seconds: Double
  var environment: [String: String] = [:]

  static let writers = 16

  func run(_ name: String = "processes, commits") throws -> Tally {
    let tally = Tally(name)
    let worker = Worker()
    try write(worker, tally)
    return tally
  }

  private func write(_ worker: Worker, _ tally: Tally) throws {
    let folder = try Paths.fresh("processes")
    let root = folder.appendingPathComponent("live")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    let command = "torture processes --seed \(seed) --number \(Int(seconds))"
    var random = Chance(seed &+ 41)
    var next = 0
    func start() throws -> Subprocess {
      next += 1
      return try Subprocess(["writer", String(next), String(seed), root.path, "both"], environment: environment)
    }
    var writers = try (0..<Self.writers).map { _ in try start() }
    let foreign = try Subprocess(["foreign", String(seed), root.path])
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      usleep(100_000 + UInt32(random.below(200_000)))
      // Writers stop themselves with the lock held now and then; a lock holder that sleeps for longer than others wait is part of it.
      if random.percent(40) { for writer in writers { writer.signal(SIGCONT) } }
      if random.percent(30) {
        let victim = random.below(writers.count)
        writers[victim].signal(SIGKILL)
        _ = writers[victim].wait()
        tally.note("killed")
        writers[victim] = try start()
      }
      for (index, writer) in writers.enumerated() {
        guard let end = writer.poll() else { continue }
        tally.find(Finding(kind: "writer-ended", detail: "\(end)"), "sixteen writers", repeatBy: command)
        writers[index] = try start()
      }
    }
    for process in writers + [foreign] {
      process.signal(SIGCONT)
      process.signal(SIGTERM)
      process.signal(SIGKILL)
      _ = process.wait()
    }
    let judged = SharedCase(method: .writers, folder: folder.path, seed: seed)
    tally.count(judged.lines.count { $0.hasPrefix("commit") })
    tally.note("waits that ended as busy", judged.lines.count { $0.hasPrefix("busy") })
    try judged.judge(by: worker, "sixteen writers", tally, repeatBy: command, as: judged.method.rawValue, keeps: environment.isEmpty)
  }

  // MARK: Their side

  static func writer(_ arguments: [String]) throws {
    guard arguments.count == 4, let number = UInt64(arguments[0]), let seed = UInt64(arguments[1]) else { exit(64) }
    // Without one: both kinds, and now and then one that stops itself.
    let given = StoreOptions.Durability(rawValue: arguments[3])
    let durability = given ?? (number % 2 == 0 ? .fast : .durable)
    let folder = URL(fileURLWithPath: arguments[2])
    let acks = Acks("\(folder.path)-\(number).acks")
    let sabotage = ProcessInfo.processInfo.environment["TORTURE_SABOTAGE"]
    var random = Chance(seed &* 97 &+ number)
    while true {
      var begun = ContinuousClock.now
      do {
        var options = Workload.options(durability, seed: seed)
        if Attack.childIsArchived { options.archives() }
        let store = try Store.open(at: Workload.store(folder), schemas: [Library.old], options: options)
        for _ in 0..<(20 + random.below(200)) {
          let stops = random.below(150) == 0 && given == nil
          begun = .now
          let written = try store.write { transaction in
            let next = try transaction.count("SELECT count(*) FROM batches") + 1
            try Library.save(Batch(number: next, seed: seed), in: transaction)
            if stops { kill(getpid(), SIGSTOP) }
            return next
          }
          acks.tell("commit \(written)")
          if sabotage == "claims", random.below(3) == 0 { acks.tell("commit \(written + 100_000)") }
          usleep(UInt32(random.below(3_000)))
        }
        begun = .now
        try store.close()
      } catch {
        acks.tell(failure: error, since: begun)
      }
    }
  }

  /// Another program: SQLite without the product.
  static func foreign(_ arguments: [String]) {
    guard arguments.count == 2, let seed = UInt64(arguments[0]) else { exit(64) }
    let path = Workload.store(URL(fileURLWithPath: arguments[1])).path
    var random = Chance(seed &+ 3)
    while true {
      usleep(UInt32(5_000 + random.below(60_000)))
      guard let handle = try? Oracle.open(path) else { continue }
      defer { sqlite3_close(handle) }
      sqlite3_busy_timeout(handle, 500)
      let work = [
        "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(PASSIVE)", "VACUUM",
        "UPDATE batches SET lines = lines WHERE number % 7 = 0", "CREATE TABLE IF NOT EXISTS foreign_rows (a)",
        "SELECT count(*) FROM lines",
      ]
      sqlite3_exec(handle, work[random.below(work.count)], nil, nil, nil)
      sqlite3_exec(handle, "DROP TABLE IF EXISTS foreign_rows", nil, nil, nil)
    }
  }
}
