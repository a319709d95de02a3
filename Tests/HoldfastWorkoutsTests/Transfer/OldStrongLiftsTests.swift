import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("StrongLifts' tables until 2018: a row a workout") struct OldStrongLiftsTests {
  private static func exercise(_ name: String, sets: Int = 5) -> String {
    "\"\(name)\",\"Weight (KG)\",\"Weight (LB)\"," + (1...sets).map { "\"Set \($0)\"" }.joined(separator: ",")
  }

  /// As of 2015: both units, rounded to plates; a fourth exercise with another name and fewer sets; -1 for a set that was not done.
  private static let pounds = """
    "Date","Note","Workout","Body Weight",\(exercise("Exercise 1")),\(exercise("Exercise 2")),\(exercise("Arm work", sets: 3))
    02/03/15,"",A,205lb,Squat,20,45,5,5,5,5,5,Bench press,30,65,5,5,4,3,0,,,,,,
    16/03/15,"injured right shoulder",B,205lb,Squat,45,102,5,5,5,,,Overhead press,52.5,115,,,,,,Chinups,0,0,5,3,-1
    """

  @Test("each exercise has its columns, and of two weights the exact one is in the unit of the body's weight")
  func bothUnits() throws {
    let world = try TableWorld(unit: nil)
    #expect(
      try world.importing(Self.pounds) == """
        \(TableWorld.imported("stronglifts-csv", workouts: 2, exercises: 5, sets: 16))
        body_weights 2: 2 skipped
        planned_weights 1: 1 skipped
        skipped 1: no set was done with this weight
        skipped 2: the log has no weights of a body
        \(TableWorld.guessed(5))
        A 2015-03-02T11:00:00Z
          Squat for legs: 45.0lb ×5, 45.0lb ×5, 45.0lb ×5, 45.0lb ×5, 45.0lb ×5
          Bench press for chest: 65.0lb ×5, 65.0lb ×5, 65.0lb ×4, 65.0lb ×3, 65.0lb ×0
        B 2015-03-16T11:00:00Z (injured right shoulder)
          Squat for legs: 102.0lb ×5, 102.0lb ×5, 102.0lb ×5
          Overhead press for shoulders: \("")
          Chinups for back: 0.0lb ×5, 0.0lb ×3, 0.0lb ×0 open
        """)
    #expect(try world.addsNothing(Self.pounds))
  }

  @Test("where only one unit has a weight, that is its unit; months come first where a second number is above 12")
  func kilograms() throws {
    // As of 2018, with an empty name at the header's end.
    let table = """
      Date,Note,Body Weight (KG),Body Weight (LB),Exercise 1,Weight (KG),Weight (LB),Set 1,Set 2,Set 3,Exercise 2,Weight (KG),Weight (LB),Set 1,
      06/04/18,,80,,Squat,40,,5,5,5,Deadlift,42.5,,5,
      06/28/18,,80.7,,Squat,60,,5,5,5,,,,,
      """
    let world = try TableWorld(unit: nil)
    #expect(try world.report(table).isClean)
    #expect(
      try world.shelf() == """
        ? 2018-06-04T10:00:00Z
          Squat for legs: 40.0kg ×5, 40.0kg ×5, 40.0kg ×5
          Deadlift for back: 42.5kg ×5
        ? 2018-06-28T10:00:00Z
          Squat for legs: 60.0kg ×5, 60.0kg ×5, 60.0kg ×5
        """)
  }

  @Test("two weights and nothing that says whose is exact: the import asks for the unit")
  func unitAsked() throws {
    let table = Self.pounds.replacingOccurrences(of: "205lb", with: "")
    var world = try TableWorld(unit: nil)
    let error = try world.failure(Data(table.utf8))
    #expect(WorkoutLog.asksForUnit(error) && error.row == "2")
    let message =
      "the file gives its weights in kilograms and in pounds, and does not say which of the two were rounded; the first is in line 2"
    #expect(error.message == message)
    world.hints.weightUnit = "kg"
    _ = try world.report(table)
    #expect(try world.workouts().last?.exercises.first?.sets.first?.actual.weight == 20)
  }

  @Test("exercises behind the header's last one have the same columns; a row whose other cells are no exercise is kept")
  func longRows() throws {
    // As of 2017: the header has no column for the exercises that a person added.
    let table = """
      "Date","Note","Workout","Body Weight",\(Self.exercise("Exercise 1"))
      19/05/17,"",A,64kg,Squat,70,155,5,5,5,5,5,Dips,10,20,5,5,5,,,Planks,0,0,55,55,,,,
      20/05/17,"",A,64kg,Squat,72,160,5,5,5,5,5,3,10,20,5,5,5,,
      """
    let world = try TableWorld(unit: nil)
    let report = try world.report(table)
    #expect(report.problems.map { "\($0.path): \($0.reason)" } == ["line 3: it has 20 cells, and the header has 12"])
    #expect(
      try world.shelf() == """
        A 2017-05-19T10:00:00Z
          Squat for legs: 70.0kg ×5, 70.0kg ×5, 70.0kg ×5, 70.0kg ×5, 70.0kg ×5
          Dips for chest: 10.0kg ×5, 10.0kg ×5, 10.0kg ×5
          Planks for core: 0.0kg ×55, 0.0kg ×55
        """)
  }

  @Test("dates that could be read in two ways are kept, and sets without an exercise too")
  func refusedRows() throws {
    let table = """
      Date,Workout,\(Self.exercise("Exercise 1a", sets: 1))
      02/05/17,A,Squat,50,,5
      3/5/2017,A,Squat,50,,5
      """
    #expect(
      try TableWorld(unit: nil).report(table).problems.map { "\($0.path): \($0.reason)" } == [
        "line 2: its date cannot be read, because no date of the table shows the order of day and month: 02/05/17",
        "line 3: its date cannot be read, because no date of the table shows the order of day and month: 3/5/2017",
      ])
    let unnamed = table.replacingOccurrences(of: "02/05/17,A,Squat", with: "22/05/17,A,")
    let report = try TableWorld(unit: nil).report(unnamed)
    #expect(report.problems.map { "\($0.path): \($0.reason)" } == ["line 2: it has sets of an exercise without a name"])
    #expect(report.counts["exercise_sets"]?.imported == 1)
  }
}
