import Foundation
internal import GRDB

/// What a store has kept of its past: how large it was, what its verbs did, which statements were slow, and which calls failed, by day.
///
/// A store writes it inside commits that the app makes and that change rows: the sizes in the first commit of a day, the rest a minute after
/// opening and then every ten minutes. So a day without a commit is missing, and the calls of the last minutes before closing are, too. A
/// store that was restored or rewound has what was kept until that moment. It keeps no bound values and no messages of errors.
public struct KeptMetrics: Sendable, Equatable, Codable {
  /// The days, oldest first: the last 400 with sizes, and the last 30 with the rest.
  public var days: [Day] = []
  /// The calls of all kept days together.
  public var verbs: [String: StoreMetrics.Verb] = [:]
  /// The 10 slow statements of all kept days with the longest run, the longest first. The figures of a statement add up the days on which
  /// it was among the slowest.
  public var slowest: [SlowStatement] = []
  /// The last 20 calls of all kept days that threw an error, the newest last.
  public var lastErrors: [FailedCall] = []

  /// One day in UTC.
  public struct Day: Sendable, Equatable, Codable {
    /// The day, as `2026-01-31`.
    public var day: String
    /// The sizes in bytes at the first commit of the day, by name: `database`, the free pages in it (`free`), `log`, and the copies
    /// (`archive`, `snapshots`, `quarantine`). Empty when they were not kept.
    public var bytes: [String: Int64] = [:]
    /// The calls of the day by verb, of all processes.
    public var verbs: [String: StoreMetrics.Verb] = [:]
    /// The 10 slow statements of the day with the longest run, the longest first, of all processes; see `StoreMetrics.slowest`.
    public var slowest: [SlowStatement] = []
    /// The last 20 calls that threw an error, the newest last, of all processes. A call just before midnight may stand at the next day.
    public var lastErrors: [FailedCall] = []
    /// How many rows retention removed on this day, by table; see `Store.applyRetention()`.
    public var removed: [String: Int] = [:]
  }

  /// A row that cannot be read is left out.
  init(_ query: TextQuery) throws {
    var days: [String: Day] = [:]
    var sums: [String: VerbCounts] = [:]
    let decoder = JSONDecoder()
    for row in try query("SELECT kind, day, name, value FROM holdfast_insight ORDER BY kind, day, name") {
      guard row.count == 4, let kind = row[0], let day = row[1], let name = row[2], let value = row[3] else { continue }
      switch kind {
      case "bytes": days[day, default: Day(day: day)].bytes[name] = Int64(value)
      case "verb":
        guard let counts = try? decoder.decode(VerbCounts.self, from: Data(value.utf8)) else { continue }
        days[day, default: Day(day: day)].verbs[name] = counts.verb
        sums[name, default: VerbCounts()].add(counts)
      case "slow":
        guard let slow = try? decoder.decode([SlowStatement].self, from: Data(value.utf8)) else { continue }
        days[day, default: Day(day: day)].slowest = slow.merged(most: DayNotes.keptStatements)
        slowest = slowest.merged(with: slow, most: .max)
      case "errors":
        guard let errors = try? decoder.decode([FailedCall].self, from: Data(value.utf8)) else { continue }
        days[day, default: Day(day: day)].lastErrors = errors.merged(with: [], most: DayNotes.keptErrors)
        lastErrors = lastErrors.merged(with: errors, most: DayNotes.keptErrors)
      case "removed": days[day, default: Day(day: day)].removed[name] = Int(value)
      default: continue
      }
    }
    self.days = days.values.sorted { $0.day < $1.day }
    verbs = sums.mapValues(\.verb)
    slowest = slowest.merged(most: DayNotes.keptStatements)
  }
}

extension Store {
  /// What the store has kept by day. Empty for a store that was never open with `StoreOptions.metrics` for longer
  /// than a minute, or on a later day than it was made.
  ///
  /// - Throws: `.closed`, `.damaged`, `.inputOutput`.
  public func keptMetrics() throws -> KeptMetrics { try inspect { db in try KeptMetrics(db.texts) } }

  /// The same without blocking the caller.
  public func keptMetrics() async throws -> KeptMetrics { try await offTask { _ in try self.keptMetrics() } }
}
