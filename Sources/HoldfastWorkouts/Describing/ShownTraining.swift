import Foundation
import Holdfast
import HoldfastTransfer

extension ShownWorkouts {
  // MARK: Records

  private static let bests: [ShownField<ExerciseRecords>] = [
    .init(nil, "EXERCISE", shrinks: true) { .text($0.name) },
    .init(nil, "HEAVIEST") { best in .text(best.heaviest.map { words($0, best.unit) }) },
    .init(nil, "ONE-REP MAX") { .told(.number(nil), tenths($0.oneRepMax)) },
    .init(nil, "BEST WORKOUT") { .told(.number(nil), tenths($0.workoutVolume)) },
    .init(nil, "LONGEST") { .length($0.longestDuration?.value) },
    .init(nil, "DATE") { .text(day(($0.heaviest ?? $0.longestDuration ?? $0.longestDistance)?.startedAt)) },
  ]

  private static func tenths(_ record: PersonalRecord?) -> String? { record.map { ShownValue.decimal($0.value, places: 1) } }
  private static func day(_ date: Date?) -> String { String(ShownValue.time(date).words.prefix(10)) }

  /// `100 kg × 5`, in the unit that was entered.
  static func words(_ record: PersonalRecord, _ unit: WeightUnit) -> String {
    let weight = record.weight ?? Weight(record.value, unit)
    return "\(ShownValue.number(weight.value).words) \(weight.unit.rawValue)" + (record.reps > 0 ? " × \(record.reps)" : "")
  }

  // MARK: Numbers

  static func info(_ reader: Reader) throws -> Shown {
    let totals = try WorkoutLog.totals(unit: unit(in: reader), timeZone: utc, in: reader)
    let current = try WorkoutLog.currentWorkout(in: reader)
    let templates = try reader.count("SELECT count(*) FROM workouts WHERE state = 'template'")
    let sets = try reader.count("SELECT count(*) FROM exercise_sets")
    let fields: [ShownField<TrainingTotals>] = [
      .init("workouts", "workouts") { .count($0.workouts) },
      .init("in_progress", "in progress") { _ in
        .told(.id(current?.id), current.map { $0.workout.name.isEmpty ? "one without a name" : $0.workout.name })
      },
      .init("templates", "templates") { _ in .count(templates).unlessZero },
      .init("exercises", "exercises") { .told(.count($0.exercises), "\($0.exercises) different") },
      .init("sets", "sets") { .told(.count($0.work.sets), "\($0.work.sets) that count, of \(sets)") },
      .init("total_seconds", "length") { .length(Double($0.trainedSeconds)) },
      .init("first_workout_at", "first") { .time($0.firstWorkoutAt) }, .init("last_workout_at", "last") { .time($0.lastWorkoutAt) },
    ]
    return Shown(fields.members(of: totals), [fields.facts(of: totals)])
  }

  /// The progress of the exercises that were done most and have an estimate.
  private struct Progress: Sendable {
    var name: String
    var points: [ProgressPoint]
  }

  static func stats(_ reader: Reader) throws -> Shown {
    let unit = try Self.unit(in: reader)
    let totals = try WorkoutLog.totals(unit: unit, timeZone: utc, in: reader)
    let weeks = try WorkoutLog.volumeByWeek(limit: 12, unit: unit, timeZone: utc, in: reader)
    let parts = try WorkoutLog.volumeByBodyPart(unit: unit, in: reader)
    let best = try WorkoutLog.records(unit: unit, in: reader)
    let estimated = Set(best.filter { $0.oneRepMax != nil }.map(\.name))
    let progress = try totals.mostDone.filter { estimated.contains($0.name) }.prefix(3).map { exercise in
      let points = try WorkoutLog.progress(of: exercise.name, limit: 10, unit: unit, in: reader).items
      return Progress(name: exercise.name, points: points.filter { $0.oneRepMax != nil })
    }
    let fields: [ShownField<TrainingTotals>] = [
      .init("workouts", "workouts") { .count($0.workouts) }, .init("exercises", "exercises") { .count($0.exercises) },
      .init("sets", "sets") { .count($0.work.sets) },
      .init("volume", "volume") { .told(.number($0.work.volume), "\(whole($0.work.volume)) \(unit.rawValue)") },
      .init("total_seconds", "length") { .length(Double($0.trainedSeconds)) },
      .init("week_streak", "weeks in a row") { .told(.count($0.weekStreak), "\($0.weekStreak), at most \($0.longestWeekStreak)") },
      .init("unit") { _ in .text(unit.rawValue) }, .init("first_workout_at") { .time($0.firstWorkoutAt) },
      .init("last_workout_at") { .time($0.lastWorkoutAt) }, .init("longest_week_streak") { .count($0.longestWeekStreak) },
      .init("weeks") { _ in properties.list(of: weeks) }, .init("body_parts") { _ in properties.list(of: parts) },
      .init("most_done") { properties.list(of: $0.mostDone) }, .init("progress") { _ in properties.list(of: progress) },
      .init("records") { _ in properties.list(of: best) },
    ]
    let charts =
      [
        ShownBlock.chart(
          title: "Volume by week, \(unit.rawValue)", weeks.map { (day($0.startsAt), $0.work.volume, whole($0.work.volume)) }),
        .chart(
          title: "Volume by part of the body, \(unit.rawValue)",
          parts.map { ($0.bodyPart.rawValue, $0.work.volume, whole($0.work.volume)) }),
      ]
      + progress.map { one in
        .chart(
          title: "Estimated one-rep max of \(one.name), \(unit.rawValue)",
          one.points.map { (day($0.startedAt), $0.oneRepMax ?? 0, ShownValue.decimal($0.oneRepMax ?? 0, places: 1)) })
      }
    return Shown(fields.members(of: totals), [fields.facts(of: totals)] + charts + [bests.table(of: best, title: "Records")])
  }

  private static func whole(_ volume: Double) -> String { ShownValue.decimal(volume, places: 0) }
}
