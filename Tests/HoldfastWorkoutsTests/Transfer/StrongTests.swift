import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Strong's tables") struct StrongTests {
  static let header = "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes,RPE"

  static let classic = """
    \(header)
    2023-01-02 18:30:00,"Push",1h 9m,"Bench Press (Barbell)",W,20.0,10.0,0,0.0,"","Felt good",
    2023-01-02 18:30:00,"Push",1h 9m,"Bench Press (Barbell)",1,60.0,8.0,0,0.0,,,
    2023-01-02 18:30:00,"Push",1h 9m,"Bench Press (Barbell)",2,62.5,6.0,0,0.0,,,8.5
    2023-01-02 18:30:00,"Push",1h 9m,"Bench Press (Barbell)",D,40.0,12.0,0,0.0,,,
    2023-01-02 18:30:00,"Push",1h 9m,"Bench Press (Barbell)",3,60.0,5.0,0,0.0,,,
    2023-01-02 18:30:00,"Push",1h 9m,"Pull Up",1,0.0,9.0,0,0.0,"slow, ""very"" strict",,
    2023-01-02 18:30:00,"Push",1h 9m,"Pull Up",F,0.0,4.0,0,0.0,,,
    2023-01-02 18:30:00,"Push",1h 9m,"Plank",1,0.0,0.0,0,90.0,"",,
    2023-07-04 07:05:09,"Legs",57m,"Squat (Barbell)",1,100.0,5.0,0,0.0,"",,

    """

  @Test("the classic table: no unit, 0 for nothing, letters that use up no number, a note on the first row of its exercise")
  func classicTable() throws {
    let world = try TableWorld()
    #expect(
      try world.importing(Self.classic) == """
        \(TableWorld.imported("strong-csv", workouts: 2, exercises: 4, sets: 9, guessed: 4))
        Push 2023-01-02T17:30:00Z, 4140 s (Felt good)
          Bench Press (Barbell) for chest: warmUp 20.0kg ×10, 60.0kg ×8, 62.5kg ×6 @8.5, dropSet 40.0kg ×12, 60.0kg ×5
          Pull Up for back (slow, "very" strict): ×9, failure ×4
          Plank for core: 90s
        Legs 2023-07-04T05:05:09Z, 3420 s
          Squat (Barbell) for legs: 100.0kg ×5
        """)
    #expect(
      try world.report(Self.classic).picture == """
        workouts 2: 2 skipped
        exercises 4: 4 skipped
        exercise_sets 9: 9 skipped
        skipped 15: in the store already
        """)
  }

  @Test("the table of 2016, whose columns are called by their unit")
  func calledByUnit() throws {
    let world = try TableWorld(unit: nil)
    let found = try world.importing(
      """
      Date,Workout Name,Exercise Name,Set Order,lb,Reps,mi,Seconds,Notes
      2016-01-02 18:30:00,Push,Bench Press,1,135,8,0,0,
      2016-01-02 18:30:00,Push,Running,1,0,0,2.5,1200,
      """)
    #expect(
      found == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 2, sets: 2, guessed: 2))
        Push 2016-01-02T17:30:00Z
          Bench Press for chest: 135.0lb ×8
          Running for cardio: 2.5mi 1200s
        """)
  }

  @Test("a table without weights is refused, and so is one of a body's measurements, with what it is")
  func noWeights() throws {
    let world = try TableWorld()
    let without = try world.failure(Data("Date,Workout Name,Exercise Name,Set Order,Reps\n2016-01-02 18:30:00,A,Curl,1,8\n".utf8))
    #expect(without.code == .invalidSource && without.message.contains("missing: Weight"))
    #expect(
      without.suggestion == "Export the workouts again and leave the columns as they are: a table without Weight is not imported.")
    let body = try world.failure(Data("Date,Measurement,Value,Unit\n2016-01-02,Weight,80,kg\n".utf8))
    #expect(body.code == .invalidSource && body.message.contains("is a table of body measurements"))
    #expect(body.suggestion == "Export the workouts, not the measurements, from the same app.")
    let other = try world.failure(Data("Date,Mood\n2016-01-02,good\n".utf8))
    #expect(other.message.contains("its first line") || other.message.contains("its header"))
  }

  @Test("a table without a unit is refused with a question where nobody says it, and its weights are what somebody said")
  func unitAsked() throws {
    var world = try TableWorld(unit: nil)
    let error = try world.failure(Data(Self.classic.utf8))
    #expect(error.code == .invalidSource)
    #expect(error.message == "the file does not say whether its weights are kilograms or pounds; the first is in line 2")
    #expect(WorkoutLog.asksForUnit(error) && error.row == "2" && error.offset == Self.header.utf8.count + 1)
    #expect(error.suggestion?.hasPrefix("Import it again and name the unit: kg or lb") == true)
    world.hints.weightUnit = "lbs"
    _ = try world.report(Self.classic)
    #expect(try world.workouts().last?.exercises.first?.sets.first?.weightUnit == .pounds)
    #expect(try world.workouts().last?.exercises.first?.weightUnit == .pounds)
  }

  @Test("nobody is asked for the unit of a table that has no weights, and a unit that is none is refused")
  func unitNotNeeded() throws {
    var world = try TableWorld(unit: nil)
    let text = "\(Self.header)\n2023-01-02 18:30:00,Core,5m,Plank,1,0,0,0,60,,,\n"
    #expect(try world.report(text).isClean)
    world.hints.weightUnit = "stone"
    #expect(try world.failure(Data(text.utf8)).code == .misuse)
  }

  @Test("Android's table: semicolons, units in columns, blank for what was not entered")
  func units() throws {
    let text = """
      Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;RPE;Distance;Distance Unit;Seconds;Notes;Workout Notes;Workout Duration
      2020-02-29 06:00:00;"Mixed, both";"Deadlift";1;140;kg;5;9;;;0;"";"";45m
      2020-02-29 06:00:00;"Mixed, both";"Deadlift";2;300;lbs;0;;;;0;;;45m
      2020-02-29 06:00:00;"Mixed, both";"Row";1;;kg;;;2.5;km;600;;;45m
      2020-02-29 06:00:00;"Mixed, both";"Run";1;;lbs;;;3.1;mi.;1500;;;45m
      2020-02-29 06:00:00;"Mixed, both";"Chin Up";1;0;kg;12;;;mi.;0;;;45m
      """
    #expect(
      try TableWorld(unit: nil).importing(text) == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 4, sets: 5, guessed: 3))
        Mixed, both 2020-02-29T05:00:00Z, 2700 s
          Deadlift for back: 140.0kg ×5 @9.0, 300.0lb ×0
          Row for back: 2.5km 600s
          Run: 3.1mi 1500s
          Chin Up for back: 0.0kg ×12
        """)
  }

  @Test(
    "the table of version 6: every cell in quotes, decimal commas, pauses that are no sets, notes in rows of their own",
    arguments: [(",", "kg", "km"), (";", "lb", "meters"), (";", "kg", "meters")])
  func version6(delimiter: String, unit: String, distance: String) throws {
    let header = [
      "Workout #", "Date", "Workout Name", "Duration (sec)", "Exercise Name", "Set Order", "Weight (\(unit))", "Reps", "RPE",
      "Distance (\(distance))", "Seconds", "Notes", "Workout Notes",
    ]
    let rows = [
      ["1", "2025-03-30 09:00:00", "Upper", "3600", "Curl", "1", "8,5", "12", "", "", "", "", "hot"],
      ["1", "2025-03-30 09:00:00", "Upper", "3600", "Curl", "Rest Timer", "", "", "", "", "90", "", ""],
      ["1", "2025-03-30 09:00:00", "Upper", "3600", "Curl", "2", "8,25", "10", "7,5", "", "", "", ""],
      ["1", "2025-03-30 09:00:00", "Upper", "3600", "Curl", "Note", "", "", "", "", "", "left elbow\nhurts", ""],
      ["1", "2025-03-30 09:00:00", "Upper", "3600", "Walk", "1", "", "", "", "1500", "900", "", ""],
    ]
    let text = ([header] + rows).map { $0.map { "\"\($0)\"" }.joined(separator: delimiter) }.joined(separator: "\r\n")
    #expect(
      try TableWorld(unit: nil).importing(text) == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 2, sets: 3))
        rest_timers 1: 1 skipped
        skipped 1: a pause is no set
        \(TableWorld.guessed(1))
        Upper 2025-03-30T07:00:00Z, 3600 s (hot)
          Curl for arms (left elbow
        hurts): 8.5\(unit) ×12, 8.25\(unit) ×10 @7.5
          Walk: 1500.0\(distance == "km" ? "km" : "m") 900s
        """)
  }

  @Test(
    "headers in French and German, with a byte order mark and in UTF-16, and how those write a duration",
    arguments: [
      (
        "Date,Nom de l'entraînement,Durée,Nom de l'exercice,Ordre de la série,Poids,Réps,Distance,Secondes,Notes,Notes d'entraînement,RPE",
        "1h 1min", 3660
      ),
      (
        "Date,Nom de l’entraînement,Durée,Nom de l’exercice,Ordre de la série,Poids,Réps,Distance,Secondes,Notes,Notes d’entraînement,RPE",
        "35min", 2100
      ),
      (
        "Datum,Workout-Name,Dauer,Name der Übung,Reihenfolge festlegen,Gewicht,Wiederh.,Entfernung,Sekunden,Notizen,Workout-Notizen,RPE",
        "1 Std. 5 Min.", 3900
      ),
    ])
  func localised(header: String, duration: String, seconds: Int) throws {
    let text = "\u{FEFF}\(header)\n2024-02-01 12:00:00,Séance,\(duration),Développé couché,1,\"62,5\",8,0,0,\"note\",\"été\",8\n"
    for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
      let world = try TableWorld()
      try #require(text.data(using: encoding)).write(to: world.source)
      #expect(try world.report().isClean)
      #expect(
        try world.shelf() == """
          Séance 2024-02-01T11:00:00Z, \(seconds) s (été)
            Développé couché (note): 62.5kg ×8 @8.0
          """)
    }
  }

  @Test("columns that are not there, in any order, leave what is stored of them")
  func missingColumns() throws {
    let world = try TableWorld()
    let text = """
      Exercise Name,Date,Workout Name,Set Order,Reps,Weight
      Squat,2019-05-06 10:00:00,A,1,5,80
      Squat,2019-05-06 10:00:00,A,2,5,80
      """
    #expect(
      try world.importing(text) == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 1, sets: 2, guessed: 1))
        A 2019-05-06T08:00:00Z
          Squat for legs: 80.0kg ×5, 80.0kg ×5
        """)
    try world.change { workout in
      (workout.note, workout.durationSeconds, workout.exercises[0].superset) = ("mine", 1800, 2)
      (workout.exercises[0].notes, workout.exercises[0].sets[0].actual.rpe) = (["mine, too"], 9)
    }
    // Nobody changed what the table says.
    #expect(
      try world.importing(text.replacingOccurrences(of: "1,5,80", with: "1,6,82.5")) == """
        strong-csv
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        exercise_sets 2: 1 merged, 1 skipped
        skipped 3: in the store already
        A 2019-05-06T08:00:00Z, 1800 s (mine)
          Squat in 2 for legs (mine, too): 82.5kg ×6 @9.0, 80.0kg ×5
        """)
  }

  @Test("a later, longer table brings in what is new, wherever it stands, and never a workout twice; what the listener changed stays")
  func later() throws {
    var world = try TableWorld()
    _ = try world.report(Self.classic)
    try world.change { $0.exercises[0].sets[0].actual.reps = 6 }
    world.source = world.folder.file("later.csv")
    let row = "2023-01-02 18:30:00,\"Push\",1h 9m,"
    let longer =
      Self.classic.replacingOccurrences(of: "\(row)\"Pull Up\",1", with: "\(row)Dip,1,0,15,0,0,,,\n\(row)\"Pull Up\",1")
      + "2023-07-05 07:00:00,\"Legs\",1h,Squat (Barbell),1,105,5,0,0,,,\n"
    #expect(
      try world.importing(longer) == """
        strong-csv
        workouts 3: 1 imported, 2 skipped
        exercises 6: 2 imported, 2 merged, 2 skipped
        exercise_sets 11: 2 imported, 9 skipped
        skipped 12: in the store already
        skipped 1: the store is newer
        \(TableWorld.guessed(4))
        Push 2023-01-02T17:30:00Z, 4140 s (Felt good)
          Bench Press (Barbell) for chest: warmUp 20.0kg ×10, 60.0kg ×8, 62.5kg ×6 @8.5, dropSet 40.0kg ×12, 60.0kg ×5
          Dip for chest: ×15
          Pull Up for back (slow, "very" strict): ×9, failure ×4
          Plank for core: 90s
        Legs 2023-07-04T05:05:09Z, 3420 s
          Squat (Barbell) for legs: 100.0kg ×6
        Legs 2023-07-05T05:00:00Z, 3600 s
          Squat (Barbell) for legs: 105.0kg ×5
        """)
  }

  @Test("two workouts in one minute with other names are two, and so are two runs of one exercise")
  func twoOfAKind() throws {
    let text = """
      Date,Workout Name,Exercise Name,Set Order,Weight,Reps
      2023-01-02 18:30:00,A,Curl,1,10,5
      2023-01-02 18:30:00,A,Curl,2,10,5
      2023-01-02 18:30:00,A,Curl,W,5,5
      2023-01-02 18:30:00,A,Curl,1,12,5
      2023-01-02 18:30:00,A,Row,1,30,5
      2023-01-02 18:30:00,A,Curl,1,14,5
      2023-01-02 18:30:00,B,Curl,1,16,5
      2023-01-02 18:30:00,A,Dip,1,0,5
      """
    #expect(
      try TableWorld().importing(text) == """
        \(TableWorld.imported("strong-csv", workouts: 2, exercises: 6, sets: 8, guessed: 6))
        B 2023-01-02T17:30:00Z
          Curl for arms: 16.0kg ×5
        A 2023-01-02T17:30:00Z
          Curl for arms: 10.0kg ×5, 10.0kg ×5
          Curl for arms: warmUp 5.0kg ×5, 12.0kg ×5
          Row for back: 30.0kg ×5
          Curl for arms: 14.0kg ×5
          Dip for chest: ×5
        """)
  }

  @Test("two exports behind each other are one: what stands in both is there once")
  func putTogether() throws {
    let world = try TableWorld()
    let later = Self.classic.replacingOccurrences(
      of: "2023-07-04 07:05:09,", with: "2023-01-02 18:30:00,\"Push\",1h 9m,\"Plank\",2,0,0,0,60,\"\",,\n2023-07-04 07:05:09,")
    #expect(
      try world.importing(Self.classic + later) == """
        strong-csv
        workouts 2: 2 imported
        exercises 8: 4 imported, 4 skipped
        exercise_sets 19: 10 imported, 9 skipped
        skipped 13: a repetition in the source
        \(TableWorld.guessed(4))
        Push 2023-01-02T17:30:00Z, 4140 s (Felt good)
          Bench Press (Barbell) for chest: warmUp 20.0kg ×10, 60.0kg ×8, 62.5kg ×6 @8.5, dropSet 40.0kg ×12, 60.0kg ×5
          Pull Up for back (slow, "very" strict): ×9, failure ×4
          Plank for core: 90s, 60s
        Legs 2023-07-04T05:05:09Z, 3420 s
          Squat (Barbell) for legs: 100.0kg ×5
        """)
    #expect(try world.addsNothing())
  }

  @Test("a workout that the log has from elsewhere is not brought in a second time; one that was deleted stays deleted")
  func elsewhere() throws {
    let world = try TableWorld()
    let start = try #require(DateCodec.parseISO8601("2023-07-04T05:05:09Z").flatMap(DateCodec.date(milliseconds:)))
    try world.withLibrary {
      try $0.store.write { try WorkoutLog.save(Workout(id: UUID(), name: "Legs", startedAt: start.addingTimeInterval(0.4)), in: $0) }
    }
    #expect(
      try world.report(Self.classic).picture == """
        workouts 2: 1 imported, 1 skipped
        exercises 4: 3 imported, 1 skipped
        exercise_sets 9: 8 imported, 1 skipped
        skipped 3: this log has its workout from another source
        \(TableWorld.guessed(3))
        """)
    try world.withLibrary { log in
      for workout in try log.store.read({ try WorkoutLog.workouts(in: $0) }) {
        _ = try log.store.write { try WorkoutLog.deleteWorkout(workout.id, in: $0) }
      }
    }
    #expect(
      try world.report(Self.classic).picture == """
        workouts 2: 1 imported, 1 skipped
        exercises 4: 1 imported, 3 skipped
        exercise_sets 9: 1 imported, 8 skipped
        skipped 12: deleted since it was imported
        \(TableWorld.guessed(1))
        """)
  }

  @Test("a distance without a unit is read in the unit that goes with the weights, and the report notes it once")
  func distance() throws {
    let text = "\(Self.header)\n2023-01-02 18:30:00,Run,1h,Run,1,0,0,5.2,1800,,,\n2023-01-02 18:30:00,Run,1h,Run,2,0,0,5.2,1800,,,\n"
    #expect(
      try TableWorld(unit: "lb").importing(text) == """
        \(TableWorld.imported("strong-csv", workouts: 1, exercises: 1, sets: 2))
        noted 2: the file does not name the unit of distances; assumed: miles (first: line 2)
        Run 2023-01-02T17:30:00Z, 3600 s
          Run: 5.2mi 1800s, 5.2mi 1800s
        """)
  }
}
