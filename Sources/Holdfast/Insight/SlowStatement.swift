/// A statement that was slow: how often, how long, and how SQLite runs it. See `StoreMetrics.slowest` and `KeptMetrics.slowest`.
///
/// Has no value that was bound to the statement. A value that an app has written into its SQL text itself is part of `sql`.
/// Encoded, every time is a whole number of nanoseconds.
public struct SlowStatement: Sendable, Equatable, Codable {
  /// The SQL text as prepared, with a `?` for each bound value. It ends after 2,000 characters; texts that are equal
  /// up to there count as one.
  public var sql: String
  /// How many runs were slow. Faster runs of the same statement do not count, here and below.
  public var count = 0
  /// The sum of the slow runs.
  public var total: Duration { .nanoseconds(totalNanoseconds) }
  /// The longest run.
  public var longest: Duration { .nanoseconds(longestNanoseconds) }
  /// How many rows the slow runs stepped through because no index led to the right ones. 0 where one did, and for `count(*)` of a table.
  public var rowsStepped = 0
  /// The lines of `EXPLAIN QUERY PLAN`, each indented by two spaces below the line to which it belongs. Made without the bound values.
  /// Empty where SQLite has no plan, as for an `INSERT` of values, and where the plan could not be read.
  public var plan: [String] = []
  /// A `CREATE INDEX` that saves SQLite from reading a whole table, if the store could prove that. Otherwise a sentence that names the
  /// tables that are read row by row. Nil if no table is.
  public var advice: String?

  var totalNanoseconds: Int64 = 0
  var longestNanoseconds: Int64 = 0

  init(sql: String) { self.sql = sql }

  /// One run.
  init(sql: String, nanoseconds: Int64, rows: Int) {
    self.sql = sql
    (count, rowsStepped, totalNanoseconds, longestNanoseconds) = (1, rows, nanoseconds, nanoseconds)
  }

  /// Adds the runs of `other`, which has the same text. A plan that it has is the newer one.
  mutating func add(_ other: SlowStatement) {
    totalNanoseconds = totalNanoseconds.addingClamped(other.totalNanoseconds)
    longestNanoseconds = max(longestNanoseconds, other.longestNanoseconds)
    count &+= other.count
    rowsStepped &+= other.rowsStepped
    if !other.plan.isEmpty { (plan, advice) = (other.plan, other.advice) }
  }
}

extension [SlowStatement] {
  /// These and then `others`, each text once: the `most` with the longest run, the longest first.
  func merged(with others: [SlowStatement] = [], most: Int) -> [SlowStatement] {
    var statements: [String: SlowStatement] = [:]
    for statement in self + others { statements[statement.sql, default: SlowStatement(sql: statement.sql)].add(statement) }
    let sorted = statements.values.sorted { ($0.longestNanoseconds, $1.sql) > ($1.longestNanoseconds, $0.sql) }
    return [SlowStatement](sorted.prefix(most))
  }
}
