import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("History of an exercise") struct History {
  @Test("every time comes with its sets, newest first, case and accents apart, and nothing of plans and of other exercises")
  func history() async throws {
    var random = SeededGenerator(seed: 60)
    let world = try World.temporary()
    let newest = Date(timeIntervalSince1970: 1_700_000_000)
    let names = [["Développé"], ["Row", "developpe", "Row", "DÉVELOPPÉ"], ["Row"], ["developpé"]]
    let workouts = names.enumerated().map { day, names in
      Sample.workout(
        "Day \(day)", at: newest.addingTimeInterval(Double(-day * 86_400)),
        names.map { Sample.exercise($0, [Sample.set(80, 5, &random), ExerciseSet(id: random.id())], &random) }, &random)
    }
    try await world.log.save(workouts.shuffled(using: &random))
    try await world.log.saveTemplate(from: workouts[0].id, named: "T")
    func entry(_ workout: Int, _ exercise: Int) -> PerformedExercise {
      PerformedExercise(
        workoutID: workouts[workout].id, workoutName: workouts[workout].name, startedAt: workouts[workout].startedAt,
        exercise: workouts[workout].exercises[exercise])
    }
    #expect(try await world.log.history(of: "Développé").items == [entry(0, 0), entry(1, 3), entry(1, 1), entry(3, 0)])
    #expect(try await world.log.history(of: "row", limit: 2).items == [entry(1, 2), entry(1, 0)])
    #expect(try await world.log.history(of: "Ro").items == [])
    #expect(try await world.log.history(of: "").items == [])
  }
}
