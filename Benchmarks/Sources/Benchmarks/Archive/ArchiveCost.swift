import Foundation
import Holdfast

/// What archiving every commit costs: 20,000 small mixed commits into a store of 20,000 notes, with and without it.
struct ArchiveCost {
  var mode: Mode
  var durability: StoreOptions.Durability
  /// Of each commit.
  var milliseconds: [Double] = []
  /// Of each round, by its wall time.
  var commitsPerSecond: [Double] = []
  var bytesPerCommit = 0.0
  /// Of the commits that moved the log into the file.
  var pauses: [Double] = []

  enum Mode: String, CaseIterable {
    case plain = "no archive"
    case archive = "archive"
    case journal = "a journal by triggers"
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
    let store = try Store.open(at: url, schemas: [mode == .journal ? Self.journaled : Self.schema], options: options)
    let body = String(repeating: "abcdefghij ", count: 40)
    try store.write { tx in
      for id in 0..<Self.commits {
        try tx.execute(
          "INSERT INTO notes (id, title, body, number) VALUES (\(id), \("t\(id)"), \(body), \((id &* 2_654_435_761) % 1_000_003))")
      }
    }
    try store.checkpoint(.truncate)
    let before = mode == .archive ? try store.archive().bytes : 0
    var random = SplitMix(state: seed)
    let stopwatch = Stopwatch()
    let start = ContinuousClock.now
    for commit in 0..<Self.commits {
      let (number, id) = (Int(random.next() % 1_000_000), Int(random.next() % UInt64(Self.commits)))
      try stopwatch.time {
        try store.write { tx in
          switch commit % 4 {
          case 0, 1: try tx.execute("INSERT INTO notes (title, body, number) VALUES (\("t\(commit)"), \(body), \(number))")
          case 2: try tx.execute("UPDATE notes SET number = \(number), title = \("u\(commit)") WHERE id = \(id)")
          default: try tx.execute("DELETE FROM notes WHERE id = \(id)")
          }
        }
      }
    }
    commitsPerSecond.append(Double(Self.commits) / (ContinuousClock.now - start).seconds)
    let operations = stopwatch.operations
    milliseconds += operations
    // A checkpoint every 1,000 frames: the slowest few in a thousand commits hold one.
    pauses += operations.sorted().suffix(Self.commits / 300)
    if mode == .archive {
      bytesPerCommit = Double(try store.archive().bytes - before) / Double(Self.commits)
    } else if mode == .journal {
      let journal = try store.read { try $0.value("SELECT sum(length(old) + length(new)) FROM journal") { try $0.int() } ?? 0 }
      bytesPerCommit = Double(journal) / Double(Self.commits)
    }
    try store.close()
  }

  private static let notes = Migration(
    "notes/001-notes",
    sql: """
      CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, number INTEGER NOT NULL) STRICT;
      CREATE INDEX notes_by_number ON notes (number);
      """)
  private static let schema = StoreSchema("notes", migrations: [notes])
  private static let journaled = StoreSchema(
    "notes",
    migrations: [
      notes,
      Migration(
        "notes/002-journal",
        sql: """
          CREATE TABLE journal (id INTEGER PRIMARY KEY, at REAL NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL) STRICT;
          CREATE TRIGGER journal_insert AFTER INSERT ON notes BEGIN INSERT INTO journal (at, old, new)
          VALUES (julianday('now'), '', json_array(new.id, new.title, new.body, new.number)); END;
          CREATE TRIGGER journal_update AFTER UPDATE ON notes BEGIN INSERT INTO journal (at, old, new)
          VALUES (julianday('now'), json_array(old.id, old.title, old.body, old.number), json_array(new.id, new.title, new.body, new.number)); END;
          CREATE TRIGGER journal_delete AFTER DELETE ON notes BEGIN INSERT INTO journal (at, old, new)
          VALUES (julianday('now'), json_array(old.id, old.title, old.body, old.number), ''); END;
          """),
    ])

  static func table(_ costs: [ArchiveCost]) -> Table {
    var table = Table(header: [
      "durability", "contestant", "n", "p50 µs", "p99 µs", "commits/s", "x no archive", "bytes a commit", "pause p99 ms",
    ])
    for cost in costs {
      let plain = costs.first { $0.durability == cost.durability && $0.mode == .plain } ?? cost
      table.rows.append([
        cost.durability.rawValue, cost.mode.rawValue, "\(cost.milliseconds.count)", String(format: "%.1f", cost.milliseconds.median * 1000),
        String(format: "%.1f", cost.milliseconds.quantile(0.99) * 1000), String(format: "%.0f", cost.commitsPerSecond.median),
        String(format: "%.2f", cost.commitsPerSecond.median / plain.commitsPerSecond.median), String(format: "%.0f", cost.bytesPerCommit),
        String(format: "%.1f", cost.pauses.quantile(0.99)),
      ])
    }
    return table
  }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
