import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastTool

@Suite("Time line")
struct TimeLineTests {
  private static func event(_ number: Int64, tables: [String] = ["tracks"], rows: Int? = 2) -> ArchiveEvent {
    let time = Date(timeIntervalSince1970: 1_795_525_353 + Double(number))
    let commit = ArchivedCommit(number: number, time: time, earliest: nil, rowsChanged: rows, tables: tables, pages: 9, merged: 0)
    return ArchiveEvent(kind: .commit, time: time, commit: number, text: "", details: commit)
  }

  private static func line(commits: Int64, limit: Int? = nil) -> TimeLine {
    let label = ArchiveEvent(kind: .label, time: Date(timeIntervalSince1970: 1_795_600_000), commit: commits, text: "before the move")
    return TimeLine((1...commits).map { event($0) } + [label], [], limit: limit)
  }

  /// The first column without its heading.
  private static func numbers(_ text: String) -> [String] {
    text.split(separator: "\n").dropFirst().map { String($0.prefix { $0 != " " }) }
  }

  @Test("a long run of commits is shortened in its middle, and what is around it stays")
  func shortened() throws {
    let text = Self.line(commits: 20).text(width: nil, shortens: true)
    #expect(Self.numbers(text) == ["1", "2", "3", "4–17", "18", "19", "20", "20"])
    #expect(text.contains("28  14 commits until "), "\(text)")
    #expect(text.hasSuffix("label: before the move\n"))
    #expect(Self.numbers(Self.line(commits: 20).text(width: nil, shortens: false)).count == 21)
    #expect(Self.numbers(Self.line(commits: 12).text(width: nil, shortens: true)).count == 13)
  }

  @Test("a limit keeps the newest entries")
  func limited() {
    #expect(Self.numbers(Self.line(commits: 20, limit: 3).text(width: nil, shortens: false)) == ["19", "20", "20"])
  }

  @Test("a commit of another program shows unknown rows and tables")
  func unknown() throws {
    let text = TimeLine([Self.event(1, tables: [], rows: nil)], []).text(
      width: nil, shortens: true, in: try #require(TimeZone(secondsFromGMT: 0)))
    #expect(
      text == """
        COMMIT  UTC                      ROWS  WHAT
        1       2026-11-24T13:02:34Z  unknown  unknown

        """)
  }

  @Test("a commit whose time was ahead of the clock shows the clock's time")
  func clock() throws {
    let time = Date(timeIntervalSince1970: 1_795_525_353)
    var commit = ArchivedCommit(number: 1, time: time, earliest: nil, rowsChanged: 2, tables: ["tracks"], pages: 9, merged: 0)
    commit.clock = time.addingTimeInterval(-3_600)
    let event = ArchiveEvent(kind: .commit, time: time, commit: 1, text: "", details: commit)
    let text = TimeLine([event], []).text(width: nil, shortens: true, in: try #require(TimeZone(secondsFromGMT: 0)))
    #expect(text.contains("tracks (clock: 2026-11-24 12:02:33)\n"), "\(text)")
  }

  @Test("a gap shows the time of the last commit before it, and its own")
  func gap() throws {
    let time = Date(timeIntervalSince1970: 1_795_525_353)
    let gap = ArchiveEvent(kind: .gap, time: time, commit: 7, text: "the log is gone", gapFrom: time.addingTimeInterval(-60))
    let text = TimeLine([gap], []).text(width: nil, shortens: true, in: try #require(TimeZone(secondsFromGMT: 3_600)))
    #expect(
      text.contains("7       2026-11-24 14:02:33  2026-11-24T13:02:33Z        gap after 2026-11-24 14:01:33: the log is gone\n"), "\(text)")
  }

  @Test("local time stands beside UTC where they differ")
  func localTime() throws {
    let text = TimeLine([Self.event(1)], []).text(width: nil, shortens: true, in: try #require(TimeZone(secondsFromGMT: 3_600)))
    #expect(text.contains("1       2026-11-24 14:02:34  2026-11-24T13:02:34Z     2  tracks\n"), "\(text)")
  }
}
