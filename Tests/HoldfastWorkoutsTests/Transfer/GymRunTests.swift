import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("The table of GymRun") struct GymRunTests {
  private static let header =
    "Date;Time;Routine;Exercise;Set;Weight;Reps;Duration;Distance;Para6;Para7;Para8;Para9;Para10;Note;Type;Book;Version1\n"

  @Test("the rows of a routine less than three hours after one another are one workout, and numbers without a meaning are told")
  func whole() throws {
    let world = try TableWorld()
    let table =
      Self.header + """
        29.04.2025;12:00:00;Push;Bench Press;1;100;10;;;;;;;;;1;1;1
        29.04.2025;12:05:00;Push;Plank;1;;;0:45;;;;;;;slow;1;1;1
        29.04.2025;12:10:00;Push;Bench Press;2;102,5;8;;;;;;;;;1;1;1
        29.04.2025;20:00:00;;Running;1;;;30;5;7;;;;;;1;1;1

        """
    let report = try world.report(table)
    #expect(report.format == "gymrun-csv" && report.counts["exercise_sets"]?.imported == 4 && report.counts["workouts"]?.imported == 2)
    #expect(report.problems.compactMap(\.field) == ["Duration", "Para6"])
    let workouts = try world.workouts().sorted { $0.startedAt < $1.startedAt }
    #expect(workouts.map(\.name) == ["Push", ""])
    #expect(workouts.map { DateCodec.milliseconds($0.startedAt) } == [1_745_920_800_000, 1_745_949_600_000])
    let first = try #require(workouts.first?.exercises)
    try #require(first.map(\.name) == ["Bench Press", "Plank"])
    #expect(first[0].sets.map(\.actual.weight) == [100, 102.5] && first[0].sets.map(\.weightUnit) == [.kilograms, .kilograms])
    #expect(first[1].sets.map(\.actual.durationSeconds) == [45] && first[1].sets.map(\.note) == ["slow"])
    let run = try #require(workouts.last?.exercises.first?.sets.first)
    #expect(run.actual.distance == 5 && run.distanceUnit == .kilometers && run.actual.durationSeconds == nil)
    #expect(try world.addsNothing(table))
  }

  @Test(
    "the unit is asked for, a row that cannot be read or is cut off is kept aside alone, and a table without a column is refused by name")
  func damaged() throws {
    let world = try TableWorld(unit: nil)
    let row = "29.04.2025;12:00:00;Push;Row;1;60;10;;;;;;;;;1;1;1\n"
    #expect(try world.failure(Data((Self.header + row).utf8)).message.contains("kilograms or pounds"))
    let kilograms = try TableWorld()
    let text = [
      Self.header, row.replacing("29.04.2025", with: "29.04.25"), row.replacing("60", with: "much"), row,
      "29.04.2025;12:05:00;Push;Row;2;60;10",
    ]
    let report = try kilograms.report(text.joined())
    #expect(
      report.problems.map(\.reason) == [
        "its time cannot be read: 29.04.25 12:00:00", "its weight is no number: much", "it has 7 cells, and the header has 18",
      ])
    #expect(report.counts["exercise_sets"]?.imported == 1)
    let renamed = Self.header.replacing("Reps;", with: "Repeats;") + row
    let error = try world.failure(Data(renamed.utf8))
    #expect(error.message.hasSuffix("the nearest is gymrun-csv, missing: Reps"), "\(error.message)")
  }
}
