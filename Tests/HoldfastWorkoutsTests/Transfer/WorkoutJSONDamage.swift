import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("Damage in the app's JSON") struct WorkoutJSONDamage {
  private let app = AppWorkouts.core

  @Test("a failed save wrote an empty object, and says so", arguments: [nil, "thiccc-json"])
  func emptyObject(format: String?) throws {
    let error = try ImportWorld("workout-backup-2025-12-25T11:15:30Z.json").failure("{}", format: format)
    #expect(error.code == .invalidSource && error.offset == 0)
    #expect(
      error.message
        == "this JSON is an empty object, which the app wrote when it could not save a workout: there is nothing of the workout in it")
    #expect(error.recoverySuggestion == "Look in workout-backups for another copy of the workout.")
  }

  @Test("what is no workout is refused with the byte, and nothing is left behind")
  func refused() throws {
    let world = try ImportWorld()
    let message = #"this JSON is no workout: expected one with "start_timestamp", "startTimestamp", or "title" at byte 0"#
    for text in ["12", #"{"tracks": []}"#, #"[{"a": 1}]"#, "[1, 2, 3]", #"["a"]"#, "[[{}]]", "[null]"] {
      let error = try world.failure(text)
      #expect(error.code == .invalidSource && error.offset == 0 && error.message == message)
    }
    #expect(try world.failure("").code == .invalidSource)
  }

  @Test(
    "a history of nothing is nothing, and so is null, which says that no workout was in progress", arguments: ["[]", "null", " null\n"])
  func emptyHistory(text: String) throws {
    let report = try ImportWorld().report(text)
    #expect(report.picture == "" && report.format == "thiccc-json")
  }

  @Test("in a list that has a workout, what is none is quarantined")
  func mixed() throws {
    #expect(
      try ImportWorld().importing("[1, \(app.workout(2, []))]") == """
        workouts 2: 1 imported, 1 quarantined
        $[0]: a workout should be an object
        """)
  }

  @Test("a workout that cannot be read is quarantined with everything in it, and the others come in")
  func quarantined() throws {
    let world = try ImportWorld()
    let broken = app.workout(
      1, [app.exercise(0x11, in: 1, [app.set(0x21, of: 0x11, in: 1, at: 0)]), "5"], ["start_timestamp": "\"yesterday\""])
    let workouts = [broken, app.workout(2, []), "7", app.workout(3, [], ["id": "\"3\""]), app.workout(4, [], ["exercises": nil])]
    #expect(
      try world.importing("[\(workouts.joined(separator: ", "))]") == """
        workouts 5: 1 imported, 4 quarantined
        exercises 2: 2 quarantined
        exercise_sets 1: 1 quarantined
        $[0]: start_timestamp should be a date, found "yesterday"
        $[0].exercises[0]: its workout is quarantined
        $[0].exercises[0].sets[0]: its exercise is quarantined
        $[0].exercises[1]: an exercise should be an object
        $[2]: a workout should be an object
        $[3]: id should be a UUID, found "3"
        $[4]: exercises is missing
        """)
    #expect(try world.workouts().map(\.name) == ["workout 2"])
    #expect(try world.quarantine().first == broken)
  }

  @Test("a field that is wrong is left out alone, and its original is kept")
  func fields() throws {
    let world = try ImportWorld()
    let set = app.set(
      0x21, of: 0x11, in: 1, at: 0,
      [
        "suggest": "7", "is_completed": "\"yes\"", "set_index": "\"first\"", "tempo": "\"3-1-1\"",
        "actual": #"{"weight": 80.0, "reps": 5.5, "duration": null, "rpe": null, "actual_rest_time": null, "mood": "good"}"#,
      ])
    let exercise = app.exercise(
      0x11, in: 1, [set], ["body_part": #"{"detailed": []}"#, "notes": "[1]", "superset_id": "1.5", "type": "null"])
    let text = "[\(app.workout(1, [exercise], ["duration": "\"1h\"", "end_timestamp": "0", "gym": "\"home\""]))]"
    #expect(
      try world.importing(text) == """
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 1: 1 imported
        $[0].duration: duration should be a whole number, found "1h"
        $[0].end_timestamp: end_timestamp should be a date, found 0
        $[0].gym: this field is not known
        $[0].exercises[0].superset_id: superset_id should be a whole number, found 1.5
        $[0].exercises[0].notes: notes should be a list of texts, found [1]
        $[0].exercises[0].body_part: body_part should be an object with a text "main" and lists of texts, found {"detailed":[]}
        $[0].exercises[0].sets[0].suggest: suggest should be an object
        $[0].exercises[0].sets[0].set_index: it should be a whole number
        $[0].exercises[0].sets[0].actual.reps: actual.reps should be a whole number, found 5.5
        $[0].exercises[0].sets[0].is_completed: is_completed should be true or false, found "yes"
        $[0].exercises[0].sets[0].actual.mood: this field is not known
        $[0].exercises[0].sets[0].tempo: this field is not known
        """)
    #expect(
      try world.shelf() == """
        workout 1 2025-12-25T10:15:30.123Z to ?
          exercise 17, unknown, in kg
            - working, did weight 80.0
        """)
    #expect(try world.quarantine().contains("\"3-1-1\"") && world.quarantine().contains("7"))
  }

  @Test("ids that say another workout or exercise than the one around them are told, and the place counts")
  func disagreeing() throws {
    let world = try ImportWorld()
    let set = app.set(0x21, of: 0x12, in: 2, at: 0)
    #expect(
      try world.importing("[\(app.workout(1, [app.exercise(0x11, in: 2, [set])]))]") == """
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 1: 1 imported
        $[0].exercises[0].workout_id: workout_id differs from the id of its workout
        $[0].exercises[0].sets[0].exercise_id: exercise_id differs from the id of its exercise
        $[0].exercises[0].sets[0].workout_id: workout_id differs from the id of its workout
        """)
    #expect(try world.workouts().first?.exercises.first?.sets.count == 1)
  }

  @Test("the same workout twice is one; another one of the same id adds nothing to it")
  func duplicates() throws {
    let world = try ImportWorld()
    let one = app.workout(1, [app.exercise(0x11, in: 1, [app.set(0x21, of: 0x11, in: 1, at: 0)])])
    let other = app.workout(
      1, [app.exercise(0x11, in: 1, [app.set(0x22, of: 0x11, in: 1, at: 0)]), app.exercise(0x12, in: 1)], ["name": "\"other\""])
    let third = app.workout(3, [app.exercise(0x11, in: 3, [app.set(0x23, of: 0x11, in: 3, at: 0)])])
    #expect(
      try world.importing("[\(one), \(one), \(other), \(third)]") == """
        workouts 4: 2 imported, 1 skipped, 1 quarantined
        exercises 5: 1 imported, 2 skipped, 2 quarantined
        exercise_sets 4: 1 imported, 1 skipped, 2 quarantined
        skipped 4: a repetition in the source
        $[2]: an earlier record in the source has the same id and other content
        $[2].exercises[0].sets[0]: the first exercise with this id does not contain this set
        $[2].exercises[1]: the first workout with this id does not contain this exercise
        $[3].exercises[0]: an earlier record in the source has the same id and other content
        $[3].exercises[0].sets[0]: the first exercise with this id does not contain this set
        """)
    #expect(try world.workouts().map { $0.exercises.map(\.sets.count) } == [[], [1]])
  }

  @Test("a member that stands twice leaves open which is meant")
  func twice() throws {
    let text = #"[\#(app.workout(1, [], ["startTimestamp": "0"])), \#(app.workout(2, []).dropLast()), "name": "x"}]"#
    #expect(
      try ImportWorld().importing(text) == """
        workouts 2: 2 quarantined
        $[0]: startTimestamp appears twice in this record; keep one of the two in the source, and import it again
        $[1]: name appears twice in this record; keep one of the two in the source, and import it again
        """)
  }

  @Test("an id that is a template's in the log is quarantined, and the template stays as it is")
  func templateID() throws {
    let world = try ImportWorld()
    try world.withLibrary { log in
      try log.store.write { tx in
        _ = try tx.execute(
          "INSERT INTO workouts (id, name, name_key, state, started_at) VALUES (\(AppWorkouts.id(1)), 'plan', 'plan', 'template', 0)")
      }
    }
    #expect(
      try world.importing("[\(app.workout(1, [app.exercise(0x11, in: 1)]))]") == """
        workouts 1: 1 quarantined
        exercises 1: 1 quarantined
        $[0]: its id belongs to a template
        $[0].exercises[0]: the record that it belongs to is quarantined
        """)
    #expect(try world.lines("SELECT name FROM workouts") == ["plan"])
  }

  @Test("an exercise or a set whose id another workout of the log has stays where it is")
  func takenIDs() throws {
    let world = try ImportWorld()
    _ = try world.report("[\(app.workout(1, [app.exercise(0x11, in: 1, [app.set(0x21, of: 0x11, in: 1, at: 0)])]))]")
    #expect(
      try world.importing(
        "[\(app.workout(2, [app.exercise(0x11, in: 2), app.exercise(0x12, in: 2, [app.set(0x21, of: 0x12, in: 2, at: 0)])]))]") == """
          workouts 1: 1 imported
          exercises 2: 1 imported, 1 quarantined
          exercise_sets 1: 1 quarantined
          $[0].exercises[0]: its id belongs to an exercise of another workout
          $[0].exercises[1].sets[0]: its id belongs to a set of another exercise
          """)
    #expect(
      try world.lines("SELECT name FROM workouts JOIN (SELECT workout_id FROM exercises) ON workout_id = id ORDER BY name") == [
        "workout 1", "workout 2",
      ])
  }
}
