import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("What tables of workouts leave open") struct TableQuestionTests {
  private static let numbered = """
    Workout #;Date;Workout Name;Duration (sec);Exercise Name;Set Order;Weight (kg);Reps
    7;2025-03-30 09:00:00;Upper;600;Curl;1;8.5;12
    7;2025-03-30 09:00:00;Upper;600;Row;1;40;10
    8;2025-03-30 09:00:00;Upper;900;Curl;1;9.5;11
    8;2025-03-30 09:00:00;Upper;900;Curl;2;9.5;9

    """

  @Test("two workouts of one start and name are two where the program numbers them, and the same two at every import")
  func numbers() throws {
    let world = try TableWorld(unit: nil)
    let shelf = """
      Upper 2025-03-30T07:00:00Z, 900 s
        Curl for arms: 9.5kg ×11, 9.5kg ×9
      Upper 2025-03-30T07:00:00Z, 600 s
        Curl for arms: 8.5kg ×12
        Row for back: 40.0kg ×10
      """
    let found = try world.importing(Self.numbered)
    #expect(found.hasPrefix(TableWorld.imported("strong-csv", workouts: 2, exercises: 3, sets: 4)), "\(found)")
    let lines = Set(shelf.split(separator: "\n"))
    #expect(Set(try world.shelf().split(separator: "\n")) == lines)
    // A later edition has other numbers, and one more.
    let later = Self.numbered.replacingOccurrences(of: "\n8;", with: "\n12;") + "13;2025-03-31 09:00:00;Upper;900;Curl;1;9.5;11\n"
    #expect(
      try world.report(later).picture == """
        workouts 3: 1 imported, 2 skipped
        exercises 4: 1 imported, 3 skipped
        exercise_sets 5: 1 imported, 4 skipped
        skipped 9: in the store already
        \(TableWorld.guessed(1))
        """)
  }

  @Test("one more in the same minute comes in beside two of one start, and where one was deleted in the program the report says what stays")
  func moreAndFewer() throws {
    let world = try TableWorld(unit: nil)
    _ = try world.report(Self.numbered)
    let third = "9;2025-03-30 09:00:30;Upper;900;Curl;1;9.5;11\n"
    #expect(try world.report(Self.numbered + third).counts["workouts"]?.imported == 1)
    let fewer = Self.numbered.split(separator: "\n").filter { !$0.hasPrefix("7;") }.joined(separator: "\n")
    let report = try world.report(fewer)
    #expect(report.skipped["an earlier import had another workout of the same start; it stays in the log"] == 1)
    #expect(try world.workouts().count == 3)
  }

  @Test("two of one start are not both taken for the one that came from elsewhere")
  func oneElsewhere() throws {
    let world = try TableWorld(unit: nil)
    _ = try world.report(Self.numbered)
    let start = try #require(try world.workouts().first?.startedAt)
    let other = try TableWorld(unit: nil)
    let log = try WorkoutLog.open(at: other.store)
    try log.store.write { try WorkoutLog.save(Workout(id: NewID.derived(from: "other"), name: "Upper", startedAt: start), in: $0) }
    let report = try other.report(Self.numbered)
    #expect(report.counts["workouts"].map { [$0.imported, $0.skipped] } == [1, 1])
  }

  @Test(
    "the signs of every table's numbers are evidence",
    arguments: [
      "Workout Name;Date;Exercise Name;Set Order;Weight;Weight Unit;Reps;RPE\nA;2025-03-30 09:00:00;Press;1;1.500;kg;5;\nA;2025-03-30 09:00:00;Press;2;8,5;kg;5;\n",
      "title;start_time;exercise_title;set_index;set_type;weight_kg;reps;rpe\nA;30 Mar 2025, 09:00;Press;0;normal;1.500;5;\nA;30 Mar 2025, 09:00;Press;1;normal;8,5;5;\n",
      "Date;Exercise;Category;Weight (kg);Reps;Distance;Distance Unit;Time\n2025-03-30;Press;Chest;1.500;5;;;\n2025-03-30;Press;Chest;8,5;5;;;\n",
      "Date (yyyy/mm/dd);Workout Name;Exercise;Set 1 (Reps);Set 1 (KG);Set 2 (Reps);Set 2 (KG)\n2025/03/30;A;Press;5;1.500;5;8,5\n",
    ])
  func everyTable(text: String) throws {
    let world = try TableWorld(unit: nil)
    _ = try world.report(text)
    #expect(try world.workouts().first?.exercises.first?.sets.first?.actual.weight == 1500)
  }

  @Test("a table with numbers and an older one without find the same workouts")
  func withoutNumbers() throws {
    let world = try TableWorld(unit: nil)
    let text = Self.numbered.split(separator: "\n").prefix(3).joined(separator: "\n")
    let older = text.split(separator: "\n").map { $0.drop { $0 != ";" }.dropFirst() }.joined(separator: "\n")
    _ = try world.report(older)
    #expect(
      try world.report(text).picture == """
        workouts 1: 1 skipped
        exercises 2: 2 skipped
        exercise_sets 2: 2 skipped
        skipped 5: in the store already
        """)
  }

  private static func signs(_ weights: String..., reps: String = "5") -> String {
    "Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps\n"
      + weights.enumerated().map { "2025-03-30 09:00:00;A;Press;\($0.offset + 1);\($0.element);kg;\(reps)\n" }.joined()
  }

  @Test(
    "a point before three digits groups thousands where other numbers have a decimal comma, and is the decimal's everywhere else",
    arguments: [
      (signs("1.500"), "1.5kg ×5"), (signs("1.500", "8.5"), "1.5kg ×5, 8.5kg ×5"), (signs("1.500", "8,5"), "1500.0kg ×5, 8.5kg ×5"),
      (signs("1,500"), "1.5kg ×5"), (signs("1,500", "8.5"), "1500.0kg ×5, 8.5kg ×5"), (signs("0.500", "8,5"), "0.5kg ×5, 8.5kg ×5"),
    ])
  func thousands(text: String, sets: String) throws {
    let told = sets.hasPrefix("1500") ? "noted 1: \(CSVEvidence.groups) (first: line 2)\n" : ""
    #expect(
      try TableWorld(unit: nil).importing(text) == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 1, sets: sets.split(separator: ",").count))
        \(told)A 2025-03-30T07:00:00Z
          Press: \(sets)
        """)
  }

  @Test("of a row that leaves two things open both are noted")
  func twoGuesses() throws {
    let report = try TableWorld(unit: nil).report(
      """
      Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;Distance
      2025-03-30 09:00:00;A;Press;1;62,5;kg;5;
      2025-03-30 09:00:00;A;Carry;1;1.500;kg;5;3
      """)
    #expect(
      report.notes == [
        "\(CSVEvidence.groups) (first: line 3)": 1, "the file does not name the unit of distances; assumed: kilometres (first: line 3)": 1,
      ])
    #expect(report.isClean)
  }

  @Test("where a file has decimals with both signs, a number that might be two is kept with the reason")
  func bothSigns() throws {
    #expect(
      try TableWorld(unit: nil).importing(Self.signs("8.5", "1.500", "8,5")) == """
        strong-csv
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 3: 2 imported, 1 quarantined
        line 3: its weight may have thousands or decimals, and the file does not say which: 1.500
        A 2025-03-30T07:00:00Z
          Press: 8.5kg ×5, 8.5kg ×5
        """)
  }

  @Test("the numbers of one quantity say what its signs are for, whatever those of others say")
  func quantities() throws {
    let found = try TableWorld(unit: nil).importing(
      """
      Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;Distance;Distance Unit
      2025-03-30 09:00:00;A;Press;1;62,5;kg;5;;
      2025-03-30 09:00:00;A;Press;2;1.500;kg;5;;
      2025-03-30 09:00:00;A;Run;1;;;;5.25;km
      2025-03-30 09:00:00;A;Run;2;;;;1.500;km
      """)
    #expect(
      found == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 2, sets: 4))
        noted 1: \(CSVEvidence.groups) (first: line 3)
        A 2025-03-30T07:00:00Z
          Press: 62.5kg ×5, 1500.0kg ×5
          Run: 5.25km, 1.5km
        """)
  }

  @Test(
    "a number that its own quantity does not explain is never multiplied by a thousand because of others, and what is no number says nothing",
    arguments: [
      ("62,5;5;;", "20;5;5.125;km", false), ("20;5;1.250;km", ",;5;;", true), ("62.125;5;;", ",;5;;", true),
      ("62.125;5;;", "20;8,10;;", true),
    ])
  func others(first: String, second: String, isDecimal: Bool) throws {
    let world = try TableWorld(unit: "kg")
    let header = "Date;Workout Name;Exercise Name;Set Order;Weight;Reps;Distance;Distance Unit\n"
    _ = try world.report(header + "2025-03-30 09:00:00;A;Press;1;\(first)\n2025-03-30 09:00:00;A;Press;2;\(second)\n")
    let sets = try world.workouts().flatMap(\.exercises).flatMap(\.sets)
    let numbers = sets.flatMap { [$0.actual.weight, $0.actual.distance].compactMap { $0 } }
    #expect(numbers.allSatisfy { $0 < 100 }, "\(numbers)")
    #expect(sets.count == 1 && (numbers.contains(62.125) || numbers.contains(1.25) || !isDecimal), "\(numbers)")
  }

  private static func hours(_ hours: String, _ others: (hours: String, weight: String)...) -> String {
    let rows = [(hours, "60")] + others
    return "Date (yyyy/mm/dd);Workout Name;Exercise;Duration (hours);Set 1 (Reps);Set 1 (KG)\n"
      + rows.enumerated().map { "2025/03/\($0.offset + 10);A;Squat;\($0.element.0);5;\($0.element.1)\n" }.joined()
  }

  @Test(
    "a point before three digits in hours is the decimal's, unless other hours have a comma for that; where only other numbers have, nobody knows",
    arguments: [
      (hours("1.800"), 6_480, ""), (hours("1.800", ("0.75", "62,5")), 6_480, ""),
      (hours("1.800", ("", "62,5")), nil, "line 2.duration: it \(CSVEvidence.doubt): 1.800"),
      (hours("1.800", ("0,75", "62.5")), 6_480_000, "\(CSVEvidence.groups) (first: line 2)"),
      (hours("1.800", ("0,75", "60"), ("0.75", "60")), nil, "line 2.duration: it \(CSVEvidence.doubt): 1.800"),
    ] as [(String, Int?, String)])
  func hoursOpen(text: String, seconds: Int?, told: String) throws {
    let world = try TableWorld(unit: nil)
    let report = try world.report(text)
    let problems = report.problems.map { "\($0.path).\($0.field ?? ""): \($0.reason)" }
    let remarks = (report.notes ?? [:]).keys.filter { $0.hasPrefix(CSVEvidence.groups) }
    #expect(problems + remarks == (told.isEmpty ? [] : [told]))
    #expect(try world.workouts().last?.durationSeconds == seconds)
  }

  @Test(
    "what weights have for decimals multiplies no duration by a thousand: it is left out, and told",
    arguments: [("8,5", "it \(CSVEvidence.doubt): 1.800"), ("8.5", "it is no duration: 1.800")])
  func seconds(weight: String, reason: String) throws {
    let world = try TableWorld(unit: nil)
    let report = try world.report(
      "Date;Workout Name;Duration (sec);Exercise Name;Set Order;Weight (kg);Reps\n2025-03-30 09:00:00;A;1.800;Press;1;\(weight);5\n")
    #expect(report.problems.map(\.reason) == [reason])
    #expect(try world.workouts().first?.durationSeconds == nil)
  }

  @Test("StrongLifts' dates are read as its header says, and one that does not fit is told so")
  func datePattern() throws {
    let text = """
      Date (dd/mm/yyyy),Workout Name,Exercise,Set 1 (Reps),Set 1 (KG)
      05/06/2023,A,Squat,5,60
      2023/06/07,B,Squat,5,60
      31/02/2023,C,Squat,5,60
      """
    #expect(
      try TableWorld(unit: nil).importing(text) == """
        stronglifts-csv
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 3: 1 imported, 2 quarantined
        \(TableWorld.guessed(1))
        line 3: its date is not valid as dd/mm/yyyy: 2023/06/07
        line 4: its date is not valid as dd/mm/yyyy: 31/02/2023
        A 2023-06-05T10:00:00Z
          Squat for legs: 60.0kg ×5
        """)
  }

  @Test(
    "a pause is no set in the languages in which it was seen, and a word that nobody knows is kept",
    arguments: [
      ("Date,Nom de l'entraînement,Nom de l'exercice,Ordre de la série,Poids,Réps,Distance,Secondes", "Minuteur de repos"),
      ("Datum,Workout-Name,Name der Übung,Reihenfolge festlegen,Gewicht,Wiederh.,Entfernung,Sekunden", "Ruhezeit"),
    ])
  func pauses(header: String, pause: String) throws {
    let row = "2024-02-01 12:00:00,A,Curl"
    let found = try TableWorld().importing(
      "\(header)\n\(row),1,20,8,0,0\n\(row),\(pause),0,0,0,90\n\(row),2,20,7,0,0\n\(row),Descanso,0,0,0,90\n")
    #expect(
      found == """
        strong-csv
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 3: 2 imported, 1 quarantined
        rest_timers 1: 1 skipped
        skipped 1: a pause is no set
        \(TableWorld.guessed(1))
        line 5: its place among the sets is not known: Descanso
        A 2024-02-01T11:00:00Z
          Curl for arms: 20.0kg ×8, 20.0kg ×7
        """)
  }

  @Test("a table whose first line is lost or has another name for a column is refused as a table, with what is missing")
  func brokenHeader() throws {
    let world = try TableWorld()
    let lost = try world.refusal(StrongTests.classic.split(separator: "\n").dropFirst().joined(separator: "\n"))
    #expect(
      lost.message.contains("its first line is not the header of a known one: 2023-01-02 18:30:00, Push"), "\(lost)")
    let renamed = try world.refusal(StrongTests.classic.replacingOccurrences(of: "Set Order", with: "Order"))
    #expect(renamed.message.hasSuffix("; the nearest is strong-csv, missing: Set Order"), "\(renamed)")
    #expect(renamed.code == .invalidSource && renamed.offset == 0)
    let json = try world.refusal("not a table at all")
    #expect(json.message.contains("JSON"), "\(json)")
  }
}

extension TableWorld {
  /// The error of the whole library's import.
  fileprivate func refusal(_ text: String) throws -> StoreError {
    try Data(text.utf8).write(to: source)
    let error = #expect(throws: StoreError.self) {
      _ = try WorkoutLog.importLibrary(from: source, into: store, hints: hints, storeOptions: .testing)
    }
    return try #require(error)
  }
}
