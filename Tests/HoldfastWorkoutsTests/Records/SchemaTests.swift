import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Schema") struct SchemaTests {
  @Test(
    "what is out of the question is refused by the tables themselves",
    arguments: [
      "UPDATE workouts SET state = 'paused'", "UPDATE exercises SET superset = 0", "UPDATE exercise_sets SET is_completed = 2",
      "INSERT INTO active_workout SELECT 2, id, 0, 0, 0, 0 FROM workouts WHERE state = 'template'",
      "UPDATE active_workout SET trained_ms = -1",
      "UPDATE custom_exercises SET name_key = 'x'", "UPDATE exercise_sets SET actual_reps = 'many'",
      "UPDATE exercises SET workout_id = 'none'",
    ])
  func constraints(statement: String) async throws {
    let world = try World.inMemory()
    _ = try await VerbCase.prepare(world)
    try await world.log.save(CustomExercise(id: UUID(), name: "Bare"))
    let error = #expect(throws: StoreError.self) { try world.store.write { _ = try $0.execute(BoundSQL(raw: statement)) } }
    #expect(error?.code == .constraint)
  }
}
