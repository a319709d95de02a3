import Foundation
internal import GRDB
internal import GRDBSQLite
import Logging

/// Keeps a store's figures by day, in the table `holdfast_insight`, inside the app's own commits, as `KeptMetrics` tells. So it adds no
/// commit to the archive, a store that is only read does not change, and opening and closing have nothing to do.
///
/// Used on the writer's queue.
final class DayNotes: @unchecked Sendable {
  /// How many days of each kind stay, the newest ones. Not by age: a wrong clock would remove all others.
  static let keptDays = ["bytes": 400, "verb": 30, "slow": 30, "errors": 30, "removed": 30]
  /// How many slow statements a day keeps, and how many failed calls.
  static let keptStatements = 10
  static let keptErrors = 20
  /// So that the commit stays short: verbs with errors come first, then those that took longest. The others are noted later.
  private static let verbsAtOnce = 20
  private static let minute: UInt64 = 60_000_000_000

  private let files: StoreFiles
  private let options: StoreOptions
  private let recorder: MetricsRecorder
  /// The time of the next look, by `SteadyTime`. Tests set it to 0.
  var due: UInt64
  /// No commit of this opening has looked yet. Then the verbs have hardly been called.
  private var isFirstLook: Bool
  /// What this opening has counted and the table has.
  private var noted: [String: VerbCounts] = [:]
  /// `noted` after the commit under way; nil when that takes nothing along.
  private var noting: [String: VerbCounts]?
  /// Slow statements and failed calls that the table does not have, also those of a commit that failed.
  private var slow: [SlowStatement] = []
  private var errors: [FailedCall] = []

  /// Nil when nothing is counted.
  init?(_ files: StoreFiles, _ options: StoreOptions, _ recorder: MetricsRecorder?, isNew: Bool) {
    guard let recorder else { return nil }
    (self.files, self.options, self.recorder) = (files, options, recorder)
    // A store that is made has no sizes of a day before.
    isFirstLook = !isNew
    due = isNew ? SteadyTime.nanoseconds &+ Self.minute : 0
  }

  /// Call before a commit that has changed rows. An error here fails no commit, unless SQLite has ended the transaction because of it.
  func take(in transaction: WriteTransaction, _ db: Database) {
    noting = nil
    guard SteadyTime.nanoseconds >= due, let day = options.now().insightDay else { return }
    let connection = transaction.connection
    let before = sqlite3_total_changes(connection.handle)
    do {
      if try needsSizes(day, db) { try noteSizes(day, db) }
      if isFirstLook {
        noting = noted
      } else {
        try noteLatest(day, db)
        noting = try noteCalls(day, db)
      }
    } catch {
      due = SteadyTime.nanoseconds &+ 10 * Self.minute
      transaction.note(StoreError(error))
      options.logger.warning("the day's figures were not kept", metadata: ["path": "\(files.path)", "error": "\(error)"])
    }
    connection.checkpoints.leaveOutRows(sqlite3_total_changes(connection.handle) &- before)
  }

  /// Call after the commit.
  func committed() {
    guard let noting else { return }
    due = SteadyTime.nanoseconds &+ (isFirstLook ? 1 : 10) * Self.minute
    (noted, self.noting, isFirstLook) = (noting, nil, false)
    (slow, errors) = ([], [])
  }

  /// Whether the day has no sizes yet. On the day on which a store was made, its sizes are not worth the first commit of each opening.
  private func needsSizes(_ day: String, _ db: Database) throws -> Bool {
    let sql = """
      SELECT NOT EXISTS (SELECT 1 FROM holdfast_insight WHERE kind = 'bytes' AND day = :day)
        AND NOT (:isFirst AND EXISTS (SELECT 1 FROM holdfast_migrations WHERE date(ran_at / 1000, 'unixepoch') = :day))
      """
    return try Bool.fetchOne(db, sql: sql, arguments: ["day": day, "isFirst": isFirstLook]) ?? false
  }

  /// Reads no pages: the sizes of tables are not kept. Lists the folders of the copies once a day, in a few milliseconds.
  private func noteSizes(_ day: String, _ db: Database) throws {
    let pageBytes = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let free = try Int64.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
    let copies = CopyBytes(files, db.texts)
    let sizes = [
      "database": pages &* pageBytes, "free": free &* pageBytes, "log": DurableFile.size(files.log.path), "archive": copies.archive,
      "snapshots": copies.snapshots, "quarantine": copies.quarantine,
    ]
    for (name, bytes) in sizes { try db.putInsight("bytes", day, name, bytes) }
    for (kind, days) in Self.keptDays {
      try db.execute(
        sql: """
          DELETE FROM holdfast_insight WHERE kind = :kind AND day < (
            SELECT day FROM (SELECT DISTINCT day FROM holdfast_insight WHERE kind = :kind) ORDER BY day DESC LIMIT 1 OFFSET :others)
          """, arguments: ["kind": kind, "others": days - 1])
    }
  }

  /// Adds the calls since the last note to those of the day. Returns what the table then has of this opening.
  private func noteCalls(_ day: String, _ db: Database) throws -> [String: VerbCounts] {
    var noted = self.noted
    let verbs = recorder.counts.map { name, counts in (name: name, counts: counts, new: counts.since(self.noted[name] ?? VerbCounts())) }
    func rank(_ new: VerbCounts) -> (Int, UInt64) { (new.errors.isEmpty ? 0 : 1, new.latency.total) }
    for verb in verbs.filter({ $0.new.calls > 0 }).sorted(by: { rank($0.new) > rank($1.new) }).prefix(Self.verbsAtOnce) {
      var sum: VerbCounts = try kept("verb", day, verb.name, db) ?? VerbCounts()
      sum.add(verb.new)
      try db.putInsight("verb", day, verb.name, sum)
      noted[verb.name] = verb.counts
    }
    return noted
  }

  /// Adds the slow statements and the failed calls since the last note to those of the day.
  private func noteLatest(_ day: String, _ db: Database) throws {
    let latest = recorder.takeLatest()
    slow = slow.merged(with: latest.slow, most: Self.keptStatements)
    errors = errors.merged(with: latest.errors, most: Self.keptErrors)
    if !slow.isEmpty {
      let others: [SlowStatement] = try kept("slow", day, "slowest", db) ?? []
      try db.putInsight("slow", day, "slowest", others.merged(with: slow, most: Self.keptStatements))
    }
    if !errors.isEmpty {
      let others: [FailedCall] = try kept("errors", day, "last", db) ?? []
      try db.putInsight("errors", day, "last", others.merged(with: errors, most: Self.keptErrors))
    }
  }

  /// A text that cannot be read counts as none, and is replaced.
  private func kept<Value: Decodable>(_ kind: String, _ day: String, _ name: String, _ db: Database) throws -> Value? {
    try db.insightText(kind, day: day, name: name).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }
}
