import Foundation
import Holdfast

/// One row to store, of any of the three kinds that a workout is made of.
enum TrainingRecord: Sendable {
  /// Without its exercises.
  case workout(Workout)
  /// Without its sets.
  case exercise(Exercise, workoutID: UUID, index: Int)
  case set(ExerciseSet, exerciseID: UUID, index: Int)

  static let kinds = ["workouts", "exercises", "exercise_sets"].map { (name: $0, table: $0) }

  /// What the source does not carry stays as it is stored.
  func write(carrying carries: TrainingFields, in tx: Transaction) throws {
    switch self {
    case .workout(let new):
      guard var row = try tx.find(WorkoutRow.self, id: new.id) else { return try tx.insert(WorkoutRow(new, .finished)) }
      (row.name, row.startedAt) = (new.name, new.startedAt)
      if carries.contains(.workoutNote) { row.note = new.note }
      if carries.contains(.duration) { row.durationSeconds = new.durationSeconds.map(Int64.init) }
      if carries.contains(.end) { row.endedAt = new.endedAt }
      try tx.upsert(row)
    case .exercise(let new, let workoutID, let index):
      let stored = try tx.find(ExerciseRow.self, id: new.id)
      let position = try Self.position(
        index, stored?.position, "SELECT count(*) FROM exercises WHERE workout_id = \(workoutID) AND id <> \(new.id) AND position =", in: tx
      )
      guard var row = stored else { return try tx.insert(ExerciseRow(new, in: workoutID, at: position)) }
      row.exercise.name = new.name
      if carries.contains(.superset) { row.exercise.superset = new.superset }
      if carries.contains(.exerciseNotes) { row.exercise.notes = new.notes }
      if carries.contains(.category) { row.exercise.bodyPart = new.bodyPart }
      row.position = position
      try tx.upsert(row)
    case .set(let new, let exerciseID, let index):
      let stored = try tx.find(SetRow.self, id: new.id)
      let position = try Self.position(
        index, stored?.position, "SELECT count(*) FROM exercise_sets WHERE exercise_id = \(exerciseID) AND id <> \(new.id) AND position =",
        in: tx)
      guard var row = stored else { return try tx.insert(SetRow(new, in: exerciseID, at: position)) }
      (row.set.type, row.set.isCompleted) = (new.type, new.isCompleted)
      if carries.contains(.weight) { (row.set.actual.weight, row.set.weightUnit) = (new.actual.weight, new.weightUnit) }
      if carries.contains(.reps) { row.set.actual.reps = new.actual.reps }
      if carries.contains(.distance) { (row.set.actual.distance, row.set.distanceUnit) = (new.actual.distance, new.distanceUnit) }
      if carries.contains(.seconds) { row.set.actual.durationSeconds = new.actual.durationSeconds }
      if carries.contains(.rpe) { row.set.actual.rpe = new.actual.rpe }
      if carries.contains(.setNote) { row.set.note = new.note }
      row.position = position
      try tx.upsert(row)
    }
  }

  /// Of the place in the source; another may have it by now.
  private static func position(_ index: Int, _ stored: Int64?, _ taken: SQL, in tx: Transaction) throws -> Int64 {
    if let stored, ListPlace.index(of: stored) == Int64(index) { return stored }
    var position = ListPlace.position(at: index)
    while try tx.count("\(sql: taken) \(position)") > 0 { position &+= 1 }
    return position
  }
}

/// The fields of the three kinds as a table has them: what verification compares.
struct TrainingShape: Sendable {
  let dialect: any TrainingDialect
  let clock: WallClock

  private func said(_ field: TrainingFields, _ value: JSONValue) -> JSONValue { dialect.carries.contains(field) ? value : .null }

  func fields(of workout: Workout) -> [SourceField] {
    [
      SourceField("date", .string(WallTime.text(clock.time(workout.startedAt)))), SourceField("name", .string(workout.name)),
      SourceField("note", said(.workoutNote, .text(workout.note))),
      SourceField("duration", said(.duration, .number(workout.durationSeconds.map(Int64.init)))),
      SourceField("end", said(.end, .text(workout.endedAt.map { WallTime.text(clock.time($0)) }))),
    ]
  }

  /// As the row has it. A time that the clock leaves out is compared as the one that is meant.
  func fields(of row: TrainingRow) -> [SourceField] {
    func time(_ wall: Int64) -> String { WallTime.text(clock.time(clock.date(wall)) == wall ? wall : clock.time(clock.date(wall))) }
    return [
      SourceField("date", .string(time(row.head.start))), SourceField("name", .string(row.head.name)),
      SourceField("note", said(.workoutNote, .text(row.note))),
      SourceField("duration", said(.duration, .number(row.durationSeconds.map(Int64.init)))),
      SourceField("end", said(.end, .text(row.end.map(time)))),
    ]
  }

  func fields(of exercise: Exercise, in workoutID: UUID, index: Int64) -> [SourceField] {
    [
      SourceField("workout", .id(workoutID)), SourceField("name", .string(exercise.name)),
      SourceField("superset", said(.superset, .number(exercise.superset.map { Int64($0) &- 1 }))),
      SourceField("notes", said(.exerciseNotes, .array(exercise.notes.map(JSONValue.string)))),
      SourceField("category", said(.category, .text(exercise.bodyPart?.detailed?.first))),
      SourceField("place", .integer(index), isPlace: true),
    ]
  }

  /// - Parameter written: the letters of its numbers; nil for a stored set.
  func fields(of set: ExerciseSet, in exerciseID: UUID, index: Int64, written: WrittenSet? = nil) -> [SourceField] {
    func number(_ letters: String?, _ stored: Double?) -> JSONValue {
      .text(written == nil ? stored.map(CSVNumber.text) : letters)
    }
    return [
      SourceField("exercise", .id(exerciseID)), SourceField("type", .string(dialect.text(set.type))),
      SourceField("weight", said(.weight, number(written?.weight, set.actual.weight))),
      SourceField("unit", said(.weight, .text(set.weightUnit?.rawValue))),
      SourceField("reps", said(.reps, .number(set.actual.reps.map(Int64.init)))),
      SourceField("distance", said(.distance, number(written?.distance, set.actual.distance))),
      SourceField("distance unit", said(.distance, .text(set.distanceUnit?.rawValue))),
      SourceField("seconds", said(.seconds, .number(set.actual.durationSeconds.map(Int64.init)))),
      SourceField("RPE", said(.rpe, number(written?.rpe, set.actual.rpe))),
      SourceField("note", said(.setNote, .text(set.note))), SourceField("done", .bool(set.isCompleted)),
      SourceField("place", .integer(index), isPlace: true),
    ]
  }

  func readBack(_ record: TrainingRecord, in reader: Reader) throws -> [SourceField]? {
    switch record {
    case .workout(let workout): try reader.find(WorkoutRow.self, id: workout.id).map { fields(of: $0.workout) }
    case .exercise(let exercise, _, _):
      try reader.find(ExerciseRow.self, id: exercise.id).map {
        fields(of: $0.exercise, in: $0.workoutID, index: ListPlace.index(of: $0.position))
      }
    case .set(let set, _, _):
      try reader.find(SetRow.self, id: set.id).map { fields(of: $0.set, in: $0.exerciseID, index: ListPlace.index(of: $0.position)) }
    }
  }
}
