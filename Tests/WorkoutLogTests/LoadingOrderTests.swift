import Foundation
import Holdfast
import HoldfastTesting
import Testing
import WorkoutLog

/// Sets are read as they are stored: their order must not depend on that.
@Suite("Loading in order") struct LoadingOrderTests {
  /// A workout of three exercises with four sets each.
  private static func workout(_ random: inout SeededGenerator) -> Workout {
    let exercises = (0..<3).map { number in
      Sample.exercise("\(number)", (0..<4).map { ExerciseSet(id: random.id(), actual: .init(reps: $0)) }, &random)
    }
    return Sample.workout("w", exercises, &random)
  }

  @Test("sets that were put into another order are loaded in it, one workout and all", arguments: [UInt64(31), 32, 33])
  func reordered(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    var workouts = (0..<5).map { _ in Self.workout(&random) }
    try world.log.save(workouts)
    for _ in 0..<20 {
      let (place, exercise) = (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<3, using: &random))
      workouts[place].exercises[exercise].sets.shuffle(using: &random)
      // A set goes to another exercise, too.
      if random.chance(30), let set = workouts[place].exercises[exercise].sets.popLast() {
        workouts[place].exercises[(exercise + 1) % 3].sets.insert(set, at: 0)
      }
      try world.log.save(workouts[place])
      #expect(try Set(world.log.workouts()) == Set(workouts))
      for workout in workouts { #expect(try world.log.workout(workout.id) == workout) }
    }
    #expect(try world.isHealthy())
  }

  @Test("sets that were logged in turns, as in a superset, are loaded by exercise")
  func interleaved() throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 34)
    var current = try world.log.startWorkout(named: "Now").workout
    current.exercises = [Sample.exercise("a", &random), Sample.exercise("b", &random)]
    try world.log.save(current)
    for turn in 0..<6 { try world.log.logSet(in: current.exercises[turn % 2].id, .init(reps: turn)) }
    let workout = try world.log.finishWorkout()
    #expect(try world.log.workouts() == [workout])
    #expect(workout.exercises.map { $0.sets.map(\.actual.reps) } == [[0, 2, 4], [1, 3, 5]])
  }

  @Test("loading all reads each table once, and once more only the sets that are not stored in their order")
  func statements() throws {
    var random = SeededGenerator(seed: 35)
    let statements = StatementLog()
    let log = WorkoutLog(try Store.inMemory(schemas: [WorkoutLog.schema], options: statements.options()))
    var workout = Self.workout(&random)
    try log.save([workout, Self.workout(&random)])
    let ordered = try statements.recording { try log.workouts() }
    #expect(ordered.count == 2)
    #expect(statements.statements.filter { $0.contains("FROM exercise_sets") }.count == 1)
    workout.exercises[1].sets.reverse()
    try log.save(workout)
    #expect(try statements.recording { try log.workouts() }.contains(workout))
    let reads = statements.statements.filter { $0.contains("FROM exercise_sets") }
    #expect(reads.count == 2)
    #expect(reads.last?.contains("json_each") == true)
  }
}
