/// How much of a table is kept. Without limits, everything.
public struct RetentionLimits: Sendable, Hashable {
  /// Older rows may go; nil, infinity and NaN keep all ages, 0 or less keeps none.
  public var maxAgeSeconds: Double?
  /// Beyond this number, the oldest rows may go; nil keeps all, 0 or less keeps none.
  public var maxCount: Int?

  /// Keeps everything by default.
  public init(maxAgeSeconds: Double? = nil, maxCount: Int? = nil) {
    self.maxAgeSeconds = maxAgeSeconds
    self.maxCount = maxCount
  }
}

/// Which rows of a table may go, and when. A schema declares it; see `Store.applyRetention()`.
///
/// The table needs a column with times in milliseconds since 1970, and an index that begins with it. Rows without a time stay, and so do rows
/// before 1973-03-03: they look like times in seconds. A table `WITHOUT ROWID` can have no policy.
public struct RetentionPolicy: Sendable, Hashable {
  /// The table's name.
  public let table: String
  /// The column of the time from which a row's age counts.
  public let time: String
  /// The condition in SQL of the rows that may go; all others stay whatever the limits are, and count for `maxCount`.
  public let condition: String
  /// The limits, unless the app sets others; see `RetentionOptions.limits`.
  public let limits: RetentionLimits

  /// Makes a policy without checking it. Opening a store for writing checks it.
  public init(_ table: String, time: String, ofRows condition: String = "true", keeps limits: RetentionLimits) {
    (self.table, self.time, self.condition, self.limits) = (table, time, condition, limits)
  }

  /// The rows that may go. A row of 1970 with a time in seconds would be older than everything.
  private var mayGo: BoundSQL {
    // With the table's name: SQLite takes a wrong name in quotes alone for a text.
    let column = "\(quoted(table)).\(quoted(time))"
    return BoundSQL(
      raw: "SELECT rowid AS place, \(column) AS time FROM \(quoted(table)) WHERE \(column) >= 100000000000 AND (\(condition))")
  }

  /// - Throws: `.misuse` where the policy does not fit the schema.
  func check(in reader: Reader) throws {
    do {
      try reader.rows("SELECT * FROM (\(sql: mayGo)) LIMIT 0") { _ in }
    } catch let error as StoreError where error.code != .closed {
      throw StoreError(.misuse, "the retention of \(table) does not fit its table: \(error.message)", cause: error)
    }
  }

  /// Removes the oldest rows that are beyond the limits, `most` at most. Returns how many.
  func remove(beyond limits: RetentionLimits, before milliseconds: Int64?, most: Int, in tx: Writer) throws -> Int {
    func remove(_ condition: BoundSQL, _ most: Int) throws -> Int {
      try tx.execute(
        """
        DELETE FROM \(raw: quoted(table)) WHERE rowid IN (
          SELECT place FROM (\(sql: mayGo)) WHERE \(sql: condition) ORDER BY time, place LIMIT \(most))
        """)
    }
    let removed = try milliseconds.map { try remove("time < \($0)", most) } ?? 0
    guard removed < most, let kept = limits.maxCount else { return removed }
    let excess = try tx.count("SELECT count(*) FROM \(raw: quoted(table))") - max(0, kept)
    return try excess > 0 ? removed + remove("true", min(excess, most - removed)) : removed
  }
}

/// How an open store applies the retention that its schemas declare.
public struct RetentionOptions: Sendable, Hashable {
  /// By table, the app's limits in place of the schema's. The condition stays the schema's. A table without a policy is `.misuse` at opening.
  public var limits: [String: RetentionLimits] = [:]
  /// The limits of the audit. Default: everything is kept.
  public var audit = RetentionLimits()
  /// Whether the store applies retention by itself: ten seconds after a commit that no other one followed, and then at most once a day.
  /// Default true; in `StoreOptions.testing` false. A store in memory never does.
  public var isAutomatic = true
  /// How long no commit must have been made.
  package var idle: Duration = .seconds(10)

  /// The defaults.
  public init() {}
}

/// What `Store.applyRetention()` did.
public struct RetentionReport: Sendable, Hashable {
  /// How many rows were removed, by table. The audit is `holdfast_audit`. Rows that a foreign key removed with them do not count.
  public var removed: [String: Int] = [:]
  /// False while the clock is ahead of the last use by more than a day, and has not gone on for three days yet. Ages then count until the
  /// last use, so nothing is removed too early.
  public var isClockTrusted = true
}
