import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("The workout in progress", .timeLimit(.minutes(10))) struct InProgress {
  private func failure(_ body: () async throws -> Void) async -> StoreError? { await #expect(throws: StoreError.self) { try await body() } }

  /// A finished workout of two exercises with a planned, a completed and an entered set each.
  private func finished(_ random: inout SeededGenerator) -> Workout {
    let exercises = ["Bench Press", "Row"].map { name in
      Exercise(
        id: random.id(), name: name, superset: 1, pinnedNotes: ["Seat 4"],
        sets: [
          ExerciseSet(id: random.id(), suggested: .init(weight: 60, reps: 8)),
          ExerciseSet(id: random.id(), suggested: .init(weight: 60, reps: 8), actual: .init(weight: 62.5, reps: 7), isCompleted: true),
          ExerciseSet(id: random.id(), actual: .init(reps: 5)),
        ])
    }
    return Workout(id: random.id(), name: "Push", startedAt: random.date(), endedAt: nil, durationSeconds: 60, exercises: exercises)
  }

  @Test("it is started, filled, reordered, logged and finished, and is then the newest of the finished ones")
  func wholeLife() async throws {
    let world = try World.temporary()
    let log = world.log
    let start = world.clock.now
    let begun = try await log.startWorkout(named: "Push")
    #expect(try await log.currentWorkout() == begun)
    let (bench, row) = (Exercise(id: UUID(), name: "Bench Press", weightUnit: .kilograms), Exercise(id: UUID(), name: "Row"))
    let planned = ExerciseSet(id: UUID(), suggested: .init(weight: 60, reps: 8))
    try await log.addExercise(bench, to: begun.id)
    try await log.addExercise(row, to: begun.id)
    try await log.addSet(planned, to: row.id)
    try await log.moveExercise(row.id, before: bench.id)
    let logged = try await log.logSet(in: bench.id, .init(weight: 80, reps: 5), type: .amrap)
    world.clock.advance(milliseconds: 90_500)
    try await log.logSet(planned.id)
    #expect(try await log.workouts() == [])

    let done = try await log.finishWorkout()
    let completed = ExerciseSet(
      id: planned.id, suggested: planned.suggested, actual: .init(weight: 60, reps: 8), isCompleted: true, completedAt: world.clock.now)
    let expected = Workout(
      id: begun.id, name: "Push", startedAt: start, endedAt: world.clock.now, durationSeconds: 90,
      exercises: [
        Exercise(id: row.id, name: "Row", sets: [completed]),
        Exercise(id: bench.id, name: "Bench Press", weightUnit: .kilograms, sets: [logged]),
      ])
    #expect(done == expected)
    #expect(logged.completedAt == start && logged.isCompleted && logged.type == .amrap)
    #expect(try await log.workouts() == [expected])
    #expect(try await log.currentWorkout() == nil)
    #expect(try world.isHealthy())
  }

  @Test("a second one is refused, says what to do, and leaves the first as it is")
  func oneAtATime() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 230)
    let old = finished(&random)
    try await world.log.save(old)
    let first = try await world.log.startWorkout(named: "First")
    world.clock.advance()
    for attempt in [{ _ = try await world.log.startWorkout(named: "Second") }, { _ = try await world.log.startWorkout(repeating: old.id) }]
    {
      let error = await failure(attempt)
      #expect(error?.code == .constraint)
      #expect(error?.message == "the workout \(IDCodec.lowercase(first.id)) is in progress, and there is one at a time")
      #expect(error?.recoverySuggestion == "Finish it or discard it, then start the new one.")
    }
    #expect(try await world.log.currentWorkout() == first)
    #expect(try world.store.rows("SELECT count(*) FROM workouts") == ["2"])
    #expect(await failure { try await world.log.startWorkout(named: "x", idleLimitSeconds: -1) }?.code == .invalidValue)
  }

  @Test("loading, saving or deleting another workout leaves the one in progress as it is, which the app overwrote")
  func othersLeaveItAlone() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 231)
    let old = finished(&random)
    try await world.log.save(old)
    let current = try await world.log.startWorkout(named: "Now")
    world.clock.advance()
    _ = try await world.log.workout(old.id)
    _ = try await world.log.workouts()
    try await world.log.save(old)
    try await world.log.updateSet(old.exercises[0].sets[0])
    #expect(try await world.log.deleteWorkout(old.id))
    #expect(try await world.log.currentWorkout() == current)
  }

  @Test("saved as a whole, as an app with a document does, it stays in progress and keeps its start")
  func savedAsAWhole() async throws {
    let world = try World.inMemory()
    var current = try await world.log.startWorkout(named: "Now").workout
    world.clock.advance(milliseconds: 60_000)
    current.exercises = [Exercise(id: UUID(), name: "Row", sets: [ExerciseSet(id: UUID())])]
    try await world.log.save(current)
    #expect(
      try await world.log.currentWorkout()
        == WorkoutInProgress(workout: current, timer: TrainingTimer(lastActiveAt: world.clock.now, trainedMilliseconds: 60_000)))
    #expect(try await world.log.finishWorkout().startedAt == current.startedAt)
  }

  @Test("a finished one begins a new one with the same exercises in the same order, what was done as what is suggested")
  func repeating() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 232)
    let old = finished(&random)
    try await world.log.save(old)
    let begun = try await world.log.startWorkout(repeating: old.id).workout
    let exercises = begun.exercises.map { "\($0.name), superset \($0.superset ?? 0), \($0.pinnedNotes)" }
    #expect(exercises == ["Bench Press", "Row"].map { "\($0), superset 1, [\"Seat 4\"]" })
    let sets = begun.exercises.flatMap(\.sets)
    #expect(sets.map(\.suggested.weight) == [60, 62.5, nil, 60, 62.5, nil])
    #expect(sets.map(\.suggested.reps) == [8, 7, 5, 8, 7, 5])
    #expect(sets.allSatisfy { $0.actual == ExerciseSet.Actual() && !$0.isCompleted && $0.completedAt == nil })
    #expect(begun.startedAt == world.clock.now && begun.endedAt == nil && begun.durationSeconds == nil)
    #expect(try await world.log.workout(old.id) == old)
    #expect(try world.isHealthy())
  }

  @Test("a template begins one, and is no workout itself; what is neither is not found")
  func fromTemplate() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 233)
    let plan = finished(&random)
    try await world.log.save(plan)
    #expect(await failure { try await world.log.startWorkout(from: plan.id) }?.code == .notFound)
    try await world.store.write { _ = try $0.execute("UPDATE workouts SET state = 'template' WHERE id = \(plan.id)") }
    #expect(await failure { try await world.log.startWorkout(repeating: plan.id) }?.code == .notFound)
    let begun = try await world.log.startWorkout(from: plan.id).workout
    #expect(begun.name == "Push" && begun.exercises.map(\.sets.count) == [3, 3])
    #expect(try await world.log.currentWorkout()?.workout == begun)
    #expect(try world.store.rows("SELECT id FROM workouts WHERE state = 'template'") == [IDCodec.lowercase(plan.id)])
  }

  @Test("finishing keeps every set or, when asked, drops those in which nothing was entered, and touches no other workout")
  func finishing() async throws {
    for drops in [false, true] {
      let world = try World.inMemory()
      var random = SeededGenerator(seed: 234)
      let plan = finished(&random)
      let begun = try await world.log.startWorkout(named: "Now")
      for exercise in plan.exercises { try await world.log.addExercise(exercise, to: begun.id) }
      let others = (0..<3).map { _ in finished(&random) }
      for other in others { try await world.log.save(other) }
      let done = try await world.log.finishWorkout(droppingEmptySets: drops)
      #expect(done.exercises.map { $0.sets.map(\.id) } == plan.exercises.map { Array($0.sets.map(\.id).dropFirst(drops ? 1 : 0)) })
      #expect(done.exercises[1].sets.last == plan.exercises[1].sets[2])
      #expect(try await world.log.workout(begun.id) == done)
      for other in others { #expect(try await world.log.workout(other.id) == other) }
      #expect(await failure { try await world.log.finishWorkout() }?.code == .notFound)
      #expect(try world.isHealthy())
    }
  }

  @Test("when finishing fails, everything is as before: the app's save and the removal of its file were two")
  func finishingFails() async throws {
    let world = try World.inMemory()
    let begun = try await world.log.startWorkout(named: "Now")
    try await world.store.write {
      _ = try $0.execute("CREATE TRIGGER no BEFORE DELETE ON active_workout BEGIN SELECT raise(ABORT, 'no'); END")
    }
    #expect(await failure { try await world.log.finishWorkout() }?.code == .constraint)
    #expect(try await world.log.currentWorkout() == begun)
  }

  @Test("discarding returns what there was and leaves the finished ones")
  func discarding() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 235)
    let old = finished(&random)
    try await world.log.save(old)
    let begun = try await world.log.startWorkout(repeating: old.id)
    #expect(try await world.log.discardWorkout() == begun)
    #expect(try await world.log.discardWorkout() == nil)
    #expect(try await world.log.workouts() == [old])
    #expect(try world.store.rows("SELECT count(*) FROM workouts") == ["1"])
    _ = try await world.log.startWorkout(named: "Next")
    #expect(try world.isHealthy())
  }

  @Test("it is there when the app starts again, in no file but the store's")
  func survivesRestart() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("log.sqlite")
    let log = try WorkoutLog.open(at: url, options: .testing)
    let begun = try await log.startWorkout(named: "Now", idleLimitSeconds: 60)
    try await log.addExercise(Exercise(id: UUID(), name: "Row"), to: begun.id)
    let before = try await log.currentWorkout()
    try log.store.close()
    let again = try WorkoutLog.open(at: url, options: .testing)
    #expect(before != nil && before?.timer.idleLimitSeconds == 60)
    #expect(try await again.currentWorkout() == before)
    try again.store.close()
    #expect(try folder.contents() == ["log.sqlite"])
  }
}
