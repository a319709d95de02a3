import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Capability", .timeLimit(.minutes(10))) struct CapabilityTests {
  @Test("the conversation of the page is answered as the page says")
  func page() async throws {
    let capability = WorkoutCapability(try World.inMemory().log)
    let page = try Core.page()
    let blocks = page.components(separatedBy: "\n```json\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
    #expect(blocks.count >= 14 && blocks.count.isMultiple(of: 2))
    for index in stride(from: 0, to: blocks.count - 1, by: 2) {
      let answer = await capability.handle(Data(blocks[index].utf8))
      #expect(try Core.tree(answer) == Core.tree(Data(blocks[index + 1].utf8)), "\(blocks[index].prefix(80))")
    }
  }

  @Test("every workout comes back from the log as it was sent, at every precision that the core has", arguments: 0..<5)
  func throughTheLog(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    let sent = Sample.workouts(4, &random)
    for workout in sent {
      #expect(await capability.handle(.saveWorkout(CoreWorkout(workout))) == .workoutSaved(workout.id))
      #expect(await capability.handle(.loadWorkoutById(workout.id)) == .workoutLoaded(workout))
    }
    let newest = try await world.log.workouts()
    #expect(await capability.handle(.loadAllWorkouts()) == .workoutsLoaded(newest))
    #expect(newest.count == 4)
  }

  @Test("times with nanoseconds are stored: the start does not become now, the end is not dropped, the duration is not computed")
  func nanoseconds() async throws {
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    let times = #""start_timestamp":"2025-12-25T10:15:30.123456789Z","end_timestamp":"2025-12-25T11:15:30.987654321+00:00""#
    _ = await capability.handle(Core.saving(times: times))
    let stored = try #require(try await world.log.workout(Core.id))
    #expect(DateCodec.milliseconds(stored.startedAt) == 1_766_657_730_123)
    #expect(stored.endedAt.flatMap(DateCodec.milliseconds) == 1_766_661_330_988)
    #expect(stored.durationSeconds == 12)
  }

  @Test(
    "a time that cannot be read is an error, and never the present",
    arguments: [#""yesterday""#, "784035682", "null", #""2025-02-30T10:00:00Z""#, #""2025-12-25T10:15:30""#])
  func badTimes(time: String) async throws {
    let world = try World.inMemory()
    let answer = await WorkoutCapability(world.log).handle(Core.saving(times: #""start_timestamp":\#(time),"end_timestamp":null"#))
    let error = try Core.error(answer)
    #expect(error.code == "invalid_source" && error.message.contains("start_timestamp"), "\(error)")
    #expect(try await world.log.workouts().isEmpty)
  }

  @Test("what the core does not know of a set stays when the core saves it without, and goes when it is null")
  func unsaid() async throws {
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    var random = SeededGenerator(seed: 1)
    var set = Sample.fullSet(&random)
    set.isCompleted = true
    let workout = Sample.workout("Row", [Sample.exercise("Row", [set], &random)], &random)
    try await world.log.save(workout)
    let loaded = String(decoding: await capability.handle(try Core.request(.loadWorkoutById(workout.id))), as: UTF8.self)
    var workoutText = String(loaded.dropFirst(#"{"workoutLoaded":"#.count).dropLast())
    for key in ["distance", "distance_unit", "completed_at", "note"] {
      let member = try #require(
        workoutText.range(of: #",?"\#(key)":("(\\.|[^"\\])*"|[0-9.]+)"#, options: [.regularExpression, .backwards]))
      workoutText.removeSubrange(member)
    }
    #expect(!workoutText.contains("distance") && !workoutText.contains("completed_at"))
    #expect(await capability.handle(Core.request("saveWorkout", workoutText)) == Core.saved(workout.id))
    #expect(try await world.log.workout(workout.id) == workout)
    // As the Swift value that was read from it, too.
    let sparse = try JSONDecoder().decode(CoreWorkout.self, from: Data(workoutText.utf8))
    let again = try Core.request(.saveWorkout(sparse))
    #expect(await capability.handle(again) == Core.saved(workout.id))
    #expect(try await world.log.workout(workout.id) == workout)

    var bare = workout
    (set.note, set.actual.distance, set.distanceUnit, set.completedAt) = (nil, nil, nil, nil)
    bare.exercises[0].sets = [set]
    #expect(try await capability.handle(Core.request("saveWorkout", Core.text(of: bare))) == Core.saved(workout.id))
    #expect(try await world.log.workout(workout.id) == bare)
  }

  @Test("a set that is no longer completed loses the time of its completion")
  func uncompleted() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 2)
    var set = Sample.set(80, 5, &random)
    set.completedAt = world.clock.now
    let workout = Sample.workout("Row", [Sample.exercise("Row", [set], &random)], &random)
    try await world.log.save(workout)
    var sent = CoreWorkout(workout)
    sent.workout.exercises[0].sets[0].isCompleted = false
    sent.workout.exercises[0].sets[0].completedAt = nil
    sent.unsaid[set.id] = .completedAt
    _ = await WorkoutCapability(world.log).handle(.saveWorkout(sent))
    #expect(try await world.log.workout(workout.id)?.exercises[0].sets[0].completedAt == nil)
  }

  @Test("an operation is counted under the name of the verb whose work it does")
  func counted() async throws {
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    for operation in [.startWorkout(named: "Legs"), .touchWorkout, .reopenSet(UUID()), .resumeWorkout] as [WorkoutOperation] {
      _ = await capability.handle(operation)
    }
    try await world.log.touchWorkout()
    let verbs = world.store.metrics().verbs
    #expect(verbs.keys.sorted() == ["reopenSet(_:)", "resumeWorkout()", "startWorkout(named:idleLimitSeconds:)", "touchWorkout()"])
    #expect(verbs["touchWorkout()"]?.writes == 2 && verbs["reopenSet(_:)"]?.errors == ["not_found": 1])
  }

  @Test("a training in operations alone: started, planned, logged, reordered, finished, made a template and begun again")
  func training() async throws {
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    var random = SeededGenerator(seed: 8)
    let planned = ExerciseSet(id: random.id(), suggested: .init(weight: 60, reps: 8))
    let exercises = [Sample.exercise("Squat", [planned], &random), Sample.exercise("Row", [], &random)]
    _ = await capability.handle(.startWorkout(named: "Legs"))
    for exercise in exercises { _ = await capability.handle(.addExercise(exercise)) }
    world.clock.advance(milliseconds: 60_000)
    _ = await capability.handle(.logSet(planned.id, nil))
    _ = await capability.handle(.moveExercise(exercises[1].id, before: exercises[0].id))
    let current = try #require(try await world.log.currentWorkout())
    #expect(await capability.handle(.pauseWorkout) != .currentWorkoutLoaded(current))
    #expect(await capability.handle(.resumeWorkout) == .currentWorkoutLoaded(current))
    #expect(current.workout.exercises.map(\.name) == ["Row", "Squat"])
    #expect(current.workout.exercises[1].sets[0].actual.weight == 60 && current.timer.trainedMilliseconds == 60_000)
    guard case .workoutLoaded(let finished?) = await capability.handle(.finishWorkout()) else { throw StoreError(.misuse, "not finished") }
    #expect(finished.durationSeconds == 60)
    guard case .templateLoaded(let template?) = await capability.handle(.makeTemplate(from: finished.id, named: "Legs")) else {
      throw StoreError(.misuse, "no template")
    }
    #expect(await capability.handle(.searchWorkouts("squ", limit: 10)) == .workoutsLoaded([finished]))
    #expect(
      try await capability.handle(.loadHistory(ofExercise: "SQUAT", limit: 9))
        == .historyLoaded(world.log.history(of: "Squat").items))
    for start in [WorkoutOperation.startFromTemplate(template.id), .repeatWorkout(finished.id)] {
      #expect(try Core.name(await capability.handle(start)) == "currentWorkoutLoaded")
      #expect(try Core.name(await capability.handle(start)) == "error")
      #expect(await capability.handle(.discardWorkout) == .currentWorkoutLoaded(nil))
    }
    #expect(await capability.handle(.deleteTemplate(template.id)) == .templateDeleted(template.id, existed: true))
    for operation in [WorkoutOperation.addExercise(exercises[0]), .pauseWorkout, .finishWorkout(), .logSet(planned.id, nil)] {
      #expect(try Core.error(await capability.handle(operation).json).code == "not_found", "\(operation)")
    }
  }
}
