import Foundation

/// How many snapshots stay, in restic's words. A snapshot stays when at least one rule keeps it.
///
/// Each rule looks at the newest snapshots first, and keeps the newest one of every period until its number is reached. Periods without a
/// snapshot do not count. Periods are in UTC; weeks begin on Monday. Zero: the rule keeps none.
public struct SnapshotPolicy: Sendable, Equatable {
  /// Keeps the newest N snapshots. Default 5.
  public var keepLast: Int
  /// Keeps the newest snapshot of each of the last N hours that have one. Default 0.
  public var keepHourly: Int
  /// Keeps the newest snapshot of each of the last N days that have one. Default 0.
  public var keepDaily: Int
  /// Keeps the newest snapshot of each of the last N weeks that have one. Default 0.
  public var keepWeekly: Int
  /// Keeps the newest snapshot of each of the last N months that have one. Default 0.
  public var keepMonthly: Int

  /// Makes a policy. Without arguments: the newest five.
  public init(keepLast: Int = 5, keepHourly: Int = 0, keepDaily: Int = 0, keepWeekly: Int = 0, keepMonthly: Int = 0) {
    (self.keepLast, self.keepHourly, self.keepDaily) = (keepLast, keepHourly, keepDaily)
    (self.keepWeekly, self.keepMonthly) = (keepWeekly, keepMonthly)
  }

  /// The snapshots that no rule keeps. `snapshots` are given newest first.
  func surplus(_ snapshots: [Snapshot]) -> [Snapshot] {
    var kept = Set(snapshots.prefix(max(0, keepLast)).map(\.id))
    let rules: [(count: Int, period: (Int64) -> Int64)] = [
      (keepHourly, { floorDivide($0, 3_600_000).quotient }), (keepDaily, Self.day),
      // 1970-01-01 was a Thursday.
      (keepWeekly, { floorDivide(Self.day($0) + 3, 7).quotient }), (keepMonthly, Self.month),
    ]
    for rule in rules {
      var (left, last) = (rule.count, Int64?.none)
      for snapshot in snapshots where left > 0 {
        let period = rule.period(DateCodec.milliseconds(snapshot.createdAt) ?? 0)
        guard period != last else { continue }
        (left, last) = (left - 1, period)
        kept.insert(snapshot.id)
      }
    }
    return snapshots.filter { !kept.contains($0.id) }
  }

  private static func day(_ milliseconds: Int64) -> Int64 { floorDivide(milliseconds, 86_400_000).quotient }

  private static func month(_ milliseconds: Int64) -> Int64 {
    let date = GregorianDay.date(days: day(milliseconds))
    return date.year * 12 + date.month
  }
}
