import Foundation
import Holdfast

extension WorkoutLog {
  /// The same exercises as a plan: under new ids, with nothing done; what was done is what is suggested.
  static func planned(_ exercises: [Exercise], in tx: Transaction) -> [Exercise] {
    exercises.map { exercise in
      var plan = exercise
      plan.id = tx.makeID()
      plan.notes = []
      plan.sets = exercise.sets.map { set in
        var suggested = set.suggested
        suggested.weight = set.actual.weight ?? suggested.weight
        suggested.reps = set.actual.reps ?? suggested.reps
        suggested.durationSeconds = set.actual.durationSeconds ?? suggested.durationSeconds
        return ExerciseSet(
          id: tx.makeID(), type: set.type, weightUnit: set.weightUnit, distanceUnit: set.distanceUnit, suggested: suggested)
      }
      return plan
    }
  }
}
