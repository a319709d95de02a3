import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("Random damage to the apps' files") struct WorkoutRandomDamage {
  @Test("every file is imported, verified and the same at the second import, or refused whole", arguments: 1...(ProofRun.isLong ? 200 : 20))
  func file(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try ImportWorld()
    var bytes = Array(Self.history(&random).utf8)
    for _ in 0..<(random.chance(50) ? 0 : Int.random(in: 1...3, using: &random)) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(random.pick(Array(#"{}[]",:\0"#.utf8)), at: place)
      default: bytes.removeSubrange(place..<min(bytes.count, place + 40))
      }
    }
    try Data(bytes).write(to: world.source)
    try check(world, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
  }

  @Test(
    "every database is imported, verified and the same at the second import, or refused whole", arguments: 1...(ProofRun.isLong ? 200 : 20))
  func database(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try ImportWorld("db.sqlite")
    let schema = random.pick([AppDatabase.loose, AppDatabase.loose, AppDatabase.first, AppDatabase.flat, AppDatabase.shipped])
    let workouts = (1...3).map {
      schema == AppDatabase.loose || schema == AppDatabase.first ? AppDatabase.workout($0) : AppDatabase.laterWorkout($0)
    }
    let exercises = (0x11...0x14).map { AppDatabase.exercise($0, in: $0 % 3 + 1) }
    let sets = (0x21...0x26).map { AppDatabase.set($0, of: $0 % 4 + 0x11, in: ($0 % 4 + 0x11) % 3 + 1, at: $0 % 2) }
    try world.database([schema] + workouts + exercises + sets)
    let columns = [
      "workouts": ["id", "name", "note", "duration", "startTimestamp", "endTimestamp"],
      "exercises": ["id", "workoutId", "supersetId", "name", "pinnedNotes", "notes", "type", "weightUnit", "defaultRestTime", "bodyPart"],
      "exerciseSets": ["id", "exerciseId", "workoutId", "setIndex", "type", "suggest", "actual", "actualWeight", "isCompleted"],
    ]
    for _ in 0..<6 {
      let table = random.pick(columns.keys.sorted())
      // A constraint may refuse it, or the form may not have the column: then the row stays.
      try? world.database([
        "UPDATE \(table) SET \(random.pick(columns[table] ?? [])) = \(random.pick(Self.literals)) WHERE rowid = \(random.next() % 4 + 1)"
      ])
    }
    try check(world, "seed \(seed)")
  }

  private func check(_ world: ImportWorld, _ what: String) throws {
    func report() throws -> ImportReport? {
      do {
        return try world.report()
      } catch let error as StoreError {
        #expect([.invalidSource, .newerSource].contains(error.code), "\(what): \(error)")
        return nil
      }
    }
    guard try report() != nil else { return }
    let rows = try world.rows()
    guard let second = try report() else { return }
    #expect(second.counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 }, "\(what): \(second.picture)")
    #expect(try world.rows() == rows, "\(what)")
  }

  private static let values = [
    "null", "true", "-1", "0", "1.5", "-0.0", "1e300", "9223372036854775807", "99999999999999999999", "\"\"", #""\u0000""#,
    #""é\/\uD83C\uDFB5""#, "[]", "{}", "[\"a\", null]", #"{"main": "chest", "detailed": ["a"]}"#, #"{"reps": 5, "weight": 1e400}"#,
    #"{"reps": 5, "reps": 6}"#, #"{"weight": -0.0, "rpe": 1}"#, "\"\(AppWorkouts.id(1))\"", "\"\(AppWorkouts.id(0x11).uppercased())\"",
    "\"2025-11-05T11:41:22.5+02:00\"", "\"2025-11-05T11:41:22.123456789Z\"", "\"1969-12-31T23:59:59.9995Z\"", "788350530.0005",
    "-63114076800", "253402300800",
  ]
  private static let keys = [
    "id", "name", "note", "duration", "start_timestamp", "end_timestamp", "superset_id", "workout_id", "pinned_notes", "notes", "type",
    "weight_unit", "default_rest_time", "body_part", "suggest", "actual", "is_completed", "exercise_id", "set_index", "exercises", "sets",
    "completed_at", "distance_unit", "x",
  ]

  private static func history(_ random: inout SeededGenerator) -> String {
    let app = random.pick([AppWorkouts.core, .first])
    func changes() -> [String: String?] {
      var changes: [String: String?] = [:]
      for _ in 0..<2 where random.chance(40) { changes[random.pick(keys)] = random.chance(20) ? nil : random.pick(values) }
      return changes
    }
    let workouts = (0..<3).map { _ in
      let workout = Int.random(in: 1...3, using: &random)
      let exercises = (0..<2).map { _ in
        let exercise = Int.random(in: 0x11...0x14, using: &random)
        let sets = (0..<2).map {
          app.set(Int.random(in: 0x21...0x26, using: &random), of: exercise, in: workout, at: $0, changes())
        }
        return app.exercise(exercise, in: workout, sets, changes())
      }
      return app.workout(workout, exercises, changes())
    }
    return random.chance(30) ? workouts[0] : "[\(workouts.joined(separator: ", "))]"
  }

  private static let literals = [
    "NULL", "-1", "0", "1.5", "-0.0", "9e999", "9223372036854775807", "''", "x''", "x'000102'", "CAST(x'61ff' AS TEXT)",
    "CAST(x'6100' AS TEXT)",
    "'[]'", "'{}'", "'['", "'[\"a\"]'", "'{\"reps\":5}'", "'{\"reps\":5,\"reps\":6}'", "'{\"main\":\"legs\"}'",
    "'2018-01-29 00:08:00.0005'", "'2018-01-29'", "1766657730.0005", "'\(AppWorkouts.id(1))'", "'\(AppWorkouts.id(0x11).uppercased())'",
    "'\(AppWorkouts.id(0x21))'", "'é'",
  ]
}
