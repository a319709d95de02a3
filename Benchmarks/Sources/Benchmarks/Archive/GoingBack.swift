import Foundation
import Holdfast

/// Going back to a moment of the archive, in a store of about 100 MB: its restore as a file, and a rewind of the running store.
enum GoingBack {
  static let restore = "archive: restore 100 MB, verified"
  static let rewind = "archive: rewind 100 MB, the whole call"
  static let swap = "archive: rewind 100 MB, the transaction"
  static let move = "archive: rewind 100 MB, archiving and moving the log after it"
  private static let notes = 190_000
  /// Before the moment, and again after it.
  private static let commits = 1_000
  private static let moment = Moment.label("here")

  static func run(_ dataSets: DataSets, rounds: Int) throws -> [Outcome] {
    let source = try dataSets.newFolder() + "/" + DataSet.databaseName
    var options = StoreOptions.production
    options.archive.mode = .off
    let store = try Store.open(at: URL(fileURLWithPath: source), schemas: [NotesStore.schema], options: options)
    try NotesStore.fill(store, notes: notes)
    try store.close()
    var outcomes = [restore, rewind, swap, move].map { Outcome(workload: $0, contestant: Gate.contestant) }
    for number in 0..<min(rounds, 5) {
      let folder = try dataSets.newFolder()
      let path = folder + "/" + DataSet.databaseName
      try FileManager.default.copyItem(atPath: source, toPath: path)
      let spans = try round(path, restoringTo: folder + "/restored.sqlite", seed: UInt64(number))
      for (place, span) in spans.enumerated() {
        outcomes[place].add(wall: span.wall, processor: span.processor)
        outcomes[place].megabytes = span.megabytes
      }
      try FileManager.default.removeItem(atPath: folder)
    }
    return outcomes
  }

  /// Milliseconds.
  private struct Span {
    var wall: Double
    var processor: Double
    var megabytes: Double
  }

  private static func round(_ path: String, restoringTo restored: String, seed: UInt64) throws -> [Span] {
    let trace = SQLTimes()
    var options = StoreOptions.production
    options.archive.mode = .begins
    options.trace = { trace.note($0) }
    let store = try Store.open(at: URL(fileURLWithPath: path), schemas: [NotesStore.schema], options: options)
    let archive = try store.archive()
    var random = SplitMix(state: seed)
    for number in 0..<commits { _ = try NotesStore.commit(number, of: notes, to: store, &random) }
    try store.label("here")
    let before = try content(store)
    for number in 0..<commits { _ = try NotesStore.commit(number, of: notes, to: store, &random) }
    // The rewind begins with an empty log, and every commit archived.
    try store.checkpoint(.truncate)
    let restoring = Stopwatch()
    try restoring.time { _ = try archive.restore(to: moment, at: URL(fileURLWithPath: restored)) }
    let bytes = try FileManager.default.attributesOfItem(atPath: restored)[.size] as? Int ?? 0
    let megabytes = Double(bytes) / 1_000_000
    trace.begin()
    let rewinding = Stopwatch()
    try rewinding.time { _ = try store.rewind(to: moment) }
    guard try content(store) == before else { throw Failure("a rewind led to another state") }
    try store.close()
    // These three statements stand around the transaction of a rewind: each of its commits is flushed, SQLite is made to tell the commit,
    // and commits are not flushed any more.
    let times = try trace.times(of: ["PRAGMA synchronous = FULL", "SELECT 1", "PRAGMA synchronous = NORMAL"])
    return [
      Span(wall: restoring.operations.median, processor: restoring.processor, megabytes: megabytes),
      Span(wall: rewinding.operations.median, processor: rewinding.processor, megabytes: megabytes),
      Span(wall: times[1].wall - times[0].wall, processor: times[1].processor - times[0].processor, megabytes: megabytes),
      Span(wall: times[2].wall - times[1].wall, processor: times[2].processor - times[1].processor, megabytes: megabytes),
    ]
  }

  /// The number of notes, and the sum of their numbers.
  private static func content(_ store: Store) throws -> [Int] {
    try store.read { reader in
      try reader.value("SELECT count(*), sum(number) FROM notes") { row in [try row.int(), try row.int()] } ?? []
    }
  }
}

/// When a store ran its statements.
private final class SQLTimes: @unchecked Sendable {
  typealias Time = (wall: Double, processor: Double)
  private let lock = NSLock()
  private var statements: [(sql: String, at: Time)] = []
  private var hasBegun = false

  func begin() { lock.withLock { hasBegun = true } }

  func note(_ sql: String) {
    let now = (wall: Stopwatch.now(CLOCK_MONOTONIC), processor: Stopwatch.now(CLOCK_PROCESS_CPUTIME_ID))
    lock.withLock { if hasBegun { statements.append((sql, now)) } }
  }

  /// When each of these began, the first one after the one before.
  ///
  /// - Throws: when one did not run.
  func times(of wanted: [String]) throws -> [Time] {
    var rest = lock.withLock { statements }[...]
    return try wanted.map { sql in
      guard let place = rest.firstIndex(where: { $0.sql == sql }) else { throw Failure("a rewind did not run \(sql)") }
      defer { rest = rest[(place + 1)...] }
      return rest[place].at
    }
  }
}
