import Foundation
import Holdfast

/// Two versions of an app that open one file at the same time: two processes of each. In every other round there is no file yet.
///
/// Each that may write commits a batch, so that a commit made during the other's migration can be missed.
struct Versions: Sabotaged {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var environment: [String: String] = [:]

  func run(_ name: String = "two versions, races") throws -> Tally {
    let tally = Tally(name)
    let worker = Worker()
    try tally.rounds(wanted, until: deadline) { try race(seed &+ $0, worker, tally) }
    return tally
  }

  private func race(_ seed: UInt64, _ worker: Worker, _ tally: Tally) throws {
    let isNew = seed % 2 == 1
    let folder = try Paths.fresh("versions")
    let live = folder.appendingPathComponent("live")
    if isNew {
      try FileManager.default.createDirectory(at: live, withIntermediateDirectories: true)
    } else {
      try FileManager.default.copyItem(at: Attack(workload: .migrate, durability: .durable, seed: seed).prepare(), to: live)
    }
    let name = isNew ? "two versions on a new file" : "two versions on an old file"
    let command = "torture versions --seed \(seed) --number 1"
    let versions = [1, 2, 2, 1]
    let processes = try versions.enumerated().map { index, version in
      try Subprocess(["version", String(version), String(seed), live.path, String(index)], environment: environment)
    }
    for process in processes {
      let end = process.wait(seconds: 20)
      if end != .exited(0) && end != .exited(3) { tally.find(Finding(kind: "trap", detail: "\(end)"), name, repeatBy: command) }
    }
    for index in versions.indices {
      let text = (try? String(contentsOfFile: "\(live.path)-\(index).acks", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").last.map(String.init) ?? "nothing told"
      // The old version may come too late; then it says so.
      let isLate = versions[index] == 1 && ["newer_schema", "read_only"].contains { line.hasPrefix("failed \($0)") }
      // Whether it waited long enough for that, is judged with the rest.
      if line.hasPrefix("busy") { tally.note("waits that ended as busy") }
      if line != (versions[index] == 2 ? "migrated" : "used"), !isLate, !line.hasPrefix("busy") {
        tally.find(Finding(kind: "version \(versions[index]) fails", detail: line), name, repeatBy: command)
      }
    }
    tally.count()
    let judged = SharedCase(method: .versions, folder: folder.path, seed: seed, prepared: isNew ? 0 : Workload.prepared)
    tally.note("commits among them", judged.lines.count { $0.hasPrefix("commit") })
    try judged.judge(by: worker, name, tally, repeatBy: command, as: judged.method.rawValue, keeps: environment.isEmpty)
  }

  // MARK: Their side

  static func version(_ arguments: [String]) {
    guard arguments.count == 4, let version = Int(arguments[0]), let seed = UInt64(arguments[1]) else { exit(64) }
    let acks = Acks("\(arguments[2])-\(arguments[3]).acks")
    let url = Workload.store(URL(fileURLWithPath: arguments[2]))
    let begun = ContinuousClock.now
    do {
      if version == 2, Sabotage.current == .over { return try moveOver(url, seed, acks) }
      try use(url, Library.schema(version), seed, acks)
      acks.tell(version == 2 ? "migrated" : "used")
      exit(0)
    } catch {
      acks.tell(failure: error, since: begun)
      exit(3)
    }
  }

  private static func use(_ url: URL, _ schema: LibrarySchema, _ seed: UInt64, _ acks: Acks) throws {
    let store = try Store.open(at: url, schemas: [schema], options: Workload.options(.durable, seed: seed))
    if let error = store.openingError { throw error }
    acks.tell("opened \(store.access)")
    if store.access == .readWrite {
      let number = try store.write { transaction in
        let next = try transaction.count("SELECT count(*) FROM batches") + 1
        try Library.save(Batch(number: next, seed: seed), in: transaction)
        return next
      }
      acks.tell("commit \(number)")
    }
    try store.close()
  }

  /// The mistake of the control: what is committed between the copy and the rename is lost. It commits there itself, so that
  /// no race decides whether the control finds something.
  private static func moveOver(_ url: URL, _ seed: UInt64, _ acks: Acks) throws {
    let copy = url.appendingPathExtension("copy-\(getpid())")
    while !FileManager.default.fileExists(atPath: url.path) { usleep(1_000) }
    usleep(20_000)
    try FileManager.default.copyItem(at: url, to: copy)
    try use(url, Library.old, seed, acks)
    try Store.open(at: copy, schemas: [Library.new], options: Workload.options(.durable, seed: seed)).close()
    rename(copy.path, url.path)
  }
}
