import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Editing") struct Editing {
  /// A finished workout with so many exercises, each with so many sets.
  private func world(exercises: Int, sets: Int = 2) async throws -> (world: World, workout: Workout) {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 220)
    var workout = Workout(id: random.id(), name: "Push", startedAt: world.clock.now)
    for number in 0..<exercises {
      let list = (0..<sets).map { Sample.set(Double($0), $0, unit: .kilograms, &random) }
      workout.exercises.append(Exercise(id: random.id(), name: "\(number)", sets: list))
    }
    try await world.log.save(workout)
    return (world, workout)
  }

  private static func move<Element>(_ from: Int, before to: Int, in list: inout [Element]) {
    let moved = list.remove(at: from)
    list.insert(moved, at: to > from ? to - 1 : to)
  }

  @Test("every move in every workout of up to five exercises gives the order that an array gives")
  func everyExerciseMove() async throws {
    for count in 1...5 {
      let (world, workout) = try await world(exercises: count)
      for from in 0..<count {
        for to in 0...count {
          var expected = try #require(try await world.log.workout(workout.id)).exercises
          let (moved, other) = (expected[from].id, to < count ? expected[to].id : nil)
          Self.move(from, before: to, in: &expected)
          try await world.log.moveExercise(moved, before: other)
          #expect(try await world.log.workout(workout.id)?.exercises == expected, "\(from) to \(to) of \(count)")
        }
      }
    }
  }

  @Test("every move in every exercise of up to four sets gives the order that an array gives")
  func everySetMove() async throws {
    for count in 1...4 {
      let (world, workout) = try await world(exercises: 1, sets: count)
      for from in 0..<count {
        for to in 0...count {
          var expected = try #require(try await world.log.workout(workout.id)).exercises[0].sets
          let (moved, other) = (expected[from].id, to < count ? expected[to].id : nil)
          Self.move(from, before: to, in: &expected)
          try await world.log.moveSet(moved, before: other)
          #expect(try await world.log.workout(workout.id)?.exercises[0].sets == expected, "\(from) to \(to) of \(count)")
        }
      }
    }
  }

  @Test("an exercise with its sets, and a set, can be added before each other one and at the end")
  func everyAddition() async throws {
    var random = SeededGenerator(seed: 221)
    for place in 0...3 {
      var (world, workout) = try await world(exercises: 3, sets: 3)
      let exercise = Sample.fullExercise(&random)
      try await world.log.addExercise(exercise, to: workout.id, before: place < 3 ? workout.exercises[place].id : nil)
      let set = Sample.fullSet(&random)
      try await world.log.addSet(set, to: workout.exercises[1].id, before: place < 3 ? workout.exercises[1].sets[place].id : nil)
      workout.exercises[1].sets.insert(set, at: place)
      workout.exercises.insert(exercise, at: place)
      #expect(try await world.log.workout(workout.id) == workout)
      #expect(try world.isHealthy())
    }
  }

  @Test("a change replaces what is in an exercise or a set and nothing else: place, sets and neighbours stay")
  func updates() async throws {
    var (world, workout) = try await world(exercises: 3)
    var random = SeededGenerator(seed: 222)
    var exercise = Sample.fullExercise(&random)
    exercise.id = workout.exercises[1].id
    try await world.log.updateExercise(exercise)
    exercise.sets = workout.exercises[1].sets
    workout.exercises[1] = exercise
    var set = Sample.fullSet(&random)
    set.id = workout.exercises[1].sets[0].id
    try await world.log.updateSet(set)
    workout.exercises[1].sets[0] = set
    #expect(try await world.log.workout(workout.id) == workout)
    try await world.log.renameWorkout(workout.id, to: "三体")
    try await world.log.writeNote("sore", of: workout.id)
    (workout.name, workout.note) = ("三体", "sore")
    #expect(try await world.log.workout(workout.id) == workout)
    try await world.log.writeNote(nil, of: workout.id)
    #expect(try await world.log.workout(workout.id)?.note == nil)
    #expect(try world.isHealthy())
  }

  @Test("a removed exercise takes its sets with it, and leaves the others in their order")
  func removal() async throws {
    var (world, workout) = try await world(exercises: 3)
    #expect(try await world.log.removeExercise(workout.exercises[1].id))
    #expect(try await !world.log.removeExercise(workout.exercises[1].id))
    #expect(try await world.log.removeSet(workout.exercises[0].sets[0].id))
    #expect(try await !world.log.removeSet(workout.exercises[0].sets[0].id))
    workout.exercises.remove(at: 1)
    workout.exercises[0].sets.remove(at: 0)
    #expect(try await world.log.workout(workout.id) == workout)
    #expect(try world.store.rows("SELECT count(*) FROM exercise_sets") == ["3"])
  }

  @Test("in a workout of 300 exercises of 30 sets each verb writes one row, and no verb reads the whole list")
  func smallChanges() async throws {
    let (world, workout) = try await world(exercises: 300, sets: 30)
    let exercises = workout.exercises
    func cost(_ body: (Writer) throws -> Void) throws -> [Int] {
      _ = world.statements.take()
      let rows = try world.store.rowsChanged(by: body)
      return [rows, world.statements.take().filter { $0.contains("ORDER BY position, id") }.count]
    }
    var set = exercises[7].sets[3]
    #expect(try cost { try WorkoutLog.moveExercise(exercises[290].id, before: exercises[3].id, in: $0) } == [1, 0])
    #expect(try cost { try WorkoutLog.moveExercise(exercises[7].id, before: exercises[8].id, in: $0) } == [0, 0])
    #expect(try cost { try WorkoutLog.moveSet(set.id, before: nil, in: $0) } == [1, 0])
    #expect(
      try cost { try WorkoutLog.addSet(ExerciseSet(id: UUID()), to: exercises[7].id, before: exercises[7].sets[9].id, in: $0) } == [1, 0])
    #expect(try cost { try WorkoutLog.updateSet(set, in: $0) } == [0, 0])
    set.actual.reps = 99
    #expect(try cost { try WorkoutLog.updateSet(set, in: $0) } == [1, 0])
    #expect(try cost { _ = try WorkoutLog.removeSet(set.id, in: $0) } == [1, 0])
    #expect(try cost { try WorkoutLog.updateExercise(exercises[7], in: $0) } == [0, 0])
    #expect(try cost { _ = try WorkoutLog.makeSuperset([exercises[7].id, exercises[9].id], in: $0) } == [2, 0])
    #expect(try world.isHealthy())
  }

  @Test("a superset is a group of one workout: it takes the lowest free number, and one that a single exercise is left in is none")
  func supersets() async throws {
    let (world, workout) = try await world(exercises: 6)
    let ids = workout.exercises.map(\.id)
    func numbers() async throws -> [Int?] { try #require(try await world.log.workout(workout.id)).exercises.map(\.superset) }
    #expect(try await world.log.makeSuperset([ids[0], ids[1]]) == 1)
    #expect(try await world.log.makeSuperset([ids[3], ids[4], ids[5], ids[3]]) == 2)
    #expect(try await numbers() == [1, 1, nil, 2, 2, 2])
    #expect(try await world.log.makeSuperset([ids[1], ids[2]]) == 3)
    #expect(try await numbers() == [nil, 3, 3, 2, 2, 2])
    #expect(try await world.log.makeSuperset([ids[1], ids[2], ids[0]]) == 1)
    #expect(try await world.log.removeExercise(ids[3]))
    #expect(try await numbers() == [1, 1, 1, 2, 2])
    var last = try #require(try await world.log.workout(workout.id)).exercises[4]
    last.superset = 0
    try await world.log.updateExercise(last)
    #expect(try await numbers() == [1, 1, 1, nil, nil])
    #expect(try await world.log.clearSuperset(of: ids[1]))
    #expect(try await !world.log.clearSuperset(of: ids[1]))
    #expect(try await numbers() == [nil, nil, nil, nil, nil])
    #expect(await asyncCode { try await world.log.makeSuperset([ids[0]]) } == .invalidValue)
    #expect(await asyncCode { try await world.log.makeSuperset([]) } == .invalidValue)
    var random = SeededGenerator(seed: 223)
    let other = Sample.full(&random)
    try await world.log.save(other)
    #expect(await asyncCode { try await world.log.makeSuperset([ids[0], other.exercises[0].id]) } == .invalidValue)
    #expect(try await numbers() == [nil, nil, nil, nil, nil])
  }

  @Test("what is not there is said to be missing, and nothing changes")
  func missing() async throws {
    let (world, workout) = try await world(exercises: 2)
    var random = SeededGenerator(seed: 224)
    let other = Sample.full(&random)
    try await world.log.save(other)
    let (log, first, nobody) = (world.log, workout.exercises[0], UUID())
    let attempts: [() async throws -> Void] = [
      { try await log.addExercise(Exercise(id: UUID(), name: "x"), to: nobody) },
      { try await log.addExercise(Exercise(id: UUID(), name: "x"), to: workout.id, before: other.exercises[0].id) },
      { try await log.updateExercise(Exercise(id: nobody, name: "x")) }, { try await log.moveExercise(nobody, before: nil) },
      { try await log.moveExercise(first.id, before: nobody) }, { try await log.moveExercise(first.id, before: other.exercises[0].id) },
      { try await log.addSet(ExerciseSet(id: UUID()), to: nobody) },
      { try await log.addSet(ExerciseSet(id: UUID()), to: first.id, before: workout.exercises[1].sets[0].id) },
      { try await log.updateSet(ExerciseSet(id: nobody)) }, { try await log.moveSet(nobody, before: nil) },
      { try await log.moveSet(first.sets[0].id, before: workout.exercises[1].sets[0].id) },
      { try await log.makeSuperset([first.id, nobody]) },
      { try await log.clearSuperset(of: nobody) }, { try await log.renameWorkout(nobody, to: "x") },
      { try await log.writeNote("x", of: nobody) },
      { try await log.reopenSet(nobody) },
    ]
    for (number, attempt) in attempts.enumerated() { #expect(await asyncCode(attempt) == .notFound, "attempt \(number)") }
    // Not the path alone: there is none to check.
    #expect(await #expect(throws: StoreError.self) { try await log.reopenSet(nobody) }?.recoverySuggestion == "Check the path or the id.")
    let refused: [() async throws -> Void] = [
      { try await log.addExercise(other.exercises[0], to: workout.id) }, { try await log.addSet(other.exercises[0].sets[0], to: first.id) },
      { try await log.addExercise(Exercise(id: UUID(), name: "x", sets: [other.exercises[0].sets[0]]), to: workout.id) },
    ]
    for (number, attempt) in refused.enumerated() { #expect(await asyncCode(attempt) == .constraint, "attempt \(number)") }
    #expect(
      await asyncCode { try await log.updateSet(ExerciseSet(id: first.sets[0].id, actual: .init(weight: .infinity))) } == .invalidValue)
    #expect(try await log.workout(workout.id) == workout)
    #expect(try await log.workout(other.id) == other)
  }
}
