import Foundation
import Holdfast

// The JSON of the app's core: snake_case keys in the order of its structs, every key there, nil as null, ids in lower case, times
// in RFC 3339. `set_index` is counted from 0 by the order, and ids of parents stand in what they hold, because the core wants them.
//
// Four keys more say what the core does not know: `distance` of what was done, `distance_unit`, `completed_at` and `note` of a
// set. Serde passes over keys that a struct does not have.

/// Writes workouts as the app's core reads them.
enum CoreJSON {
  /// One workout as a JSON object.
  ///
  /// - Throws: `.invalidValue` for a number or a date that JSON has no word for.
  static func workout(_ workout: Workout) throws -> [UInt8] {
    var text = JSONText()
    write(workout, into: &text)
    return try text.checked()
  }

  /// - Parameter unsaid: of sets, what is not written, by their ids.
  static func write(_ workout: Workout, without unsaid: [UUID: CoreWorkout.Unsaid] = [:], into text: inout JSONText) {
    text.object { text in
      text.member("id", workout.id)
      text.member("name", workout.name)
      text.member("note", workout.note)
      text.member("duration", workout.durationSeconds)
      text.member("start_timestamp", workout.startedAt)
      text.member("end_timestamp", workout.endedAt)
      text.key("exercises")
      text.array(workout.exercises) { write($1, of: workout.id, without: unsaid, into: &$0) }
    }
  }

  static func write(
    _ exercise: Exercise, of workoutID: UUID?, without unsaid: [UUID: CoreWorkout.Unsaid] = [:], into text: inout JSONText
  ) {
    text.object { text in
      text.member("id", exercise.id)
      text.member("superset_id", exercise.superset)
      text.member("workout_id", workoutID)
      text.member("name", exercise.name)
      text.member("pinned_notes", exercise.pinnedNotes)
      text.member("notes", exercise.notes)
      text.member("duration", exercise.durationSeconds)
      text.member("type", exercise.type.rawValue)
      text.member("weight_unit", exercise.weightUnit?.rawValue)
      text.member("default_warm_up_time", exercise.warmUpRestSeconds)
      text.member("default_rest_time", exercise.restSeconds)
      text.key("sets")
      var index = 0
      text.array(exercise.sets) { text, set in
        write(set, at: index, of: (exercise.id, workoutID), without: unsaid[set.id] ?? [], into: &text)
        index += 1
      }
      text.key("body_part")
      write(exercise.bodyPart, into: &text)
    }
  }

  private static func write(_ part: BodyPart?, into text: inout JSONText) {
    guard let part else { return text.null() }
    text.object { text in
      text.member("main", part.main.rawValue)
      text.member("detailed", part.detailed)
      text.member("scientific", part.scientific)
    }
  }

  /// Index and ids are null where the set stands alone.
  static func write(
    _ set: ExerciseSet, at index: Int?, of ids: (exercise: UUID?, workout: UUID?), without unsaid: CoreWorkout.Unsaid,
    into text: inout JSONText
  ) {
    text.object { text in
      text.member("id", set.id)
      text.member("type", set.type.rawValue)
      text.member("weight_unit", set.weightUnit?.rawValue)
      text.key("suggest")
      text.object { text in
        text.member("weight", set.suggested.weight)
        text.member("reps", set.suggested.reps)
        text.member("rep_range", set.suggested.repRange)
        text.member("duration", set.suggested.durationSeconds)
        text.member("rpe", set.suggested.rpe)
        text.member("rest_time", set.suggested.restSeconds)
      }
      text.key("actual")
      write(set.actual, without: unsaid, into: &text)
      text.member("is_completed", set.isCompleted)
      text.member("exercise_id", ids.exercise)
      text.member("workout_id", ids.workout)
      text.member("set_index", index)
      if !unsaid.contains(.distanceUnit) { text.member("distance_unit", set.distanceUnit?.rawValue) }
      if !unsaid.contains(.completedAt) { text.member("completed_at", set.completedAt) }
      if !unsaid.contains(.note) { text.member("note", set.note) }
    }
  }
}

extension CoreJSON {
  static func write(_ actual: ExerciseSet.Actual, without unsaid: CoreWorkout.Unsaid = [], into text: inout JSONText) {
    text.object { text in
      text.member("weight", actual.weight)
      text.member("reps", actual.reps)
      text.member("duration", actual.durationSeconds)
      text.member("rpe", actual.rpe)
      text.member("actual_rest_time", actual.restSeconds)
      if !unsaid.contains(.distance) { text.member("distance", actual.distance) }
    }
  }

  static func write(_ current: WorkoutInProgress, into text: inout JSONText) {
    text.object { text in
      text.key("workout")
      write(current.workout, into: &text)
      text.member("trained_milliseconds", Int(clamping: current.timer.trainedMilliseconds))
      text.member("last_active_at", current.timer.lastActiveAt)
      text.member("is_paused", current.timer.isPaused)
      text.member("idle_limit", current.timer.idleLimitSeconds)
    }
  }

  static func write(_ performed: PerformedExercise, into text: inout JSONText) {
    text.object { text in
      text.member("workout_id", performed.workoutID)
      text.member("workout_name", performed.workoutName)
      text.member("start_timestamp", performed.startedAt)
      text.key("exercise")
      write(performed.exercise, of: performed.workoutID, into: &text)
    }
  }

  static func write(
    _ template: WorkoutTemplate, without unsaid: [UUID: CoreWorkout.Unsaid] = [:], into text: inout JSONText
  ) {
    text.object { text in
      text.member("id", template.id)
      text.member("name", template.name)
      text.member("note", template.note)
      text.key("exercises")
      text.array(template.exercises) { write($1, of: template.id, without: unsaid, into: &$0) }
    }
  }

  static func write(_ exercise: CustomExercise, into text: inout JSONText) {
    text.object { text in
      text.member("id", exercise.id)
      text.member("name", exercise.name)
      text.member("type", exercise.type.rawValue)
      text.key("body_part")
      write(exercise.bodyPart, into: &text)
      text.member("weight_unit", exercise.weightUnit?.rawValue)
      text.member("image_name", exercise.imageName)
      text.member("foreign_key", exercise.foreignKey)
    }
  }

  static func write(_ name: ExerciseName, into text: inout JSONText) {
    text.object { text in
      text.member("id", name.id)
      text.member("name", name.name)
      text.member("type", name.type.rawValue)
      text.key("body_part")
      write(name.bodyPart, into: &text)
      text.member("weight_unit", name.weightUnit?.rawValue)
      text.member("uses", name.uses)
      text.member("last_used_at", name.lastUsedAt)
      text.member("custom_exercise_id", name.customExerciseID)
    }
  }
}

extension JSONText {
  mutating func member(_ key: StaticString, _ id: UUID?) {
    self.key(key)
    value(id)
  }
  mutating func member(_ key: StaticString, _ text: String?) {
    self.key(key)
    value(text)
  }
  mutating func member(_ key: StaticString, _ number: Int?) {
    self.key(key)
    value(number)
  }
  mutating func member(_ key: StaticString, _ number: Double?) {
    self.key(key)
    value(number)
  }
  mutating func member(_ key: StaticString, _ bool: Bool) {
    self.key(key)
    value(bool)
  }
  mutating func member(_ key: StaticString, _ date: Date?) {
    self.key(key)
    value(date)
  }
  mutating func member(_ key: StaticString, _ texts: [String]?) {
    self.key(key)
    value(texts)
  }
}
