import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("What every import of a table of workouts promises") struct TablePromises {
  @Test("each program's table keeps what every import promises", arguments: ImportCheck.allCases, SampleTable.all)
  func table(_ check: ImportCheck, _ table: SampleTable) throws {
    // A table cannot tell that its end is missing. All tables are cancelled where their rows are handed over: two show it in a short run.
    let isCancelled = ProofRun.isLong || ["Strong", "Jefit"].contains(table.testDescription)
    let without: Set<ImportCheck> = isCancelled ? [.cutOff] : [.cutOff, .cancelled]
    let conformance = ImportConformance<WorkoutLog>(
      "workouts.csv", records: table.records, without: table.without.union(without),
      importer: { wanted in
        var wanted = wanted
        wanted.format = table.format
        (wanted.hints.timeZone, wanted.hints.weightUnit) = (TimeZone.gmt, "kg")
        return try WorkoutLog.importLibrary(wanted)
      },
      write: { samples, file in try Data(table.exports(samples).utf8).write(to: file) })
    try conformance.run(check)
  }
}

/// A program's table with a workout of one set for each sample, each on a day of its own.
///
/// A table gives no ids and no times of change. A workout is known by its start and name, and a set by its place, so that the title is in
/// another column.
struct SampleTable: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let format: String
  /// The kind that has the title.
  let records: ImportKind
  var without: Set<ImportCheck> = []
  private let export: @Sendable ([ImportSample]) -> String

  private init(
    _ name: String, _ format: String, _ records: ImportKind, without: Set<ImportCheck> = [],
    export: @escaping @Sendable ([ImportSample]) -> String
  ) {
    (testDescription, self.format, self.records, self.without, self.export) = (name, format, records, without, export)
  }

  /// A table of one header.
  private init(
    _ name: String, _ format: String, _ records: ImportKind, header: String, row: @escaping @Sendable (ImportSample) -> String
  ) {
    self.init(name, format, records) { samples in ([header] + samples.map(row)).map { "\($0)\n" }.joined() }
  }

  /// Two rows alike are two sets. A record is there twice where another export stands behind the first.
  func exports(_ samples: [ImportSample]) -> String {
    let again = samples.indices.filter { index in samples[..<index].contains { $0.id == samples[index].id } }
    let once = samples.indices.filter { !again.contains($0) }
    return [once, again].filter { !$0.isEmpty }.map { indices in export(indices.map { samples[$0] }) }.joined()
  }

  private static let workoutNotes = ImportKind("workouts", title: "note")
  private static let setNotes = ImportKind("exercise_sets", title: "note")
  private static let setTypes = ImportKind("exercise_sets", title: "type")

  static let all: [SampleTable] = [
    SampleTable(
      "Strong", "strong-csv", workoutNotes, header: "Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;Workout Notes"
    ) { "\(date($0)) 18:30:00;A;Curl;1;60;kg;5;\($0.title)" },
    SampleTable("Hevy", "hevy-csv", workoutNotes, header: "title,start_time,description,exercise_title,set_index,weight_kg,reps") {
      "A,\(date($0)) 18:30:00,\($0.title),Curl,0,60,5"
    },
    SampleTable(
      "StrongLifts", "stronglifts-csv", workoutNotes,
      header: "Date (yyyy/mm/dd),Workout Name,Exercise,Notes,Set 1 (Reps),Set 1 (KG)"
    ) { "\(date($0).replacing("-", with: "/")),A,Squat,\($0.title),5,60" },
    SampleTable(
      "FitNotes", "fitnotes-csv", setNotes,
      header: "Date,Exercise,Category,Weight,Weight Unit,Reps,Distance,Distance Unit,Time,Comment"
    ) { "\(day($0)),Bench Press,Chest,\(weight($0)),kgs,8,,,,\($0.title)" },
    SampleTable(
      "FitNotes on iOS", "fitnotes-csv", setNotes,
      header: "Date,Exercise,Category,Weight (kg),Weight (lbs),Reps,Distance,Distance Unit,Time,Notes,Kind"
    ) { "\(day($0)),Bench Press,Chest,\(weight($0)),,8,,,,\($0.title),wr" },
    SampleTable(
      "Fitbod", "fitbod-csv", setNotes,
      header: "Date,Exercise,Reps,Weight(kg),Duration(s),Distance(m),Incline,Resistance,isWarmup,Note,multiplier"
    ) { "\(day($0)) 10:02:51 +0000,Row,5,\(weight($0)),0,0,0,0,false,\($0.title),1" },
    SampleTable(
      "GymRun", "gymrun-csv", setNotes,
      header: "Date;Time;Routine;Exercise;Set;Weight;Reps;Duration;Distance;Para6;Para7;Para8;Para9;Para10;Note;Type;Book;Version1"
    ) { sample in
      let date = day(sample).split(separator: "-").reversed().joined(separator: ".")
      return "\(date);12:00:00;Push;Row;1;\(weight(sample));10;;;;;;;;\(sample.title);1;1;1"
    },
    // The types of sets stand in a table of their own. Of two exports behind each other, the last one says them for both.
    SampleTable("Jefit", "jefit-csv", setTypes, without: [.twiceDifferently], export: jefit),
  ]

  private static func jefit(_ samples: [ImportSample]) -> String {
    let logs = samples.map { "7,,1,\($0.isDamaged ? $0.title : "60x10"),\(number($0)),0,\(day($0)),8,Curl,0,0,0,,\n" }
    let sets = samples.map { "\(number($0)),7,\(number($0)),0,60,10,,\($0.title)\n" }
    return """
      ### SETTING ###

      row_id,USERID,mass
      1,7,kg

      ######

      ### EXERCISE LOGS ###

      USERID,TIMESTAMP,belongSys,logs,_id,record,mydate,eid,ename,day_item_id,belongsession,logTime,interval_logs,auto_generated
      \(logs.joined())
      ######

      ### EXERCISE SET LOGS ###

      _id,userid,exercise_log_id,set_index,weight_lbs,reps,duration,set_type
      \(sets.joined())
      ######

      """
  }

  /// The number in the title; samples of one id have one number.
  private static func number(_ sample: ImportSample) -> Int { Int(sample.title.suffix(2)) ?? 0 }

  private static func day(_ sample: ImportSample) -> String {
    let number = number(sample)
    return "2025-0\(1 + number / 28)-\(String(101 + number % 28).dropFirst())"
  }

  /// Damages a workout.
  private static func date(_ sample: ImportSample) -> String { sample.isDamaged ? "2025-02-30" : day(sample) }

  /// Damages a set.
  private static func weight(_ sample: ImportSample) -> String { sample.isDamaged ? "heavy" : "60" }
}
