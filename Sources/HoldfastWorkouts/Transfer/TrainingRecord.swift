import Foundation
import Holdfast
import HoldfastTransfer

/// One row to store, of one of the three kinds of a workout.
enum TrainingRecord: Sendable {
  /// A workout without its exercises.
  case workout(Workout)
  /// An exercise without its sets.
  case exercise(Exercise, workoutID: UUID, index: Int)
  /// `isNew`: the log had no sets before the import, so it has neither this set nor another one at its place.
  case set(ExerciseSet, exerciseID: UUID, index: Int, isNew: Bool)

  /// Writes the record; fields that the source does not carry keep their stored values.
  func write(carrying carries: TrainingFields, in tx: Writer) throws {
    switch self {
    case .workout(let new):
      guard var row = try tx.find(WorkoutRow.self, id: new.id) else { return try tx.insert(WorkoutRow(new, .finished)) }
      (row.workout.name, row.workout.startedAt) = (new.name, new.startedAt)
      if carries.contains(.workoutNote) { row.workout.note = new.note }
      if carries.contains(.duration) { row.workout.durationSeconds = new.durationSeconds }
      if carries.contains(.end) { row.workout.endedAt = new.endedAt }
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
      if carries.contains(.weight) { row.exercise.weightUnit = new.weightUnit }
      row.position = position
      try tx.upsert(row)
    case .set(let new, let exerciseID, let index, let isNew):
      if isNew { return try tx.insert(SetRow(new, in: exerciseID, at: ListPlace.position(at: index))) }
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

  /// The row's place in the source, or the next free one.
  private static func position(_ index: Int, _ stored: Int64?, _ taken: BoundSQL, in tx: Writer) throws -> Int64 {
    if let stored, ListPlace.index(of: stored) == Int64(index) { return stored }
    var position = ListPlace.position(at: index)
    while try tx.count("\(sql: taken) \(position)") > 0 { position &+= 1 }
    return position
  }
}

/// The fields of the three kinds that verification compares. The source's side comes from the table's text, and the other side
/// from the stored rows. Neither side uses the code that converts one into the other.
///
/// Times are compared as moments, so that rows imported in another time zone still match.
struct TrainingShape: Sendable {
  private let dialect: any TrainingDialect
  let clock: WallClock
  let carries: TrainingFields

  init(dialect: any TrainingDialect, clock: WallClock) {
    (self.dialect, self.clock, carries) = (dialect, clock, dialect.table.carries)
  }

  private func said(_ field: TrainingFields, _ value: @autoclosure () -> JSONValue) -> JSONValue {
    carries.contains(field) ? value() : .null
  }

  private static func text(_ date: Date) -> String { DateCodec.milliseconds(date).map { DateCodec.iso8601($0, fraction: true) } ?? "" }

  /// The moment of a local time, as text. A time that the clock skips is compared as the moment that the import stores.
  private func text(_ wall: Int64, notBefore start: Int64? = nil) -> String {
    let moments = clock.moments(wall)
    guard let first = moments.first else { return Self.text(clock.date(wall)) }
    let moment = start.flatMap { start in moments.first { $0 >= start } } ?? first
    return DateCodec.date(milliseconds: moment).map(Self.text) ?? ""
  }

  func fields(of workout: Workout) -> [SourceField] {
    [
      SourceField("date", .string(Self.text(workout.startedAt))), SourceField("name", .string(workout.name)),
      SourceField("note", said(.workoutNote, .text(workout.note))),
      SourceField("duration", said(.duration, .text(workout.durationSeconds.map(String.init)))),
      SourceField("end", said(.end, .text(workout.endedAt.map(Self.text)))),
    ]
  }

  func fields(of row: TrainingRow) -> [SourceField] {
    [
      SourceField("date", .string(text(row.head.start))), SourceField("name", .string(row.head.name)),
      SourceField("note", said(.workoutNote, .text(row.note))),
      SourceField("duration", said(.duration, .text(row.writtenDuration))),
      SourceField("end", said(.end, .text(row.end.map { text($0, notBefore: clock.moments(row.head.start).first) }))),
    ]
  }

  /// `written` is nil for a stored exercise; `unit` is the unit's text in the first set that has one.
  func fields(
    of exercise: Exercise, in workoutID: UUID, index: Int64, written: TrainingRow? = nil, unit: String? = nil
  ) -> [SourceField] {
    let superset = written == nil ? exercise.superset.map { String(Int64($0) &- 1) } : written?.writtenSuperset
    return [
      SourceField("workout", .id(workoutID)), SourceField("name", .string(exercise.name)),
      SourceField("superset", said(.superset, .text(superset))),
      SourceField("notes", said(.exerciseNotes, .array(exercise.notes.map(JSONValue.string)))),
      SourceField("category", said(.category, .text(written == nil ? Self.category(of: exercise) : written?.category))),
      SourceField("unit", said(.weight, .text(written == nil ? exercise.weightUnit?.rawValue : unit))),
      SourceField("place", .integer(index), isPlace: true),
    ]
  }

  /// A guessed body part is no value of the source. One that a person chose has no category's name, so its own word stands here: the
  /// stored row then differs from the imported one, and no later table replaces it.
  private static func category(of stored: Exercise) -> String? {
    guard let part = stored.bodyPart else { return nil }
    return part.detailed?.first ?? (part == BodyPart.guessed(from: stored.name) ? nil : part.main.rawValue)
  }

  /// - Parameter written: the set's text; nil for a stored set.
  func fields(of set: ExerciseSet, in exerciseID: UUID, index: Int64, written: WrittenSet? = nil) -> [SourceField] {
    func text(_ letters: String?, _ stored: @autoclosure () -> String?) -> JSONValue { .text(written == nil ? stored() : letters) }
    let actual = set.actual
    return [
      SourceField("exercise", .id(exerciseID)), SourceField("type", text(written?.type, CSVColumns.folded(dialect.text(set.type)))),
      SourceField("weight", said(.weight, text(written?.weight, actual.weight.map(CSVNumber.text)))),
      SourceField("unit", said(.weight, text(written?.unit, set.weightUnit?.rawValue))),
      SourceField("reps", said(.reps, text(written?.reps, actual.reps.map(String.init)))),
      SourceField("distance", said(.distance, text(written?.distance, actual.distance.map(CSVNumber.text)))),
      SourceField("distance unit", said(.distance, text(written?.distanceUnit, set.distanceUnit?.rawValue))),
      SourceField("seconds", said(.seconds, text(written?.seconds, actual.durationSeconds.map(String.init)))),
      SourceField("RPE", said(.rpe, text(written?.rpe, actual.rpe.map(CSVNumber.text)))),
      SourceField("note", said(.setNote, .text(set.note))), SourceField("done", .bool(written?.isDone ?? set.isCompleted)),
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
    case .set(let set, _, _, _):
      try reader.find(SetRow.self, id: set.id).map { fields(of: $0.set, in: $0.exerciseID, index: ListPlace.index(of: $0.position)) }
    }
  }
}
