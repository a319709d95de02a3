import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("The app's JSON") struct WorkoutJSONTests {
  private static let fullSet = [
    "type": "\"warmUp\"", "weight_unit": "\"lb\"",
    "suggest": #"{"weight": 40.5, "reps": 8, "rep_range": 12, "duration": 30, "rpe": 7.5, "rest_time": 60}"#,
    "actual": #"{"weight": -40.1, "reps": 7, "duration": 31, "rpe": 8, "actual_rest_time": 65}"#,
  ]
  private static let fullExercise = [
    "superset_id": "2", "pinned_notes": #"["seat 4"]"#, "notes": #"["", "三体"]"#, "duration": "600", "default_warm_up_time": "30",
    "default_rest_time": "90", "body_part": #"{"main": "chest", "detailed": ["Upper \"Chest\""], "scientific": null}"#,
  ]

  @Test("the core's history: every field, in the order of its lists, times to the millisecond")
  func history() throws {
    let world = try ImportWorld("history.json")
    let app = AppWorkouts.core
    let one = app.workout(
      1,
      [
        app.exercise(
          0x12, in: 1, [app.set(0x22, of: 0x12, in: 1, at: 0, Self.fullSet), app.set(0x21, of: 0x12, in: 1, at: 1)], Self.fullExercise),
        app.exercise(0x11, in: 1),
      ], ["note": "\"slow\""])
    let report = try world.report(
      "[\(one), \(app.workout(2, [], ["start_timestamp": "\"2024-02-29T23:59:59Z\"", "end_timestamp": "null"]))]")
    #expect(report.format == "thiccc-json" && report.isClean)
    #expect(
      try world.shelf() == """
        workout 1 2025-12-25T10:15:30.123Z to 2025-12-25T11:15:30.500Z, 3600 s, slow
          exercise 18, barbell, chest ["Upper \\"Chest\\""], superset 2, in kg, pinned ["seat 4"], notes ["", "三体"], took 600 s, warm-up rest 30 s, rest 90 s
            + warmUp lb, plan weight 40.5 reps 8 to 12 s 30 rpe 7.5 rest 60, did weight -40.1 reps 7 s 31 rpe 8.0 rest 65
            + working, did weight 80.0 reps 5
          exercise 17, barbell, in kg
        workout 2 2024-02-29T23:59:59Z to ?, 3600 s
        """)
  }

  @Test("an awaited import does what a blocking one does, and ends when its task is cancelled")
  func awaited() async throws {
    try await ImportWorld().checkAsync("[\(AppWorkouts.core.workout(1, []))]") { wanted in
      try await WorkoutLog.importLibrary(
        from: wanted.source, into: wanted.store, hints: wanted.hints, options: wanted.options, storeOptions: wanted.storeOptions)
    }
  }

  @Test("a start with nanoseconds is the start, and an end is the end: neither becomes now nor is dropped")
  func nanoseconds() throws {
    let world = try ImportWorld()
    _ = try world.report(
      AppWorkouts.core.workout(
        1, [],
        ["start_timestamp": "\"2025-12-25T10:15:30.000000001Z\"", "end_timestamp": "\"2025-12-25T11:15:30.999999999+01:00\""]))
    let workout = try #require(try world.workouts().first)
    #expect(DateCodec.milliseconds(workout.startedAt) == 1_766_657_730_000)
    #expect(workout.endedAt.flatMap(DateCodec.milliseconds) == 1_766_657_731_000)
    #expect(try world.importing() == "workouts 1: 1 skipped\nskipped 1: in the store already")
  }

  @Test("the first app's workout in progress: ids in upper case, seconds since 2001, keys without a value left out")
  func first() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.first
    let sets = [
      app.set(0x21, of: 0x11, in: 1, at: 0), app.set(0x22, of: 0x11, in: 1, at: 1, ["actual": "{}", "is_completed": "false"]),
    ]
    let report = try world.report(
      app.workout(1, [app.exercise(0x11, in: 1, sets, ["superset_id": "0", "body_part": #"{"main": "back"}"#])], ["end_timestamp": nil]))
    #expect(report.format == "goonlytics-json" && report.isClean)
    #expect(
      try world.shelf() == """
        active workout 1 2025-12-25T10:15:30.123Z to ?, 3600 s
          exercise 17, barbell, back, in kg
            + working, did weight 80.0 reps 5
            - working
        """)
    #expect(try world.workouts() == [])
  }

  @Test("a workout in progress goes on where none is, and has been trained for as long as the source says, without the night")
  func inProgress() throws {
    let world = try ImportWorld()
    try Data(AppWorkouts.core.workout(1, [], ["end_timestamp": "null", "duration": "1800"]).utf8).write(to: world.source)
    // Long after.
    world.clock.advance(milliseconds: 12 * 3_600_000)
    #expect(try world.importing() == "workouts 1: 1 imported")
    #expect(
      try world.lines(
        "SELECT workout_id || ' ' || trained_ms || ' ' || last_active_at || ' ' || is_paused || ' ' || idle_limit_seconds FROM active_workout"
      )
        == ["\(AppWorkouts.id(1)) 1800000 1766659530123 0 900"])
    #expect(try world.importing() == "workouts 1: 1 skipped\nskipped 1: in the store already")
  }

  @Test("an imported workout never takes the place of the one in progress: it becomes history without an end")
  func noOverwriting() throws {
    let world = try ImportWorld()
    let (app, first) = (AppWorkouts.core, AppWorkouts.first)
    _ = try world.report(app.workout(1, [app.exercise(0x11, in: 1)], ["end_timestamp": "null"]))
    #expect(
      try world.importing(first.workout(2, [first.exercise(0x12, in: 2)], ["end_timestamp": nil])) == """
        workouts 1: 1 imported
        exercises 1: 1 imported
        """)
    #expect(
      try world.shelf() == """
        workout 2 2025-12-25T10:15:30.123Z to ?, 3600 s
          exercise 18, barbell, in kg
        active workout 1 2025-12-25T10:15:30.123Z to ?, 3600 s
          exercise 17, barbell, in kg
        """)
  }

  @Test("a workout that goes on here is not ended by a later edition of its file")
  func notEnded() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.core
    _ = try world.report(app.workout(1, [], ["end_timestamp": "null"]))
    try world.withLibrary { try $0.store.write { try WorkoutLog.touchWorkout(in: $0) } }
    #expect(
      try world.importing(app.workout(1, [app.exercise(0x11, in: 1)])) == """
        workouts 1: 1 quarantined
        exercises 1: 1 imported
        $: the workout is in progress in this log, but finished in the source
        """)
    #expect(try world.current()?.workout.exercises.count == 1)
    try world.withLibrary { _ = try $0.store.write { try WorkoutLog.finishWorkout(in: $0) } }
    #expect(
      try world.importing(app.workout(1, [app.exercise(0x11, in: 1)])) == """
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        skipped 1: in the store already
        skipped 1: the store is newer
        """)
  }

  @Test("one that nobody went on with here follows its file: what was trained there counts, and its end is the end")
  func followed() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.core
    _ = try world.report(app.workout(1, [], ["end_timestamp": "null", "duration": "600"]))
    #expect(try world.importing(app.workout(1, [], ["end_timestamp": "null", "duration": "1800"])) == "workouts 1: 1 merged")
    #expect(try world.current()?.timer.trainedMilliseconds == 1_800_000)
    #expect(try world.importing(app.workout(1, [])) == "workouts 1: 1 merged")
    #expect(try world.shelf() == "workout 1 2025-12-25T10:15:30.123Z to 2025-12-25T11:15:30.500Z, 3600 s")
    #expect(try world.lines("SELECT workout_id FROM active_workout") == [])
  }

  @Test("one that was started here is not ended by an edition of it that came back from an export")
  func startedHere() throws {
    let world = try ImportWorld()
    let id = try world.withLibrary { try $0.store.write { try WorkoutLog.startWorkout(named: "Legs", in: $0) }.id }
    let start = "\"\(DateCodec.iso8601(try #require(DateCodec.milliseconds(world.clock.now)), fraction: true))\""
    let changes = ["id": "\"\(IDCodec.lowercase(id))\"", "name": "\"Legs\"", "start_timestamp": start, "duration": "null"]
    let end = "\"2035-01-01T00:00:00Z\""
    #expect(
      try world.importing(AppWorkouts.core.workout(1, [], changes.merging(["end_timestamp": end]) { $1 })) == """
        workouts 1: 1 skipped
        skipped 1: the store is newer
        """)
    #expect(try world.current()?.id == id)
  }

  @Test("one that is finished comes out as finished, and one without an end in a list is history")
  func finished() throws {
    let world = try ImportWorld("workout-backup-2025-12-25T11:15:30Z.json")
    _ = try world.report(AppWorkouts.core.workout(1, []))
    _ = try world.report("[\(AppWorkouts.core.workout(2, [], ["end_timestamp": "null"]))]")
    #expect(try world.workouts().count == 2)
    #expect(try world.lines("SELECT workout_id FROM active_workout") == [])
  }

  @Test("the order of a list is the order, whatever the index of a set says")
  func index() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.core
    let sets = [0x23, 0x21, 0x22].enumerated().map { app.set($1, of: 0x11, in: 1, at: [7, 0, 0][$0]) }
    #expect(
      try world.importing("[\(app.workout(1, [app.exercise(0x11, in: 1, sets)]))]") == """
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 3: 3 imported
        """)
    #expect(try world.lines("SELECT substr(id, 35) FROM exercise_sets ORDER BY position") == ["23", "21", "22"])
  }

  @Test("values that the app does not know survive word for word")
  func unknownValues() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.core
    let set = app.set(0x21, of: 0x11, in: 1, at: 0, ["type": "\"myo-reps\"", "weight_unit": "\"stone\""])
    _ = try world.report(
      "[\(app.workout(1, [app.exercise(0x11, in: 1, [set], ["type": "\"sled\"", "body_part": #"{"main": "neck"}"#])]))]")
    #expect(
      try world.shelf() == """
        workout 1 2025-12-25T10:15:30.123Z to 2025-12-25T11:15:30.500Z, 3600 s
          exercise 17, sled, neck, in kg
            + myo-reps stone, did weight 80.0 reps 5
        """)
  }

  @Test("a file that says nothing of completed sets: those with repetitions or a duration above 0 were done")
  func completed() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.first
    let actual = [#"{"weight": 80, "reps": 5}"#, #"{"duration": 30}"#, #"{"weight": 80}"#]
    let sets = actual.enumerated().map { app.set(0x21 + $0, of: 0x11, in: 1, at: $0, ["actual": $1, "is_completed": nil]) }
    _ = try world.report(app.workout(1, [app.exercise(0x11, in: 1, sets)]))
    #expect(try world.workouts().flatMap(\.exercises).flatMap(\.sets).map(\.isCompleted) == [true, true, false])
  }

  @Test("a superset of 0, which every exercise had that was in none, is none")
  func superset() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.core
    let exercises = [0x11, 0x12].map { app.exercise($0, in: 1, [], ["superset_id": "0"]) }
    _ = try world.report("[\(app.workout(1, exercises))]")
    #expect(try world.workouts().flatMap(\.exercises).map(\.superset) == [nil, nil])
    #expect(try world.skipsAll())
  }

  @Test("a newer edition of the file updates what was not changed since, and a note that the app has no place for is no change")
  func newerEdition() throws {
    let world = try ImportWorld()
    let app = AppWorkouts.core
    func history(_ name: String, _ reps: Int) -> String {
      let set = app.set(
        0x21, of: 0x11, in: 1, at: 0,
        ["actual": #"{"weight": 80.0, "reps": \#(reps), "duration": null, "rpe": null, "actual_rest_time": null}"#])
      return "[\(app.workout(1, [app.exercise(0x11, in: 1, [set], ["name": "\"\(name)\""])]))]"
    }
    _ = try world.report(history("Bench", 5))
    try world.change { workout in
      workout.exercises[0].name = "Bench Press"
      workout.exercises[0].sets[0].note = "a note that the app has no place for"
    }
    // The set's note is not the app's: for the import nobody changed it.
    #expect(
      try world.importing(history("Incline", 6)) == """
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        exercise_sets 1: 1 merged
        skipped 1: in the store already
        skipped 1: the store is newer
        """)
    let exercise = try #require(try world.workouts().first?.exercises.first)
    #expect(exercise.name == "Bench Press")
    #expect(exercise.sets.map(\.actual.reps) == [6])
    #expect(exercise.sets.map(\.note) == ["a note that the app has no place for"])
  }
}
