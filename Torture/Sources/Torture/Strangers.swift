import CSteps
import Foundation
import GRDBSQLite
import Holdfast

/// What other programs and other stores do to a closed archived store, and then every way back: nobody's row is lost unseen, nothing of another
/// store comes in, and each gap of the archive has a cause.
struct Strangers {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  /// Takes what the other store holds for its own: then the method must find something.
  var believesAnother = false

  enum Act: String, CaseIterable {
    case nothing, commit
    /// A commit that its program left in the log.
    case logged
    /// `VACUUM` with another size of pages.
    case pages
    /// An index of the schema is dropped, and a column is added.
    case schema
    /// The archive, the snapshots or the whole folder of another store.
    case archive, snapshots, folder

    /// How many batches are in the store after it.
    var batches: Int { self == .commit || self == .logged ? Workload.prepared + 1 : Workload.prepared }
    var bringsArchive: Bool { self == .archive || self == .folder }
    var bringsSnapshots: Bool { self == .snapshots || self == .folder }
  }

  enum Way: String, CaseIterable {
    case open, heal, rewind, restore, salvage
    case healDamage = "heal-damage"
    case rewindOpen = "rewind-open"
    case restoreOpen = "restore-open"
    case restoreTo = "restore-to"

    var goesByArchive: Bool { self == .rewind || self == .rewindOpen || self == .restoreTo }
    var goesBySnapshot: Bool { self == .restore || self == .restoreOpen }
  }

  func run(_ name: String = "strangers") throws -> Tally {
    let tally = Tally(name)
    try tally.rounds(wanted, until: deadline) { round in
      let seed = seed &+ round
      for content in [seed, seed &+ 500_000] { try prepare(content) }
      let jobs = Act.allCases.flatMap { act in Way.allCases.map { (act, $0) } }
      inLanes(jobs, until: deadline) { job, _, lane in try meet(job.0, job.1, seed, lane, tally) }
    }
    return tally
  }

  // MARK: The harness

  private func template(_ content: UInt64) -> URL { URL(fileURLWithPath: "\(Paths.scratch)/prepared/strangers-\(content)") }

  /// A closed store of ten batches, with an archive, a label and a snapshot at six.
  private func prepare(_ content: UInt64) throws {
    let folder = template(content)
    guard !FileManager.default.fileExists(atPath: folder.path) else { return }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try Store.open(at: Workload.store(folder), schemas: [Library.old], options: StrangersVerdict.options(seed: content))
    for number in 1...Workload.prepared {
      try store.write { try Library.save(Batch(number: number, seed: content), in: $0) }
      guard number == Workload.inSnapshot else { continue }
      _ = try store.archive()
      try store.label(WaysBack.label)
      try store.snapshot(label: "earlier")
    }
    try store.close()
  }

  private func meet(_ act: Act, _ way: Way, _ seed: UInt64, _ lane: Int, _ tally: Tally) throws {
    let root = try Paths.fresh("strangers-\(lane)")
    let (live, other) = (root.appendingPathComponent("live"), root.appendingPathComponent("other"))
    try FileManager.default.copyItem(at: template(seed), to: live)
    try FileManager.default.copyItem(at: template(seed &+ 500_000), to: other)
    try Self.perform(act, live, other, seed)
    if way == .healDamage { try WaysBack.damage(Workload.store(live), Keys.key, seed) }
    let report = root.appendingPathComponent("report").path
    let owner = believesAnother ? seed &+ 500_000 : seed
    let child = try Subprocess(["stranger", act.rawValue, way.rawValue, String(owner), live.path, report])
    let end = child.wait(seconds: 60)
    tally.count()
    let (name, command) = ("\(act.rawValue), \(way.rawValue)", "torture strangers --seed \(seed) --number 1")
    if end != .exited(0) { tally.find(Finding(kind: "trap", detail: "\(end)"), name, repeatBy: command) }
    let lines = (try? String(contentsOfFile: report, encoding: .utf8))?.split(separator: "\n") ?? []
    for line in lines {
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      if parts.count == 2 { tally.find(Finding(kind: parts[0], detail: parts[1]), name, repeatBy: command) } else { tally.note(parts[0]) }
    }
  }

  // MARK: The strangers

  private static func perform(_ act: Act, _ live: URL, _ other: URL, _ seed: UInt64) throws {
    let home = "list.sqlite.holdfast"
    switch act {
    case .nothing: break
    case .archive, .snapshots:
      let (own, theirs) = (live.appendingPathComponent("\(home)/\(act)"), other.appendingPathComponent("\(home)/\(act)"))
      try FileManager.default.removeItem(at: own)
      try FileManager.default.copyItem(at: theirs, to: own)
    case .folder:
      try FileManager.default.removeItem(at: live.appendingPathComponent(home))
      try FileManager.default.copyItem(at: other.appendingPathComponent(home), to: live.appendingPathComponent(home))
    case .commit, .logged, .pages, .schema:
      let handle = try Oracle.open(Workload.store(live).path)
      defer { sqlite3_close(handle) }
      if let key = Keys.key, !Keys.give(key, to: handle) { throw POSIXError(.EIO) }
      // As a killed program leaves its log.
      if act == .logged { steps_keep_log(handle) }
      for sql in statements(act, seed) where sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
        throw Oracle.Failure(message: "\(sql.prefix(60)): \(String(cString: sqlite3_errmsg(handle)))")
      }
    }
  }

  private static func statements(_ act: Act, _ seed: UInt64) -> [String] {
    switch act {
    case .pages: return ["PRAGMA journal_mode = DELETE", "PRAGMA page_size = \(seed.isMultiple(of: 2) ? 8_192 : 1_024)", "VACUUM"]
    case .schema: return ["DROP INDEX lines_by_content", "ALTER TABLE lines ADD COLUMN theirs TEXT"]
    default:
      let batch = Batch(number: Workload.prepared + 1, seed: seed)
      let lines = batch.lines.enumerated().map { "INSERT INTO lines (batch, place, content) VALUES (\(batch.number), \($0), '\($1)')" }
      let first = "INSERT INTO batches (number, lines, checksum) VALUES (\(batch.number), \(batch.lines.count), \(batch.checksum))"
      return ["BEGIN", first] + lines + ["COMMIT"]
    }
  }
}
