import Foundation
import Holdfast
import Testing

@testable import HoldfastWorkouts

@Suite("Times on a wall, and numbers in cells") struct WallTimeTests {
  private static func moment(_ text: String, _ zone: String) throws -> String {
    let clock = WallClock(timeZone: try #require(TimeZone(identifier: zone)))
    let wall = try #require(WallTime.parse(text, on: clock))
    return DateCodec.iso8601(try #require(DateCodec.milliseconds(clock.date(wall))), fraction: false)
  }

  @Test(
    "an hour that the clock shows twice is the first, one that it leaves out is the next, and days of any length are whole",
    arguments: [
      ("2024-10-27 02:30:00", "Europe/Berlin", "2024-10-27T00:30:00Z"), ("2024-10-27 03:00:00", "Europe/Berlin", "2024-10-27T02:00:00Z"),
      ("2024-03-31 02:30:00", "Europe/Berlin", "2024-03-31T01:30:00Z"), ("2024-03-31 03:30:00", "Europe/Berlin", "2024-03-31T01:30:00Z"),
      ("2024-03-31 01:59:59", "Europe/Berlin", "2024-03-31T00:59:59Z"), ("2024-11-03 01:30:00", "America/New_York", "2024-11-03T05:30:00Z"),
      ("2024-03-10 02:30:00", "America/New_York", "2024-03-10T07:30:00Z"),
      ("2024-04-07 01:45:00", "Australia/Lord_Howe", "2024-04-06T14:45:00Z"),
      ("2011-12-30 10:00:00", "Pacific/Apia", "2011-12-30T20:00:00Z"), ("2024-06-01", "Asia/Kolkata", "2024-06-01T06:30:00Z"),
    ])
  func changes(text: String, zone: String, moment: String) throws {
    #expect(try Self.moment(text, zone) == moment)
  }

  @Test("what the clock shows comes back, for every hour of a year with two changes")
  func wholeYear() throws {
    let clock = WallClock(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
    let start = try #require(DateCodec.parseISO8601("2024-01-01T00:00:00Z"))
    var other = 0
    for hour in 0..<8_784 {
      let date = try #require(DateCodec.date(milliseconds: start + Int64(hour) * 3_600_000))
      if clock.date(clock.time(date)) != date { other += 1 }
    }
    // The second of the hour that is there twice.
    #expect(other == 1)
  }

  @Test(
    "numbers with points and commas, and those that might be two",
    arguments: [
      ("60.0", false, "60"), ("8,5", false, "8.5"), ("8,500", true, "8.5"), ("8,500", false, nil), ("0,500", false, "0.5"),
      ("1,234.5", false, "1234.5"), ("1.234,5", false, "1234.5"), ("1,234,567", false, nil), ("-20", false, "-20"), ("+5", false, "5"),
      ("-0.0", false, "0"), (".5", false, "0.5"), ("1e3", false, "1000"), ("0x10", false, nil), ("", false, nil), ("-", false, nil),
      ("1 000", false, "1000"), ("77.16000000000000001", false, "77.16"), ("12e400", false, nil),
      ("1\u{A0}234,5", true, "1234.5"), ("8,500\u{A0}", false, nil), ("\r\n007", false, "7"), ("5\u{301}", false, nil),
      ("-.50", false, "-0.5"), ("0000000000000000060.50", false, "60.5"),
    ] as [(String, Bool, String?)])
  func numbers(text: String, commaIsDecimal: Bool, expected: String?) {
    #expect(CSVNumber(text, CSVEvidence(commaParts: !commaIsDecimal))?.text == expected)
  }

  @Test(
    "a sign before three digits may mean either, if there are one to three digits before it that are not all 0",
    arguments: [
      ("1.500", true), ("+999,000", true), (" 1\t,500\u{A0}", true), ("0.500", false), ("1234.500", false), (".500", false),
      ("1.50", false),
      ("1.5000", false), ("1.500.000", false), ("1.500 kg", false), ("1:500", false), ("1.5\u{301}00", false), ("1500", false), ("", false),
    ])
  func open(text: String, isOpen: Bool) {
    #expect(CSVEvidence.isOpen(text) == isOpen)
  }

  @Test(
    "durations in every way to write one",
    arguments: [
      ("1h 9m", 4140), ("57m", 3420), ("1h", 3600), ("35min", 2100), ("1h 1min", 3660), ("45s", 45), ("1 Std. 5 Min.", 3900),
      ("3600", 3600),
      ("1:02:03", 3723), ("1:02", 62), ("0m", 0), ("", nil), ("h", nil), ("5", 5), ("5x", nil), ("1h9999999999999999999m", nil),
      ("-5", nil),
      ("9999999999999999999:00:00", nil), ("1:-2", nil), ("1\u{A0}h\t9 m", 4140), ("1hé", nil),
    ] as [(String, Int?)])
  func durations(text: String, expected: Int?) {
    #expect(CSVDuration.seconds(text) == expected)
  }
}
