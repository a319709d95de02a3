import Foundation
import Holdfast
import HoldfastTesting
import Testing
import WorkoutLog

@Suite("Saving") struct SavingTests {
  @Test("what is saved is loaded: bare and full workouts, one by one and all at once")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 1)
    let world = try World.temporary()
    let workouts = Sample.workouts(40, &random)
    try world.log.save(workouts)
    for workout in workouts { #expect(try world.log.workout(workout.id) == workout) }
    #expect(try Set(world.log.workouts()) == Set(workouts))
    #expect(try world.isHealthy())
  }
}
