import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Saving") struct SavingTests {
  /// What is wrong with the body must leave everything as it was.
  private func refused(_ code: StoreError.Code, in world: World, _ body: () async throws -> Void) async throws {
    let before = try await (world.log.workouts(), world.log.templates())
    #expect(await HoldfastTesting.asyncCode(body) == code)
    #expect(try await world.log.workouts() == before.0)
    #expect(try await world.log.templates() == before.1)
  }

  @Test("what is loaded equals what was saved, with and without every field, one by one and many at once", arguments: [1, 3, 60])
  func roundTrip(count: Int) async throws {
    var random = SeededGenerator(seed: 1)
    let world = try World.temporary()
    let workouts = Sample.workouts(count, &random)
    try await world.log.save(workouts)
    for workout in workouts { #expect(try await world.log.workout(workout.id) == workout) }
    #expect(try await world.log.workouts() == workouts.sorted { $0.startedAt > $1.startedAt })
    #expect(try await world.log.workout(UUID()) == nil)
    #expect(try world.isHealthy())
  }

  @Test("empty names, texts and lists, unknown words, zeros and numbers below zero come back as they were; nil stays nil")
  func emptyAndNil() async throws {
    var random = SeededGenerator(seed: 2)
    let world = try World.inMemory()
    let set = ExerciseSet(
      id: random.id(), type: SetType(rawValue: ""), weightUnit: WeightUnit(rawValue: ""), distanceUnit: DistanceUnit(rawValue: ""),
      suggested: .init(weight: 0, reps: 0, repRange: -1, durationSeconds: 0, rpe: -0.5, restSeconds: .min),
      actual: .init(weight: -20.25, reps: .max, durationSeconds: .max, distance: 1e300, rpe: 0, restSeconds: 0), note: "")
    let unknown = ExerciseSet(
      id: random.id(), type: SetType(rawValue: "myo-reps "), weightUnit: WeightUnit(rawValue: "KG"),
      distanceUnit: DistanceUnit(rawValue: "龍"))
    let bodyPart = BodyPart(BodyPart.Main(rawValue: ""), detailed: [], scientific: nil)
    let exercise = Exercise(
      id: random.id(), name: "", type: ExerciseType(rawValue: ""), bodyPart: bodyPart, pinnedNotes: [""], notes: ["", "\u{0}", "\"\\"],
      durationSeconds: 0, warmUpRestSeconds: -1, restSeconds: 0, sets: [set, unknown, ExerciseSet(id: random.id())])
    let sled = Exercise(
      id: random.id(), name: "", type: ExerciseType(rawValue: "SLED "), bodyPart: BodyPart(BodyPart.Main(rawValue: "Neck")),
      weightUnit: WeightUnit(rawValue: "stone"))
    let workout = Workout(
      id: random.id(), name: "", note: "", startedAt: random.date(), endedAt: Date(timeIntervalSince1970: -1.5), durationSeconds: -1,
      exercises: [exercise, sled, Sample.exercise("", &random)])
    try await world.log.save(workout)
    #expect(try await world.log.workout(workout.id) == workout)
    #expect(try world.isHealthy())
  }

  @Test("a superset of 0 is none, so that exercises that the app put into group 0 are not one superset")
  func supersetZero() async throws {
    var random = SeededGenerator(seed: 4)
    let world = try World.inMemory()
    var exercises = (0..<3).map { Sample.exercise("\($0)", &random) }
    (exercises[0].superset, exercises[1].superset, exercises[2].superset) = (0, 0, 7)
    let workout = Sample.workout("W", exercises, &random)
    try await world.log.save(workout)
    #expect(try await world.log.workout(workout.id)?.exercises.map(\.superset) == [nil, nil, 7])
    #expect(try world.store.rowsChanged { try WorkoutLog.save(workout, in: $0) } == 0)
  }

  @Test("times finer than a millisecond are rounded, wherever they were put in, and saving them again writes nothing")
  func fineTimes() async throws {
    var random = SeededGenerator(seed: 5)
    let world = try World.inMemory()
    let fine = Date(timeIntervalSince1970: 1_766_657_730.123_456_789)
    var workout = Sample.workout("W", [Sample.exercise("E", [ExerciseSet(id: random.id())], &random)], &random)
    (workout.startedAt, workout.endedAt, workout.exercises[0].sets[0].completedAt) = (fine, fine.addingTimeInterval(60), fine)
    try await world.log.save(workout)
    let loaded = try #require(try await world.log.workout(workout.id))
    #expect(DateCodec.milliseconds(loaded.startedAt) == 1_766_657_730_123)
    #expect(loaded.endedAt == DateCodec.rounded(fine.addingTimeInterval(60)))
    #expect(loaded.exercises[0].sets[0].completedAt == loaded.startedAt)
    #expect(try world.store.rowsChanged { try WorkoutLog.save(workout, in: $0) } == 0)
  }

  @Test("saving what is there writes no row, saving one change writes one, and nothing is deleted to be written again")
  func onlyChanges() async throws {
    var random = SeededGenerator(seed: 6)
    let world = try World.temporary()
    var workout = Sample.full(&random, exercises: 5)
    try await world.log.save(workout)
    func writes(_ change: (inout Workout) -> Void = { _ in }) async throws -> [String] {
      change(&workout)
      _ = world.statements.take()
      try await world.log.save(workout)
      let writes = world.writes()
      #expect(try await world.log.workout(workout.id) == workout)
      return writes
    }
    #expect(try await writes() == [])
    #expect(try await writes { $0.endedAt = nil } == ["UPDATE workouts"])
    #expect(try await writes { $0.exercises[2].notes = ["New"] } == ["UPDATE exercises"])
    #expect(try await writes { $0.exercises[4].sets[1].actual.reps = 99 } == ["UPDATE exercise_sets"])
    #expect(try await writes { $0.exercises.append($0.exercises.removeFirst()) } == ["UPDATE exercises"])
    #expect(try await writes { $0.exercises[0].sets.swapAt(0, 1) } == ["UPDATE exercise_sets"])
    #expect(try await writes { $0.exercises[1].sets.removeLast() } == ["DELETE exercise_sets"])
    // SQLite tells a statement that cascades more than once.
    #expect(try await Set(writes { $0.exercises.remove(at: 1) }) == ["DELETE exercises"])
    #expect(try await writes { $0.exercises[0].sets.insert(ExerciseSet(id: UUID()), at: 1) } == ["INSERT exercise_sets"])
    #expect(try await writes { $0.exercises[3].sets.append($0.exercises[0].sets.removeFirst()) } == ["UPDATE exercise_sets"])
    #expect(try world.isHealthy())
  }

  @Test("removed exercises and sets vanish, and the others stay the rows that they were")
  func removedParts() async throws {
    var random = SeededGenerator(seed: 8)
    let world = try World.temporary()
    var workout = Sample.full(&random, exercises: 4)
    let other = Sample.full(&random)
    try await world.log.save([workout, other])
    let tables = ["workouts", "exercises", "exercise_sets"]
    let rows = BoundSQL(raw: tables.map { "SELECT rowid, id FROM \($0)" }.joined(separator: " UNION ALL "))
    let before = try Set(world.store.rows(rows, columns: 2))
    let gone = [workout.exercises[1].id, workout.exercises[0].sets[1].id] + workout.exercises[1].sets.map(\.id)
    workout.exercises.remove(at: 1)
    workout.exercises[0].sets.remove(at: 1)
    try await world.log.save(workout)
    #expect(try await world.log.workout(workout.id) == workout)
    #expect(try await world.log.workout(other.id) == other)
    let after = try Set(world.store.rows(rows, columns: 2))
    #expect(before.subtracting(after).count == gone.count && after.isSubset(of: before))
    for id in gone { #expect(!after.contains { $0.hasSuffix(IDCodec.lowercase(id)) }) }
  }

  @Test("the workout in progress stays in progress, without an end and a duration, when it is saved; a finished one stays finished")
  func staysInProgress() async throws {
    var random = SeededGenerator(seed: 16)
    let world = try World.temporary()
    var current = try await world.log.startWorkout(named: "Now").workout
    let finished = Sample.full(&random)
    try await world.log.save(finished)
    current.exercises = [Sample.fullExercise(&random)]
    (current.endedAt, current.durationSeconds) = (current.startedAt.addingTimeInterval(60), 60)
    try await world.log.save([current, finished])
    (current.endedAt, current.durationSeconds) = (nil, nil)
    #expect(try await world.log.currentWorkout()?.workout == current)
    #expect(try await world.log.currentWorkout()?.timer.trainedMilliseconds == 0)
    #expect(try await world.log.workouts() == [finished])
    #expect(try await world.log.workout(current.id) == current)
    #expect(try await world.log.deleteWorkout(current.id))
    #expect(try await world.log.currentWorkout() == nil)
    #expect(try world.isHealthy())
  }

  @Test("a set may go to another exercise of its workout: one that was there, one that is new, and when its own is removed")
  func movedSets() async throws {
    var random = SeededGenerator(seed: 9)
    let world = try World.temporary()
    var workout = Sample.full(&random, exercises: 3)
    try await world.log.save(workout)
    let moved = workout.exercises[0].sets[0]
    workout.exercises[1].sets.insert(workout.exercises[0].sets.removeFirst(), at: 1)
    try await world.log.save(workout)
    #expect(try await world.log.workout(workout.id) == workout)
    let orphans = workout.exercises.remove(at: 1).sets
    workout.exercises.insert(Sample.exercise("New", orphans, &random), at: 0)
    try await world.log.save(workout)
    #expect(try await world.log.workout(workout.id) == workout)
    #expect(try world.store.rows("SELECT count(*) FROM exercise_sets WHERE id = \(moved.id)") == ["1"])
    #expect(try world.isHealthy())
  }

  @Test("an id of an exercise or a set in two workouts is refused, and neither workout changes")
  func foreignParts() async throws {
    var random = SeededGenerator(seed: 10)
    let world = try World.temporary()
    let (first, second) = (Sample.full(&random), Sample.full(&random))
    try await world.log.save([first, second])
    var stolenExercise = second
    stolenExercise.exercises.append(Exercise(id: first.exercises[0].id, name: "Mine"))
    try await refused(.constraint, in: world) { try await world.log.save(stolenExercise) }
    var stolenSet = second
    stolenSet.name = "Other"
    stolenSet.exercises[0].sets.append(first.exercises[0].sets[0])
    try await refused(.constraint, in: world) { try await world.log.save(stolenSet) }
    try await refused(.constraint, in: world) {
      try await world.log.save(Workout(id: UUID(), name: "", startedAt: random.date(), exercises: first.exercises))
    }
    try await refused(.constraint, in: world) {
      try await world.log.save(WorkoutTemplate(id: UUID(), name: "", exercises: first.exercises))
    }
  }

  @Test("an exercise, a set or a workout that stands twice is refused, and so is the id of a template")
  func twice() async throws {
    var random = SeededGenerator(seed: 11)
    let world = try World.temporary()
    let workout = Sample.full(&random)
    let template = WorkoutTemplate(id: random.id(), name: "T")
    try await world.log.save(workout)
    try await world.log.save(template)
    var changed = workout
    changed.name = "Changed"
    var twice = changed
    twice.exercises.append(workout.exercises[0])
    try await refused(.constraint, in: world) { try await world.log.save(twice) }
    twice = changed
    twice.exercises[1].sets.append(workout.exercises[0].sets[0])
    try await refused(.constraint, in: world) { try await world.log.save(twice) }
    try await refused(.constraint, in: world) { try await world.log.save([changed, workout]) }
    try await refused(.constraint, in: world) { try await world.log.save(Workout(id: template.id, name: "", startedAt: random.date())) }
    try await refused(.constraint, in: world) { try await world.log.save(WorkoutTemplate(id: workout.id, name: "")) }
  }

  @Test("a value that no column holds is refused, and nothing of its workouts is saved", arguments: [Double.nan, .infinity, -.infinity])
  func impossibleValues(number: Double) async throws {
    var random = SeededGenerator(seed: 12)
    let world = try World.temporary()
    let stored = Sample.full(&random)
    try await world.log.save(stored)
    var wrong = Sample.full(&random)
    wrong.exercises[1].sets[0].actual.weight = number
    try await refused(.invalidValue, in: world) { try await world.log.save([Sample.full(&random), wrong]) }
    wrong = stored
    wrong.name = "Changed"
    wrong.exercises[2].sets[2].suggested.rpe = number
    try await refused(.invalidValue, in: world) { try await world.log.save(wrong) }
    wrong = stored
    wrong.endedAt = Date(timeIntervalSince1970: number)
    try await refused(.invalidValue, in: world) { try await world.log.save(wrong) }
  }

  @Test("there is room for every position, also at the end of all numbers")
  func noRoom() async throws {
    var random = SeededGenerator(seed: 13)
    let world = try World.temporary()
    var workout = Sample.workout("W", (0..<3).map { Sample.exercise("\($0)", &random) }, &random)
    workout.exercises[2].sets = (0..<3).map { _ in ExerciseSet(id: random.id()) }
    try await world.log.save(workout)
    let (exercise, set) = (workout.exercises[2].id, workout.exercises[2].sets[2].id)
    try await world.store.write { tx in
      try tx.execute("UPDATE exercises SET position = \(Int64.max) WHERE id = \(exercise)")
      try tx.execute("UPDATE exercise_sets SET position = \(Int64.max) WHERE id = \(set)")
    }
    workout.exercises.append(Sample.exercise("3", &random))
    workout.exercises[2].sets.append(ExerciseSet(id: random.id()))
    try await world.log.save(workout)
    #expect(try await world.log.workout(workout.id) == workout)
    #expect(try world.isHealthy())
  }

  @Test("deleting takes everything nested with it, and nothing of other workouts and templates")
  func deleting() async throws {
    var random = SeededGenerator(seed: 14)
    let world = try World.temporary()
    let (first, second) = (Sample.full(&random), Sample.full(&random))
    try await world.log.save([first, second])
    let template = try await world.log.saveTemplate(from: first.id, named: "T")
    #expect(try await world.log.deleteWorkout(first.id))
    #expect(try await !world.log.deleteWorkout(first.id))
    #expect(try await !world.log.deleteWorkout(template.id))
    #expect(try await world.log.workouts() == [second])
    #expect(try await world.log.templates() == [template])
    #expect(try world.store.rows("SELECT count(*) FROM exercises") == ["6"])
    #expect(try await world.log.deleteWorkout(second.id))
    #expect(try await world.log.deleteTemplate(template.id))
    for table in ["workouts", "exercises", "exercise_sets"] {
      #expect(try world.store.rows("SELECT count(*) FROM \(raw: table)") == ["0"])
    }
    #expect(try world.isHealthy())
  }
}
