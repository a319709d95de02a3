import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Templates") struct Templates {
  @Test("what is loaded equals what was saved, saving it again writes nothing, and no workout is made of it")
  func roundTrip() async throws {
    var random = SeededGenerator(seed: 30)
    let world = try World.temporary()
    var template = WorkoutTemplate(
      id: random.id(), name: "三体", note: "Note", exercises: [Sample.fullExercise(&random), Sample.exercise("Bare", &random)])
    try await world.log.save(template)
    #expect(try await world.log.template(template.id) == template)
    #expect(try await world.log.templates() == [template])
    #expect(try await world.log.workouts() == [])
    #expect(try await world.log.workout(template.id) == nil)
    world.clock.advance()
    #expect(try world.store.rowsChanged { try WorkoutLog.save(template, in: $0) } == 0)
    template.exercises.swapAt(0, 1)
    template.note = nil
    template.exercises[1].sets.removeLast()
    try await world.log.save(template)
    #expect(try await world.log.template(template.id) == template)
    #expect(try await world.log.deleteTemplate(template.id))
    #expect(try await world.log.templates() == [])
    #expect(try await !world.log.deleteTemplate(template.id))
    #expect(try world.isHealthy())
  }

  @Test("templates come by name: case and accents apart, then as written")
  func byName() async throws {
    let world = try World.inMemory()
    for name in ["pull", "Éa", "eb", "Pull", "", "三"] { try await world.log.save(WorkoutTemplate(id: UUID(), name: name)) }
    #expect(try await world.log.templates().map(\.name) == ["", "Éa", "eb", "Pull", "pull", "三"])
  }

  @Test("a template from a workout suggests what was done, keeps pinned notes, units, rests and supersets, and has new ids")
  func fromWorkout() async throws {
    var random = SeededGenerator(seed: 31)
    let world = try World.temporary()
    var exercise = Sample.fullExercise(&random, sets: 0)
    exercise.pinnedNotes = ["Seat 4"]
    exercise.sets = [
      // Done with more than was planned, and nothing entered of the rest.
      ExerciseSet(
        id: random.id(), type: .warmUp, weightUnit: .pounds, distanceUnit: .miles, suggested: .init(weight: 50, reps: 5, restSeconds: 60),
        actual: .init(weight: 55, reps: 8, durationSeconds: 30, distance: 2, rpe: 7), isCompleted: true, completedAt: random.date(),
        note: "easy"),
      // A range stays a range.
      ExerciseSet(
        id: random.id(), suggested: .init(weight: 60, reps: 8, repRange: 12), actual: .init(weight: 62.5, reps: 9), isCompleted: true),
      // Not completed: what was entered counts only where nothing was planned.
      ExerciseSet(id: random.id(), suggested: .init(weight: 70), actual: .init(weight: 1, reps: 3)),
    ]
    let workout = Workout(id: random.id(), name: "Monday", note: "tired", startedAt: random.date(), exercises: [exercise])
    try await world.log.save(workout)
    let template = try await world.log.saveTemplate(from: workout.id, named: "Legs")
    #expect(try await world.log.template(template.id) == template)
    #expect(try await world.log.workout(workout.id) == workout)
    let made = try #require(template.exercises.first)
    var expected = exercise
    (expected.id, expected.notes, expected.durationSeconds) = (made.id, [], nil)
    expected.sets = zip(
      made.sets,
      [
        ExerciseSet(
          id: random.id(), type: .warmUp, weightUnit: .pounds, distanceUnit: .miles,
          suggested: .init(weight: 55, reps: 8, durationSeconds: 30, rpe: 7, restSeconds: 60)),
        ExerciseSet(id: random.id(), suggested: .init(weight: 62.5, reps: 8, repRange: 12)),
        ExerciseSet(id: random.id(), suggested: .init(weight: 70, reps: 3)),
      ]
    ).map { made, expected in
      var expected = expected
      expected.id = made.id
      return expected
    }
    #expect(template == WorkoutTemplate(id: template.id, name: "Legs", exercises: [expected]))
    let old = Set([workout.id, exercise.id] + exercise.sets.map(\.id))
    #expect(old.isDisjoint(with: [template.id, made.id] + made.sets.map(\.id)))
  }

  @Test("there is no template of a workout that does not exist, nor of a template")
  func notFound() async throws {
    let world = try World.inMemory()
    let template = WorkoutTemplate(id: UUID(), name: "T")
    try await world.log.save(template)
    for id in [UUID(), template.id] {
      await #expect(throws: StoreError.self) { try await world.log.saveTemplate(from: id, named: "N") }
    }
    #expect(try await world.log.templates() == [template])
  }

  @Test("a refusal names a template a template")
  func refusalNames() async throws {
    var random = SeededGenerator(seed: 33)
    let world = try World.inMemory()
    let exercise = Sample.fullExercise(&random)
    try await world.log.save(Sample.workout("W", [exercise], &random))
    for exercises in [[exercise], [exercise, exercise]] {
      let template = WorkoutTemplate(id: random.id(), name: "T", exercises: exercises)
      let error = await #expect(throws: StoreError.self) { try await world.log.save(template) }
      #expect(error?.code == .constraint && error?.message.hasPrefix("the template \(IDCodec.lowercase(template.id))") == true)
    }
    #expect(try await world.log.templates() == [])
  }

  @Test("what begins from a plan has new ids, everything that was suggested and written down, and nothing done")
  func planned() throws {
    var random = SeededGenerator(seed: 32)
    let world = try World.inMemory()
    let plan = [Sample.fullExercise(&random), Sample.exercise("Bare", &random)]
    let copies = try world.store.write { WorkoutLog.planned(plan, in: $0) }
    let ids = { (exercises: [Exercise]) in exercises.map(\.id) + exercises.flatMap(\.sets).map(\.id) }
    #expect(Set(ids(plan) + ids(copies)).count == 2 * ids(plan).count)
    var expected = plan
    for (place, copy) in copies.enumerated() {
      expected[place].id = copy.id
      for (index, set) in copy.sets.enumerated() {
        expected[place].sets[index].id = set.id
        expected[place].sets[index].actual = ExerciseSet.Actual()
        expected[place].sets[index].isCompleted = false
        expected[place].sets[index].completedAt = nil
      }
    }
    #expect(copies == expected)
  }
}
