import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("The apps' databases") struct WorkoutSQLiteTests {
  private typealias Old = AppDatabase

  @Test("the first app's: times as text, lists and objects as JSON, exercises in the order of their rows")
  func first() throws {
    let world = try ImportWorld("db.sqlite")
    try world.database([
      Old.first, Old.workout(1, ["note": "'n'", "duration": "3600", "endTimestamp": "'2018-01-29 01:08:00.250'"]),
      Old.exercise(
        0x12, in: 1,
        [
          "supersetId": "2", "pinnedNotes": "'[\"seat 4\"]'", "notes": "'[\"a\", \"b\"]'", "duration": "600", "weightUnit": "'lb'",
          "defaultWarmUpTime": "30", "defaultRestTime": "90", "bodyPart": "'{\"main\":\"chest\",\"detailed\":[\"Upper\"]}'",
        ]),
      Old.exercise(0x11, in: 1, ["supersetId": "0", "notes": "x'5b5d'"]),
      Old.set(
        0x22, of: 0x12, in: 1, at: 1,
        [
          "weightUnit": "'kg'", "suggest": "'{\"weight\":40.5,\"reps\":8,\"repRange\":12,\"duration\":30,\"rpe\":7.5,\"restTime\":60}'",
          "actual": "'{\"weight\":41,\"reps\":7,\"duration\":31,\"rpe\":8,\"actualRestTime\":65}'",
        ]),
      Old.set(0x21, of: 0x12, in: 1, at: 0, ["type": "'warmUp'", "suggest": "'{}'", "actual": "'{}'"]),
    ])
    let report = try world.report()
    #expect(report.format == "goonlytics-sqlite" && report.formatVersion == 1 && report.isClean)
    #expect(
      try world.shelf() == """
        workout 1 2018-01-29T00:08:00Z to 2018-01-29T01:08:00.250Z, 3600 s, n
          exercise 18, barbell, chest ["Upper"], superset 2, in lb, pinned ["seat 4"], notes ["a", "b"], took 600 s, warm-up rest 30 s, rest 90 s
            - warmUp
            + working kg, plan weight 40.5 reps 8 to 12 s 30 rpe 7.5 rest 60, did weight 41.0 reps 7 s 31 rpe 8.0 rest 65
          exercise 17, barbell
        """)
  }

  @Test("whether a set was completed was never stored: one with repetitions or a duration above 0 was")
  func completed() throws {
    let world = try ImportWorld("db.sqlite")
    let done = [#"{"reps":1}"#, #"{"duration":1}"#, #"{"weight":80}"#, #"{"reps":0,"duration":0}"#, #"{"reps":-1}"#, "{}"]
    try world.database(
      [Old.first, Old.workout(1), Old.exercise(0x11, in: 1)]
        + done.enumerated().map { Old.set(0x21 + $0, of: 0x11, in: 1, at: $0, ["actual": "'\($1)'"]) }
        + [Old.set(0x31, of: 0x11, in: 1, at: 9)])
    _ = try world.report()
    #expect(
      try world.workouts().flatMap(\.exercises).flatMap(\.sets).map(\.isCompleted) == [true, true, false, false, false, false, false])
  }

  @Test("the next app's, in both forms that have one name: what differs are the columns", arguments: [true, false])
  func next(isFlat: Bool) throws {
    let world = try ImportWorld("thiccc.sqlite")
    let exercise =
      isFlat
      ? ["bodyPartMain": "'chest'", "bodyPartDetailed": "'[\"Upper\"]'", "bodyPartScientific": "NULL"]
      : ["bodyPart": "'{\"main\":\"chest\",\"detailed\":[\"Upper\"]}'"]
    let set =
      isFlat
      ? [
        "suggestWeight": "40.5", "suggestReps": "8", "suggestRepRange": "12", "suggestDuration": "30", "suggestRpe": "7.5",
        "suggestRestTime": "60", "actualWeight": "41", "actualReps": "7", "actualDuration": "31", "actualRpe": "8", "actualRestTime": "65",
      ]
      : [
        "suggest": "'{\"weight\":40.5,\"reps\":8,\"rep_range\":12,\"duration\":30,\"rpe\":7.5,\"rest_time\":60}'",
        "actual": "'{\"weight\":41,\"reps\":7,\"duration\":31,\"rpe\":8,\"actualRestTime\":65}'",
      ]
    try world.database([
      isFlat ? Old.flat : Old.shipped, Old.laterWorkout(1, ["endTimestamp": "1766661330"]),
      Old.exercise(0x11, in: 1, exercise.merging(["supersetId": "0", "notes": "'[]'"]) { $1 }),
      Old.set(0x21, of: 0x11, in: 1, at: 0, set), Old.set(0x22, of: 0x11, in: 1, at: 1, ["isCompleted": "1"]),
    ])
    let report = try world.report()
    #expect(report.format == "thiccc-sqlite" && report.formatVersion == (isFlat ? 1 : 2) && report.isClean)
    #expect(
      try world.shelf() == """
        workout 1 2025-12-25T10:15:30.123Z to 2025-12-25T11:15:30Z
          exercise 17, barbell, chest ["Upper"]
            - working, plan weight 40.5 reps 8 to 12 s 30 rpe 7.5 rest 60, did weight 41.0 reps 7 s 31 rpe 8.0 rest 65
            + working
        """)
    #expect(try world.skipsAll())
  }

  @Test("exercises come in the order of their rows, whatever their ids say")
  func many() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([
      Old.shipped,
      """
      WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 79)
      INSERT INTO workouts (id, name, startTimestamp)
      SELECT printf('b0000000-0000-4000-8000-%012x', i), 'w' || i, 1766657730 + i FROM n
      """,
      """
      WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 799)
      INSERT INTO exercises (id, workoutId, name, type)
      SELECT printf('%08x-0000-4000-8000-%012x', (i * 7919) % 4007, i), printf('b0000000-0000-4000-8000-%012x', i % 80), i, 'barbell' FROM n
      """,
    ])
    let report = try world.report()
    #expect(report.picture == "workouts 80: 80 imported\nexercises 800: 800 imported")
    let workouts = try world.workouts()
    #expect(workouts.first?.exercises.map(\.name) == (0..<10).map { "\(79 + $0 * 80)" })
    #expect(workouts.allSatisfy { $0.exercises.map { Int($0.name) ?? 0 } == $0.exercises.map { Int($0.name) ?? 0 }.sorted() })
  }

  @Test("rows without what they belong to, and rows that cannot be read, are quarantined with the reason")
  func dangling() throws {
    let world = try ImportWorld("db.sqlite")
    try world.database([
      Old.loose, Old.workout(1), Old.workout(2, ["startTimestamp": "'soon'"]), Old.workout(3, ["id": "'sample-workout-1'"]),
      Old.exercise(0x11, in: 1), Old.exercise(0x12, in: 2), Old.exercise(0x13, in: 9), Old.exercise(0x14, in: 1, ["name": "NULL"]),
      Old.exercise(0x15, in: 1, ["workoutId": "NULL"]), Old.set(0x21, of: 0x11, in: 1, at: 0), Old.set(0x22, of: 0x12, in: 2, at: 0),
      Old.set(0x23, of: 0x13, in: 9, at: 0), Old.set(0x24, of: 0x99, in: 1, at: 0), Old.set(0x25, of: 0x11, in: 2, at: 1),
      Old.set(0x26, of: 0x11, in: 1, at: 2, ["id": "CAST(x'ff' AS TEXT)"]),
    ])
    #expect(
      try world.importing() == """
        workouts 3: 1 imported, 2 quarantined
        exercises 5: 1 imported, 4 quarantined
        exercise_sets 6: 2 imported, 4 quarantined
        workouts[rowid 2]: startTimestamp should be a date, found "soon"
        workouts[rowid 3]: id should be a UUID, found "sample-workout-1"
        exercises[rowid 2]: its workout is quarantined
        exercises[rowid 3]: there is no such workout
        exercises[rowid 4]: name is missing
        exercises[rowid 5]: workoutId is missing
        exerciseSets[rowid 2]: its exercise is quarantined
        exerciseSets[rowid 3]: its exercise is quarantined
        exerciseSets[rowid 4]: there is no such exercise
        exerciseSets[rowid 5].workoutId: workoutId differs from the id of its exercise's workout
        exerciseSets[rowid 6]: id should be a UUID, found bytes that are not text
        """)
  }

  @Test("a time in another form than the app's is no time: its epoch cannot be known")
  func epochs() throws {
    let world = try ImportWorld("db.sqlite")
    try world.database([Old.loose, Old.workout(1, ["startTimestamp": "784035682.0"]), Old.workout(2, ["startTimestamp": "x'00'"])])
    #expect(
      try world.importing() == """
        workouts 2: 2 quarantined
        workouts[rowid 1]: startTimestamp should be a date, found 784035682.0
        workouts[rowid 2]: startTimestamp should be a date, found "\\u0000"
        """)
    let later = try ImportWorld("thiccc.sqlite")
    try later.database([
      Old.flat, Old.laterWorkout(1, ["startTimestamp": "9e999"]), Old.laterWorkout(2, ["startTimestamp": "'2025-12-25T10:15:30Z'"]),
    ])
    #expect(
      try later.importing() == """
        workouts 2: 2 quarantined
        workouts[rowid 1]: startTimestamp should be a date, found bytes that are not text
        workouts[rowid 2]: startTimestamp should be a date, found "2025-12-25T10:15:30Z"
        """)
  }

  @Test("JSON in a column that is none is left out alone, and so are columns and values that are not known")
  func columns() throws {
    let world = try ImportWorld("db.sqlite")
    try world.database([
      Old.loose, "ALTER TABLE exerciseSets ADD COLUMN side", "CREATE TABLE photos (id)", "INSERT INTO photos VALUES (1), (2)",
      Old.workout(1),
      Old.exercise(0x11, in: 1, ["notes": "'[\"a\"'", "pinnedNotes": "'[1]'", "bodyPart": "'chest'", "supersetId": "'0'"]),
      Old.set(
        0x21, of: 0x11, in: 1, at: 0, ["actual": "'{'", "suggest": "'{\"reps\":8,\"tempo\":2}'", "setIndex": "'x'", "side": "'left'"]),
    ])
    #expect(
      try world.importing() == """
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 1: 1 imported
        photos 2: 2 skipped
        skipped 2: the table photos has no place in this log; it stays in the source and its copy
        exercises[rowid 1].supersetId: supersetId should be a whole number, found "0"
        exercises[rowid 1].pinnedNotes: pinnedNotes should be a list of texts, found [1]
        exercises[rowid 1].notes: notes should be a list of texts, found "[\\"a\\""
        exercises[rowid 1].bodyPart: bodyPart should be an object with a text "main" and lists of texts, found "chest"
        exerciseSets[rowid 1].actual: actual should be an object
        exerciseSets[rowid 1].setIndex: it should be a whole number
        exerciseSets[rowid 1].side: this field is not known
        exerciseSets[rowid 1].suggest.tempo: this field is not known
        """)
  }

  @Test("a workout without an end is history, not in progress")
  func unfinished() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([Old.flat, Old.laterWorkout(1)])
    _ = try world.report()
    #expect(try world.workouts().map(\.endedAt) == [nil])
    #expect(try world.lines("SELECT workout_id FROM active_workout") == [])
  }

  @Test("another program's database, one of ours and one of a later version are refused")
  func refused() throws {
    let other = try ImportWorld("other.db")
    try other.database(["CREATE TABLE notes (id)"])
    #expect(try other.failure().message == "\(other.source.path) is not the app's log of workouts: it has the tables notes")
    let wrong = try ImportWorld("db.sqlite")
    try wrong.database([Old.first])
    #expect(
      try wrong.failure(format: "thiccc-sqlite").message
        == "\(wrong.source.path) is not thiccc-sqlite: it has the columns of goonlytics-sqlite")
    let later = try ImportWorld("thiccc.sqlite")
    try later.database([Old.shipped, "CREATE TABLE sections (id)", "INSERT INTO grdb_migrations VALUES ('v9')"])
    #expect(try later.failure().code == .newerSource)
    let ours = try ImportWorld("mine.sqlite")
    try WorkoutLog.open(at: ours.source, options: ours.options).store.close()
    #expect(try ours.failure().code == .wrongKind)
  }

  @Test("the same finished workout in the database and in the JSON is one, whichever comes first", arguments: [true, false])
  func sameTwice(isDatabaseFirst: Bool) throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([Old.shipped, Old.laterWorkout(1, ["duration": "3600", "endTimestamp": "1766661330.5"])])
    let copy = try ImportWorld("workout-backup.json")
    try Data(AppWorkouts.core.workout(1, []).utf8).write(to: copy.source)
    let sources = isDatabaseFirst ? [world.source, copy.source] : [copy.source, world.source]
    let reports = try sources.map { try WorkoutLog.importLibrary(from: $0, into: world.store, storeOptions: world.options).picture }
    #expect(reports == ["workouts 1: 1 imported", "workouts 1: 1 skipped\nskipped 1: in the store already"])
  }

  /// The finished workout with two completed sets, and the copy of it that was in progress with one.
  private func bothSources() throws -> (database: ImportWorld, copy: ImportWorld) {
    let world = try ImportWorld("thiccc.sqlite")
    let done = ["actual": "'{\"weight\":80.0,\"reps\":5}'", "isCompleted": "1"]
    try world.database([
      Old.shipped, Old.laterWorkout(1, ["duration": "3600", "endTimestamp": "1766661330.5"]),
      Old.exercise(0x11, in: 1, ["weightUnit": "'kg'"]), Old.set(0x21, of: 0x11, in: 1, at: 0, done),
      Old.set(0x22, of: 0x11, in: 1, at: 1, done),
    ])
    let copy = try ImportWorld()
    let app = AppWorkouts.core
    let sets = [app.set(0x21, of: 0x11, in: 1, at: 0), app.set(0x22, of: 0x11, in: 1, at: 1, ["is_completed": "false"])]
    try Data(app.workout(1, [app.exercise(0x11, in: 1, sets)], ["end_timestamp": "null", "duration": "1800"]).utf8).write(to: copy.source)
    return (world, copy)
  }

  @Test("a workout that only the JSON brought in as one in progress is finished by the database that has its end")
  func finishedElsewhere() throws {
    let (database, copy) = try bothSources()
    _ = try WorkoutLog.importLibrary(from: copy.source, into: database.store, storeOptions: database.options)
    #expect(try database.current()?.workout.exercises.first?.sets.map(\.isCompleted) == [true, false])
    #expect(
      try database.importing() == """
        workouts 1: 1 merged
        exercises 1: 1 skipped
        exercise_sets 2: 1 merged, 1 skipped
        skipped 2: in the store already
        """)
    #expect(try database.current() == nil)
    #expect(
      try database.shelf() == """
        workout 1 2025-12-25T10:15:30.123Z to 2025-12-25T11:15:30.500Z, 3600 s
          exercise 17, barbell, in kg
            + working, did weight 80.0 reps 5
            + working, did weight 80.0 reps 5
        """)
    #expect(try database.skipsAll())
  }

  @Test("one that goes on here is not finished by the database, and nothing that was done here is changed")
  func goesOnHere() throws {
    let (database, copy) = try bothSources()
    _ = try WorkoutLog.importLibrary(from: copy.source, into: database.store, storeOptions: database.options)
    try database.withLibrary { try $0.store.write { try WorkoutLog.touchWorkout(in: $0) } }
    let rows = try database.rows()
    #expect(
      try database.importing() == """
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        exercise_sets 2: 2 skipped
        skipped 2: in the store already
        skipped 2: the store is newer
        """)
    #expect(try database.rows() == rows)
  }

  @Test("where the database comes first, the copy that was in progress changes nothing")
  func databaseFirst() throws {
    let (database, copy) = try bothSources()
    _ = try database.report()
    let rows = try database.rows()
    let report = try WorkoutLog.importLibrary(from: copy.source, into: database.store, storeOptions: database.options)
    #expect(
      report.picture == """
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        exercise_sets 2: 2 skipped
        skipped 2: in the store already
        skipped 2: the store is newer
        """)
    #expect(try database.rows() == rows)
  }

  @Test("a later edition of a workout's row keeps its exercises and sets")
  func mergeKeepsWhatIsInIt() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([
      Old.shipped, Old.laterWorkout(1), Old.exercise(0x11, in: 1), Old.set(0x21, of: 0x11, in: 1, at: 0),
      Old.set(0x22, of: 0x11, in: 1, at: 1),
    ])
    _ = try world.report()
    try world.database(["UPDATE workouts SET name = 'Legs', endTimestamp = 1766661330"])
    #expect(
      try world.importing() == """
        workouts 1: 1 merged
        exercises 1: 1 skipped
        exercise_sets 2: 2 skipped
        skipped 3: in the store already
        """)
    #expect(
      try world.shelf() == """
        Legs 2025-12-25T10:15:30.123Z to 2025-12-25T11:15:30Z
          exercise 17, barbell
            - working
            - working
        """)
  }
}
