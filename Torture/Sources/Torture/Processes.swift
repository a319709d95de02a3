import Foundation
import GRDBSQLite
import Holdfast

/// Sixteen processes that write into one store, with a foreign program that writes, checkpoints and vacuums; some are stopped while
/// they hold the lock, some are killed. And versions of an app that open one file at the same time.
struct Processes {
  var seed: UInt64
  /// Of writing.
  var seconds: Double
  var migrations: Int
  var environment: [String: String] = [:]

  static let writers = 16

  func run(_ name: String = "processes, commits") throws -> Tally {
    let tally = Tally(name)
    try write(tally)
    for round in 0..<migrations { try migrate(tally, round) }
    return tally
  }

  private func write(_ tally: Tally) throws {
    let root = try Paths.fresh("processes").appendingPathComponent("live")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    var random = Chance(seed &+ 41)
    var next = 0
    func start() throws -> Subprocess {
      next += 1
      return try Subprocess(["writer", String(next), String(seed), root.path], environment: environment)
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
        tally.find(Finding(kind: "writer-ended", detail: "\(end)"), "sixteen writers", repeatBy: "torture processes --seed \(seed)")
        writers[index] = try start()
      }
    }
    for process in writers + [foreign] {
      process.signal(SIGCONT)
      process.signal(SIGTERM)
      process.signal(SIGKILL)
      _ = process.wait()
    }
    judge(root, tally)
  }

  private func judge(_ root: URL, _ tally: Tally) {
    func find(_ kind: String, _ detail: String) {
      tally.find(Finding(kind: kind, detail: detail), "sixteen writers", repeatBy: "torture processes --seed \(seed)")
    }
    var acked: [Int: Int] = [:]
    let folder = root.deletingLastPathComponent()
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] where name.hasSuffix(".acks") {
      let text = (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.first == "commit", let number = words.last.flatMap({ Int($0) }) { acked[number, default: 0] += 1 }
        if words.first == "busy" { tally.note("waits that ended as busy") }
        if words.first == "failed" { find("wrong-code", String(line)) }
      }
    }
    let raw = Oracle(Workload.store(root).path)
    for problem in raw.problems { find("oracle", problem) }
    for (number, count) in acked.sorted(by: { $0.key < $1.key }) {
      if count > 1 { find("twice", "batch \(number) was acknowledged \(count) times") }
      if number > raw.batches { find("lost", "batch \(number) was acknowledged, and the last one is \(raw.batches)") }
    }
    do {
      let store = try Store.open(at: Workload.store(root), schemas: [Library.old], options: Workload.options(.durable, seed: seed))
      for finding in try store.integrityCheck().findings.prefix(3) { find("unhealthy", finding.message) }
      try store.close()
    } catch {
      find("cannot-open", Verdict.text(error))
    }
    tally.count(acked.count)
  }

  // MARK: Their side

  static func writer(_ arguments: [String]) throws {
    guard arguments.count == 3, let number = UInt64(arguments[0]), let seed = UInt64(arguments[1]) else { exit(64) }
    let folder = URL(fileURLWithPath: arguments[2])
    let acks = Acks("\(folder.path)-\(number).acks")
    let sabotage = ProcessInfo.processInfo.environment["TORTURE_SABOTAGE"]
    var random = Chance(seed &* 97 &+ number)
    while true {
      do {
        let store = try Store.open(
          at: Workload.store(folder), schemas: [Library.old], options: Workload.options(number % 2 == 0 ? .fast : .durable, seed: seed))
        for _ in 0..<(20 + random.below(200)) {
          let stops = random.below(150) == 0
          let written = try store.write { transaction in
            let next = try transaction.count("SELECT count(*) FROM batches") + 1
            try Library.save(Batch(number: next, seed: seed), in: transaction)
            if stops { kill(getpid(), SIGSTOP) }
            return next
          }
          acks.tell("commit \(written)")
          if sabotage == "claims", random.below(20) == 0 { acks.tell("commit \(written + 100_000)") }
          usleep(UInt32(random.below(3_000)))
        }
        try store.close()
      } catch let error as StoreError where error.code == .busy {
        acks.tell("busy")
      } catch {
        acks.tell("failed \(Verdict.text(error))".replacingOccurrences(of: "\n", with: " "))
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
      var opened: OpaquePointer?
      defer { sqlite3_close(opened) }
      guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle = opened else { continue }
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

  // MARK: Versions

  /// Two of the old version and two of the new one open the same file at once; in every other round there is none yet.
  private func migrate(_ tally: Tally, _ round: Int) throws {
    let attack = Attack(workload: .migrate, durability: .durable, seed: seed)
    let root = try Paths.fresh("versions").appendingPathComponent("live")
    let isNew = round % 2 == 1
    if isNew {
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    } else {
      try FileManager.default.copyItem(at: attack.prepare(), to: root)
    }
    let versions = [1, 2, 2, 1]
    let processes = try versions.enumerated().map { index, version in
      try Subprocess(["version", String(version), String(seed), root.path, String(index)])
    }
    for process in processes {
      let end = process.wait(seconds: 20)
      if end != .exited(0) && end != .exited(3) {
        tally.find(Finding(kind: "trap", detail: "\(end)"), "two versions", repeatBy: "torture processes --seed \(seed)")
      }
    }
    for index in versions.indices {
      let text = (try? String(contentsOfFile: "\(root.path)-\(index).acks", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").last.map(String.init) ?? ""
      // The old version may come too late; then it says so.
      let isFine = line.hasPrefix("opened") || (versions[index] == 1 && (line.contains("newer_schema") || line.contains("busy")))
      if !isFine {
        let kind = "version \(versions[index]) fails \(isNew ? "on a new file" : "on an old file")"
        tally.find(Finding(kind: kind, detail: line), "two versions", repeatBy: "torture processes --seed \(seed)")
      }
    }
    let raw = Oracle(Workload.store(root).path)
    if !raw.problems.isEmpty || raw.version != 2 || raw.batches != (isNew ? 0 : Workload.prepared) {
      let detail = "version \(raw.version), \(raw.batches) batches \(raw.problems.joined(separator: "; "))"
      tally.find(Finding(kind: "oracle", detail: detail), "two versions", repeatBy: "torture processes --seed \(seed)")
    }
    tally.note("migrations by two versions at once")
  }

  static func version(_ arguments: [String]) {
    guard arguments.count == 4, let version = Int(arguments[0]), let seed = UInt64(arguments[1]) else { exit(64) }
    let acks = Acks("\(arguments[2])-\(arguments[3]).acks")
    do {
      let url = Workload.store(URL(fileURLWithPath: arguments[2]))
      let store = try Store.open(at: url, schemas: [Library.schema(version)], options: Workload.options(.durable, seed: seed))
      if let error = store.openingError { throw error }
      acks.tell("opened \(store.access)")
      try store.close()
      exit(0)
    } catch {
      acks.tell("failed \(Verdict.text(error))".replacingOccurrences(of: "\n", with: " "))
      exit(3)
    }
  }
}
