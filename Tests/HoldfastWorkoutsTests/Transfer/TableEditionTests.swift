import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Several tables of one log") struct TableEditionTests {
  static func hevy(_ unit: String, _ weight: String, _ title: String = "A") -> String {
    "title,start_time,exercise_title,set_index,weight_\(unit),reps\n\(title),2023-01-02 18:30:00,Curl,0,\(weight),5\n"
  }

  @Test("tables with other headers behind each other are refused with the line, and those with the same are one, byte order mark or not")
  func otherHeader() throws {
    let world = try TableWorld(unit: nil)
    let first = Self.hevy("kg", "60")
    for second in [Self.hevy("lbs", "135", "B"), "\u{FEFF}" + Self.hevy("lbs", "135", "B"), StrongTests.classic] {
      let error = try world.failure(Data((first + second).utf8))
      #expect(error.code == .invalidSource && error.offset == first.utf8.count)
      #expect(error.message.hasSuffix("is several tables: line 3 is a header, and another than the first"))
      #expect(error.suggestion == "Import the files one by one. Nothing was changed.")
    }
    #expect(try world.report(first + "\u{FEFF}" + Self.hevy("kg", "62", "B")).isClean)
    #expect(try world.workouts().count == 2)
  }

  @Test("what a row says against a workout that appears earlier in the table is told, also where nothing was said there")
  func contradiction() throws {
    let header = "title,start_time,end_time,description,exercise_title,set_index,reps\n"
    func row(_ title: String, _ end: String, _ note: String) -> String { "\(title),2023-01-02 18:30,\(end),\(note),Curl,0,5\n" }
    for (end, note) in [("2023-01-02 19:30", "one"), ("", "")] {
      for between in [header, row("B", "", "")] {
        let world = try TableWorld(unit: nil)
        let report = try world.report(header + row("A", end, note) + between + row("A", "2023-01-02 19:40", "two"))
        #expect(
          report.problems.filter { $0.kind == "workouts" }.map { "\($0.path).\($0.field ?? ""): \($0.reason)" } == [
            "line 4.note: an earlier row has another value; this one was not imported: two",
            "line 4.end: an earlier row has another value; this one was not imported: 2023-01-02 19:40:00",
          ])
        #expect(try world.workouts().contains { $0.name == "A" && $0.note ?? "" == note })
      }
    }
  }

  private static let strong = """
    Date,Workout Name,Exercise Name,Set Order,Weight,Reps
    2023-01-02 18:30:25,A,Curl,1,60,5
    """

  @Test("one log from two programs is there once, whichever comes first", arguments: [true, false])
  func twoPrograms(hevyFirst: Bool) throws {
    let world = try TableWorld()
    let tables = hevyFirst ? [Self.hevy("kg", "60"), Self.strong] : [Self.strong, Self.hevy("kg", "60")]
    _ = try world.report(tables[0])
    #expect(
      try world.report(tables[1]).picture == """
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        exercise_sets 1: 1 skipped
        skipped 3: this log has its workout from another source
        """)
    #expect(try world.workouts().count == 1)
  }

  @Test("two workouts of one title in one minute of one table are two, also at the second import")
  func oneMinute() throws {
    let world = try TableWorld(unit: nil)
    let text = """
      title,start_time,exercise_title,set_index,weight_kg,reps
      A,2023-01-02T18:30:10Z,Curl,0,60,5
      A,2023-01-02T18:30:40Z,Curl,0,62,5
      """
    #expect(try world.report(text).counts["workouts"]?.imported == 2)
    #expect(try world.report(text).skipped == ["in the store already": 6])
  }

  @Test("a distance whose unit no column names is noted, in every format")
  func distances() throws {
    for (text, line) in [
      ("Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit\n2023-01-02,Run,Cardio,,,,5,\n", "kilometres"),
      ("title,start_time,exercise_title,set_index,weight_lbs,distance\nA,2023-01-02 18:30:00,Run,0,,5\n", "miles"),
      ("Date;Exercise Name;Set Order;Weight;Weight Unit;Reps;Distance;Distance Unit\n2023-01-02 18:30:00;Run;1;;kg;;5;\n", "kilometres"),
    ] {
      let report = try TableWorld(unit: nil).report(text)
      #expect(report.isClean && report.notes == ["the file does not name the unit of distances; assumed: \(line) (first: line 2)": 1])
    }
  }
}
