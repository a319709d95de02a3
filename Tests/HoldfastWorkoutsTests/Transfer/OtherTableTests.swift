import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("Tables of Hevy, FitNotes and StrongLifts") struct OtherTableTests {
  static let hevyHeader = """
    "title","start_time","end_time","description","exercise_title","superset_id","exercise_notes","set_index","set_type","weight_kg","reps",\
    "distance_km","duration_seconds","rpe"
    """

  static let hevy = """
    \(hevyHeader)
    "Pull 🏋️","9 Apr 2026, 17:18","9 Apr 2026, 18:02","","Row",0,"squeeze",0,"warmup",40,12,,,
    "Pull 🏋️","9 Apr 2026, 17:18","9 Apr 2026, 18:02","","Row",0,"squeeze",1,"normal",60.5,8,,,8.5
    "Pull 🏋️","9 Apr 2026, 17:18","9 Apr 2026, 18:02","","Curl",0,"",0,"dropset",12,10,,,
    "Pull 🏋️","9 Apr 2026, 17:18","9 Apr 2026, 18:02","","Curl",0,"",1,"failure",10,9,,,
    "Pull 🏋️","9 Apr 2026, 17:18","9 Apr 2026, 18:02","","Curl",1,"",0,"normal",10,9,,,
    "Pull 🏋️","9 Apr 2026, 17:18","9 Apr 2026, 18:02","","Chin Up",1,"",0,"myo",,9,,,
    "Run","1 Apr 2026, 07:00","1 Apr 2026, 07:30","line 1
    line 2","Running",,"",0,"normal",,,5.25,1800,
    """

  @Test("Hevy: newest first, group 0 is a group, set_index begins again with an exercise, notes over two lines, a title with an emoji")
  func hevyTable() throws {
    let world = try TableWorld(unit: nil)
    #expect(
      try world.importing(Self.hevy) == """
        \(TableWorld.imported("hevy-csv", workouts: 2, exercises: 5, sets: 7, guessed: 5))
        Run 2026-04-01T05:00:00Z until 2026-04-01T05:30:00Z, 1800 s (line 1
        line 2)
          Running for cardio: 5.25km 1800s
        Pull 🏋️ 2026-04-09T15:18:00Z until 2026-04-09T16:02:00Z, 2640 s
          Row in 1 for back (squeeze): warmUp 40.0kg ×12, 60.5kg ×8 @8.5
          Curl in 1 for arms: dropSet 12.0kg ×10, failure 10.0kg ×9
          Curl in 2 for arms: 10.0kg ×9
          Chin Up in 2 for back: myo ×9
        """)
    #expect(try world.addsNothing(Self.hevy))
  }

  @Test(
    "Hevy's dates in every style that was seen are the same moment",
    arguments: [
      "15 May 2026, 19:26", "May 15, 2026, 7:26 PM", "May 15, 2026, 7:26\u{202F}PM", "15.05.2026, 19:26", "2026-05-15 19:26:00",
      "2026-05-15T17:26:00Z", "2026-05-15T19:26:00+02:00", "15 mai 2026, 19:26", "15. Mai 2026 um 19:26", "15/05/2026, 19:26",
    ])
  func hevyDates(date: String) throws {
    let world = try TableWorld(unit: nil)
    let text =
      "title,start_time,end_time,exercise_title,set_index,set_type,weight_lbs,reps,distance_miles\nA,\"\(date)\",,Curl,0,normal,25,5,1\n"
    #expect(
      try world.importing(text) == """
        \(TableWorld.imported("hevy-csv", workouts: 1, exercises: 1, sets: 1, guessed: 1))
        A 2026-05-15T17:26:00Z
          Curl for arms: 25.0lb ×5 1.0mi
        """)
  }

  @Test(
    "a date whose day and month might be exchanged, or that the calendar has not, is no date",
    arguments: [
      "05/06/2026, 19:26", "31 Feb 2026, 10:00", "2026-13-01 10:00", "0:30 PM", "9 Apr 2026, 25:00", "9 Apr 26, 10:00",
    ])
  func noDate(date: String) throws {
    let world = try TableWorld(unit: nil)
    let picture = try world.report("title,start_time,exercise_title,set_index,weight_kg,reps\nA,\"\(date)\",Curl,0,25,5\n").picture
    #expect(picture == "exercise_sets 1: 1 quarantined\nline 2: its start is no time: \(date)")
  }

  @Test("FitNotes: a day without a time, exercises in turns, any blanks, weights that were converted, times with hours")
  func fitNotes() throws {
    let text = """
      Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment
      2022-06-01,Bench Press,Chest,77.16,lbs,8,,,,
      2022-06-01,Barbell Row,Back,70,kgs,8,,,,
      2022-06-01,Bench Press,Chest,77.16,lbs,7,,,,"hard, really"
      2022-06-01,Barbell Row,Back,,,6,,,,
      2022-06-01,Plank,Abs,,,,,,0:01:30,
      2022-06-02,Cycling,Cardio,,,,12.5,km,1:02:03,
      2022-06-02,Nothing,My own,,,,,,,
      """
    let world = try TableWorld(unit: nil)
    #expect(
      try world.importing(text) == """
        \(TableWorld.imported("fitnotes-csv", workouts: 2, exercises: 5, sets: 7))
        ? 2022-06-01T10:00:00Z
          Bench Press for chest: 77.16lb ×8, 77.16lb ×7 (hard, really)
          Barbell Row for back: 70.0kg ×8, ×6
          Plank for core: 90s
        ? 2022-06-02T10:00:00Z
          Cycling for cardio: 12.5km 3723s
          Nothing for other: \("")
        """)
    #expect(try world.workouts().first?.exercises.last?.bodyPart == BodyPart(.other, detailed: ["My own"]))
    #expect(try world.addsNothing(text))
  }

  @Test("FitNotes: a comma in a name or a comment without quotes is put together, and a row that cannot be read makes no exercise")
  func fitNotesCommas() throws {
    let text = """
      Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment
      2022-06-01,Curl, seated,Biceps,20,kgs,8,,,,
      2022-06-01,Pull Up,Back,,,6,,,,slow, strict
      2022-06-01,Row,Back,heavy,kgs,6,,,,
      2022-06-01,Press,Chest,a,b,20,kgs,8,,,,
      """
    let world = try TableWorld(unit: nil)
    #expect(
      try world.importing(text) == """
        fitnotes-csv
        workouts 1: 1 imported
        exercises 2: 2 imported
        exercise_sets 4: 2 imported, 2 quarantined
        line 4: its weight is no number: heavy
        line 5: its weight's unit is not known: b
        ? 2022-06-01T10:00:00Z
          Curl, seated for arms: 20.0kg ×8
          Pull Up for back: ×6 (slow, strict)
        """)
    #expect(try world.report(text).counts["exercises"]?.imported == 0)
    let corrected = try world.report(text.replacingOccurrences(of: "heavy", with: "60"))
    #expect(corrected.counts["exercises"]?.imported == 1 && corrected.counts["exercise_sets"]?.imported == 1)
    #expect(try world.workouts().first?.exercises.map(\.name) == ["Curl, seated", "Pull Up", "Row"])
  }

  @Test("an exercise whose first set cannot be read comes in with the next one, wherever that stands")
  func damagedFirst() throws {
    let text = """
      Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment
      2022-06-01,Squat,Legs,heavy,kgs,5,,,,
      2022-06-02,Bench,Chest,60,kgs,5,,,,
      2022-06-01,Squat,Legs,100,kgs,5,,,,
      2022-06-01,Squat,"Legs, Glutes",110,kgs,5,,,,
      2022-06-01,Deadlift,Legs, Glutes,120,kgs,5,,,,
      """
    let world = try TableWorld(unit: nil)
    let report = try world.report(text)
    #expect(report.counts["exercise_sets"]?.imported == 3 && report.counts["exercise_sets"]?.quarantined == 2)
    #expect(try world.workouts().last?.exercises.map(\.name) == ["Squat"])
    #expect(try world.addsNothing(text))
  }

  static let strongLifts = """
    Date (yyyy/mm/dd),Workout,Workout Name,Program Name,Body Weight (KG),Exercise,Sets×Reps,Top Set (Reps×KG),e1RM (KG),Reps,Volume (KG),\
    Workout Volume (KG),Duration (hours),Start Time (h:mm),End Time (h:mm),Notes,Set 1 (Reps), Set 1 (KG),Set 2 (Reps), Set 2 (KG),\
    Set 3 (Reps), Set 3 (KG)
    "2023/03/05","12","Workout A","5×5","81","Squat","3×5","5×60","70","10","600","1200","1.25","11:30 PM","12:45 AM","short","5","60","5","60","-","60"
    "2023/03/05","12","Workout A","5×5","81","Bench Press","2×5","5×40","46","10","400","1200","1.25","11:30 PM","12:45 AM","short","5","40","4","40","",""
    """

  @Test("StrongLifts: a row an exercise, a dash for a set that was missed, hours with a fraction, times of twelve hours over midnight")
  func strongLiftsTable() throws {
    let world = try TableWorld(unit: nil)
    #expect(
      try world.importing(Self.strongLifts) == """
        \(TableWorld.imported("stronglifts-csv", workouts: 1, exercises: 2, sets: 5))
        body_weights 1: 1 skipped
        programs 1: 1 skipped
        skipped 1: the log has no programs
        skipped 1: the log has no weights of a body
        \(TableWorld.guessed(2))
        Workout A 2023-03-05T22:30:00Z until 2023-03-05T23:45:00Z, 4500 s (short)
          Squat for legs: 60.0kg ×5, 60.0kg ×5, 60.0kg ×0 open
          Bench Press for chest: 40.0kg ×5, 40.0kg ×4
        """)
    #expect(try world.addsNothing(Self.strongLifts.replacingOccurrences(of: "×", with: "x")))
  }

  @Test("a format that was named refuses the table of another, and a table that nobody knows is none")
  func otherFormat() throws {
    let world = try TableWorld()
    let error = try world.failure(Data(Self.hevy.utf8), format: "strong-csv")
    #expect(error.code == .invalidSource && error.offset == 0)
    #expect(error.message.contains("does not have the header of strong-csv: title, start_time"))
    let unknown = try world.failure(Data("Fecha,Nombre,Ejercicio,Peso\n2023-01-02,A,B,5\n".utf8))
    #expect(
      unknown.message.hasSuffix(
        "looks like a table, and its first line is not the header of a known one: Fecha, Nombre, Ejercicio, Peso"))
    #expect(unknown.suggestion?.contains("exported with the app's language set to English") == true)
    #expect(try world.report(Self.hevy, format: "hevy-csv").format == "hevy-csv")
  }

  @Test(
    "a table of something else is refused with its header, however few columns it has, and no format is called the nearest",
    arguments: ["title,author,isbn", "foo,bar,baz", "name;age", "Weight,Fat,Lean", "Date,Weight"])
  func smallTable(header: String) throws {
    let world = try TableWorld()
    for text in ["\(header)\n", "\(header)\n1,2,3\n"] {
      try Data(text.utf8).write(to: world.source)
      let error = #expect(throws: StoreError.self) { _ = try WorkoutLog.importer(for: ImportSource(world.source)) }
      let cells = header.split { ",;".contains($0) }.joined(separator: ", ")
      #expect(error?.message.hasSuffix("looks like a table, and its first line is not the header of a known one: \(cells)") == true)
      #expect(error?.suggestion?.hasPrefix("Use a table of Strong, Hevy, FitNotes, StrongLifts, Fitbod, Jefit or GymRun, ") == true)
    }
  }
}
