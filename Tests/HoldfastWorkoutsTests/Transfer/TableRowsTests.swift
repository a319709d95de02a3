import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Rows of tables that say little, or say it twice") struct TableRowsTests {
  static let header = "Date,Workout Name,Exercise Name,Set Order,Weight,Reps\n"

  static func row(_ order: String, _ weight: String, _ reps: String, _ exercise: String = "Curl", workout: String = "A") -> String {
    "2023-01-02 18:30:00,\(workout),\(exercise),\(order),\(weight),\(reps)\n"
  }

  @Test("a set that was deleted in the program since the first import stays, and is told; so is a workout that was renamed there")
  func earlierEdition() throws {
    let world = try TableWorld()
    _ = try world.report(Self.header + Self.row("1", "60", "8") + Self.row("2", "62.5", "6") + Self.row("3", "60", "5"))
    let report = try world.report(Self.header + Self.row("1", "62.5", "6") + Self.row("2", "60", "5"))
    #expect(
      report.picture == """
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        exercise_sets 2: 2 merged
        earlier_sets 1: 1 skipped
        skipped 1: an earlier edition had this set, and this one has not; it stays in the log
        skipped 2: in the store already
        """)
    #expect(try world.workouts().first?.exercises.first?.sets.map(\.actual.reps) == [6, 5, 5])
    let renamed = try world.report(Self.header + Self.row("1", "62.5", "6", workout: "B"))
    #expect(renamed.counts["workouts"]?.imported == 1)
    #expect(renamed.skipped == ["an earlier import had another workout of the same start; it stays in the log": 1])
  }

  @Test("equal sets of a FitNotes table that is not in the order of days are as many sets as it has rows")
  func turns() throws {
    let world = try TableWorld(unit: nil)
    let text = """
      Date,Exercise,Category,Weight,Weight Unit,Reps
      2022-06-01,Bench,Chest,60,kgs,5
      2022-06-02,Bench,Chest,60,kgs,5
      2022-06-01,Bench,Chest,60,kgs,5
      2022-06-01,Row,Back,60,kgs,5
      2022-06-02,Bench,Chest,60,kgs,5
      2022-06-01,Bench,Chest,60,kgs,5
      """
    let report = try world.report(text)
    #expect(report.isClean && report.counts["exercise_sets"]?.imported == 6 && report.skipped == [:])
    #expect(try world.workouts().map { $0.exercises.map(\.sets.count) } == [[2], [3, 1]])
    #expect(try world.report(text).skipped == ["in the store already": 11])
  }

  @Test("a set of a workout that stood earlier in the table is told with its line where it is taken for the one there")
  func again() throws {
    let world = try TableWorld()
    let text = Self.header + Self.row("1", "60", "5") + Self.row("1", "60", "5", workout: "B") + Self.row("1", "60", "5")
    #expect(
      try world.report(text).picture == """
        workouts 2: 2 imported
        exercises 3: 2 imported, 1 skipped
        exercise_sets 3: 2 imported, 1 skipped
        skipped 2: a repetition in the source
        \(TableWorld.guessed(2))
        line 4.place: its workout appears earlier in the table with the same set; the two sets count as one
        """)
  }

  @Test("one workout in two exports behind each other is there once")
  func oneWorkoutTwice() throws {
    let world = try TableWorld()
    let table = Self.header + Self.row("1", "60", "8") + Self.row("2", "60", "8")
    let report = try world.report(table + table)
    #expect(report.isClean && report.skipped == ["a repetition in the source": 3])
    #expect(try world.workouts().map { $0.exercises.map(\.sets.count) } == [[2]])
  }

  @Test("what a later row of a workout says against the first is told")
  func contradiction() throws {
    let text = """
      title,start_time,end_time,description,exercise_title,superset_id,set_index,reps
      A,2023-01-02 18:30,2023-01-02 19:30,one,Curl,0,0,5
      A,2023-01-02 18:30,2023-01-02 19:40,two,Curl,1,1,5
      A,2023-01-02 18:30,2023-01-02 19:40,two,Curl,1,2,5
      """
    #expect(
      try TableWorld(unit: nil).report(text).problems.map { "\($0.path).\($0.field ?? ""): \($0.reason)" } == [
        "line 3.note: an earlier row has another value; this one was not imported: two",
        "line 3.end: an earlier row has another value; this one was not imported: 2023-01-02 19:40:00",
        "line 3.superset: an earlier row has another value; this one was not imported: 2",
      ])
  }

  @Test("empty cells at the end of a row may be missing, but not in a last row that is cut off")
  func shortRows() throws {
    let world = try TableWorld()
    let header = "Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Notes,RPE\n"
    #expect(try world.report(header + Self.row("1", "60", "8") + Self.row("2", "60", "8")).isClean)
    let cut = try world.report(header + Self.row("1", "60", "8") + Self.row("2", "60", "18").dropLast(2))
    #expect(cut.problems.map(\.reason) == ["it has 6 cells, and the header has 8"])
  }

  @Test("a weight without a unit beside others that have one is kept out alone")
  func blankUnit() throws {
    let text = """
      Date;Exercise Name;Set Order;Weight;Weight Unit;Reps
      2023-01-02 18:30:00;Curl;1;60;kg;5
      2023-01-02 18:30:00;Curl;2;60;;5
      """
    let report = try TableWorld(unit: nil).report(text)
    #expect(report.counts["exercise_sets"]?.imported == 1)
    #expect(report.problems.map { "\($0.path): \($0.reason)" } == ["line 3: it has a weight without a unit"])
  }

  @Test("StrongLifts: an exercise without a set is there; a table without notes leaves them; an end without a start is told")
  func strongLifts() throws {
    let world = try TableWorld(unit: nil)
    let table = "Date (yyyy/mm/dd),Workout Name,Exercise,Notes,Start Time (h:mm),End Time (h:mm),Set 1 (Reps),Set 1 (KG)\n"
    _ = try world.report(table + "2023/03/05,A,Squat,short,7:00 AM,8:00 AM,5,60\n2023/03/05,A,Row,short,7:00 AM,8:00 AM,,\n")
    #expect(try world.workouts().first?.exercises.map(\.name) == ["Squat", "Row"])
    let fewer = "Date (yyyy/mm/dd),Workout Name,Exercise,Start Time (h:mm),Set 1 (Reps),Set 1 (KG)\n2023/03/05,A,Squat,7:00 AM,6,60\n"
    _ = try world.report(fewer)
    #expect(try world.workouts().first?.note == "short" && world.workouts().first?.endedAt != nil)
    let other = try TableWorld(unit: nil)
    let report = try other.report(table + "2023/03/05,A,Squat,,,8:00 AM,5,60\n")
    #expect(report.problems.map(\.reason) == ["the row has no start time: 8:00 AM"])
    #expect(try other.workouts().first?.endedAt == nil)
  }

  @Test(
    "a day before its month between points, and one that is equal to it",
    arguments: [("05.06.2026, 07:30", "2026-06-05T05:30:00Z"), ("05/05/2026, 07:30", "2026-05-05T05:30:00Z")])
  func days(date: String, moment: String) throws {
    let world = try TableWorld(unit: nil)
    #expect(try world.report("title,start_time,exercise_title,reps\nA,\"\(date)\",Curl,5\n").isClean)
    #expect(try world.shelf().hasPrefix("A \(moment)"))
  }

  @Test("version 6 without quotes and with RPE last; a note in front of the first set; a note that is empty")
  func version6Plain() throws {
    let text = """
      Workout #;Date;Workout Name;Duration (sec);Exercise Name;Set Order;Weight (kg);Reps;Distance (meters);Seconds;Notes;Workout Notes;RPE
      1;2025-03-30 09:00:00;Upper;3600;Curl;Note;;;;;slow;;
      1;2025-03-30 09:00:00;Upper;3600;Curl;1;8,5;12;;;;;7,5
      1;2025-03-30 09:00:00;Upper;3600;Curl;Note;;;;;;;
      1;2025-03-30 09:00:00;Upper;3600;Row;1;20;12;;;;;
      """
    #expect(
      try TableWorld(unit: nil).importing(text) == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 2, sets: 2, guessed: 2))
        Upper 2025-03-30T07:00:00Z, 3600 s
          Curl for arms (slow): 8.5kg ×12 @7.5
          Row for back: 20.0kg ×12
        """)
  }
}
