import Foundation
import Holdfast
import Testing

@testable import HoldfastTool

@Suite("Times in words")
struct TimeWordsTests {
  private static func parse(_ text: String, at now: String = "2026-11-24T13:02:33Z") throws -> String? {
    let now = try #require(DateCodec.parseISO8601(now).flatMap(DateCodec.date(milliseconds:)))
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let date = TimeWords.parse(text, now: now, timeZone: zone)?.upperBound
    return date.flatMap(DateCodec.milliseconds).map { DateCodec.iso8601($0, fraction: false) }
  }

  @Test(
    "a time is read as a person means it, in Berlin at 14:02:33",
    arguments: [
      ("now", "2026-11-24T13:02:33Z"), ("10 minutes ago", "2026-11-24T12:52:33Z"), ("1 second ago", "2026-11-24T13:02:32Z"),
      ("3 Hours ago", "2026-11-24T10:02:33Z"), ("1 day ago", "2026-11-23T13:02:33Z"), ("2 weeks ago", "2026-11-10T13:02:33Z"),
      ("14:02", "2026-11-24T13:02:00Z"), ("09:15:30", "2026-11-24T08:15:30Z"), ("today 00:00", "2026-11-23T23:00:00Z"),
      ("yesterday 14:02", "2026-11-23T13:02:00Z"), ("yesterday 14:02:07", "2026-11-23T13:02:07Z"),
      ("2026-11-24 14:02", "2026-11-24T13:02:00Z"), ("2026-07-01 14:02:33", "2026-07-01T12:02:33Z"),
      ("yesterday", "2026-11-22T23:00:00Z"), ("2026-11-24", "2026-11-23T23:00:00Z"), ("an hour ago", "2026-11-24T12:02:33Z"),
      ("1 month ago", "2026-10-24T12:02:33Z"), ("9 months ago", "2026-02-24T13:02:33Z"), ("a year ago", "2025-11-24T13:02:33Z"),
      ("2 h ago", "2026-11-24T11:02:33Z"), ("last week", "2026-11-17T13:02:33Z"), ("Last month", "2026-10-24T12:02:33Z"),
      ("yesterday at 14:02", "2026-11-23T13:02:00Z"), ("2026-11-24 at 14:02", "2026-11-24T13:02:00Z"),
      ("5 s ago", "2026-11-24T13:02:28Z"), ("5 sec ago", "2026-11-24T13:02:28Z"), ("1 d ago", "2026-11-23T13:02:33Z"),
      ("1 w ago", "2026-11-17T13:02:33Z"), ("9:02", "2026-11-24T08:02:00Z"), ("9:02:07", "2026-11-24T08:02:07Z"),
      ("yesterday at 9:02", "2026-11-23T08:02:00Z"), ("A minute ago", "2026-11-24T13:01:33Z"), ("10 min ago", "2026-11-24T12:52:33Z"),
      (" 2026-11-24T14:02:33+01:00 ", "2026-11-24T13:02:33Z"), ("2026-11-24T13:02:33.250Z", "2026-11-24T13:02:33Z"),
    ])
  func read(text: String, time: String) throws { #expect(try Self.parse(text) == time) }

  @Test(
    "a text with seconds means every time that is shown so, and another text means one time",
    arguments: [
      ("2026-11-24T13:02:33Z", "13:02:33.000", "13:02:33.999"), ("14:02:33", "13:02:33.000", "13:02:33.999"),
      ("2026-11-24 14:02:33.250", "13:02:33.250", "13:02:33.250"), ("14:02", "13:02:00.000", "13:02:00.000"),
    ])
  func spans(text: String, first: String, last: String) throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let times = try #require(TimeWords.parse(text, now: Date(timeIntervalSince1970: 1_795_525_400), timeZone: zone))
    // To the microsecond, as the archive's times are. A microsecond outside is shown as another time.
    let (before, after) = (times.lowerBound.addingTimeInterval(1e-6), times.upperBound.addingTimeInterval(-1e-6))
    let shown = try [before, after].map { DateCodec.iso8601(try #require(DateCodec.milliseconds($0)), fraction: true) }
    #expect(shown == ["2026-11-24T\(first)Z", "2026-11-24T\(last)Z"])
  }

  @Test(
    "everything else is no time",
    arguments: [
      "", "tomorrow", "tomorrow 10:00", "14", "9:5", ":05", "24:00", "14:02Z", "2026-11-31", "2026-13-01 10:00", "2026-11-31 10:00",
      "2026-11-24 14:02 CET", "ten minutes ago", "-1 minutes ago", "5 fortnights ago", "minutes ago", "99999999999999999999 days ago",
      "last", "last hour", "last 14:02", "last week ago", "9999 years ago", "at 14:02", "yesterday at", "yesterday at noon", "5 m ago",
      "5 ss ago",
    ])
  func refused(text: String) throws { #expect(try Self.parse(text) == nil) }

  @Test("where a month has no such day, its last one is meant", arguments: [("1 month ago", "02-28"), ("2 months ago", "01-31")])
  func shortMonth(text: String, day: String) throws {
    #expect(try Self.parse(text, at: "2026-03-31T10:00:00Z") == "2026-\(day)T11:00:00Z")
  }

  @Test(
    "on the day on which the clocks go forward, a day ago is the same time of day, and a time that does not exist is no time",
    arguments: [
      ("1 day ago", "2026-03-28T11:00:00Z"), ("24 hours ago", "2026-03-28T10:00:00Z"), ("yesterday 12:00", "2026-03-28T11:00:00Z"),
      ("01:59", "2026-03-29T00:59:00Z"), ("02:30", nil), ("03:00", "2026-03-29T01:00:00Z"),
    ] as [(String, String?)])
  func forward(text: String, time: String?) throws { #expect(try Self.parse(text, at: "2026-03-29T10:00:00Z") == time) }

  @Test("of a time that comes twice, as the clocks go back, the first is meant", arguments: [("02:30", "00:30"), ("03:00", "02:00")])
  func back(text: String, time: String) throws {
    #expect(try Self.parse(text, at: "2026-10-25T12:00:00Z") == "2026-10-25T\(time):00Z")
  }

  @Test("a time is shown in local time and in UTC, once where both are the same")
  func shown() throws {
    let date = Date(timeIntervalSince1970: 1_795_525_353)
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    #expect(TimeWords.both(date, in: zone) == "2026-11-24 14:02:33 (2026-11-24T13:02:33Z)")
    #expect(try TimeWords.both(date, in: #require(TimeZone(secondsFromGMT: 0))) == "2026-11-24T13:02:33Z")
  }
}
