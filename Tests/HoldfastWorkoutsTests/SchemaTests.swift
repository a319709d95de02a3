import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Schema") struct SchemaTests {
  private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

  @Test("the schema of every shipped version is what shipped")
  func frozen() throws {
    #expect(WorkoutLog.schema.version == 1)
    // HOLDFAST_FREEZE=1 swift test --filter SchemaTests: writes the file of a version that has none yet.
    if ProcessInfo.processInfo.environment["HOLDFAST_FREEZE"] != nil { try FrozenSchema.write(WorkoutLog.schema, to: fixtures) }
    try FrozenSchema.check(WorkoutLog.schema, in: fixtures)
  }

  @Test("a log of every shipped version, with rows in every table, opens as the newest and loses none")
  func walk() throws {
    let plans = try FrozenSchema.walk(WorkoutLog.schema) { _, tx in
      // The verbs write the newest schema: an older version needs SQL of its own.
      try MiniLog.save(in: tx)
    }
    #expect(plans.keys.sorted() == Array(1...WorkoutLog.schema.version))
  }

  @Test(
    "each invariant finds what breaks it",
    arguments: [
      ("DELETE FROM active_workout", "breaks: the workout in progress is the one that the slot names"),
      ("UPDATE workouts SET state = 'active' WHERE state = 'template'", "breaks: the workout in progress is the one that the slot names"),
      ("UPDATE workouts SET state = 'finished' WHERE state = 'active'", "breaks: the workout in progress is the one that the slot names"),
      ("UPDATE exercises SET position = 7", "breaks: no two exercises of a workout have the same position"),
      ("UPDATE exercise_sets SET position = 7", "breaks: no two sets of an exercise have the same position"),
      ("UPDATE exercises SET notes = '{}'", "breaks: lists in exercises are JSON lists of texts"),
      ("UPDATE exercises SET notes = '[\"x\", 1]'", "breaks: lists in exercises are JSON lists of texts"),
      ("UPDATE exercises SET pinned_notes = '['", "breaks: lists in exercises are JSON lists of texts"),
      ("UPDATE exercises SET body_part_detailed = '\"x\"'", "breaks: lists in exercises are JSON lists of texts"),
      ("UPDATE exercises SET body_part_scientific = ''", "breaks: lists in exercises are JSON lists of texts"),
      ("UPDATE custom_exercises SET body_part_detailed = '1'", "breaks: lists in custom_exercises are JSON lists of texts"),
      ("UPDATE custom_exercises SET body_part_scientific = '['", "breaks: lists in custom_exercises are JSON lists of texts"),
    ])
  func invariants(damage: String, message: String) throws {
    let world = try World.temporary()
    try world.store.write { try MiniLog.save(in: $0) }
    #expect(try world.isHealthy())
    let copy = try world.store.copy()
    try RawDatabase.with(copy) { try $0.execute(damage) }
    let report = try WorkoutLog.open(at: copy, options: .testing).store.integrityCheck()
    let broken = report.findings.filter { $0.part == .invariants }
    #expect(Set(broken.map(\.message)) == [message])
    #expect(broken.allSatisfy { $0.row != nil })
    for finding in broken {
      let (table, row) = (try #require(finding.table), try #require(finding.row))
      #expect(try world.store.read { try $0.count("SELECT count(*) FROM \(raw: table) WHERE id = \(row)") } == 1, "\(table) \(row)")
    }
  }

  @Test("the tests break every invariant that the schema declares")
  func allInvariants() {
    #expect(WorkoutLog.schema.invariants.count == 5)
  }

  @Test("the integrity check reads every table as a record")
  func allRecords() throws {
    #expect(try RecordCheck.tablesWithoutRecord(in: WorkoutLog.schema) == [])
  }

  @Test(
    "what is out of the question is refused by the tables themselves",
    arguments: [
      "UPDATE workouts SET state = 'paused'", "UPDATE exercises SET superset = 0", "UPDATE exercise_sets SET is_completed = 2",
      "INSERT INTO active_workout SELECT 2, id, 0, 0, 0, 0 FROM workouts WHERE state = 'template'",
      "UPDATE active_workout SET trained_ms = -1",
      "UPDATE custom_exercises SET name_key = 'x'", "UPDATE exercise_sets SET actual_reps = 'many'",
      "UPDATE exercises SET workout_id = 'none'",
    ])
  func constraints(statement: String) throws {
    let world = try World.inMemory()
    try world.store.write { try MiniLog.save(in: $0) }
    let error = #expect(throws: StoreError.self) { try world.store.write { _ = try $0.execute(BoundSQL(raw: statement)) } }
    #expect(error?.code == .constraint)
  }

  @Test("an index of search that no longer fits its text is found", arguments: ["workouts", "exercises"])
  func searchDamage(table: String) throws {
    let world = try World.temporary()
    try world.store.write { try MiniLog.save(in: $0) }
    let copy = try world.store.copy()
    try RawDatabase.with(copy) { try $0.execute("DELETE FROM \(table)_search_data WHERE id > 10") }
    let report = try WorkoutLog.open(at: copy, options: .testing).store.integrityCheck()
    #expect(report.findings.map(\.part) == [.fullText])
  }
}

/// A row in every table.
enum MiniLog {
  static func save(in tx: Writer) throws {
    var random = SeededGenerator(seed: 2)
    let workout = Sample.full(&random)
    try WorkoutLog.save([workout, Sample.workout("Bare", &random)], in: tx)
    let template = try WorkoutLog.saveTemplate(from: workout.id, named: "Plan", in: tx)
    _ = try WorkoutLog.startWorkout(from: template.id, in: tx)
    try WorkoutLog.save(Sample.customExercise("Sled", &random), in: tx)
    try WorkoutLog.save(CustomExercise(id: random.id(), name: "Bare"), in: tx)
  }
}
