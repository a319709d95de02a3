import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Units and order in tables of workouts") struct TableUnitsTests {
  @Test(
    "a length is of the unit that its header names, also with a fraction; a clock and letters say it themselves",
    arguments: [
      ("Duration (minutes)", "25", 1500), ("Workout Duration (min)", "25.5", 1530), ("Duration (h)", "1,25", 4500),
      ("Dauer (Std.)", "1", 3600),
      ("Duration (ms)", "90500", 91), ("Duration (sec)", "90", 90), ("Duration", "90", 90), ("Duration (minutes)", "1h 9m", 4140),
      ("Duration (minutes)", "1:02:03", 3723), ("Duration (hh:mm:ss)", "0:45:00", 2700),
    ])
  func lengths(header: String, cell: String, seconds: Int) throws {
    let world = try TableWorld()
    let report = try world.report(
      "Date;Workout Name;\(header);Exercise Name;Set Order;Weight (kg);Reps\n2024-01-01 10:00:00;A;\(cell);Squat;1;100;5\n")
    #expect(report.isClean && report.verified)
    #expect(try world.workouts().map(\.durationSeconds) == [seconds])
  }

  @Test("a column of lengths in an unknown unit is refused by its name, and the rest comes in")
  func unknownUnit() throws {
    let world = try TableWorld()
    let report = try world.report(
      "Date,Workout Name,Duration (laps),Exercise Name,Set Order,Weight (kg),Reps\n2024-01-01 10:00:00,A,25,Squat,1,100,5\n")
    #expect(report.problems.map(\.field) == ["Duration (laps)"])
    #expect(report.problems.map(\.reason) == ["this column is not known, and its cells are not imported"])
    #expect(try world.workouts().map(\.durationSeconds) == [nil])
  }

  @Test("of two columns of weights the filled one counts, kilograms where both say the same; two that differ are told")
  func twoWeights() throws {
    let world = try TableWorld()
    let table = """
      Date,Exercise,Category,Weight (kg),Weight (lbs),Reps,Distance,Distance Unit,Time,Notes,Kind
      2021-05-20,Barbell Squat,Legs,,88.18,8,,,,,wr
      2021-05-20,Barbell Squat,Legs,40.00,88.18,8,,,,Paused,wr
      2021-05-20,Barbell Squat,Legs,60.00,,5,,,,,wr
      2021-05-20,Barbell Squat,Legs,60.00,88.18,5,,,,,wr

      """
    let report = try world.report(table)
    #expect(report.problems.map(\.reason) == ["its two weights differ: 60.00 kg, 88.18 lb"])
    let sets = try world.workouts().flatMap(\.exercises).flatMap(\.sets)
    #expect(sets.map(\.actual.weight) == [88.18, 40, 60])
    #expect(sets.map(\.weightUnit) == [.pounds, .kilograms, .kilograms])
    #expect(sets.map(\.note) == [nil, "Paused", nil])
  }

  @Test("rows from the last set to the first are one exercise, in the order of its numbers; the next one begins where they rise again")
  func reversed() throws {
    let world = try TableWorld()
    let rows = [
      ("Squat", "3", 100), ("Squat", "2", 100), ("Squat", "1", 90), ("Squat", "W", 40), ("Squat", "2", 70), ("Squat", "1", 60),
      ("Row", "1", 50), ("Row", "1", 55),
    ]
    let table = rows.map { "2024-01-02 10:00:00,A,1h,\($0.0),\($0.1),\($0.2),5\n" }.joined()
    _ = try world.report("Date,Workout Name,Duration,Exercise Name,Set Order,Weight (kg),Reps\n" + table)
    let exercises = try world.workouts().flatMap(\.exercises)
    #expect(exercises.map { $0.sets.map { $0.actual.weight ?? 0 } } == [[40, 90, 100, 100], [60, 70], [50], [55]])
    #expect(exercises.map(\.name) == ["Squat", "Squat", "Row", "Row"])
  }

  @Test("the time of a set is of the unit that its header names")
  func timeOfSet() throws {
    let world = try TableWorld()
    _ = try world.report(
      "Date,Exercise,Category,Weight (kg),Reps,Distance,Distance Unit,Time (min),Comment\n2024-01-01,Run,Cardio,,,5,km,2.5,\n")
    #expect(try world.workouts().flatMap(\.exercises).flatMap(\.sets).map(\.actual.durationSeconds) == [150])
  }

  @Test("the length of a workout is the time from its start to its end where the table has no other; an end before the start is left out")
  func lengthFromEnd() throws {
    let world = try TableWorld()
    func table(_ start: String, _ end: String) -> String {
      let header = "title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,set_type,weight_kg,reps\n"
      return "\(header)A,\"\(start)\",\"\(end)\",,Squat,,,0,normal,100,5\n"
    }
    #expect(try world.report(table("5 Feb 2025, 17:00", "5 Feb 2025, 18:10")).isClean)
    // The night in which the clock in Berlin is set forward.
    #expect(try world.report(table("30 Mar 2025, 01:30", "30 Mar 2025, 03:30")).isClean)
    let early = try world.report(table("3 Feb 2025, 23:30", "3 Feb 2025, 22:30"))
    #expect(early.problems.map(\.reason) == ["it is before the start"])
    let workouts = try world.workouts().sorted { $0.startedAt < $1.startedAt }
    #expect(workouts.map(\.durationSeconds) == [nil, 4200, 3600])
    #expect(workouts.map { $0.endedAt == nil } == [true, false, false])
  }
}
