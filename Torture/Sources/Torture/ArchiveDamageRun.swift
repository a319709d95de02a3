import Foundation
import GRDBSQLite
import Holdfast

/// Damages the archives of closed and half-closed stores, and judges what is restored from them.
struct ArchiveDamageRun {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  /// Only this one, to repeat it.
  var only: (what: String, isHalfClosed: Bool)?
  /// Holds the archive to states that never were: then the method must find something.
  var misremembers = false

  private struct Job: Sendable {
    var damage: ArchiveDamage
    var isHalfClosed: Bool
    var family: UInt64
  }

  func run(_ name: String = "damages of archives") throws -> Tally {
    let tally = Tally(name)
    try tally.rounds(wanted, until: deadline, isSingle: only != nil) { round in
      let family = seed &+ round
      var jobs: [Job] = []
      for (number, kind) in ArchiveDamage.kinds.enumerated() {
        for isHalfClosed in [false, true] {
          if let only, only.what != kind || only.isHalfClosed != isHalfClosed { continue }
          jobs.append(
            Job(damage: ArchiveDamage(what: kind, seed: family &* 1_000 &+ UInt64(number)), isHalfClosed: isHalfClosed, family: family))
        }
      }
      try prepare(family)
      inLanes(jobs, until: deadline) { job, worker, lane in try damage(job, worker, lane, tally) }
    }
    return tally
  }

  private func template(_ seed: UInt64, _ isHalfClosed: Bool) -> URL {
    URL(fileURLWithPath: "\(Paths.scratch)/prepared/archive-\(isHalfClosed ? "half" : "closed")-\(seed)")
  }

  private func prepare(_ seed: UInt64) throws {
    for isHalfClosed in [false, true] {
      let folder = template(seed, isHalfClosed)
      guard !FileManager.default.fileExists(atPath: folder.path) else { continue }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let child = try Subprocess(["archived-store", isHalfClosed ? "half" : "closed", String(seed), folder.path, folder.path + ".acks"])
      guard child.wait() == .exited(0) else { throw POSIXError(.EIO) }
    }
  }

  /// The child: a store with an archive of two generations and several segments, closed or left as a killed process leaves it. Tells every
  /// commit.
  static func store(_ arguments: [String]) throws {
    guard arguments.count == 4, let seed = UInt64(arguments[1]) else { exit(64) }
    let folder = URL(fileURLWithPath: arguments[2])
    var commits = ArchivedCommits(
      url: Workload.store(folder), options: Workload.options(.durable, seed: seed), seed: seed, acks: Acks(arguments[3]))
    commits.options.archives()
    let clock = SetClock()
    commits.options.now = { clock.now }
    func write(_ numbers: ClosedRange<Int>) throws -> Store {
      let store = try Store.open(at: commits.url, schemas: [Library.old], options: commits.options)
      for number in numbers {
        try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
        try commits.tellMoment(store, clock, labels: number.isMultiple(of: 3))
      }
      return store
    }
    try write(1...6).close()
    try finishSegment(folder)
    try write(7...10).close()
    try write(11...14).close()
    foreignBatch(15, folder)
    try write(16...18).close()
    let store = try write(19...22)
    if arguments[0] == "closed" { try store.close() }
    _exit(0)
  }

  /// The first segment ends as a long one does.
  private static func finishSegment(_ folder: URL) throws {
    let archive = folder.appendingPathComponent("list.sqlite.holdfast/archive")
    for name in try FileManager.default.subpathsOfDirectory(atPath: archive.path) where name.hasSuffix(".segment") {
      let path = "\(archive.path)/\(name)"
      var segment = try SegmentBytes(path)
      segment.finish()
      try Data(segment.bytes).write(to: URL(fileURLWithPath: path))
    }
  }

  /// Another program adds a batch without lines: a gap.
  private static func foreignBatch(_ number: Int, _ folder: URL) {
    guard let handle = try? Oracle.open(Workload.store(folder).path) else { return }
    defer { sqlite3_close(handle) }
    sqlite3_exec(handle, "INSERT INTO batches (number, lines, checksum) VALUES (\(number), 0, \(Batch.checksum([])))", nil, nil, nil)
  }

  private func damage(_ job: Job, _ worker: Worker, _ lane: Int, _ tally: Tally) throws {
    let state = try Paths.fresh("archive-\(lane)").appendingPathComponent("state")
    let template = template(job.family, job.isHalfClosed)
    try FileManager.default.copyItem(at: template, to: state)
    try job.damage.apply(to: state)
    let told = try String(contentsOfFile: template.path + ".acks", encoding: .utf8).split(separator: "\n").map(String.init)
    var moments = ToldMoment.all(in: told)
    if misremembers { for index in moments.indices { moments[index].content += 1 } }
    let judged = ArchiveDamageCase(
      archiveDamage: job.damage, folder: state.path, seed: job.family, moments: moments,
      promised: try ArchiveLoss.promised(in: state, before: template))
    tally.count()
    let name = "\(job.damage.what) \(job.isHalfClosed ? "half-closed" : "closed")"
    let command = "torture archive-damage --what \(job.damage.what) --state \(job.isHalfClosed ? "half" : "closed") --seed \(job.family)"
    try judged.judge(by: worker, name, tally, repeatBy: command, as: "archive", keeps: !misremembers)
  }
}
