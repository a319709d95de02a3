public import Foundation

// A stored date is a number of milliseconds since 1970-01-01T00:00:00Z, in the proleptic Gregorian calendar without leap seconds, from the
// first millisecond of the year 0001 to the last of 9999. Every text form below has years of four digits and so covers the same range.
// Every function rounds fractions of a millisecond half away from zero.

/// The one codec between `Date`, stored milliseconds and the text forms of dates.
///
/// All functions are pure and safe to call from any thread. They do not use the device's locale or time zone.
public enum DateCodec {
  /// The dates that can be stored, as milliseconds since 1970: the years 0001 to 9999 in UTC.
  public static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Milliseconds since 1970, rounded half away from zero; nil when `date` is not finite or rounds to outside ``range``.
  public static func milliseconds(_ date: Date) -> Int64? {
    let rounded = (date.timeIntervalSince1970 * 1000).rounded(.toNearestOrAwayFromZero)
    // Every value of the range is exact as a Double. NaN fails both comparisons.
    guard rounded >= Double(range.lowerBound), rounded <= Double(range.upperBound) else { return nil }
    return Int64(rounded)
  }

  /// The date of `milliseconds` since 1970, or nil outside ``range``. ``milliseconds(_:)`` gives back the same number.
  public static func date(milliseconds: Int64) -> Date? {
    guard range.contains(milliseconds) else { return nil }
    return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// `date` as it is after saving and loading; unchanged when it cannot be stored. Rounding twice changes nothing more.
  public static func rounded(_ date: Date) -> Date {
    milliseconds(date).flatMap { self.date(milliseconds: $0) } ?? date
  }
}

// MARK: - ISO 8601

extension DateCodec {
  /// Milliseconds since 1970 of an ISO 8601 date and time with its zone, or nil.
  ///
  /// Accepts the RFC 3339 form `2025-11-05T11:41:22Z`: upper-case `T` and `Z`; optionally a point and a fraction of 1 to 9 digits; instead
  /// of `Z` an offset `+HH:MM`, `-HH:MM` or the same without the colon, up to 23:59. Everything else is nil: lower-case letters, a comma, a
  /// space, no zone, days that the calendar lacks, hour 24, second 60, a date outside ``range``.
  public static func parseISO8601(_ string: some StringProtocol) -> Int64? {
    withText(of: string) { text in
      guard let days = text.date(), text.take("T"), let time = text.time(secondsRequired: true), let offset = text.zone(),
        text.isAtEnd
      else { return nil }
      return milliseconds(days: days, time: time, offset: offset)
    }
  }

  /// `milliseconds` since 1970 as `2025-11-05T11:41:22Z`, or with `fraction` as `2025-11-05T11:41:22.123Z`.
  ///
  /// Without `fraction`, milliseconds are rounded down, as Foundation's `.iso8601` JSON strategy does. Outside ``range`` the year has a
  /// sign or more digits, as in ISO 8601; ``parseISO8601(_:)`` does not read such years.
  public static func iso8601(_ milliseconds: Int64, fraction: Bool) -> String {
    text(milliseconds, separator: UInt8(ascii: "T"), fraction: fraction, zone: true)
  }
}

// MARK: - SQL text

extension DateCodec {
  /// Milliseconds since 1970 of a date as SQLite's functions and GRDB write it, in UTC unless the text has an offset; or nil.
  ///
  /// Accepts `2025-11-05` (midnight), `2025-11-05 11:41`, `2025-11-05 11:41:22`, and the last with a fraction of 1 to 9 digits; `T` instead
  /// of the space; after a time optionally `Z` or an offset as in ``parseISO8601(_:)``. The calendar is checked as strictly. Julian days,
  /// `now` and times without a date are nil.
  public static func parseSQLText(_ string: some StringProtocol) -> Int64? {
    withText(of: string) { text in
      guard let days = text.date() else { return nil }
      if text.isAtEnd { return milliseconds(days: days, time: DateText.Time(), offset: 0) }
      guard text.take(" ") || text.take("T"), let time = text.time(secondsRequired: false) else { return nil }
      let offset = text.isAtEnd ? 0 : text.zone()
      guard let offset, text.isAtEnd else { return nil }
      return milliseconds(days: days, time: time, offset: offset)
    }
  }

  /// `milliseconds` since 1970 as `2025-11-05 11:41:22.123` in UTC. Outside ``range`` years are as in ``iso8601(_:fraction:)``.
  public static func sqlText(_ milliseconds: Int64) -> String {
    text(milliseconds, separator: UInt8(ascii: " "), fraction: true, zone: false)
  }
}

// MARK: - Numbers and calendar

extension DateCodec {
  private static func milliseconds(days: Int64, time: DateText.Time, offset: Int64) -> Int64? {
    let seconds = days * 86_400 + time.seconds - offset
    var milliseconds = seconds * 1000 + time.nanoseconds / 1_000_000
    let rest = time.nanoseconds % 1_000_000
    // The rest is a time after `milliseconds`, so half a millisecond is "away from zero" only from 1970 on.
    if rest > 500_000 || (rest == 500_000 && milliseconds >= 0) { milliseconds += 1 }
    return range.contains(milliseconds) ? milliseconds : nil
  }

  private static func text(_ milliseconds: Int64, separator: UInt8, fraction: Bool, zone: Bool) -> String {
    let (days, ofDay) = floorDivide(milliseconds, 86_400_000)
    let (year, month, day) = GregorianDay.date(days: days)
    var out: [UInt8] = []
    out.reserveCapacity(32)
    if year < 0 { out.append(UInt8(ascii: "-")) } else if year > 9999 { out.append(UInt8(ascii: "+")) }
    append(year.magnitude, digits: 4, to: &out)
    let rest = ofDay.magnitude
    let fields: [(UInt8, UInt64)] = [
      (UInt8(ascii: "-"), month.magnitude), (UInt8(ascii: "-"), day.magnitude), (separator, rest / 3_600_000),
      (UInt8(ascii: ":"), rest / 60_000 % 60), (UInt8(ascii: ":"), rest / 1000 % 60),
    ]
    for (mark, number) in fields {
      out.append(mark)
      append(number, digits: 2, to: &out)
    }
    if fraction {
      out.append(UInt8(ascii: "."))
      append(rest % 1000, digits: 3, to: &out)
    }
    if zone { out.append(UInt8(ascii: "Z")) }
    return String(decoding: out, as: UTF8.self)
  }

  private static func append(_ number: UInt64, digits: Int, to out: inout [UInt8]) {
    var reversed: [UInt8] = []
    var left = number
    while left > 0 || reversed.count < digits {
      reversed.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left % 10))
      left /= 10
    }
    out.append(contentsOf: reversed.reversed())
  }

  private static func withText(of string: some StringProtocol, _ body: (inout DateText) -> Int64?) -> Int64? {
    var copy = String(string)
    return copy.withUTF8 { bytes in
      var text = DateText(bytes)
      return body(&text)
    }
  }
}
