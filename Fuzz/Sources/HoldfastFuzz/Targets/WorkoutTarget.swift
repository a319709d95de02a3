import Foundation
import Holdfast
import HoldfastTransfer
import HoldfastWorkouts

/// The common part of the formats of a training log.
protocol WorkoutTarget: ImportTarget {}

extension WorkoutTarget {
  var schemas: [StoreSchema] { [WorkoutLog.schema] }
  var tables: [String] { ["workouts", "exercises", "exercise_sets", "active_workout", "custom_exercises"] }

  func format(of source: ImportSource) throws -> any ImportFormat { try WorkoutLog.importer(for: source) }

  func edit(_ store: Store, _ random: inout SeededRandom) throws {
    let log = WorkoutLog(store)
    for workout in try log.store.read({ try WorkoutLog.workouts(in: $0) }) {
      var changed = workout
      switch Int.random(in: 0..<9, using: &random) {
      case 0: _ = try log.store.write { try WorkoutLog.deleteWorkout(workout.id, in: $0) }
      case 1: changed.name = "renamed"
      case 2: changed.exercises.reverse()
      case 3: changed.exercises = Array(workout.exercises.dropLast())
      case 4: changed.exercises.append(Exercise(id: NewID.derived(from: "\(random.next())"), name: "new"))
      case 5: for place in changed.exercises.indices { changed.exercises[place].sets.reverse() }
      case 6: for place in changed.exercises.indices { changed.exercises[place].sets = [] }
      default: break
      }
      if changed != workout { try log.store.write({ try WorkoutLog.save(changed, in: $0) }) }
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      if try log.store.read({ try WorkoutLog.currentWorkout(in: $0) }) != nil {
        _ = try log.store.write { try WorkoutLog.finishWorkout(in: $0) }
      }
    case 1: _ = try log.store.write { try WorkoutLog.discardWorkout(in: $0) }
    case 2:
      if try log.store.read({ try WorkoutLog.currentWorkout(in: $0) }) == nil {
        _ = try log.store.write { try WorkoutLog.startWorkout(named: "now", in: $0) }
      }
    default: break
    }
  }
}

enum WorkoutTexts {
  static let names = [
    "Bench Press", "Kniebeuge", "Développé couché", "三体", "スクワット", "تمرين", "🏋️", "e\u{301}tude", "a \"quoted\" \\ & <b>", "", "A\nB",
  ]
  static let types = ["barbell", "dumbbell", "bodyweight", "machine", "unknown", "sled"]
  static let setTypes = ["working", "working", "warmUp", "dropSet", "failure", "amrap", "myo-reps"]
}
