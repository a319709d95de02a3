import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Custom exercises") struct CustomExercises {
  @Test("what is loaded equals what was saved, by name; saving it again writes nothing")
  func roundTrip() async throws {
    var random = SeededGenerator(seed: 50)
    let world = try World.temporary()
    let exercises = [
      Sample.customExercise("Überzug", &random), CustomExercise(id: random.id(), name: "arnold press"), Sample.customExercise("", &random),
      CustomExercise(id: random.id(), name: "三体", type: ExerciseType(rawValue: "sled"), bodyPart: BodyPart(.arms, detailed: [])),
    ]
    for exercise in exercises { try await world.log.save(exercise) }
    #expect(try await world.log.customExercises() == [exercises[2], exercises[1], exercises[0], exercises[3]])
    #expect(try await world.log.customExercise(exercises[0].id) == exercises[0])
    #expect(try await world.log.customExercise(UUID()) == nil)
    for exercise in exercises { #expect(try world.store.rowsChanged { try WorkoutLog.save(exercise, in: $0) } == 0) }
    #expect(try await world.log.deleteCustomExercise(exercises[0].id))
    #expect(try await !world.log.deleteCustomExercise(exercises[0].id))
    #expect(try await world.log.customExercises().count == 3)
    #expect(try world.isHealthy())
  }

  @Test(
    "a name that another one has, case and accents apart, is refused, and nothing is changed",
    arguments: ["PULL-ÜP", "Pull-u\u{308}p", "pull-up"])
  func sameName(name: String) async throws {
    var random = SeededGenerator(seed: 51)
    let world = try World.temporary()
    let (first, second) = (Sample.customExercise("Pull-Up", &random), Sample.customExercise("Row", &random))
    try await world.log.save(first)
    try await world.log.save(second)
    try await world.log.save(Sample.workout("W", [Sample.exercise("Row", &random)], &random))
    let refused: [() async throws -> Void] = [
      { try await world.log.save(Sample.customExercise(name, &random)) },
      { try await world.log.renameCustomExercise(second.id, to: name, inHistory: true) },
    ]
    for attempt in refused {
      let error = await #expect(throws: StoreError.self) { try await attempt() }
      #expect(error?.code == .constraint && error?.message.contains(name) == true)
    }
    #expect(try await world.log.customExercises() == [first, second])
    #expect(try await world.log.workouts()[0].exercises[0].name == "Row")
    // Its own name may be written in another way.
    #expect(try await world.log.renameCustomExercise(first.id, to: name, inHistory: false))
    #expect(try await world.log.customExercise(first.id)?.name == name)
  }

  @Test("renaming leaves history alone, or takes every workout and template with it", arguments: [false, true])
  func renaming(inHistory: Bool) async throws {
    var random = SeededGenerator(seed: 52)
    let world = try World.temporary()
    let exercise = Sample.customExercise("Bench", &random)
    try await world.log.save(exercise)
    let parts = ["bénch", "BENCH", "Bench press"].map { Sample.exercise($0, [Sample.set(80, 5, &random)], &random) }
    let workout = Sample.workout("W", parts, &random)
    try await world.log.save(workout)
    let template = try await world.log.saveTemplate(from: workout.id, named: "T")
    #expect(try await world.log.renameCustomExercise(exercise.id, to: "臥推", inHistory: inHistory))
    #expect(try await world.log.customExercises().map(\.name) == ["臥推"])
    let names = inHistory ? ["臥推", "臥推", "Bench press"] : ["bénch", "BENCH", "Bench press"]
    #expect(try await world.log.workout(workout.id)?.exercises.map(\.name) == names)
    #expect(try await world.log.template(template.id)?.exercises.map(\.name) == names)
    #expect(try await world.log.workout(workout.id)?.exercises.map(\.sets) == parts.map(\.sets))
    #expect(try await world.log.history(of: "臥推").items.count == (inHistory ? 2 : 0))
    #expect(try await world.log.search("臥推").items.count == (inHistory ? 1 : 0))
    #expect(try await !world.log.renameCustomExercise(UUID(), to: "New", inHistory: inHistory))
    #expect(try world.isHealthy())
  }

  @Test("the names to choose from are those that were used and those that were added, each once, with how often and when last")
  func names() async throws {
    var random = SeededGenerator(seed: 53)
    let world = try World.temporary()
    #expect(try await world.log.exerciseNames().items == [])
    let (early, late) = (Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_086_400))
    var press = Sample.exercise("Bench Press", &random)
    (press.type, press.bodyPart) = (.barbell, BodyPart(.chest, detailed: ["Upper"]))
    try await world.log.save([
      Sample.workout("New", at: late, [press, Sample.exercise("", &random)], &random),
      Sample.workout("Old", at: early, ["bench press", "Squat", "bench press"].map { Sample.exercise($0, &random) }, &random),
    ])
    try await world.log.save(
      WorkoutTemplate(id: random.id(), name: "T", exercises: [Sample.exercise("Row", &random), Sample.exercise("Squat", &random)]))
    let squat = Sample.customExercise("SQUAT", &random)
    let sled = CustomExercise(id: random.id(), name: "Sled")
    try await world.log.save(squat)
    try await world.log.save(sled)
    #expect(
      try await world.log.exerciseNames().items == [
        ExerciseName(id: "", name: "", uses: 1, lastUsedAt: late),
        ExerciseName(id: "bench press", name: "Bench Press", type: .barbell, bodyPart: press.bodyPart, uses: 3, lastUsedAt: late),
        ExerciseName(id: "row", name: "Row"), ExerciseName(id: "sled", name: "Sled", customExerciseID: sled.id),
        ExerciseName(
          id: "squat", name: "SQUAT", type: .kettlebell, bodyPart: squat.bodyPart, weightUnit: .kilograms, uses: 1, lastUsedAt: early,
          customExerciseID: squat.id),
      ])
  }

  @Test(
    "of uses at the same moment, and of uses in templates alone, the one that was made last says how an exercise is written",
    arguments: 1...4)
  func equallyNew(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    let moment = Date(timeIntervalSince1970: -62_000_000_000)
    var exercises = ["row", "ROW", "Row", "rÓw"].map { Sample.exercise($0, &random) }
    exercises[2].weightUnit = .kilograms
    for exercise in exercises.shuffled(using: &random) { try await world.log.save(Sample.workout("W", at: moment, [exercise], &random)) }
    let newest = try #require(exercises.max { IDCodec.lowercase($0.id) < IDCodec.lowercase($1.id) })
    let name = ExerciseName(id: "row", name: newest.name, weightUnit: newest.weightUnit, uses: 4, lastUsedAt: moment)
    #expect(try await world.log.exerciseNames().items == [name])
    let planned = try World.inMemory()
    for exercise in exercises { try await planned.log.save(WorkoutTemplate(id: random.id(), name: "T", exercises: [exercise])) }
    #expect(try await planned.log.exerciseNames().items == [ExerciseName(id: "row", name: newest.name, weightUnit: newest.weightUnit)])
  }

  @Test("the first use of an exercise that people added begins with what they said of it")
  func firstUse() async throws {
    var random = SeededGenerator(seed: 55)
    let custom = Sample.customExercise("Sled", &random)
    let set = Sample.set(80, 5, &random)
    let exercise = Exercise(id: random.id(), from: custom, sets: [set])
    #expect(
      exercise
        == Exercise(
          id: exercise.id, name: "Sled", type: .kettlebell, bodyPart: custom.bodyPart, weightUnit: .kilograms, sets: [set]))
    let world = try World.inMemory()
    try await world.log.save(custom)
    #expect(try await world.log.exerciseNames().items.map(\.weightUnit) == [.kilograms])
    try await world.log.save(Sample.workout("W", [exercise], &random))
    try await world.log.deleteCustomExercise(custom.id)
    #expect(try await world.log.exerciseNames().items.map(\.weightUnit) == [.kilograms])
  }

  @Test(
    "typing narrows the names",
    arguments: [
      ("", 6), (" ", 6), ("b", 2), ("be", 1), ("press bench", 1), ("PRÉSS", 2), ("蹲", 1), ("スクワット", 1), ("ｽｸﾜｯﾄ", 1), ("%", 0), ("'", 0),
      ("bench squat", 0),
    ])
  func typing(text: String, count: Int) async throws {
    var random = SeededGenerator(seed: 54)
    let world = try World.inMemory()
    let exercises = ["Bench Press", "Press", "深蹲", "スクワット", "T-Bar Row"].map { Sample.exercise($0, &random) }
    try await world.log.save(Sample.workout("W", exercises, &random))
    try await world.log.save(CustomExercise(id: random.id(), name: "Dévelope"))
    #expect(try await world.log.exerciseNames(matching: text).items.count == count)
  }
}
