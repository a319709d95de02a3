public import Foundation
public import Holdfast

/// The totals of the log.
public struct TrainingTotals: Sendable, Hashable, Codable {
  /// The number of finished workouts.
  public var workouts = 0
  /// The trained time of these workouts, in seconds; unknown times count as 0.
  public var trainedSeconds = 0
  /// The sums over all counted sets.
  public var work = TrainedWork()
  /// The number of different exercises with a counted set.
  public var exercises = 0
  /// When the oldest workout began; nil when there is none.
  public var firstWorkoutAt: Date?
  /// When the newest workout began; nil when there is none.
  public var lastWorkoutAt: Date?
  /// The number of consecutive ISO 8601 weeks with a workout, up to the present week. A present week without a workout does not
  /// break the streak; workouts dated in a later week do not count.
  public var weekStreak = 0
  /// The longest streak of consecutive weeks.
  public var longestWeekStreak = 0
  /// The ten exercises that were done in most workouts, the most first; equal ones by volume.
  public var mostDone: [ExerciseVolume] = []

  /// All totals zero.
  public init() {}
}

extension WorkoutLog {
  /// The totals of the log.
  ///
  /// - Parameters:
  ///   - now: a moment in the present week.
  ///   - unit: the unit of the volumes, kilograms or pounds.
  ///   - timeZone: the time zone in which weeks begin.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func totals(asOf now: Date = Date(), unit: WeightUnit = .pounds, timeZone: TimeZone = .current) async throws -> TrainingTotals {
    try await store.read { try Self.totals(asOf: now, unit: unit, timeZone: timeZone, in: $0) }
  }

  /// The totals now, and after each change. The present week is the week of each reading.
  public func totalsUpdates(unit: WeightUnit = .pounds, timeZone: TimeZone = .current) -> Updates<TrainingTotals> {
    store.updates { try Self.totals(unit: unit, timeZone: timeZone, in: $0) }
  }

  /// Reads the totals of the log inside your transaction; as `totals(asOf:unit:timeZone:)`.
  public static func totals(
    asOf now: Date = Date(), unit: WeightUnit = .pounds, timeZone: TimeZone = .current, in reader: Reader
  ) throws -> TrainingTotals {
    var totals = TrainingTotals()
    var weeks = TrainingWeeks(timeZone)
    let present = weeks.week(of: now)
    var streak: (weeks: Int, last: DateInterval)?
    try reader.rows("SELECT started_at, duration_seconds FROM workouts WHERE state = 'finished' ORDER BY started_at", of: "workouts") {
      row in
      let startedAt = try row.date()
      totals.workouts += 1
      totals.trainedSeconds = totals.trainedSeconds.adding(max(0, Int(clamping: try row.int64OrNil() ?? 0)))
      totals.firstWorkoutAt = totals.firstWorkoutAt ?? startedAt
      totals.lastWorkoutAt = startedAt
      let week = weeks.week(of: startedAt)
      if let old = streak, old.last.start == week.start { return }
      streak = (streak.map { $0.last.end == week.start ? $0.weeks + 1 : 1 } ?? 1, week)
      totals.longestWeekStreak = max(totals.longestWeekStreak, streak?.weeks ?? 0)
      // A workout of last week keeps the streak. A workout of a later week neither keeps nor breaks it.
      if let streak, streak.last.start <= present.start { totals.weekStreak = streak.last.end >= present.start ? streak.weeks : 0 }
    }
    let exercises = try volumeByExercise(unit: unit, in: reader)
    for exercise in exercises { totals.work.add(exercise.work) }
    totals.exercises = exercises.count
    let places = exercises.indices.sorted { (exercises[$1].workouts, $0) < (exercises[$0].workouts, $1) }
    totals.mostDone = places.prefix(10).map { exercises[$0] }
    return totals
  }
}
