public import Foundation
public import Holdfast

/// The volume of one week.
public struct WeekVolume: Sendable, Hashable, Codable {
  /// The week's ISO 8601 year; near the turn of a year it may differ from the calendar year.
  public var year: Int
  /// 1 to 53.
  public var week: Int
  /// The first moment of its Monday.
  public var startsAt: Date
  /// The finished workouts that began in the week, also workouts without a counted set.
  public var workouts = 0
  /// The trained time of these workouts, in seconds; unknown times count as 0.
  public var trainedSeconds = 0
  /// The sums over all of them.
  public var work = TrainedWork()
}

extension WorkoutLog {
  /// The volume of each ISO 8601 week, the oldest first, with zeros for weeks without training. The weeks run from the week of the
  /// oldest workout to the week of the newest; if these are more than `limit`, the newest `limit` weeks.
  ///
  /// - Parameters:
  ///   - limit: how many weeks at most; values below 1 count as 1, values above 5,300 (a hundred years) as 5,300.
  ///   - unit: the unit of the volumes, kilograms or pounds.
  ///   - timeZone: the time zone in which weeks begin.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func volumeByWeek(limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone = .current) async throws -> [WeekVolume] {
    try await store.read { try Self.volumeByWeek(limit: limit, unit: unit, timeZone: timeZone, in: $0) }
  }

  /// The volume of each week now, and after each change of the log.
  public func volumeByWeekUpdates(
    limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone = .current
  ) -> Updates<[WeekVolume]> {
    store.updates { try Self.volumeByWeek(limit: limit, unit: unit, timeZone: timeZone, in: $0) }
  }

  /// Reads the volume of each week inside your transaction; as `volumeByWeek(limit:unit:timeZone:)`.
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
