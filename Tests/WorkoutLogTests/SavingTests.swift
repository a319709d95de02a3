import Foundation
import Holdfast
import Testing
import WorkoutLog

@Suite("Saving") struct SavingTests {
  @Test("what is saved is loaded")
  func roundTrip() throws {
    let log = try WorkoutLog.inMemory()
    let set = ExerciseSet(id: UUID(), actual: ExerciseSet.Actual(weight: 80, reps: 5), isCompleted: true)
    let exercise = Exercise(id: UUID(), name: "Bench Press", type: .barbell, notes: ["slow \"down\""], sets: [set])
    let workout = Workout(id: UUID(), name: "Push", startedAt: Date(), exercises: [exercise])
    try log.save(workout)
    #expect(try log.workout(workout.id) == workout)
    #expect(try log.workouts() == [workout])
  }
}
