import Foundation
import Holdfast

/// A form of the app's own files: what its fields are, and how it spells them and its times.
struct WorkoutShape: Sendable {
  let workouts: [WorkoutField<WorkoutRow>]
  let exercises: [WorkoutField<ExerciseRow>]
  let sets: [WorkoutField<SetRow>]
  let dates: WorkoutDates
  /// `start_timestamp` and not `startTimestamp`.
  let isSnake: Bool

  /// The core's JSON.
  static let core = WorkoutShape(dates: .rfc3339, isSnake: true)
  /// The first app's `current-workout.json`.
  static let firstJSON = WorkoutShape(dates: .since2001, isSnake: false)
  /// The first app's `db.sqlite`.
  static let firstDatabase = WorkoutShape(dates: .sqlText, isSnake: false)
  /// `thiccc.sqlite`.
  static let database = WorkoutShape(dates: .since1970, isSnake: false)

  private init(dates: WorkoutDates, isSnake: Bool) {
    self.init(
      workouts: WorkoutFields.workouts, exercises: WorkoutFields.exercises, sets: WorkoutFields.sets, dates: dates, isSnake: isSnake)
  }

  init(
    workouts: [WorkoutField<WorkoutRow>], exercises: [WorkoutField<ExerciseRow>], sets: [WorkoutField<SetRow>], dates: WorkoutDates,
    isSnake: Bool
  ) {
    self.workouts = workouts
    self.exercises = exercises
    self.sets = sets
    self.dates = dates
    self.isSnake = isSnake
  }

  func name<Row>(_ field: WorkoutField<Row>) -> String { isSnake ? field.snakeName : field.name }
}

/// The fields of C.1 of the app's model, without ids and order, and what this log has beyond it.
private enum WorkoutFields {
  static let workouts: [WorkoutField<WorkoutRow>] = [
    .text("name", \.name).required,
    .textOrNil("note", \.note),
    .int("duration", \.seconds),
    .date("startTimestamp", \.startedAt).required,
    .dateOrNil("endTimestamp", \.endedAt),
  ]

  static let exercises: [WorkoutField<ExerciseRow>] = [
    .text("name", \.exercise.name).required,
    .superset("supersetId"),
    .texts("pinnedNotes", \.exercise.pinnedNotes),
    .texts("notes", \.exercise.notes),
    .int("duration", \.exercise.durationSeconds),
    .text("type", \.exercise.type.rawValue, otherwise: ExerciseType.unknown.rawValue),
    .textOrNil("weightUnit", \.exercise.unitText),
    .int("defaultWarmUpTime", \.exercise.warmUpRestSeconds),
    .int("defaultRestTime", \.exercise.restSeconds),
    .bodyPart("bodyPart"),
  ]

  static let sets: [WorkoutField<SetRow>] = [
    .text("type", \.set.type.rawValue, otherwise: SetType.working.rawValue),
    .textOrNil("weightUnit", \.set.unitText),
    .double("suggest.weight", \.set.suggested.weight),
    .int("suggest.reps", \.set.suggested.reps),
    .int("suggest.repRange", \.set.suggested.repRange),
    .int("suggest.duration", \.set.suggested.durationSeconds),
    .double("suggest.rpe", \.set.suggested.rpe),
    .int("suggest.restTime", \.set.suggested.restSeconds),
    .double("actual.weight", \.set.actual.weight),
    .int("actual.reps", \.set.actual.reps),
    .int("actual.duration", \.set.actual.durationSeconds),
    .double("actual.rpe", \.set.actual.rpe),
    .int("actual.actualRestTime", \.set.actual.restSeconds),
    .double("actual.distance", \.set.actual.distance).ours,
    .textOrNil("distanceUnit", \.set.distanceText).ours,
    .dateOrNil("completedAt", \.set.completedAt).ours,
    .textOrNil("note", \.set.note).ours,
    // After what it is inferred from.
    .completed("isCompleted"),
  ]
}

extension WorkoutField<ExerciseRow> {
  /// 0 is what every exercise had that was in none.
  static func superset(_ name: String) -> Self {
    let field = int(name, \.exercise.superset)
    return Self(name, field.what, get: field.get) { value, row, dates in
      field.take(value.wholeNumber == 0 ? .null : value, &row, dates)
    }
  }

  /// An object, or null.
  fileprivate static func bodyPart(_ name: String) -> Self {
    Self(
      name, "an object with a text \"main\" and lists of texts",
      get: { row, _ in
        guard let part = row.exercise.bodyPart else { return .null }
        return .object([
          "main": .string(part.main.rawValue), "detailed": part.detailed.map(JSONValue.texts) ?? .null,
          "scientific": part.scientific.map(JSONValue.texts) ?? .null,
        ])
      },
      take: { value, row, _ in
        guard value != .null else {
          row.exercise.bodyPart = nil
          return .null
        }
        guard case .object(let members) = value, case .string(let main)? = members["main"],
          members.allSatisfy({ ["main", "detailed", "scientific"].contains($0.key) || $0.value == .null })
        else { return nil }
        var part = BodyPart(BodyPart.Main(rawValue: main))
        for (key, path) in [("detailed", \BodyPart.detailed), ("scientific", \BodyPart.scientific)] {
          guard let list = members[key], list != .null else { continue }
          guard let texts = list.texts else { return nil }
          part[keyPath: path] = texts
        }
        row.exercise.bodyPart = part
        return .object([
          "main": .string(main), "detailed": members["detailed"] ?? .null, "scientific": members["scientific"] ?? .null,
        ])
      })
  }
}

extension WorkoutField<SetRow> {
  /// The first app never stored it: where a source does not say, a set with repetitions or a duration above 0 was done.
  fileprivate static func completed(_ name: String) -> Self {
    Self(name, "true or false") { row, _ in
      .bool(row.set.isCompleted)
    } take: { value, row, _ in
      switch value {
      case .bool(let isCompleted): row.set.isCompleted = isCompleted
      case .integer(let number) where number == 0 || number == 1: row.set.isCompleted = number == 1
      case .null: row.set.isCompleted = (row.set.actual.reps ?? 0) > 0 || (row.set.actual.durationSeconds ?? 0) > 0
      default: return nil
      }
      return .bool(row.set.isCompleted)
    }
  }
}

extension WorkoutRow {
  fileprivate var seconds: Int? {
    get { durationSeconds.map { Int(clamping: $0) } }
    set { durationSeconds = newValue.map(Int64.init) }
  }
}

extension Exercise {
  var unitText: String? {
    get { weightUnit?.rawValue }
    set { weightUnit = newValue.map(WeightUnit.init(rawValue:)) }
  }
}

extension ExerciseSet {
  var unitText: String? {
    get { weightUnit?.rawValue }
    set { weightUnit = newValue.map(WeightUnit.init(rawValue:)) }
  }

  fileprivate var distanceText: String? {
    get { distanceUnit?.rawValue }
    set { distanceUnit = newValue.map(DistanceUnit.init(rawValue:)) }
  }
}
