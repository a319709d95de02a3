import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("The table of Fitbod") struct FitbodTests {
  private static let header = "Date,Exercise,Reps,Weight(kg),Duration(s),Distance(m),Incline,Resistance,isWarmup,Note,multiplier\n"

  @Test("rows of one time, or less than three hours after one another, are one workout; zeros say nothing, and warm-ups stay warm-ups")
  func whole() throws {
    let world = try TableWorld(unit: nil)
    let table =
      Self.header + """
        2021-12-28 18:00:00 +0000,Treadmill,0,0.0,600,1500,0.0,0.0,false,,1.0
        2021-12-27 10:02:51 +0000,Back Squat,5,60.0,0.0,0.0,0.0,0.0,true,,1.0
        2021-12-27 10:10:51 +0000,Back Squat,5,100.5,0.0,0.0,0.0,0.0,false,Good form,1.0
        2021-12-27 12:59:00 +0000,Plank,0,0,45,0,0,0,false,,1
        2021-12-27 22:00:00 +0000,Dumbbell Curl,12,10,0,0,0,0,false,,2

        """
    let found = try world.importing(table)
    #expect(found.hasPrefix(TableWorld.imported("fitbod-csv", workouts: 3, exercises: 4, sets: 5)), "\(found)")
    #expect(found.contains("multiplier: the log has no place for this column, and its cells are not imported"))
    let workouts = try world.workouts().sorted { $0.startedAt < $1.startedAt }
    let starts = workouts.map { DateCodec.iso8601(DateCodec.milliseconds($0.startedAt) ?? 0, fraction: false) }
    #expect(starts == ["2021-12-27T10:02:51Z", "2021-12-27T22:00:00Z", "2021-12-28T18:00:00Z"])
    #expect(workouts.first?.exercises.map(\.sets.count) == [2, 1])
    let squat = try #require(workouts.first?.exercises.first)
    #expect(squat.sets.map(\.type) == [.warmUp, .working])
    #expect(squat.sets.map(\.actual.weight) == [60, 100.5] && squat.sets.last?.note == "Good form")
    let run = try #require(workouts.last?.exercises.first?.sets.first)
    #expect(run.actual.weight == nil && run.actual.reps == nil && run.actual.durationSeconds == 600)
    #expect(run.actual.distance == 1_500 && run.distanceUnit == .meters)
    #expect(try world.addsNothing(table))
  }

  @Test("a row whose warm-up is no word, or whose date is none, is kept aside alone")
  func damaged() throws {
    let world = try TableWorld(unit: nil)
    let report = try world.report(
      Self.header + """
        2021-12-27 10:02:51 +0000,Row,5,60,0,0,0,0,maybe,,1
        27th of May,Row,5,60,0,0,0,0,false,,1
        2021-12-27 10:02:51 +0000,Row,5,60,0,0,0,0,false,,1

        """)
    #expect(report.counts["exercise_sets"]?.imported == 1)
    #expect(report.problems.map(\.reason) == ["its isWarmup should be true or false: maybe", "its date cannot be read: 27th of May"])
  }
}
