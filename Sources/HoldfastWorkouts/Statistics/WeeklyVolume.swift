public import Foundation
public import Holdfast

/// What was done in one week.
public struct WeekVolume: Sendable, Hashable, Codable {
  /// That the week counts in by ISO 8601; near the end of a year it may be the next or the last one.
  public var year: Int
  /// 1 to 53.
  public var week: Int
  /// The first moment of its Monday.
  public var startsAt: Date
  /// Finished ones that began in it, those without a counted set too.
  public var workouts: Int
  /// Of these workouts; unknown ones count as 0.
  public var trainedSeconds: Int
  /// Of all of them.
  public var work: TrainedWork

  /// One week.
  public init(year: Int, week: Int, startsAt: Date, workouts: Int = 0, trainedSeconds: Int = 0, work: TrainedWork = TrainedWork()) {
    self.year = year
    self.week = week
    self.startsAt = startsAt
    self.workouts = workouts
    self.trainedSeconds = trainedSeconds
    self.work = work
  }
}

extension WorkoutLog {
  /// What was done in each week by ISO 8601, the oldest first, with zeros for those in which nothing was: up to the week of the
  /// newest workout, from that of the oldest or `limit` weeks.
  ///
  /// - Parameters:
  ///   - limit: how many weeks at most; values below 1 count as 1, and those above 5,300, a hundred years, as that.
  ///   - unit: of the volumes, kilograms or pounds.
  ///   - timeZone: whose Mondays count.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func volumeByWeek(limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone = .current) throws -> [WeekVolume] {
    try store.read { try Self.volumeByWeek(limit: limit, unit: unit, timeZone: timeZone, in: $0) }
  }
  public func volumeByWeek(limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone = .current) async throws -> [WeekVolume] {
    try await store.read { try Self.volumeByWeek(limit: limit, unit: unit, timeZone: timeZone, in: $0) }
  }

  /// What was done in each week now, and after each change of the log.
  public func volumeByWeekUpdates(
    limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone = .current
  ) -> Updates<[WeekVolume]> {
    store.updates(of: Self.tables) { try Self.volumeByWeek(limit: limit, unit: unit, timeZone: timeZone, in: $0) }
  }

  public static func volumeByWeek(
    limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone = .current, in reader: Reader
  ) throws -> [WeekVolume] {
    func start(_ order: String) throws -> Date? {
      try reader.value("SELECT started_at FROM workouts WHERE state = 'finished' ORDER BY started_at \(raw: order) LIMIT 1") { row in
        try row.date()
      }
    }
    guard let oldest = try start("ASC"), let newest = try start("DESC") else { return [] }
    var weeks = TrainingWeeks(timeZone)
    let last = weeks.week(of: newest)
    let count = min(max(1, limit), 5_300, TrainingWeeks.count(from: weeks.week(of: oldest), to: last) + 1)
    var volumes: [WeekVolume] = []
    volumes.reserveCapacity(count)
    var week = weeks.week(count - 1, before: last)
    let first = week
    for _ in 0..<count {
      let number = weeks.number(of: week)
      volumes.append(WeekVolume(year: number.year, week: number.week, startsAt: week.start))
      week = weeks.week(of: week.end)
    }
    let workouts = try volumeByWorkout(during: first.start..<max(last.end, first.start), unit: unit, in: reader)
    for workout in workouts {
      let place = TrainingWeeks.count(from: first, to: weeks.week(of: workout.startedAt))
      guard volumes.indices.contains(place) else { continue }
      volumes[place].workouts += 1
      volumes[place].trainedSeconds = volumes[place].trainedSeconds.adding(max(0, workout.durationSeconds ?? 0))
      volumes[place].work.add(workout.work)
    }
    return volumes
  }
}
