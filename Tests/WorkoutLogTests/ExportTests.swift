import Foundation
import Holdfast
import HoldfastTesting
import Testing
import WorkoutLog

@Suite("Exporting the log") struct ExportTests {
  private static func full(_ number: Int) -> Workout {
    let start = Date(timeIntervalSince1970: 1_766_657_730.123 + Double(number))
    let set = ExerciseSet(
      id: UUID(), type: .dropSet, weightUnit: .kilograms, distanceUnit: .miles,
      suggested: .init(weight: 0.1, reps: 8, repRange: 12, durationSeconds: 30, rpe: 7.5, restSeconds: 60),
      actual: .init(weight: -40.25, reps: 7, durationSeconds: 31, distance: 1.5, rpe: 8.5, restSeconds: 65), isCompleted: true,
      completedAt: start, note: "三体 \"quoted\"")
    let exercise = Exercise(
      id: UUID(), name: "Développé", type: ExerciseType(rawValue: "sled"), bodyPart: BodyPart(.chest, detailed: [], scientific: ["a", ""]),
      superset: -3, weightUnit: .pounds, pinnedNotes: ["1"], notes: ["", "\n"], durationSeconds: 600, warmUpRestSeconds: 30,
      restSeconds: 90,
      sets: [set, ExerciseSet(id: UUID())])
    return Workout(
      id: UUID(), name: "w\(number)", note: "", startedAt: start, endedAt: start.addingTimeInterval(3600.5), durationSeconds: 3000,
      exercises: [Exercise(id: UUID(), name: ""), exercise])
  }

  @Test("the app's JSON is read back equal, with what the app does not know")
  func json() throws {
    let world = try ImportWorld("history.json")
    let source = try WorkoutLog.inMemory()
    let workouts = (0..<3).map(Self.full)
    try source.save(workouts)
    let report = try source.exportJSON(to: world.source)
    #expect(report.counts == ["workouts": 3, "exercises": 6, "exercise_sets": 6])
    #expect(report.leftOut.isEmpty && report.format == "json")
    #expect(try world.report().isClean)
    #expect(try world.workouts() == source.workouts())
    #expect(try world.workouts() == workouts.reversed())
  }

  @Test("its keys, nulls and times are the core's")
  func keys() throws {
    let folder = try TemporaryFolder()
    let log = try WorkoutLog.inMemory()
    let id = try #require(UUID(uuidString: "A0000000-0000-4000-8000-000000000001"))
    let workout = Workout(
      id: id, name: "w", startedAt: Date(timeIntervalSince1970: 1_766_657_730),
      exercises: [Exercise(id: id, name: "e", sets: [ExerciseSet(id: id, actual: .init(weight: 80, reps: 5))])])
    try log.save(workout)
    _ = try log.exportJSON(to: folder.file("x.json"))
    let text = "a0000000-0000-4000-8000-000000000001"
    #expect(
      try String(contentsOf: folder.file("x.json"), encoding: .utf8) == """
        [
        {"id":"\(text)","name":"w","note":null,"duration":null,"start_timestamp":"2025-12-25T10:15:30.000Z","end_timestamp":null,\
        "exercises":[{"id":"\(text)","superset_id":null,"workout_id":"\(text)","name":"e","pinned_notes":[],"notes":[],"duration":null,\
        "type":"unknown","weight_unit":null,"default_warm_up_time":null,"default_rest_time":null,"sets":[{"id":"\(text)",\
        "type":"working","weight_unit":null,"suggest":{"weight":null,"reps":null,"rep_range":null,"duration":null,"rpe":null,\
        "rest_time":null},"actual":{"weight":80.0,"reps":5,"duration":null,"rpe":null,"actual_rest_time":null,"distance":null},\
        "is_completed":false,"exercise_id":"\(text)","workout_id":"\(text)","set_index":0,"distance_unit":null,"completed_at":null,\
        "note":null}],"body_part":null}]}
        ]

        """)
  }

  @Test("what is in progress, templates and custom exercises are left out of the app's JSON, and told")
  func leftOut() throws {
    let world = try ImportWorld()
    _ = try world.report(AppWorkouts.core.workout(1, [], ["end_timestamp": "null"]))
    try world.withLog { log in
      try log.store.write { tx in
        try tx.execute(
          "INSERT INTO workouts (id, name, name_key, state, started_at) VALUES (\(AppWorkouts.id(2)), 't', 't', 'template', 0)")
        try tx.execute("INSERT INTO custom_exercises (id, name, type, name_key) VALUES (\(AppWorkouts.id(3)), 'c', 'machine', 'c')")
      }
      let report = try log.exportJSON(to: world.folder.file("x.json"))
      #expect(report.counts["workouts"] == 0)
      #expect(
        report.leftOut.map { "\($0.kind) \($0.id.suffix(1)): \($0.reason)" } == [
          "workouts 1: it is in progress", "workouts 2: it is a template", "custom_exercises 3: the app's JSON has no place for it",
        ])
    }
    #expect(try String(contentsOf: world.folder.file("x.json"), encoding: .utf8) == "[\n]\n")
  }

  @Test("the documented export of everything is imported equal into an empty log, and into a full one changes nothing")
  func documented() throws {
    let world = try ImportWorld()
    _ = try world.report(AppWorkouts.core.workout(1, [], ["end_timestamp": "null"]))
    try world.withLog { log in
      try log.save((0..<3).map(Self.full))
      try log.store.write { tx in
        try tx.execute(
          "INSERT INTO workouts (id, name, name_key, state, started_at) VALUES (\(AppWorkouts.id(2)), 't', 't', 'template', 0)")
        try tx.execute("INSERT INTO custom_exercises (id, name, type, name_key) VALUES (\(AppWorkouts.id(3)), 'c', 'machine', 'c')")
      }
    }
    let file = world.folder.file("log.jsonl")
    try world.withLog { _ = try $0.export(to: file) }
    let other = try ImportWorld("log.jsonl")
    try FileManager.default.copyItem(at: file, to: other.source)
    let report = try other.report()
    #expect(report.format == "holdfast" && report.isClean)
    #expect(try other.rows() == world.rows())
    #expect(try other.shelf() == world.shelf())
    #expect(try other.report().counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 && $0.quarantined == 0 })
  }

  @Test("an export with a workout in progress is refused whole by a log that has another one, which stays")
  func twoInProgress() throws {
    let other = try ImportWorld()
    _ = try other.report(AppWorkouts.core.workout(2, [], ["end_timestamp": "null"]))
    let world = try ImportWorld("log.jsonl")
    try other.withLog { _ = try $0.export(to: world.source) }
    let current = try ImportWorld()
    _ = try current.report(AppWorkouts.core.workout(1, [], ["end_timestamp": "null"]))
    let rows = try current.rows()
    let error = #expect(throws: StoreError.self) {
      _ = try WorkoutLog.importLibrary(from: world.source, into: current.store, storeOptions: current.options)
    }
    #expect(error?.code == .verificationFailed)
    #expect(try current.rows() == rows)
  }

  @Test("the log's own file is never replaced by an export")
  func ownFile() throws {
    let world = try ImportWorld()
    let error = #expect(throws: StoreError.self) { try world.withLog { _ = try $0.exportJSON(to: world.store) } }
    #expect(error?.code == .misuse)
  }
}
