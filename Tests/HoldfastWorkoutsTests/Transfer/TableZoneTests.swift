import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("The time zone of a table") struct TableZoneTests {
  private static let table = """
    title,start_time,end_time,exercise_title,set_index,set_type,weight_kg,reps
    A,"11 Apr 2026, 13:05","11 Apr 2026, 13:59",Squat,0,normal,80,10

    """

  private func start(_ world: TableWorld) throws -> String {
    DateCodec.iso8601(try #require(try world.workouts().first.flatMap { DateCodec.milliseconds($0.startedAt) }), fraction: false)
  }

  @Test("is remembered: a computer that stands in another one does not move the history; a person who names another does, and is told")
  func remembered() throws {
    var world = try TableWorld()
    world.hints.timeZone = TimeZone(identifier: "Pacific/Apia")
    let first = try world.report(Self.table)
    #expect(first.timeZone == "Pacific/Apia" && first.notes?.keys.contains { $0.hasPrefix("the times") } != true)
    let before = try start(world)
    #expect(before == "2026-04-11T00:05:00Z")
    world.hints.timeZone = nil
    let again = try world.report(Self.table)
    #expect(again.timeZone == "Pacific/Apia" && again.counts["workouts"]?.skipped == 1)
    #expect(try start(world) == before)
    #expect(try note(again).hasPrefix("the times were read in Pacific/Apia, as by the import before; this computer's time zone is "))
    world.hints.timeZone = TimeZone(identifier: "Asia/Tokyo")
    let moved = try world.report(Self.table)
    #expect(moved.counts["workouts"]?.merged == 1)
    #expect(try note(moved).hasPrefix("the times were read in Asia/Tokyo; the import before read them in Pacific/Apia"))
    #expect(try start(world) == "2026-04-11T04:05:00Z")
  }

  private func note(_ report: ImportReport) throws -> String { try #require(report.notes?.keys.first { $0.hasPrefix("the times") }) }

  @Test("an import that added nothing, or only was tried, is not remembered")
  func nothing() throws {
    var world = try TableWorld()
    world.hints.timeZone = TimeZone(identifier: "Pacific/Apia")
    _ = try world.report(Self.table)
    world.hints.timeZone = TimeZone(identifier: "Asia/Tokyo")
    var options = ImportOptions()
    options.dryRun = true
    _ = try world.report(Self.table, options: options)
    _ = try world.report("title,start_time,exercise_title,set_index\n")
    world.hints.timeZone = nil
    #expect(try world.report(Self.table).timeZone == "Pacific/Apia")
  }

  @Test("a zone of the environment that does not exist is refused, and not taken for UTC")
  func environment() throws {
    let error = #expect(throws: StoreError.self) { try WorkoutLog.ownTimeZone(["TZ": "Europe/Berlni"]) }
    #expect(error?.code == .misuse && error?.message == "TZ=Europe/Berlni is not the name of a time zone")
    for right in [[:], ["TZ": ""], ["TZ": ":/etc/localtime"], ["TZ": "Europe/Berlin"]] {
      #expect(try WorkoutLog.ownTimeZone(right) == .current)
    }
  }
}
