import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Many tasks", .timeLimit(.minutes(5))) struct ManyTasks {
  private static let duration: Duration = .seconds(ProofRun.isLong ? 10 : 1)

  @Test("64 tasks that log, edit, save, read and observe lose no write and keep every invariant")
  func together() async throws {
    let world = try World.temporary()
    let log = world.log
    var random = SeededGenerator(seed: 150)
    let workouts = (0..<48).map { Sample.workout("Day \($0)", [Sample.exercise("Lift", &random)], &random) }
    try await log.save(workouts)
    let begun = try await log.startWorkout(named: "Now").id
    let end = ContinuousClock.now + Self.duration
    let observers = (0..<8).map { _ in Task { try await observe(log) } }
    let sets = try await withThrowingTaskGroup(of: (logged: Int, added: Int).self) { group in
      for number in 0..<48 {
        group.addTask {
          switch number % 4 {
          case 0: return (try await logSets(log, begun, until: end), 0)
          case 1, 2: return (0, try await edit(log, workouts[number], until: end))
          default:
            try await read(log, until: end)
            return (0, 0)
          }
        }
      }
      return try await group.reduce(into: (logged: 0, added: 0)) { sum, one in sum = (sum.logged + one.logged, sum.added + one.added) }
    }
    defer { for observer in observers { observer.cancel() } }
    let current = try #require(try await log.currentWorkout()).workout
    #expect(current.exercises.count == 12 && current.exercises.flatMap(\.sets).count == sets.logged && sets.logged > 0)
    #expect(try await log.workouts().flatMap(\.exercises).flatMap(\.sets).count == sets.added && sets.added > 0)
    #expect(try world.isHealthy())
    // Tells at once what the observers would wait for without end.
    let watches = try TableWatches(world.store, ["workouts"])
    try await log.deleteWorkout(workouts[0].id)
    try #require(watches.woken == ["workouts"])
    for observer in observers { try await observer.value }
  }

  /// How many sets were logged in an exercise of its own.
  private func logSets(_ log: WorkoutLog, _ current: UUID, until end: ContinuousClock.Instant) async throws -> Int {
    let exercise = Exercise(id: UUID(), name: "Lift")
    try await log.addExercise(exercise, to: current)
    var count = 0
    repeat {
      count += 1
      let set = try await log.logSet(in: exercise.id, .init(weight: 80, reps: count))
      try await log.moveSet(set.id, before: nil)
      try await log.moveExercise(exercise.id, before: nil)
    } while ContinuousClock.now < end
    return count
  }

  /// How many sets a workout has after it was edited as a whole and by small verbs.
  private func edit(_ log: WorkoutLog, _ workout: Workout, until end: ContinuousClock.Instant) async throws -> Int {
    var workout = workout
    repeat {
      let set = ExerciseSet(id: UUID())
      try await log.addSet(set, to: workout.exercises[0].id)
      workout.exercises[0].sets.append(set)
      #expect(try await log.workout(workout.id) == workout)
      workout.exercises[0].sets.insert(ExerciseSet(id: UUID()), at: 0)
      workout.exercises[0].sets.shuffle()
      if workout.exercises[0].sets.count > 20 { workout.exercises[0].sets.removeFirst(15) }
      workout.name += "."
      try await log.save(workout)
    } while ContinuousClock.now < end
    return workout.exercises[0].sets.count
  }

  private func read(_ log: WorkoutLog, until end: ContinuousClock.Instant) async throws {
    repeat {
      #expect(try await log.workouts().count == 48)
      #expect(try await log.history(of: "lift").items.count == 48)
      #expect(try await log.search("day").items.count == 48)
      #expect(try await log.exerciseNames().items.map(\.uses) == [48])
    } while ContinuousClock.now < end
  }

  /// Ends when a workout is gone.
  private func observe(_ log: WorkoutLog) async throws {
    for try await workouts in log.workoutUpdates() {
      if workouts.count == 47 { return }
      #expect(workouts.count == 48 && workouts.allSatisfy { $0.exercises.count == 1 })
    }
  }
}
