import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Loading") struct Loading {
  @Test("more workouts than SQLite binds variables load with everything in them, in few statements")
  func manyWorkouts() throws {
    let world = try World.temporary()
    let id = "printf('%08x-0000-7000-8000-000000000000', n)"
    let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 32999)"
    try world.store.write { tx in
      // Verbs would take twenty times as long.
      try tx.execute(
        """
        \(raw: numbers) INSERT INTO workouts (id, name, name_key, state, started_at)
        SELECT \(raw: id), n, n, 'finished', n / 2 FROM numbers
        """)
      try tx.execute(
        """
        \(raw: numbers) INSERT INTO exercises (id, workout_id, position, name, name_key, type)
        SELECT \(raw: id), \(raw: id), 1, n, n, 'barbell' FROM numbers
        """)
      try tx.execute(
        """
        \(raw: numbers) INSERT INTO exercise_sets (id, exercise_id, position, type, is_completed)
        SELECT \(raw: id), \(raw: id), 1, 'working', 1 FROM numbers
        """)
    }
    let names = (0..<33_000).reversed().map(String.init)
    for read in [{ try WorkoutLog.workouts(in: $0) }, { try WorkoutLog.workouts(after: nil, limit: 33_000, in: $0).items }]
      as [(Reader) throws -> [Workout]]
    {
      _ = world.statements.take()
      let workouts = try world.store.read(read)
      #expect(world.statements.take().count <= 4)
      #expect(workouts.map(\.name) == names)
      #expect(workouts.map { $0.exercises.map(\.name) } == names.map { [$0] })
      #expect(workouts.allSatisfy { $0.exercises.allSatisfy { $0.sets.count == 1 } })
    }
  }

  @Test("no way of loading leaves the exercises or their sets out")
  func neverEmpty() async throws {
    var random = SeededGenerator(seed: 21)
    let world = try World.temporary()
    let workout = Sample.full(&random)
    try await world.log.save(workout)
    try await world.log.save(WorkoutTemplate(id: random.id(), name: "Other", exercises: [Sample.fullExercise(&random)]))
    let template = try await world.log.saveTemplate(from: workout.id, named: "T")
    #expect(try await world.log.workout(workout.id) == workout)
    #expect(try await world.log.workouts() == [workout])
    #expect(try await world.log.workouts(after: nil, limit: 1).items == [workout])
    #expect(try await world.log.template(template.id) == template)
    #expect(try await world.log.templates(after: nil, limit: 5).items.last == template)
    #expect(template.exercises.map(\.sets.count) == workout.exercises.map(\.sets.count))
  }

  @Test("workouts come newest first, those of the same moment by id; templates are not among them")
  func newestFirst() async throws {
    var random = SeededGenerator(seed: 22)
    let world = try World.temporary()
    let moment = random.date()
    let workouts = (0..<6).map { Sample.workout("\($0)", at: moment.addingTimeInterval(Double($0 / 3) / 1000), &random) }
    try await world.log.save(workouts.shuffled(using: &random))
    try await world.log.save(WorkoutTemplate(id: random.id(), name: "T"))
    let expected = workouts.sorted { ($0.startedAt, $0.id.uuidString) > ($1.startedAt, $1.id.uuidString) }
    #expect(try await world.log.workouts() == expected)
    #expect(try await world.log.workouts(after: nil, limit: 10).items == expected)
  }

  @Test(
    "a damaged value is an error that names table, column and row, and no empty list",
    arguments: [
      ("UPDATE exercises SET notes = '[1]'", "exercises.notes"), ("UPDATE exercises SET notes = '{'", "exercises.notes"),
      ("UPDATE exercises SET body_part = 'a', body_part_detailed = '{'", "exercises.body_part_detailed"),
      ("UPDATE exercise_sets SET completed_at = 999999999999999999", "exercise_sets.completed_at"),
      ("UPDATE exercise_sets SET id = 'x' WHERE rowid = 1", "exercise_sets.id"),
      ("UPDATE workouts SET started_at = 999999999999999999", "workouts.started_at"),
    ])
  func damage(statement: String, place: String) async throws {
    var random = SeededGenerator(seed: 23)
    let world = try World.temporary()
    let workout = Sample.full(&random)
    try await world.log.save(workout)
    let copy = try world.store.copy()
    try RawDatabase.with(copy) { try $0.execute(statement) }
    let log = try WorkoutLog.open(at: copy, options: .testing)
    for read in [
      { _ = try await log.workouts() }, { _ = try await log.workout(workout.id) }, { _ = try await log.workouts(after: nil, limit: 3) },
    ] {
      let error = await #expect(throws: StoreError.self) { try await read() }
      #expect(error?.code == .decoding && "\(error?.table ?? "").\(error?.column ?? "")" == place && error?.row != nil)
    }
  }
}
