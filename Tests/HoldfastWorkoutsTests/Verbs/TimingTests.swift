import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("The clock of the workout in progress") struct TimingTests {
  private func trained(_ world: World) async throws -> Int64? { try await world.log.currentWorkout()?.timer.trainedMilliseconds }

  @Test("the time between two activities counts up to the idle limit, and not a millisecond more")
  func limit() async throws {
    for (gap, counted) in [(0, 0), (1, 1), (59_999, 59_999), (60_000, 60_000), (60_001, 0), (3_600_000, 0), (-1, 0), (-3_600_000, 0)] {
      let world = try World.inMemory()
      let begun = try await world.log.startWorkout(named: "Now", idleLimitSeconds: 60)
      world.clock.advance(milliseconds: Int64(gap))
      #expect(begun.trained(at: world.clock.now) == .milliseconds(counted), "\(gap)")
      try await world.log.touchWorkout()
      #expect(try await trained(world) == Int64(counted), "\(gap)")
    }
  }

  @Test("a night between two sets is not trained time, which the app counted when it started again")
  func night() async throws {
    let world = try World.inMemory()
    let begun = try await world.log.startWorkout(named: "Evening")
    let exercise = Exercise(id: UUID(), name: "Row")
    try await world.log.addExercise(exercise, to: begun.id)
    world.clock.advance(milliseconds: 600_000)
    try await world.log.logSet(in: exercise.id, .init(reps: 5))
    world.clock.advance(milliseconds: 9 * 3_600_000)
    #expect(try await world.log.currentWorkout()?.trained(at: world.clock.now) == .seconds(600))
    try await world.log.logSet(in: exercise.id, .init(reps: 5))
    world.clock.advance(milliseconds: 300_000)
    let done = try await world.log.finishWorkout()
    #expect(done.durationSeconds == 900)
    #expect(done.endedAt == world.clock.now)
  }

  @Test("one that was left over night and is finished in the morning ended when it was active last")
  func finishedInTheMorning() async throws {
    let world = try World.inMemory()
    _ = try await world.log.startWorkout(named: "Evening")
    let end = world.clock.advance(milliseconds: 600_000)
    try await world.log.touchWorkout()
    world.clock.advance(milliseconds: 9 * 3_600_000)
    let done = try await world.log.finishWorkout()
    #expect(done.durationSeconds == 600)
    #expect(done.endedAt == end)
  }

  @Test("in a clock that was set back no time counts, and the end is not before the start")
  func setBack() async throws {
    let world = try World.inMemory()
    let begun = try await world.log.startWorkout(named: "Now")
    world.clock.advance(milliseconds: -7_200_000)
    try await world.log.touchWorkout()
    world.clock.advance(milliseconds: 30_000)
    let done = try await world.log.finishWorkout()
    #expect(done.durationSeconds == 30)
    #expect(done.endedAt == begun.workout.startedAt)
  }

  @Test("a pause counts nothing, however often it begins or is changed in, and what is trained after it counts")
  func pause() async throws {
    let world = try World.inMemory()
    let begun = try await world.log.startWorkout(named: "Now")
    world.clock.advance(milliseconds: 10_000)
    try await world.log.pauseWorkout()
    world.clock.advance(milliseconds: 60_000)
    try await world.log.pauseWorkout()
    try await world.log.addExercise(Exercise(id: UUID(), name: "Row"), to: begun.id)
    world.clock.advance(milliseconds: 60_000)
    #expect(try await world.log.currentWorkout()?.trained(at: world.clock.now) == .seconds(10))
    try await world.log.resumeWorkout()
    #expect(try await trained(world) == 10_000)
    world.clock.advance(milliseconds: 5_000)
    try await world.log.resumeWorkout()
    #expect(try await world.log.currentWorkout()?.timer == TrainingTimer(lastActiveAt: world.clock.now, trainedMilliseconds: 15_000))
    try await world.log.pauseWorkout()
    world.clock.advance(milliseconds: 60_000)
    #expect(try await world.log.finishWorkout().durationSeconds == 15)
  }

  @Test("whatever happens in whatever order, the verbs and the display agree")
  func agreement() async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("clock: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    var expected = try await world.log.startWorkout(named: "Now", idleLimitSeconds: 20)
    for step in 0..<250 {
      world.clock.advance(milliseconds: random.pick([0, 1, 500, 19_999, 20_000, 20_001, 90_000, -1, -30_000]))
      let shown = expected.trained(at: world.clock.now)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        try await world.log.pauseWorkout()
        expected.timer.isPaused = true
      case 1:
        try await world.log.resumeWorkout()
        expected.timer.isPaused = false
      case 2: try await world.log.touchWorkout()
      default:
        expected.workout.name = "\(step)"
        try await world.log.renameWorkout(expected.id, to: "\(step)")
      }
      expected.timer.trainedMilliseconds = shown.components.seconds * 1000 + shown.components.attoseconds / 1_000_000_000_000_000
      expected.timer.lastActiveAt = world.clock.now
      try #require(try await world.log.currentWorkout() == expected, "step \(step) of seed \(seed)")
    }
    #expect(expected.timer.trainedMilliseconds > 0)
  }

  @Test("every verb that changes the workout in progress counts the time since the last, and none that changes another workout")
  func everyVerb() async throws {
    let world = try World.inMemory()
    let log = world.log
    let exercises = ["A", "B", "C"].map { Exercise(id: UUID(), name: $0, sets: [ExerciseSet(id: UUID()), ExerciseSet(id: UUID())]) }
    func verbs(_ workout: Workout) -> [() async throws -> Void] {
      let (a, b) = (workout.exercises[0], workout.exercises[1])
      return [
        { try await log.renameWorkout(workout.id, to: "x") }, { try await log.writeNote("x", of: workout.id) },
        { try await log.addExercise(Exercise(id: UUID(), name: "x"), to: workout.id) }, { try await log.updateExercise(b) },
        { try await log.moveExercise(a.id, before: nil) }, { try await log.makeSuperset([a.id, b.id]) },
        { try await log.clearSuperset(of: a.id) },
        { try await log.addSet(ExerciseSet(id: UUID()), to: a.id) }, { try await log.updateSet(a.sets[0]) },
        { try await log.moveSet(a.sets[0].id, before: nil) },
        { try await log.removeSet(a.sets[1].id) }, { try await log.removeExercise(workout.exercises[2].id) },
      ]
    }
    var current = try await log.startWorkout(named: "Now").workout
    current.exercises = exercises
    try await log.save(current)
    for (number, verb) in verbs(current).enumerated() {
      world.clock.advance()
      try await verb()
      #expect(try await trained(world) == Int64(number + 1) * 1000, "verb \(number)")
    }
    let before = try await log.currentWorkout()
    var random = SeededGenerator(seed: 250)
    let other = Sample.full(&random)
    try await log.save(other)
    world.clock.advance()
    for verb in verbs(other) { try await verb() }
    #expect(try await log.currentWorkout() == before)
    let set = try #require(before?.workout.exercises.flatMap(\.sets).first)
    for verb in [{ try await log.logSet(set.id) }, { _ = try await log.reopenSet(set.id) }] {
      let trainedBefore = try #require(try await trained(world))
      world.clock.advance()
      try await verb()
      #expect(try #require(try await trained(world)) >= trainedBefore + 1000)
    }
  }

  @Test("renaming an exercise in history is an activity where the workout in progress has it, and nowhere else")
  func renaming() async throws {
    let world = try World.inMemory()
    let (row, sled) = (CustomExercise(id: UUID(), name: "Row"), CustomExercise(id: UUID(), name: "Sled"))
    try await world.log.save(row)
    try await world.log.save(sled)
    let begun = try await world.log.startWorkout(named: "Now")
    try await world.log.addExercise(Exercise(id: UUID(), from: row), to: begun.id)
    world.clock.advance()
    try await world.log.renameCustomExercise(sled.id, to: "Prowler", inHistory: true)
    try await world.log.renameCustomExercise(row.id, to: "Rudern", inHistory: false)
    try await world.log.renameCustomExercise(row.id, to: "Row", inHistory: true)
    #expect(try await trained(world) == 0)
    world.clock.advance()
    try await world.log.save(CustomExercise(id: row.id, name: "ROW"))
    try await world.log.renameCustomExercise(row.id, to: "Rudern", inHistory: true)
    #expect(try await world.log.currentWorkout()?.workout.exercises.map(\.name) == ["Rudern"])
    #expect(try await trained(world) == 2000)
  }

  @Test("a clock at the end of its range stands still, and no verb fails")
  func fullClock() async throws {
    let world = try World.inMemory()
    let begun = try await world.log.startWorkout(named: "Now")
    for full in [Int64.max, Int64.max - 5] {
      try await world.store.write { _ = try $0.execute("UPDATE active_workout SET trained_ms = \(full)") }
      world.clock.advance()
      try await world.log.renameWorkout(begun.id, to: "\(full)")
      #expect(try await trained(world) == .max)
    }
  }

  @Test("without a workout in progress there is nothing to touch, pause, resume or finish")
  func nothing() async throws {
    let world = try World.inMemory()
    let attempts: [() async throws -> Void] = [
      { try await world.log.touchWorkout() }, { try await world.log.pauseWorkout() }, { try await world.log.resumeWorkout() },
      { _ = try await world.log.finishWorkout() },
    ]
    for attempt in attempts { #expect(await #expect(throws: StoreError.self) { try await attempt() }?.code == .notFound) }
  }

  @Test("a limit of any size is stored and counts as it says")
  func limits() async throws {
    let world = try World.inMemory()
    _ = try await world.log.startWorkout(named: "Now", idleLimitSeconds: .max)
    world.clock.advance(milliseconds: 90 * 86_400_000)
    #expect(try await world.log.currentWorkout()?.trained(at: world.clock.now) == .seconds(90 * 86_400))
    #expect(try await world.log.finishWorkout().durationSeconds == 90 * 86_400)
    _ = try await world.log.startWorkout(named: "Now", idleLimitSeconds: 0)
    world.clock.advance(milliseconds: 1)
    try await world.log.touchWorkout()
    #expect(try await trained(world) == 0)
  }

  @Test("numbers at the end of their range, from a file that was not ours, do no harm")
  func ends() {
    let (start, end) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 10))
    #expect(TrainingTimer(lastActiveAt: start, trainedMilliseconds: .max - 5).trained(at: end) == .milliseconds(Int64.max))
    for never in [Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: 1e300)] {
      #expect(TrainingTimer(lastActiveAt: start, trainedMilliseconds: 5).trained(at: never) == .milliseconds(5))
      #expect(TrainingTimer(lastActiveAt: never, trainedMilliseconds: 5).trained(at: start) == .milliseconds(5))
    }
  }
}
