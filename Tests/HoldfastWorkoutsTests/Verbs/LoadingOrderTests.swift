import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

/// Exercises and sets are read as they are stored: their order must not depend on that.
@Suite("Loading in order") struct LoadingOrderTests {
  /// A workout of three exercises with four sets each.
  private static func workout(_ random: inout SeededGenerator) -> Workout {
    let exercises = (0..<3).map { number in
      Sample.exercise("\(number)", (0..<4).map { ExerciseSet(id: random.id(), actual: .init(reps: $0)) }, &random)
    }
    return Sample.workout("w", exercises, &random)
  }

  @Test("exercises and sets that were put into another order are loaded in it, one workout and all", arguments: [UInt64(31), 32, 33])
  func reordered(seed: UInt64) async throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    var workouts = (0..<5).map { _ in Self.workout(&random) }
    try await world.log.save(workouts)
    // Its rows stand between those of the others.
    try await world.log.startWorkout(repeating: workouts[2].id)
    workouts.append(Self.workout(&random))
    try await world.log.save(workouts[5])
    for _ in 0..<20 {
      let (place, exercise) = (Int.random(in: 0..<6, using: &random), Int.random(in: 0..<3, using: &random))
      workouts[place].exercises[exercise].sets.shuffle(using: &random)
      // A set goes to another exercise, too.
      if random.chance(30), let set = workouts[place].exercises[exercise].sets.popLast() {
        workouts[place].exercises[(exercise + 1) % 3].sets.insert(set, at: 0)
      }
      if random.chance(30) { workouts[place].exercises.shuffle(using: &random) }
      try await world.log.save(workouts[place])
      #expect(try await Set(world.log.workouts()) == Set(workouts))
      for workout in workouts { #expect(try await world.log.workout(workout.id) == workout) }
    }
    #expect(try world.isHealthy())
  }

  @Test("sets that were logged in turns, as in a superset, are loaded by exercise")
  func interleaved() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 34)
    var current = try await world.log.startWorkout(named: "Now").workout
    current.exercises = [Sample.exercise("a", &random), Sample.exercise("b", &random)]
    try await world.log.save(current)
    for turn in 0..<6 { try await world.log.logSet(in: current.exercises[turn % 2].id, .init(reps: turn)) }
    let workout = try await world.log.finishWorkout()
    #expect(try await world.log.workouts() == [workout])
    #expect(workout.exercises.map { $0.sets.map(\.actual.reps) } == [[0, 2, 4], [1, 3, 5]])
  }

  @Test("loading all reads each table once, and once more only what is not stored in its order")
  func statements() async throws {
    var random = SeededGenerator(seed: 35)
    let world = try World.inMemory()
    let log = world.log
    var workout = Self.workout(&random)
    try await log.save([workout, Self.workout(&random)])
    /// The statements that load all, by their table.
    func reads() async throws -> (exercises: [String], sets: [String]) {
      _ = world.statements.take()
      #expect(try await log.workouts().contains(workout))
      let texts = world.statements.take()
      return (texts.filter { $0.contains("FROM exercises") }, texts.filter { $0.contains("FROM exercise_sets") })
    }
    let ordered = try await reads()
    #expect(ordered.exercises.count == 1 && ordered.sets.count == 1)
    workout.exercises[1].sets.reverse()
    try await log.save(workout)
    let reversed = try await reads()
    #expect(reversed.exercises.count == 1 && reversed.sets.count == 2)
    #expect(reversed.sets.last?.contains("json_each") == true)
    workout.exercises.swapAt(0, 2)
    try await log.save(workout)
    let swapped = try await reads()
    #expect(swapped.exercises.count == 2 && swapped.exercises.last?.contains("json_each") == true)
  }

  @Test("two rows of one place, and places at the ends of what is stored, are loaded in some order, and none is lost")
  func damagedPlaces() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 36)
    let workouts = (0..<3).map { _ in Self.workout(&random) }
    try await world.log.save(workouts)
    for place in [Int64.min, .max, 0] {
      try await world.store.write { tx in
        for table in ["exercises", "exercise_sets"] { try tx.execute("UPDATE \(raw: table) SET position = \(place)") }
      }
      let loaded = try await world.log.workouts()
      #expect(Set(loaded.map(\.id)) == Set(workouts.map(\.id)))
      #expect(loaded.allSatisfy { $0.exercises.count == 3 && $0.exercises.allSatisfy { $0.sets.count == 4 } })
      #expect(
        loaded.allSatisfy { $0.exercises.map(\.id) == $0.exercises.map(\.id).sorted { IDCodec.lowercase($0) < IDCodec.lowercase($1) } })
    }
  }
}
