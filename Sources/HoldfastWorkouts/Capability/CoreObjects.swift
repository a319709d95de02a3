import Foundation
import Holdfast

// The JSON of the app's core: snake_case keys in the order of its structs, all keys present, nil as null, ids in lower case, times in RFC
// 3339. `set_index` counts from 0 in the list's order. Children repeat their parents' ids, because the core needs them.
//
// Four more keys of a set hold values that the core does not know: `distance` of what was done, `distance_unit`, `completed_at`
// and `note`. The core's decoder ignores unknown keys.

extension CoreWorkout: CoreObject {
  static var blank: CoreWorkout { CoreWorkout(Workout(id: .zero, name: "", startedAt: Date(timeIntervalSince1970: 0))) }
  static let members: [CoreMember<CoreWorkout>] = [
    .init("id", \.workout.id), .init("name", \.workout.name), .init("note", \.workout.note), .init("duration", \.workout.durationSeconds),
    .init("start_timestamp", \.workout.startedAt), .init("end_timestamp", \.workout.endedAt), .init("exercises", \.exercises),
  ]

  private var exercises: [CoreExercise] {
    get { workout.exercises.map { CoreExercise($0, of: workout.id, without: unsaid) } }
    set { (workout.exercises, unsaid) = (newValue.map(\.exercise), newValue.unsaid) }
  }
}

extension CoreTemplate: CoreObject {
  static var blank: CoreTemplate { CoreTemplate(WorkoutTemplate(id: .zero, name: "")) }
  static let members: [CoreMember<CoreTemplate>] = [
    .init("id", \.template.id), .init("name", \.template.name), .init("note", \.template.note), .init("exercises", \.exercises),
  ]

  private var exercises: [CoreExercise] {
    get { template.exercises.map { CoreExercise($0, of: template.id, without: unsaid) } }
    set { (template.exercises, unsaid) = (newValue.map(\.exercise), newValue.unsaid) }
  }
}

extension CoreExercise: CoreObject {
  static var blank: CoreExercise { CoreExercise(Exercise(id: .zero, name: "")) }
  static let members: [CoreMember<CoreExercise>] = [
    .init("id", \.exercise.id), .init("superset_id", \.superset), .init("workout_id", onlyWritten: \.workoutID),
    .init("name", \.exercise.name), .init("pinned_notes", \.exercise.pinnedNotes), .init("notes", \.exercise.notes),
    .init("duration", \.exercise.durationSeconds), .init("type", \.exercise.type), .init("weight_unit", \.exercise.weightUnit),
    .init("default_warm_up_time", \.exercise.warmUpRestSeconds), .init("default_rest_time", \.exercise.restSeconds),
    .init("sets", \.sets), .init("body_part", \.exercise.bodyPart),
  ]

  /// A superset of 0 means none.
  private var superset: Int? {
    get { exercise.superset }
    set { exercise.superset = newValue == 0 ? nil : newValue }
  }

  private var sets: [CoreSet] {
    get {
      exercise.sets.enumerated().map { index, set in
        CoreSet(set, unsaid[set.id] ?? [], index: index, exerciseID: exercise.id, workoutID: workoutID)
      }
    }
    set {
      exercise.sets = newValue.map(\.set)
      for sent in newValue where !sent.unsaid.isEmpty { unsaid[sent.set.id] = sent.unsaid }
    }
  }
}

extension CoreSet: CoreObject {
  static var blank: CoreSet { CoreSet(ExerciseSet(id: .zero), [.distance, .distanceUnit, .completedAt, .note]) }
  static let members: [CoreMember<CoreSet>] = [
    .init("id", \.set.id), .init("type", \.set.type), .init("weight_unit", \.set.weightUnit), .init("suggest", \.set.suggested),
    .init("actual", \.actual), .init("is_completed", \.set.isCompleted), .init("exercise_id", onlyWritten: \.exerciseID),
    .init("workout_id", onlyWritten: \.workoutID), .init("set_index", onlyWritten: \.index),
    .init("distance_unit", \.set.distanceUnit, unless: \.unsaid[.distanceUnit]),
    .init("completed_at", \.set.completedAt, unless: \.unsaid[.completedAt]), .init("note", \.set.note, unless: \.unsaid[.note]),
  ]

  private var actual: CoreActual {
    get { CoreActual(set.actual, unsaid.intersection(.distance)) }
    set { (set.actual, unsaid) = (newValue.actual, unsaid.subtracting(.distance).union(newValue.unsaid)) }
  }
}

extension CoreActual: CoreObject {
  static var blank: CoreActual { CoreActual(ExerciseSet.Actual(), .distance) }
  static let members: [CoreMember<CoreActual>] = [
    .init("weight", \.actual.weight), .init("reps", \.actual.reps), .init("duration", \.actual.durationSeconds),
    .init("rpe", \.actual.rpe), .init("actual_rest_time", \.actual.restSeconds),
    .init("distance", \.actual.distance, unless: \.unsaid[.distance]),
  ]
}

extension ExerciseSet.Suggested: CoreObject {
  static var blank: Self { Self() }
  static let members: [CoreMember<Self>] = [
    .init("weight", \.weight), .init("reps", \.reps), .init("rep_range", \.repRange), .init("duration", \.durationSeconds),
    .init("rpe", \.rpe), .init("rest_time", \.restSeconds),
  ]
}

extension BodyPart: CoreObject {
  static var blank: BodyPart { BodyPart(.other) }
  static let members: [CoreMember<BodyPart>] = [
    .init("main", \.main), .init("detailed", \.detailed), .init("scientific", \.scientific),
  ]
}

extension WorkoutInProgress: CoreTable {
  static let members: [CoreMember<WorkoutInProgress>] = [
    .init("workout", \.core), .init("trained_milliseconds", \.timer.trainedMilliseconds), .init("last_active_at", \.timer.lastActiveAt),
    .init("is_paused", \.timer.isPaused), .init("idle_limit", \.timer.idleLimitSeconds),
  ]

  private var core: CoreWorkout {
    get { CoreWorkout(workout) }
    set { workout = newValue.workout }
  }
}

extension PerformedExercise: CoreTable {
  static let members: [CoreMember<PerformedExercise>] = [
    .init("workout_id", \.workoutID), .init("workout_name", \.workoutName), .init("start_timestamp", \.startedAt),
    .init("exercise", \.core),
  ]

  private var core: CoreExercise {
    get { CoreExercise(exercise, of: workoutID) }
    set { exercise = newValue.exercise }
  }
}

extension CustomExercise: CoreObject {
  static var blank: CustomExercise { CustomExercise(id: .zero, name: "") }
  static let members: [CoreMember<CustomExercise>] = [
    .init("id", \.id), .init("name", \.name), .init("type", \.type), .init("body_part", \.bodyPart), .init("weight_unit", \.weightUnit),
    .init("image_name", \.imageName), .init("foreign_key", \.foreignKey),
  ]
}

extension ExerciseName: CoreTable {
  static let members: [CoreMember<ExerciseName>] = [
    .init("id", \.id), .init("name", \.name), .init("type", \.type), .init("body_part", \.bodyPart), .init("weight_unit", \.weightUnit),
    .init("uses", \.uses), .init("last_used_at", \.lastUsedAt), .init("custom_exercise_id", \.customExerciseID),
  ]
}

extension WorkoutResponse.Failure: CoreTable {
  static let members: [CoreMember<Self>] = [
    .init("code", \.code), .init("message", \.message), .init("suggestion", \.suggestion),
  ]
}

extension [CoreExercise] {
  fileprivate var unsaid: [UUID: CoreWorkout.Unsaid] { reduce(into: [:]) { $0.merge($1.unsaid) { $1 } } }
}
