import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("The app's template") struct TemplateJSONTests {
  private static let set =
    #"{"weight": 45, "unit": "lb", "reps": 5, "rpe": 9, "type": "Warm-up", "rest_seconds": 60, "warm_up_rest_seconds": null}"#
  private static let bare = #"{"weight": null, "unit": null, "reps": 12, "rpe": null, "type": "Working", "rest_seconds": null}"#

  private static func exercise(_ name: String, _ sets: [String]) -> String {
    """
    {"id": "d77462f9-941c-40bb-a88c-05d446e9edae", "name": "\(name)", "sets": [\(sets.joined(separator: ", "))], "unit": "kg",
     "default_rest_seconds": 90, "default_warm_up_rest_seconds": null}
    """
  }

  private static func template(_ groups: [[String]], title: String = "W7D2", date: String = "2025-04-08T11:00:00") -> String {
    let lists = groups.map { "[\($0.joined(separator: ", "))]" }.joined(separator: ", ")
    return #"{"title": "\#(title)", "date": "\#(date)", "exercises": [\#(lists)]}"#
  }

  /// The line of a report.
  private static func catalogueID(_ path: String) -> String {
    "\(path).id: the id belongs to the app's catalogue of exercises, which this log does not have"
  }

  private func berlin() throws -> ImportWorld {
    let world = try ImportWorld("workout_template.json")
    world.hints.timeZone = TimeZone(identifier: "Europe/Berlin")
    return world
  }

  @Test("inner lists are supersets, sets are what is suggested, and its time is read in the named zone")
  func template() throws {
    let world = try berlin()
    let text = Self.template([
      [Self.exercise("Row", [Self.set, Self.bare]), Self.exercise("Superman", [])], [Self.exercise("Squat", [Self.bare])],
    ])
    let report = try world.report(text)
    #expect(report.format == "workout-template-json")
    #expect(
      report.picture == """
        workouts 1: 1 imported
        exercises 3: 3 imported
        exercise_sets 3: 3 imported
        \(Self.catalogueID("$.exercises[0][0]"))
        \(Self.catalogueID("$.exercises[0][1]"))
        \(Self.catalogueID("$.exercises[1][0]"))
        """)
    #expect(try world.quarantine() == Array(repeating: "\"d77462f9-941c-40bb-a88c-05d446e9edae\"", count: 3))
    #expect(
      try world.shelf() == """
        template W7D2 2025-04-08T09:00:00Z to ?
          Row, unknown, superset 1, in kg, rest 90 s
            - warmUp lb, plan weight 45.0 reps 5 rpe 9.0 rest 60
            - working, plan reps 12
          Superman, unknown, superset 1, in kg, rest 90 s
          Squat, unknown, in kg, rest 90 s
            - working, plan reps 12
        """)
    #expect(try world.workouts() == [])
    #expect(try world.skipsAll())
  }

  @Test("two templates use the same exercises of the catalogue")
  func catalogue() throws {
    let world = try ImportWorld("templates.json")
    let text = "[\(Self.template([[Self.exercise("Row", [])]])), \(Self.template([[Self.exercise("Row", [])]], title: "W7D3"))]"
    #expect(
      try world.importing(text) == """
        workouts 2: 2 imported
        exercises 2: 2 imported
        \(Self.catalogueID("$[0].exercises[0][0]"))
        \(Self.catalogueID("$[1].exercises[0][0]"))
        """)
  }

  @Test("names of kinds that are not known survive, and what is wrong is told")
  func damage() throws {
    let world = try ImportWorld("workout_template.json")
    let odd = #"{"type": "Cluster", "unit": "lbs", "warm_up_rest_seconds": 30, "reps": "many"}"#
    let text = Self.template([[Self.exercise("Row", [odd, "1"])]]).dropLast(2) + #", {"name": "x"}]}"#
    #expect(
      try world.importing(String(text)) == """
        workouts 1: 1 imported
        exercises 2: 1 imported, 1 quarantined
        exercise_sets 2: 1 imported, 1 quarantined
        \(Self.catalogueID("$.exercises[0][0]"))
        $.exercises[0][0].sets[0].warm_up_rest_seconds: the set is no warm-up
        $.exercises[0][0].sets[0].reps: reps should be a whole number, found "many"
        $.exercises[0][0].sets[1]: a set should be an object
        $.exercises[1]: a group of exercises should be a list
        """)
    #expect(try world.shelf().hasSuffix("    - Cluster lb"))
    #expect(
      try world.importing(Self.template([[Self.exercise("Row", [])]], date: "2025-04-08")) == """
        workouts 1: 1 quarantined
        exercises 1: 1 quarantined
        $: date should be a date, found "2025-04-08"
        $.exercises[0][0]: its workout is quarantined
        """)
  }

  @Test("the rest of a warm-up set is its rest, where it says no other; what is left out is told")
  func warmUpRest() throws {
    let world = try ImportWorld("workout_template.json")
    let sets = [
      #"{"type": "Warm-up", "rest_seconds": null, "warm_up_rest_seconds": 45}"#, #"{"type": "Warm-up", "warm_up_rest_seconds": 30}"#,
      #"{"type": "Warm-up", "rest_seconds": 60, "warm_up_rest_seconds": 30}"#, #"{"type": "Working", "warm_up_rest_seconds": 30}"#,
      #"{"type": "Warm-up", "warm_up_rest_seconds": "long"}"#, #"{"type": "Working", "rest_seconds": 90, "warm_up_rest_seconds": null}"#,
    ]
    #expect(
      try world.importing(Self.template([[Self.exercise("Row", sets)]])) == """
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 6: 6 imported
        \(Self.catalogueID("$.exercises[0][0]"))
        $.exercises[0][0].sets[2].warm_up_rest_seconds: the set has another rest, too
        $.exercises[0][0].sets[3].warm_up_rest_seconds: the set is no warm-up
        $.exercises[0][0].sets[4].warm_up_rest_seconds: warm_up_rest_seconds should be a whole number, found "long"
        """)
    #expect(
      try world.lines("SELECT type || ' ' || coalesce(suggested_rest_seconds, '-') FROM exercise_sets ORDER BY position") == [
        "warmUp 45", "warmUp 30", "warmUp 60", "working -", "warmUp -", "working 90",
      ])
  }

  @Test("a time that the clock left out in spring, and one that it showed twice in autumn, are times")
  func clockChanges() throws {
    let world = try berlin()
    for date in ["2025-03-30T02:30:00", "2025-10-26T02:30:00", "1500-03-01T00:00:00"] {
      #expect(try world.importing(Self.template([], title: date, date: date)) == "workouts 1: 1 imported")
    }
    // Half past three in summer, and the first half past two.
    #expect(
      try world.lines("SELECT datetime(started_at / 1000, 'unixepoch') FROM workouts WHERE name LIKE '2025%' ORDER BY name") == [
        "2025-03-30 01:30:00", "2025-10-26 00:30:00",
      ])
  }
}
