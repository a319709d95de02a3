import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Months in a table, in the language of its app") struct MonthNameTests {
  /// A table with one workout for each start.
  private static func table(_ starts: [String]) -> String {
    "title,start_time,end_time,exercise_title,set_index,set_type,weight_kg,reps\n"
      + starts.enumerated().map { "W\($0),\"\($1) 2026, 13:05\",\"\($1) 2026, 13:59\",Squat,0,normal,80,10\n" }.joined()
  }

  private func days(_ starts: [String], language: String? = nil) throws -> [String] {
    var world = try TableWorld()
    world.hints.language = language
    let report = try world.report(Self.table(starts))
    #expect(report.problems.isEmpty, "\(report.problems)")
    return try world.workouts().sorted { $0.startedAt < $1.startedAt }.map {
      String(DateCodec.iso8601(DateCodec.milliseconds($0.startedAt) ?? 0, fraction: false).prefix(10))
    }
  }

  @Test(
    "short and long, with a point and without, in the words of many languages",
    arguments: [
      ("11 Nis", "04-11"), ("30 abr", "04-30"), ("30 de abr. de", "04-30"), ("3 giu", "06-03"), ("3 out", "10-03"), ("3 mrt.", "03-03"),
      ("3 maj", "05-03"), ("3 may", "05-03"), ("3 févr.", "02-03"), ("3. Jänner", "01-03"), ("3 Mär", "03-03"), ("3 sept", "09-03"),
      ("3 września", "09-03"), ("3 paź", "10-03"), ("3 čvc", "07-03"), ("3 янв.", "01-03"), ("3 мая", "05-03"), ("3 квіт", "04-03"),
      ("3 Ağu", "08-03"), ("3 Μαΐ", "05-03"), ("3 helmikuuta", "02-03"), ("3 ruj", "09-03"), ("3 szept.", "09-03"), ("3 desember", "12-03"),
    ])
  func words(start: String, day: String) throws {
    #expect(try days([start]) == ["2026-\(day)"])
  }

  @Test("what one month leaves open, another month of the file decides; else the file is refused as a whole, and its language asked for")
  func decided() throws {
    #expect(try days(["3 lip", "4 lis", "5 sty"]) == ["2026-01-05", "2026-07-03", "2026-11-04"])
    #expect(try days(["3 lip", "4 lis", "5 sij"]) == ["2026-01-05", "2026-06-03", "2026-10-04"])
    #expect(try days(["3 lip", "4 lis"], language: "hr") == ["2026-06-03", "2026-10-04"])
    // A first row in numbers alone, as a spreadsheet leaves it, decides nothing.
    #expect(try days(["05.02.", "3 lip", "4 lis", "5 sty"]).last == "2026-11-04")
    for starts in [["3 lip", "4 lis"], ["3 abr", "4 Nis"], ["3 abr", "4 foo"]] {
      let world = try TableWorld()
      let error = try world.failure(Data(Self.table(starts).utf8))
      #expect(WorkoutLog.asksForLanguage(error) && error.row == "2", "\(error)")
      #expect(error.suggestion?.contains("pl, pt") == true)
      #expect(try world.folder.contents() == ["workouts.csv"])
    }
  }

  @Test("where a person names the language, a row with another month is kept aside alone; a language that nobody knows is refused")
  func named() throws {
    var world = try TableWorld()
    world.hints.language = "hr"
    let report = try world.report(Self.table(["3 lip", "4 foo"]))
    #expect(report.counts["workouts"]?.imported == 1)
    #expect(report.problems.map(\.reason) == ["its start is no time: 4 foo 2026, 13:05"])
    world.hints.language = "xx"
    #expect(try world.failure(Data(Self.table(["3 lip"]).utf8)).code == .misuse)
  }
}
