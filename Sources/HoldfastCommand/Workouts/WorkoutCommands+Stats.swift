import Foundation
import Holdfast
import HoldfastWorkouts

extension WorkoutCommands {
  /// What `stats` shows, all of one moment.
  private struct Numbers {
    static let weeks = 12
    static let points = 10

    let unit: WeightUnit
    let totals: TrainingTotals
    let weeks: [WeekVolume]
    let parts: [BodyPartVolume]
    let records: [ExerciseRecords]
    /// Of the exercises that were done most and of which something can be estimated.
    let progress: [(name: String, points: [ProgressPoint])]

    init(_ reader: Reader) throws {
      unit = try WorkoutCommands.unit(in: reader)
      totals = try WorkoutLog.totals(unit: unit, timeZone: utc, in: reader)
      weeks = try WorkoutLog.volumeByWeek(limit: Self.weeks, unit: unit, timeZone: utc, in: reader)
      parts = try WorkoutLog.volumeByBodyPart(unit: unit, in: reader)
      records = try WorkoutLog.records(unit: unit, in: reader)
      let estimated = Set(records.filter { $0.oneRepMax != nil }.map(\.name))
      var progress: [(name: String, points: [ProgressPoint])] = []
      for exercise in totals.mostDone where estimated.contains(exercise.name) && progress.count < 3 {
        let points = try WorkoutLog.progress(of: exercise.name, limit: Self.points, unit: unit, in: reader).items
        progress.append((exercise.name, points.filter { $0.oneRepMax != nil }))
      }
      self.progress = progress
    }
  }

  func stats(_ console: Console) throws -> Answer {
    let numbers = try log.store.read(Numbers.init)
    let (totals, unit) = (numbers.totals, numbers.unit.rawValue)
    var facts = FactList()
    facts.add("workouts", String(totals.workouts))
    facts.add("exercises", String(totals.exercises))
    facts.add("sets", String(totals.work.sets))
    facts.add("volume", "\(SetWords.number(totals.work.volume.rounded())) \(unit)")
    facts.add("length", DisplayText.length(Double(totals.trainedSeconds)))
    facts.add("weeks in a row", "\(totals.weekStreak), at most \(totals.longestWeekStreak)")
    var text = facts.text
    for chart in charts(numbers) { text += chart.text(console.chartStyle) }
    if !numbers.records.isEmpty { text += "\nRecords\n" + records(numbers, console) }
    return Answer(document: document(numbers), text: text)
  }

  private func charts(_ numbers: Numbers) -> [BarChart] {
    let unit = numbers.unit.rawValue
    var weeks = BarChart("Volume by week, \(unit)")
    for week in numbers.weeks {
      weeks.add(String(DisplayText.time(week.startsAt).prefix(10)), week.work.volume, SetWords.number(week.work.volume.rounded()))
    }
    var parts = BarChart("Volume by part of the body, \(unit)")
    for part in numbers.parts { parts.add(part.bodyPart.rawValue, part.work.volume, SetWords.number(part.work.volume.rounded())) }
    let progress = numbers.progress.map { name, points in
      var chart = BarChart("Estimated one-rep max of \(DisplayText.printable(name)), \(unit)")
      for point in points {
        let value = (point.oneRepMax ?? 0).roundedToTenths
        chart.add(String(DisplayText.time(point.startedAt).prefix(10)), value, SetWords.number(value))
      }
      return chart
    }
    return [weeks, parts] + progress
  }

  private func records(_ numbers: Numbers, _ console: Console) -> String {
    var table = TextTable([
      .flexible("EXERCISE"), .text("HEAVIEST"), .number("ONE-REP MAX"), .number("BEST WORKOUT"), .text("LONGEST"), .text("DATE"),
    ])
    for records in numbers.records {
      func number(_ record: PersonalRecord?) -> String { record.map { SetWords.number($0.value.roundedToTenths) } ?? "" }
      table.add([
        records.name, records.heaviest.map { Self.words($0, numbers.unit) } ?? "", number(records.oneRepMax), number(records.workoutVolume),
        DisplayText.length(records.longestDuration?.value),
        String(DisplayText.time((records.heaviest ?? records.longestDuration ?? records.longestDistance)?.startedAt).prefix(10)),
      ])
    }
    return table.text(width: console.outputWidth)
  }

  private func document(_ numbers: Numbers) -> [String: JSONValue] {
    func work(_ work: TrainedWork, _ more: [String: JSONValue]) -> JSONValue {
      .object(more.merging(["sets": .number(work.sets), "volume": .double(work.volume)]) { own, _ in own })
    }
    let totals = numbers.totals
    return [
      "workouts": .number(totals.workouts), "exercises": .number(totals.exercises), "sets": .number(totals.work.sets),
      "unit": .string(numbers.unit.rawValue), "volume": .double(totals.work.volume),
      "total_seconds": .double(Double(totals.trainedSeconds)),
      "first_workout_at": .time(totals.firstWorkoutAt), "last_workout_at": .time(totals.lastWorkoutAt),
      "week_streak": .number(totals.weekStreak), "longest_week_streak": .number(totals.longestWeekStreak),
      "weeks": .array(
        numbers.weeks.map { week in
          work(
            week.work,
            [
              "year": .number(week.year), "week": .number(week.week), "starts_at": .time(week.startsAt), "workouts": .number(week.workouts),
              "total_seconds": .double(Double(week.trainedSeconds)),
            ])
        }),
      "body_parts": .array(
        numbers.parts.map { part in
          work(part.work, ["body_part": .string(part.bodyPart.rawValue), "workouts": .number(part.workouts)])
        }),
      "most_done": .array(totals.mostDone.map { work($0.work, ["name": .string($0.name), "workouts": .number($0.workouts)]) }),
      "progress": .array(
        numbers.progress.map { name, points in
          .object([
            "name": .string(name),
            "points": .array(
              points.map { point in
                work(
                  point.work,
                  [
                    "workout_id": .id(point.workoutID), "date": .time(point.startedAt), "top_weight": .number(point.topWeight),
                    "one_rep_max": .number(point.oneRepMax),
                  ])
              }),
          ])
        }),
      "records": .array(numbers.records.map { Self.json($0) }),
    ]
  }
}
