import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("From a task") struct BothForms {
  @Test("every verb of workouts, templates and exercises does the same from a task")
  func verbs() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let log = world.log

    #expect(try await log.workouts() == known.workouts)
    #expect(try await log.workouts(after: nil, limit: 1).items == [known.newest])
    #expect(try await log.workout(known.current.id) == known.current)
    #expect(try await log.search("row").items == [known.newest])
    #expect(try await log.history(of: "bench press").items.map(\.workoutID) == known.workouts.map(\.id))
    #expect(try await log.exerciseNames().items.map(\.name) == ["Bench Press", "Row", "Sled", "Squat"])
    var changed = known.newest
    changed.name = "Eins"
    try await log.save(changed)
    try await log.save([known.workouts[1]])
    #expect(try await log.workouts() == [changed, known.workouts[1]])

    let template = try await log.saveTemplate(from: known.newest.id, named: "A plan")
    #expect(try await log.templates() == [template, known.template])
    #expect(try await log.templates(after: nil, limit: 1).items == [template])
    try await log.save(WorkoutTemplate(id: template.id, name: "Empty"))
    #expect(try await log.template(template.id) == WorkoutTemplate(id: template.id, name: "Empty"))
    #expect(try await log.deleteTemplate(template.id))

    let custom = CustomExercise(id: UUID(), name: "Row")
    try await log.save(custom)
    #expect(try await log.renameCustomExercise(custom.id, to: "Rudern", inHistory: true))
    #expect(try await log.customExercise(custom.id)?.name == "Rudern")
    #expect(try await log.customExercises().map(\.name) == ["Rudern", "Sled"])
    #expect(try await log.customExercises(after: nil, limit: 1).items.map(\.name) == ["Rudern"])
    #expect(try await log.workout(known.newest.id)?.exercises[1].name == "Rudern")
    #expect(try await log.deleteCustomExercise(custom.id))
    #expect(try await log.deleteWorkout(known.newest.id))
    #expect(try await log.workouts() == [known.workouts[1]])
  }

  @Test("every verb that edits a workout does the same from a task")
  func edits() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let log = world.log
    var expected = known.newest

    try await log.renameWorkout(expected.id, to: "Name")
    try await log.writeNote("Note", of: expected.id)
    (expected.name, expected.note) = ("Name", "Note")
    let added = Exercise(id: UUID(), name: "Curl")
    try await log.addExercise(added, to: expected.id, before: expected.exercises[1].id)
    try await log.moveExercise(expected.exercises[0].id, before: nil)
    expected.exercises = [added, expected.exercises[1], expected.exercises[0]]
    #expect(try await log.clearSuperset(of: expected.exercises[1].id))
    let superset = try await log.makeSuperset([added.id, expected.exercises[1].id])
    (expected.exercises[0].superset, expected.exercises[1].superset, expected.exercises[2].superset) = (superset, superset, nil)
    expected.exercises[2].notes = ["New"]
    try await log.updateExercise(expected.exercises[2])
    var sets = expected.exercises[2].sets + [ExerciseSet(id: UUID())]
    try await log.addSet(sets[2], to: expected.exercises[2].id)
    try await log.moveSet(sets[2].id, before: sets[0].id)
    sets[0].note = "heavy"
    try await log.updateSet(sets[0])
    #expect(try await log.reopenSet(sets[0].id))
    sets[0].isCompleted = false
    #expect(try await log.removeSet(sets[1].id))
    expected.exercises[2].sets = [sets[2], sets[0]]
    #expect(try await log.workout(expected.id) == expected)
    #expect(try await log.removeExercise(added.id))
  }

  @Test("every verb of the workout in progress does the same from a task")
  func progress() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let log = world.log

    try await log.logSet(known.current.exercises[1].sets[0].id)
    try await log.logSet(in: known.current.exercises[1].id, .init(reps: 3))
    try await log.pauseWorkout()
    try await log.resumeWorkout()
    try await log.touchWorkout()
    let current = try #require(try await log.currentWorkout())
    #expect(current.workout.exercises[1].sets.map(\.isCompleted) == [true, false, true])
    #expect(try await log.finishWorkout(droppingEmptySets: true).exercises[1].sets.count == 2)
    let repeated = try await log.startWorkout(repeating: known.newest.id)
    #expect(try await log.discardWorkout() == repeated)
    #expect(try await log.startWorkout(named: "New").workout.exercises == [])
    #expect(try await log.discardWorkout() != nil)
    #expect(try await log.startWorkout(from: known.template.id).workout.exercises.map(\.name) == ["Bench Press", "Row"])
  }

  @Test("every statistic is the same from a task")
  func statistics() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let log = world.log
    let (unit, now, zone) = (WeightUnit.kilograms, world.clock.now, TimeZone.gmt)
    let blocking = try await world.store.read { reader in
      (
        try WorkoutLog.records(unit: unit, in: reader), try WorkoutLog.records(of: "row", unit: unit, in: reader),
        try WorkoutLog.progress(of: "row", unit: unit, in: reader).items,
        try WorkoutLog.totals(asOf: now, unit: unit, timeZone: zone, in: reader), try WorkoutLog.volumeByWorkout(unit: unit, in: reader)
      )
    }
    #expect(try await log.records(unit: unit) == blocking.0 && blocking.0.map(\.name) == ["Bench Press", "Row", "Squat"])
    #expect(try await log.records(of: "row", unit: unit) == blocking.1)
    #expect(try await log.progress(of: "row", unit: unit).items == blocking.2 && blocking.2.map(\.workoutID) == [known.newest.id])
    #expect(try await log.totals(asOf: now, unit: unit, timeZone: zone) == blocking.3)
    #expect(try await log.volumeByWorkout(unit: unit) == blocking.4)
    #expect(try await log.volumeByExercise(unit: unit) == log.store.read { try WorkoutLog.volumeByExercise(unit: unit, in: $0) })
    #expect(try await log.volumeByBodyPart(unit: unit) == log.store.read { try WorkoutLog.volumeByBodyPart(unit: unit, in: $0) })
    let weeks = try await log.store.read { try WorkoutLog.volumeByWeek(limit: 9, unit: unit, timeZone: zone, in: $0) }
    #expect(try await log.volumeByWeek(limit: 9, unit: unit, timeZone: zone) == weeks && !weeks.isEmpty)
  }

  @Test("sample workouts are added from a task, too")
  func sample() async throws {
    let log = try WorkoutLog.inMemory()
    let end = Date(timeIntervalSince1970: 1_700_000_000)
    try await log.addSampleWorkouts(endingAt: end)
    #expect(try await log.workouts() == WorkoutLog.sampleWorkouts(endingAt: end).reversed())
  }

  @Test("a log that may not be written refuses every verb that changes it, and answers every other one")
  func readOnly() throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    var options = StoreOptions.testing
    options.opensReadOnly = true
    let log = try WorkoutLog.open(at: try #require(world.store.url), options: options)
    for verb in VerbCase.reads { try verb.run(log, known) }
    for verb in VerbCase.writes {
      let error = #expect(throws: StoreError.self, "\(verb.name)") { try verb.run(log, known) }
      #expect(error?.code == .readOnly, "\(verb.name)")
    }
    #expect(try log.workouts() == known.workouts && log.currentWorkout()?.workout == known.current)
  }
}
