import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Record columns") struct RecordColumns {
  @Test("every record reads what it writes, column by column, with and without what may be missing")
  func agree() throws {
    let store = try Store.inMemory(schemas: [WorkoutLog.schema])
    var random = SeededGenerator(seed: 1)
    let (full, bare) = (Sample.full(&random), Sample.workout("Bare", &random))
    try RecordCheck.verify([WorkoutRow(full, .finished), WorkoutRow(bare, .template)], in: store)
    let exercise = Sample.exercise("Bare", &random)
    let exercises = [ExerciseRow(full.exercises[0], in: full.id, at: 1), ExerciseRow(exercise, in: bare.id, at: -2)]
    try RecordCheck.verify(exercises, in: store)
    let sets = [Sample.fullSet(&random), ExerciseSet(id: random.id())]
    try RecordCheck.verify(sets.map { SetRow($0, in: exercise.id, at: 3) }, in: store)
    let customs = [Sample.customExercise("Full", &random), CustomExercise(id: random.id(), name: "Bare")]
    try RecordCheck.verify(customs.map(CustomExerciseRow.init), in: store)
    let timers = [
      TrainingTimer(lastActiveAt: random.date()),
      TrainingTimer(lastActiveAt: random.date(), trainedMilliseconds: 5, isPaused: true, idleLimitSeconds: 7),
    ]
    try RecordCheck.verify(timers.map { ActiveRow(bare.id, $0) }, in: store)
  }

  @Test("no two fields of a full sample that are of one type have the same value, so that swapped columns are found")
  func fullSample() throws {
    var random = SeededGenerator(seed: 2)
    let set = Sample.fullSet(&random)
    let (suggested, actual) = (set.suggested, set.actual)
    let integers = [
      suggested.reps, suggested.repRange, suggested.durationSeconds, suggested.restSeconds, actual.reps, actual.durationSeconds,
      actual.restSeconds,
    ].compactMap(\.self)
    let numbers = [suggested.weight, suggested.rpe, actual.weight, actual.distance, actual.rpe].compactMap(\.self)
    #expect(Set(integers).count == 7 && Set(numbers).count == 5)
  }
}
