import Foundation
import Holdfast

/// What archiving every commit costs: 20,000 small mixed commits into a store of 20,000 notes, with the archive, without it, and with two other
/// ways to keep every commit.
struct ArchiveCost {
  var mode: Mode
  var durability: StoreOptions.Durability
  /// Of each commit.
  var milliseconds: [Double] = []
  /// Of each run, by its wall time.
  var commitsPerSecond: [Double] = []
  var bytesPerCommit = 0.0
  /// Of the commits that moved the log into the file.
  var pauses: [Double] = []
  /// The size of SQLite's log after the longest run.
  var logMegabytes = 0.0
  /// Commits of all runs that the second process did not copy; nil without one.
  var missed: Int?

  enum Mode: String, CaseIterable {
    case plain = "no archive"
    case archive = "archive"
    case journal = "a journal by triggers"
    case copier = "a process copies the log, 10 ms"
    /// Litestream's default.
    case slowCopier = "a process copies the log, 1 s"

    var copiesEveryMilliseconds: Int? {
      switch self {
      case .plain, .archive, .journal: nil
      case .copier: 10
      case .slowCopier: 1_000
      }
    }
  }

  static let commits = 20_000

  static func run(_ dataSets: DataSets, rounds: Int) throws -> [ArchiveCost] {
    var costs = [StoreOptions.Durability.fast, .durable].flatMap { durability in
      Mode.allCases.map { ArchiveCost(mode: $0, durability: durability) }
    }
    for number in 0..<min(rounds, 5) {
      for turn in costs.indices {
        let place = (turn + number) % costs.count
        let folder = try dataSets.newFolder()
        try costs[place].round(URL(fileURLWithPath: folder), seed: UInt64(number))
        try FileManager.default.removeItem(atPath: folder)
      }
    }
    return costs
  }

  private mutating func round(_ folder: URL, seed: UInt64) throws {
    var options = StoreOptions.production
    options.durability = durability
    options.archive.mode = mode == .archive ? .begins : .off
    let url = folder.appendingPathComponent("notes.sqlite")
    let store = try Store.open(at: url, schemas: [mode == .journal ? NotesStore.journaled : NotesStore.schema], options: options)
    try NotesStore.fill(store, notes: Self.commits)
    let before = mode == .archive ? try store.archive().bytes : 0
    let copier = try mode.copiesEveryMilliseconds.map {
      try LogCopier(of: url.path, into: folder.appendingPathComponent("copy").path, everyMilliseconds: $0)
    }
    var random = SplitMix(state: seed)
    var written = 0
    let stopwatch = Stopwatch()
    let start = ContinuousClock.now
    for number in 0..<Self.commits {
      let rows = try stopwatch.time { try NotesStore.commit(number, of: Self.commits, to: store, &random) }
      // SQLite writes no frame for a commit without a change.
      if rows > 0 { written += 1 }
    }
    commitsPerSecond.append(Double(Self.commits) / (ContinuousClock.now - start).seconds)
    let operations = stopwatch.operations
    milliseconds += operations
    // A checkpoint every 1,000 frames: the slowest few in a thousand commits hold one.
    pauses += operations.sorted().suffix(Self.commits / 300)
    let logBytes = try FileManager.default.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int ?? 0
    logMegabytes = max(logMegabytes, Double(logBytes) / 1_000_000)
    if let copied = try copier?.stop() {
      missed = (missed ?? 0) + written + copied.own - copied.commits
      bytesPerCommit = Double(copied.bytes) / Double(Self.commits)
    } else if mode == .archive {
      bytesPerCommit = Double(try store.archive().bytes - before) / Double(Self.commits)
    } else if mode == .journal {
      let journal = try store.read { try $0.value("SELECT sum(length(old) + length(new)) FROM journal") { try $0.int() } ?? 0 }
      bytesPerCommit = Double(journal) / Double(Self.commits)
    }
    try store.close()
  }

  static func table(_ costs: [ArchiveCost]) -> Table {
    var table = Table(header: [
      "durability", "contestant", "runs", "n", "p50 µs", "p99 µs", "commits/s", "least", "most", "x no archive", "bytes a commit",
      "pause p99 ms", "log MB", "missed",
    ])
    for cost in costs {
      let plain = costs.first { $0.durability == cost.durability && $0.mode == .plain } ?? cost
      let speeds = cost.commitsPerSecond
      table.rows.append([
        cost.durability.rawValue, cost.mode.rawValue, "\(speeds.count)", "\(cost.milliseconds.count)",
        String(format: "%.1f", cost.milliseconds.median * 1000), String(format: "%.1f", cost.milliseconds.quantile(0.99) * 1000),
        String(format: "%.0f", speeds.median), String(format: "%.0f", speeds.min() ?? 0), String(format: "%.0f", speeds.max() ?? 0),
        String(format: "%.2f", speeds.median / plain.commitsPerSecond.median), String(format: "%.0f", cost.bytesPerCommit),
        String(format: "%.1f", cost.pauses.quantile(0.99)), String(format: "%.1f", cost.logMegabytes), cost.missed.map { "\($0)" } ?? "-",
      ])
    }
    return table
  }

  /// The goals of an archive, against the same commits without one.
  static func gates(_ costs: [ArchiveCost]) -> [(name: String, demand: String, figure: Double, isMet: Bool)] {
    var gates: [(name: String, demand: String, figure: Double, isMet: Bool)] = []
    for own in costs where own.mode == .archive {
      guard let plain = costs.first(where: { $0.durability == own.durability && $0.mode == .plain }) else { continue }
      func add(_ what: String, _ demand: String, _ figure: Double, _ isMet: Bool) {
        gates.append(("archive, \(own.durability.rawValue): \(what)", demand, figure, isMet))
      }
      let (median, before) = (own.milliseconds.median, plain.milliseconds.median)
      add("a commit", "<= 1.05 x no archive, or 3 µs more", median / before, median <= max(before * 1.05, before + 0.003))
      let slowest = own.milliseconds.quantile(0.99) / plain.milliseconds.quantile(0.99)
      add("a commit, p99", "<= 1.1 x no archive", slowest, slowest <= 1.1)
      // No goal for fast commits: a writer that never rests waits for the archive.
      if own.durability == .durable {
        let share = own.commitsPerSecond.median / plain.commitsPerSecond.median
        add("commits/s", ">= 0.85 x no archive", share, share >= 0.85)
      }
      add("bytes a commit", "<= 1000", own.bytesPerCommit, own.bytesPerCommit <= 1_000)
      let pause = own.pauses.quantile(0.99)
      add("pause p99", "<= 25 ms", pause, pause <= 25)
    }
    return gates
  }

  static let legend = """
    Of each run 20,000 commits; commits/s: the median of the runs, the least and the most of them. Log: the size of SQLite's log after the
    longest run. The copying process works as Litestream 0.5 does, without its compression; missed: commits that it did not copy, in all runs.
    """
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
