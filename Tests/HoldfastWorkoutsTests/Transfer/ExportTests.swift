import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

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

  /// A template, and an exercise of people's own.
  private static func addOthers(in tx: Writer) throws {
    try tx.execute("INSERT INTO workouts (id, name, name_key, state, started_at) VALUES (\(AppWorkouts.id(2)), 't', 't', 'template', 0)")
    try tx.execute("INSERT INTO custom_exercises (id, name, type, name_key) VALUES (\(AppWorkouts.id(3)), 'c', 'machine', 'c')")
  }

  @Test("the app's JSON is read back equal, with what the app does not know")
  func json() async throws {
    let world = try ImportWorld("history.json")
    let source = try WorkoutLog.inMemory()
    let workouts = (0..<3).map(Self.full)
    try await source.save(workouts)
    let report = try source.exportJSON(to: world.source)
    #expect(report.counts == ["workouts": 3, "exercises": 6, "exercise_sets": 6])
    #expect(report.leftOut.map(\.field) == ["type", "type", "type"] && report.format == "json")
    #expect(try world.report().isClean)
    #expect(try await world.workouts() == source.workouts())
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
    try log.store.write { try WorkoutLog.save(workout, in: $0) }
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
    try world.withLibrary { log in
      try log.store.write(Self.addOthers)
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
    try world.withLibrary { log in
      try log.store.write { try WorkoutLog.save((0..<3).map(Self.full), in: $0) }
      try log.store.write(Self.addOthers)
    }
    let file = world.folder.file("log.jsonl")
    try world.withLibrary { _ = try $0.export(to: file) }
    let other = try ImportWorld("log.jsonl")
    try FileManager.default.copyItem(at: file, to: other.source)
    let report = try other.report()
    #expect(report.format == "holdfast" && report.isClean)
    #expect(try other.rows() == world.rows())
    #expect(try other.shelf() == world.shelf())
    #expect(try other.report().counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 && $0.quarantined == 0 })
  }

  @Test("a word or a number that the app cannot read is written and told, as the app passes over the whole workout")
  func beyondTheApp() throws {
    let folder = try TemporaryFolder()
    let log = try WorkoutLog.inMemory()
    let ids = (1...3).compactMap { UUID(uuidString: AppWorkouts.id($0)) }
    let set = ExerciseSet(
      id: ids[2], type: SetType(rawValue: "myo"), weightUnit: WeightUnit(rawValue: "stone"),
      suggested: .init(reps: 2_147_483_647, repRange: 2_147_483_648), actual: .init(reps: -2_147_483_649))
    let exercise = Exercise(
      id: ids[1], name: "e", type: ExerciseType(rawValue: "sled"), bodyPart: BodyPart(.init(rawValue: "neck")), superset: 4_000_000_000,
      weightUnit: .kilograms, sets: [set])
    let workout = Workout(id: ids[0], name: "w", startedAt: Date(), durationSeconds: 3_000_000_000, exercises: [exercise])
    try log.store.write { try WorkoutLog.save([workout, Workout(id: UUID(), name: "known", startedAt: Date())], in: $0) }
    let report = try log.exportJSON(to: folder.file("x.json"))
    #expect(report.counts["workouts"] == 2)
    let whole = ": the app ignores the whole workout \(AppWorkouts.id(1))"
    #expect(report.leftOut.allSatisfy { $0.reason.hasSuffix(whole) })
    #expect(
      report.leftOut.map { "\($0.kind) \($0.id.suffix(1)) \($0.field ?? "-"): \($0.reason.dropLast(whole.count))" } == [
        "workouts 1 duration: 3000000000 is more than the app can count", "exercises 2 type: the app does not know \"sled\"",
        "exercises 2 body_part: the app does not know \"neck\"", "exercises 2 superset_id: 4000000000 is more than the app can count",
        "exercise_sets 3 type: the app does not know \"myo\"", "exercise_sets 3 weight_unit: the app does not know \"stone\"",
        "exercise_sets 3 suggest.rep_range: 2147483648 is more than the app can count",
        "exercise_sets 3 actual.reps: -2147483649 is less than the app can count",
      ])
  }

  /// The export of a log in which workout 2 is in progress, with an exercise, beside a finished one.
  private func exported(to file: URL) throws {
    let other = try ImportWorld()
    _ = try other.report("[\(AppWorkouts.core.workout(3, []))]")
    _ = try other.report(AppWorkouts.core.workout(2, [AppWorkouts.core.exercise(0x12, in: 2)], ["end_timestamp": "null"]))
    try other.withLibrary { _ = try $0.export(to: file) }
  }

  @Test("a workout in progress in an export becomes history without an end where another one is in progress, which stays")
  func twoInProgress() throws {
    let world = try ImportWorld("log.jsonl")
    try exported(to: world.source)
    try world.withLibrary { _ = try $0.store.write { try WorkoutLog.startWorkout(named: "Legs", in: $0) } }
    let current = try world.current()
    #expect(
      try world.importing() == """
        workouts 2: 2 imported
        active_workout 1: 1 skipped
        exercises 1: 1 imported
        skipped 1: its workout cannot be continued in this log: another one is in progress, or this one is finished
        """)
    #expect(try world.current() == current)
    #expect(try world.workouts().map { "\($0.name): \($0.exercises.count)" }.sorted() == ["workout 2: 1", "workout 3: 0"])
    // Not even when the other one is finished: by then it is history.
    try world.withLibrary { _ = try $0.store.write { try WorkoutLog.finishWorkout(in: $0) } }
    #expect(try world.report().counts.values.allSatisfy { $0.skipped == $0.source })
    #expect(try world.current() == nil)
  }

  @Test("where none is in progress, that of an export goes on, and a later export does not end it")
  func inProgressGoesOn() throws {
    let world = try ImportWorld("log.jsonl")
    try exported(to: world.source)
    #expect(try world.report().isClean)
    #expect(try world.current()?.workout.exercises.count == 1)
    let copy = try ImportWorld("log.jsonl")
    try FileManager.default.copyItem(at: world.source, to: copy.source)
    _ = try copy.report()
    try copy.withLibrary { _ = try $0.store.write { try WorkoutLog.finishWorkout(in: $0) } }
    try FileManager.default.removeItem(at: world.source)
    try copy.withLibrary { _ = try $0.export(to: world.source) }
    #expect(
      try world.importing() == """
        workouts 2: 1 skipped, 1 quarantined
        exercises 1: 1 skipped
        skipped 2: in the store already
        line 2: the workout is in progress in this log, but finished in the source
        """)
    #expect(try world.current()?.id == UUID(uuidString: AppWorkouts.id(2)))
  }

  @Test("the log's own file is never replaced by an export")
  func ownFile() throws {
    let world = try ImportWorld()
    let error = #expect(throws: StoreError.self) { try world.withLibrary { _ = try $0.exportJSON(to: world.store) } }
    #expect(error?.code == .misuse)
  }
}
