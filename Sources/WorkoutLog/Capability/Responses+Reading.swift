import Foundation
import Holdfast

// What responses hold beside workouts, as a shell's tests read it back.

extension WorkoutInProgress {
  init(core scanner: inout JSONScanner) throws {
    var workout: Workout?
    var timer = TrainingTimer(lastActiveAt: Date(timeIntervalSince1970: 0))
    let keys: [StaticString] = ["workout", "trained_milliseconds", "last_active_at", "is_paused", "idle_limit"]
    try scanner.members(keys, required: 5) { fields, number, value in
      switch number {
      case 0: workout = try CoreWorkout(&value).workout
      case 1: timer.trainedMilliseconds = try fields.int64("trained_milliseconds", &value)
      case 2: timer.lastActiveAt = try fields.date("last_active_at", &value)?.value ?? timer.lastActiveAt
      case 3: timer.isPaused = try fields.bool("is_paused", &value)
      default: timer.idleLimitSeconds = Int(clamping: try fields.int64("idle_limit", &value))
      }
    }
    guard let workout else { throw StoreError(.invalidSource, "there is no workout in it") }
    self.init(workout: workout, timer: timer)
  }
}

extension WorkoutTemplate {
  init(core scanner: inout JSONScanner) throws {
    self.init(id: .zero, name: "")
    var unsaid: [UUID: CoreWorkout.Unsaid] = [:]
    try scanner.members(["id", "name", "note", "exercises"], required: 4) { fields, number, value in
      switch number {
      case 0: id = try fields.id("id", &value)?.value ?? .zero
      case 1: name = try fields.text("name", &value)
      case 2: note = try fields.textOrNil("note", &value)
      default: exercises = try value.list { try CoreWorkout.exercise(&$0, &unsaid) }
      }
    }
  }
}

extension PerformedExercise {
  init(core scanner: inout JSONScanner) throws {
    self.init(workoutID: .zero, workoutName: "", startedAt: Date(timeIntervalSince1970: 0), exercise: Exercise(id: .zero, name: ""))
    var unsaid: [UUID: CoreWorkout.Unsaid] = [:]
    try scanner.members(["workout_id", "workout_name", "start_timestamp", "exercise"], required: 4) { fields, number, value in
      switch number {
      case 0: workoutID = try fields.id("workout_id", &value)?.value ?? .zero
      case 1: workoutName = try fields.text("workout_name", &value)
      case 2: startedAt = try fields.date("start_timestamp", &value)?.value ?? startedAt
      default: exercise = try CoreWorkout.exercise(&value, &unsaid)
      }
    }
  }
}
