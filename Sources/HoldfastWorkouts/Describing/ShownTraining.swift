import Foundation
import Holdfast
import HoldfastTransfer

extension ShownWorkouts {
  // MARK: Records

  private static let bests = ShownFields<ExerciseRecords>([
    "heaviest": { best in .text(best.heaviest.map { words($0, best.unit) }) },
    "one_rep_max": { .told(.number(nil), tenths($0.oneRepMax)) }, "workout_volume": { .told(.number(nil), tenths($0.workoutVolume)) },
    "longest_duration": { .length($0.longestDuration?.value) },
    "date": { .text(day(($0.heaviest ?? $0.longestDuration ?? $0.longestDistance)?.startedAt)) },
  ]).titled([
    "name": .flexible("EXERCISE"), "heaviest": "HEAVIEST", "one_rep_max": "ONE-REP MAX", "workout_volume": "BEST WORKOUT",
    "longest_duration": "LONGEST", "date": "DATE",
  ])

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
    let fields = ShownFields<TrainingTotals>([
      "in_progress": { _ in
        .told(.id(current?.id), current.map { $0.workout.name.isEmpty ? "one without a name" : $0.workout.name })
      },
      "templates": { _ in .count(templates).unlessZero }, "exercises": { .told(.count($0.exercises), "\($0.exercises) different") },
      "sets": { .told(.count($0.work.sets), "\($0.work.sets) that count, of \(sets)") },
      "total_seconds": { .length(Double($0.trainedSeconds)) },
    ]).titled([
      "workouts": "workouts", "in_progress": "in progress", "templates": "templates", "exercises": "exercises", "sets": "sets",
      "total_seconds": "length", "first_workout_at": "first", "last_workout_at": "last",
    ])
    return fields.shown(totals)
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
    let fields = ShownFields<TrainingTotals>([
      "volume": { .told(.number($0.work.volume), "\(whole($0.work.volume)) \(unit.rawValue)") },
      "total_seconds": { .length(Double($0.trainedSeconds)) },
      "week_streak": { .told(.count($0.weekStreak), "\($0.weekStreak), at most \($0.longestWeekStreak)") },
      "unit": { _ in .text(unit.rawValue) }, "weeks": { _ in properties.list(of: weeks) },
      "body_parts": { _ in properties.list(of: parts) }, "most_done": { properties.list(of: $0.mostDone) },
      "progress": { _ in properties.list(of: progress) }, "records": { _ in properties.list(of: best) },
    ]).titled([
      "workouts": "workouts", "exercises": "exercises", "sets": "sets", "volume": "volume", "total_seconds": "length",
      "week_streak": "weeks in a row", "unit": nil, "first_workout_at": nil, "last_workout_at": nil, "longest_week_streak": nil,
      "weeks": nil, "body_parts": nil, "most_done": nil, "progress": nil, "records": nil,
    ])
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
