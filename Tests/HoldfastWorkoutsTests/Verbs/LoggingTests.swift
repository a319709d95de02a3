import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Logging a set") struct LoggingTests {
  private func started() async throws -> (world: World, exercise: Exercise) {
    let world = try World.inMemory()
    let begun = try await world.log.startWorkout(named: "Now")
    let planned = ExerciseSet(
      id: UUID(), suggested: .init(weight: 60, reps: 8, durationSeconds: 30), actual: .init(weight: 61, rpe: 9), note: "n")
    let exercise = Exercise(id: UUID(), name: "Row", sets: [planned, ExerciseSet(id: UUID())])
    try await world.log.addExercise(exercise, to: begun.id)
    return (world, exercise)
  }

  private func set(_ world: World, _ id: UUID) async throws -> ExerciseSet? {
    try await world.log.currentWorkout()?.workout.exercises.flatMap(\.sets).first { $0.id == id }
  }

  @Test("what was done replaces what was entered; what is not said was not done")
  func values() async throws {
    let (world, exercise) = try await started()
    var expected = exercise.sets[0]
    try await world.log.logSet(expected.id, .init(weight: -12.5, reps: 0, durationSeconds: 1, distance: 400, restSeconds: 90))
    expected.actual = .init(weight: -12.5, reps: 0, durationSeconds: 1, distance: 400, restSeconds: 90)
    (expected.isCompleted, expected.completedAt) = (true, world.clock.now)
    #expect(try await set(world, expected.id) == expected)
    world.clock.advance()
    try await world.log.logSet(expected.id, .init(reps: 4))
    expected.actual = .init(reps: 4)
    #expect(try await set(world, expected.id) == expected)
  }

  @Test("without values it is what was entered and, where nothing was, what the plan suggests")
  func asPlanned() async throws {
    let (world, exercise) = try await started()
    var expected = exercise.sets[0]
    try await world.log.logSet(expected.id)
    expected.actual = .init(weight: 61, reps: 8, durationSeconds: 30, rpe: 9)
    (expected.isCompleted, expected.completedAt) = (true, world.clock.now)
    #expect(try await set(world, expected.id) == expected)
  }

  @Test("taken back it is not completed and keeps its values")
  func takenBack() async throws {
    let (world, exercise) = try await started()
    var expected = exercise.sets[0]
    #expect(try await !world.log.reopenSet(expected.id))
    try await world.log.logSet(expected.id, .init(reps: 4))
    #expect(try await world.log.reopenSet(expected.id))
    expected.actual = .init(reps: 4)
    #expect(try await set(world, expected.id) == expected)
  }

  @Test("a set more stands at the end of its exercise with its own units")
  func added() async throws {
    let (world, exercise) = try await started()
    let logged = try await world.log.logSet(
      in: exercise.id, .init(weight: 20, reps: 5, distance: 1, rpe: 10), type: .dropSet, weightUnit: .kilograms, distanceUnit: .miles)
    #expect(try await world.log.currentWorkout()?.workout.exercises[0].sets.last == logged)
    #expect(logged.weightUnit == .kilograms && logged.distanceUnit == .miles && logged.completedAt == world.clock.now)
    #expect(try world.isHealthy())
  }

  @Test("it is two rows, and no statement more than it needs, in a log of any size")
  func cost() async throws {
    let (world, exercise) = try await started()
    var random = SeededGenerator(seed: 240)
    try await world.log.save(Sample.workouts(50, &random))
    func cost(_ body: (Writer) throws -> Void) throws -> [Int] {
      _ = world.statements.take()
      let rows = try world.store.rowsChanged(by: body)
      // Two count the changes themselves.
      return [rows, world.statements.take().count - 2]
    }
    #expect(try cost { try WorkoutLog.logSet(exercise.sets[0].id, .init(weight: 80, reps: 5), in: $0) } == [2, 2])
    #expect(try cost { try WorkoutLog.logSet(exercise.sets[1].id, in: $0) } == [2, 2])
    #expect(try cost { _ = try WorkoutLog.logSet(in: exercise.id, .init(weight: 80, reps: 5), in: $0) } == [2, 3])
  }

  @Test("only sets of the workout in progress are logged: one of a finished workout, one that is missing and bad numbers change nothing")
  func refused() async throws {
    let (world, exercise) = try await started()
    var random = SeededGenerator(seed: 241)
    let old = Sample.full(&random)
    try await world.log.save(old)
    let before = try await world.log.currentWorkout()
    world.clock.advance()
    #expect(await asyncCode { try await world.log.logSet(old.exercises[0].sets[0].id, .init(reps: 1)) } == .notFound)
    #expect(await asyncCode { try await world.log.logSet(UUID()) } == .notFound)
    #expect(await asyncCode { _ = try await world.log.logSet(in: old.exercises[0].id, .init(reps: 1)) } == .notFound)
    for bad in [Double.infinity, -.infinity, .nan] {
      for actual in [ExerciseSet.Actual(weight: bad), .init(distance: bad), .init(rpe: bad)] {
        #expect(await asyncCode { try await world.log.logSet(exercise.sets[0].id, actual) } == .invalidValue)
        #expect(await asyncCode { _ = try await world.log.logSet(in: exercise.id, actual) } == .invalidValue)
      }
    }
    #expect(try await world.log.currentWorkout() == before)
    #expect(try await world.log.workout(old.id) == old)
    try await world.log.finishWorkout()
    #expect(await asyncCode { try await world.log.logSet(exercise.sets[0].id) } == .notFound)
  }
}
