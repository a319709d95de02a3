import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@testable import Examples

@Suite("Examples", .timeLimit(.minutes(10))) struct ExampleTests {
  @Test("what the examples show does what they say")
  func examples() async throws {
    let folder = try TemporaryFolder()
    let log = try await training(in: folder.url)
    let workouts = try await log.workouts()
    let workout = try #require(workouts.first)
    #expect(workout.name == "Push" && workout.exercises.map(\.name) == ["Bench Press"])
    #expect(workout.exercises[0].sets.map(\.actual.weight) == [80, 82.5])
    #expect(workout.exercises[0].sets.allSatisfy { $0.isCompleted })
    #expect(try await log.currentWorkout() == nil)
    #expect(try await log.templates().map(\.name) == ["Push day"])
    try await lookingBack(log)
    #expect(try await log.search("bench").items == [workout])

    let watching = Task { try await watchingWorkout(log) }
    watching.cancel()
    try await watching.value

    let answer = await withCheckedContinuation { continuation in
      answering(log, Data("\"loadAllWorkouts\"".utf8)) { continuation.resume(returning: String(decoding: $0, as: UTF8.self)) }
    }
    #expect(answer.hasPrefix("{\"workoutsLoaded\":"))

    let exported = folder.url.appendingPathComponent("strong.csv")
    try log.exportCSV(.strong, to: exported, unit: .kilograms)
    let other = folder.url.appendingPathComponent("other.sqlite")
    let again = folder.url.appendingPathComponent("again.csv")
    let report = try movingWorkouts(log, from: exported, into: other, to: again)
    #expect(report.problemCount == 0)
    let imported = try await WorkoutLog.open(at: other).workouts()
    #expect(imported.flatMap(\.exercises).flatMap(\.sets).map(\.actual.weight) == [80, 82.5])
    #expect(FileManager.default.contentsEqual(atPath: again.path, andPath: exported.path))
    try log.store.close()
  }
}
