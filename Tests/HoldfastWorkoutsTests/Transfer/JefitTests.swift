import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("Jefit's export") struct JefitTests {
  private static let line = "\n\n######################################################\n\n"
  private static let setting = "\n### SETTING ##########################################\n\nrow_id,USERID,mass\n1,7,\" lbs\"\(line)"
  private static let sessions = """
    ### WORKOUT SESSIONS #################################

    rowid,_id,USERID,day_id,total_time,starttime,endtime,TIMESTAMP,calories,avg_heart_rate
    11,1,7,3,3600,1770220318,1770223918,"2026-02-16 17:28:56",0,
    12,2,7,0,0,1770306718,1770307018,"2026-02-16 17:28:56",210,
    13,3,7,0,0,1770393118,1770393119,"2026-02-16 17:28:56",0,\(line)
    """
  private static let header =
    "USERID,TIMESTAMP,belongSys,logs,_id,record,mydate,eid,ename,day_item_id,belongsession,logTime,interval_logs,auto_generated\n"
  private static let title = "### EXERCISE LOGS ####################################\n\n"

  private static func row(
    _ id: Int, _ logs: String, _ name: String, session: Int = 1, eid: Int = 8, item: Int = 0, date: String = "2026-02-04"
  ) -> String {
    "7,\"2026-02-16 17:28:56\",1,\"\(logs)\",\(id),0,\(date),\(eid),\"\(name)\",\(item),\(session),0,,\n"
  }

  private static func logs(_ rows: String...) -> String { title + header + rows.joined() + line }

  @Test("a session is a workout, also where its table stands behind; a day without a session is one; the file names the unit")
  func whole() throws {
    let rows = Self.logs(
      Self.row(1, "135.0x5,185x3,", "Barbell Squat", eid: 12), Self.row(2, "45x10", "Barbell Row, bent"),
      Self.row(3, "0x5,10x0,0x0", "Pull Up", session: 2), Self.row(4, "20x8", "Curl", session: 0, date: "2026-01-07"))
    let expected = TableWorld.imported("jefit-csv", workouts: 3, exercises: 4, sets: 6)
    let shelf = """
      ? 2026-01-07T11:00:00Z
        Curl for arms: 20.0lb ×8
      ? 2026-02-04T15:51:58Z until 2026-02-04T16:51:58Z, 3600 s
        Barbell Squat for legs: 135.0lb ×5, 185.0lb ×3
        Barbell Row, bent for back: 45.0lb ×10
      ? 2026-02-05T15:51:58Z until 2026-02-05T15:56:58Z, 300 s
        Pull Up for back: ×5, 10.0lb open
      """
    for text in [Self.setting + Self.sessions + "\n" + rows, Self.setting + rows + Self.sessions] {
      let world = try TableWorld(unit: nil)
      let found = try world.importing(text)
      #expect(found.hasPrefix(expected))
      for told in ["skipped 1: the set was not done", "skipped 1: it has no exercise", "skipped 1: the log has no calories"] {
        #expect(found.contains(told), "\(found)")
      }
      // A name that no list of exercises has may have a guessed body part or none.
      #expect(try Self.plain(world.shelf()) == Self.plain(shelf))
      #expect(try world.addsNothing(text))
    }
  }

  private static func plain(_ shelf: String) -> String { shelf.replacing(#/ for [a-z]+/#, with: "") }

  @Test("notes go to the exercise of their day, types to their sets, and what the log has no place for is counted by its table")
  func otherTables() throws {
    let world = try TableWorld(unit: nil)
    let text =
      Self.setting + Self.sessions + "\n" + Self.logs(Self.row(1, "95x5,135x5", "Squat", eid: 12)) + """
        ### EXERCISE SET LOGS ################################

        _id,userid,exercise_log_id,set_index,weight_lbs,reps,duration,set_type
        1,7,1,0,95.0000,5,,warmup
        2,7,1,1,135.0000,5,,default
        3,7,99,0,10.0000,5,,default\(Self.line)
        ### PROFILE ##########################################

        row_id,USERID,_id,mydate,weight
        1,7,1,2026-02-04,180\(Self.line)
        ### ROUTINES #########################################

        row_id,USERID,_id,name
        1,7,2,plan

        row_id,USERID,package,_id,name
        1,7,2,3,day\(Self.line)
        ### CARDIO EXERCISE LOGS #############################



        ######################################################

        ### NOTES ############################################

        row_id,USERID,_id,eid,belongSys,mynote,title,mydate
        1,7,1,12,1,"bar 1 hole
        under 5",Squat,2026-02-04
        2,7,2,12,1,lost,Squat,2026-02-09\(Self.line)
        ### NEWS #############################################

        _id,what
        1,x

        """
    let report = try world.report(text)
    let exercise = try #require(try world.workouts().first?.exercises.first)
    #expect(exercise.notes == ["bar 1 hole\nunder 5"] && exercise.sets.map(\.type) == [.warmUp, .working])
    let skipped = report.counts.mapValues(\.skipped).filter { $0.value > 0 }
    #expect(skipped == ["set_logs": 1, "measurements": 1, "programs": 2, "notes": 1, "other_rows": 1, "sessions": 2])
    #expect(report.skipped["the table NEWS is not known, and its rows are not imported"] == 1)
  }

  @Test("five numbers are one set with a time where another table says so; without it the row is kept aside alone")
  func times() throws {
    let world = try TableWorld(unit: nil)
    let rows = Self.logs(
      Self.row(1, "0x220,0x1.5,0x0,0x0,0x3600", "Bike", eid: 318),
      Self.row(2, "0x0,0x0,0x0,0x0,0x15,0x0,0x0,0x0,0x0,0x20", "Hang", eid: 358),
      Self.row(3, "0x0,0x0,0x0,0x0,0x1200", "Walk", eid: 322), Self.row(4, "0x3,0x4,0x4,0x4,0x4", "Chin Up", eid: 82))
    let report = try world.report(
      Self.setting + rows + """
        ### EXERCISE SET LOGS ################################

        _id,userid,exercise_log_id,set_index,weight_lbs,reps,duration,set_type
        1,7,2,0,,,15,default
        2,7,2,1,,,20,default\(Self.line)
        ### CARDIO LOGS ######################################

        row_id,USERID,_id,eid,belongSys,lap,duration,speed,distance,calorie,mydate
        1,7,1,318,1,0,3600,0,1.5,220,2026-02-04
        2,7,2,999,1,0,60,0,0,0,2026-02-04
        """)
    #expect(report.counts["exercise_sets"]?.imported == 8 && report.counts["exercise_sets"]?.quarantined == 1)
    #expect(report.counts["cardio_logs"]?.skipped == 1)
    let reason = "its numbers may be repetitions or times, and no other table of the file says which: 0x0,0x0,0x0,0x0,0x1200"
    #expect(report.problems.contains { $0.reason == reason })
    #expect(report.problems.contains { $0.field == "calories" } && !report.problems.contains { $0.field == "laps" })
    let exercises = try #require(try world.workouts().first?.exercises)
    try #require(exercises.map(\.name) == ["Bike", "Hang", "Chin Up"])
    #expect(exercises[0].sets.map(\.actual.durationSeconds) == [3600] && exercises[0].sets.map(\.actual.distance) == [1.5])
    #expect(exercises[1].sets.map(\.actual.durationSeconds) == [15, 20] && exercises[2].sets.map(\.actual.reps) == [3, 4, 4, 4, 4])
  }

  @Test("a row that a later one repeats with more sets is left out; two rows of one exercise that do not are two exercises")
  func rowsOfOneExercise() throws {
    let world = try TableWorld(unit: nil)
    let rows = Self.logs(
      Self.row(1, "100x5,", "Bench", item: 4), Self.row(2, "60x8", "Row"), Self.row(3, "100x5,110x5,", "Bench", item: 4),
      Self.row(4, "100x5,100x5", "Bench", item: 5))
    let report = try world.report(Self.setting + rows)
    #expect(report.counts["outdated_logs"]?.skipped == 1 && report.counts["exercise_sets"]?.imported == 5)
    let exercises = try #require(try world.workouts().first?.exercises)
    #expect(exercises.map(\.name) == ["Row", "Bench", "Bench"])
    #expect(exercises.map { $0.sets.compactMap(\.actual.weight) } == [[60], [100, 110], [100, 100]])
  }

  @Test("a set, a row and a session that cannot be read are kept aside alone, and so is a row at which the file is cut off")
  func damaged() throws {
    let world = try TableWorld(unit: nil)
    let sessions = "### WORKOUT SESSIONS ###\n\nrowid,_id,starttime\n1,1,soon\n\n######\n\n"
    let text = [
      Self.setting, sessions, Self.title, Self.header, Self.row(1, "60x10,heavy,60xmany", "Press"),
      Self.row(2, "60x10", "Press", session: 0, date: "yesterday"), Self.row(3, "60x10", ""), "7,x\n", Self.row(4, "60x9", "Dip"),
      "7,\"2026-02-16 17:28:56\",1,60x8,5,0,2026-02-04,8,Dip,0,1",
    ]
    let report = try world.report(text.joined())
    #expect(
      report.problems.map(\.reason) == [
        "the start of its session cannot be read: soon", "set 2: it should be a weight, an x and repetitions: heavy",
        "set 3: its reps is no number: many", "its date cannot be read: yesterday", "it names no exercise",
        "it has 2 cells, and the header has 14", "it has 11 cells, and the header has 14",
      ])
    #expect(report.counts["exercise_sets"]?.imported == 2 && report.counts["exercise_sets"]?.quarantined == 7)
    #expect(try world.workouts().map { $0.exercises.map(\.name) } == [["Press", "Dip"]])
  }

  @Test("without the table of settings the unit is asked for; a title behind a spreadsheet has empty cells; two exports are one log")
  func firstLine() throws {
    let world = try TableWorld(unit: nil)
    let rows = Self.logs(Self.row(1, "60x10", "Press"))
    #expect(try world.failure(Data(rows.utf8)).message.contains("does not say whether its weights are kilograms or pounds"))
    let kilograms = try TableWorld(unit: "kg")
    #expect(try kilograms.report("\r\n" + rows.replacing("####\n", with: "####,,,\n")).counts["exercise_sets"]?.imported == 1)
    #expect(try kilograms.workouts().first?.exercises.first?.sets.first?.weightUnit == .kilograms)
    let later = Self.logs(Self.row(1, "60x10", "Press"), Self.row(2, "60x9", "Dip"))
    #expect(try kilograms.report(rows + later).counts["exercise_sets"]?.imported == 1)
    #expect(try kilograms.workouts().map { $0.exercises.map(\.name) } == [["Press", "Dip"]])
  }

  @Test("an export without the sets, and its table of sets alone, are refused with what is missing")
  func refused() throws {
    let world = try TableWorld(unit: nil)
    for text in [Self.setting + Self.sessions, Self.setting + Self.title + "_id,mydate\n1,2026-02-04\n"] {
      let error = try world.failure(Data(text.utf8))
      #expect(error.code == .invalidSource && error.message.contains("is Jefit's export without its table EXERCISE LOGS"))
      #expect(error.suggestion == "Export it again from Jefit, and leave the file as it is.")
    }
    let bare = try world.failure(Data((Self.header + Self.row(1, "60x10", "Press")).utf8))
    #expect(bare.message.hasSuffix("the nearest is jefit-csv, missing: ### EXERCISE LOGS ###"), "\(bare.message)")
    let named = try world.failure(Data("### OTHER ###\n\na\n1\n".utf8), format: "jefit-csv")
    #expect(named.message.contains("does not have the header of jefit-csv: ### OTHER ###"))
  }
}
