import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Sample workouts") struct SampleWorkoutsTests {
  private static let end = Date(timeIntervalSince1970: 1_767_225_600)

  @Test("the same seed gives the same workouts, another one somebody else's")
  func deterministic() {
    let workouts = WorkoutLog.sampleWorkouts(years: 2, endingAt: Self.end, seed: 4)
    #expect(workouts == WorkoutLog.sampleWorkouts(years: 2, endingAt: Self.end, seed: 4))
    #expect(workouts != WorkoutLog.sampleWorkouts(years: 2, endingAt: Self.end, seed: 5))
    #expect(workouts.first?.id == WorkoutLog.sampleWorkouts(years: 2, endingAt: Self.end, seed: 4).first?.id)
  }

  @Test("they are what training is made of")
  func realistic() async throws {
    let workouts = WorkoutLog.sampleWorkouts(years: 3, endingAt: Self.end)
    let exercises = workouts.flatMap(\.exercises)
    let sets = exercises.flatMap(\.sets)
    #expect((400...600).contains(workouts.count))
    #expect(workouts == workouts.sorted { $0.startedAt < $1.startedAt })
    #expect(workouts.allSatisfy { $0.startedAt < Self.end && $0.durationSeconds ?? 0 > 0 })
    #expect(Set(exercises.compactMap(\.superset)) == [1])
    #expect(Set(exercises.compactMap(\.weightUnit)) == [.kilograms, .pounds, .bodyweight])
    #expect(Set(sets.map(\.type)) == [.warmUp, .working, .dropSet, .failure, .amrap])
    #expect(sets.contains { !$0.isCompleted } && sets.contains { $0.actual.distance != nil } && workouts.contains { $0.note != nil })
    let log = try WorkoutLog.inMemory()
    try await log.save(workouts)
    #expect(try await Set(log.workouts()) == Set(workouts))
    let progress = try await log.progress(of: "Squat", unit: .kilograms).items.compactMap(\.topWeight)
    #expect(progress.max() ?? 0 > 1.3 * (progress.first ?? 0))
    #expect(try await log.store.integrityCheck().findings.map(\.message) == [])
  }

  @Test("a log with a workout, one in progress, a template or a custom exercise refuses them and stays as it was; a new log has none")
  func refused() async throws {
    let fillings: [(WorkoutLog) async throws -> Void] = [
      { try await $0.save(Workout(id: UUID(), name: "own", startedAt: Date())) }, { _ = try await $0.startWorkout(named: "Now") },
      { try await $0.save(WorkoutTemplate(id: UUID(), name: "Plan")) }, { try await $0.save(CustomExercise(id: UUID(), name: "Sled")) },
    ]
    for fill in fillings {
      let log = try WorkoutLog.inMemory()
      #expect(try await log.workouts() == [])
      try await fill(log)
      let before = try await log.workouts()
      let error = await #expect(throws: StoreError.self) { try await log.addSampleWorkouts() }
      #expect(error?.code == .constraint && error?.message.contains("this one has workouts") == true)
      #expect(try await log.workouts() == before)
    }
  }

  @Test("a log in a file is filled only by someone who says so")
  func inFile() async throws {
    let world = try World.temporary()
    #expect(await #expect(throws: StoreError.self) { try await world.log.addSampleWorkouts() }?.code == .misuse)
    #expect(#expect(throws: StoreError.self) { try world.store.write { try WorkoutLog.addSampleWorkouts(in: $0) } }?.code == .misuse)
    #expect(try await world.log.workouts() == [])
    #expect(try await world.log.customExercises() == [])
    try await world.log.addSampleWorkouts(endingAt: Self.end, inFile: true)
    #expect(try await world.log.workouts().count == WorkoutLog.sampleWorkouts(endingAt: Self.end).count)
  }

  @Test("a sample has a template and an exercise of its own, too")
  func others() async throws {
    let log = try await WorkoutLog.inMemorySample(endingAt: Self.end)
    let newest = try #require(try await log.workouts(limit: 1).items.first)
    #expect(try await log.templates().map(\.name) == [newest.name])
    #expect(try await log.templates().map(\.exercises.count) == [newest.exercises.count])
    #expect(try await log.customExercises().map(\.name) == ["Sled Push"])
  }

  @Test("one call fills a log in memory, whatever the years")
  func inMemory() async throws {
    #expect(try await WorkoutLog.inMemorySample(endingAt: Self.end).workouts().count == WorkoutLog.sampleWorkouts(endingAt: Self.end).count)
    #expect(WorkoutLog.sampleWorkouts(years: .min, endingAt: Self.end) == WorkoutLog.sampleWorkouts(years: 1, endingAt: Self.end))
    #expect(WorkoutLog.sampleWorkouts(years: .max, endingAt: Self.end).count > 7000)
    #expect(WorkoutLog.sampleWorkouts(endingAt: Date(timeIntervalSince1970: .nan)).count > 100)
  }
}
