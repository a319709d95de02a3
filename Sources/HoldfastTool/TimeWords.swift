import ArgumentParser
import Foundation
import Holdfast

/// A time as a person types it and reads it.
enum TimeWords {
  static let forms =
    "\"10 minutes ago\" (seconds, minutes, hours, days, weeks, months, years; or s, min, h, d, w), \"an hour ago\", \"last week\", "
    + "\"14:02\", \"yesterday\", \"yesterday 14:02\", \"2026-11-24\", \"2026-11-24 14:02\", \"2026-11-24 14:02:33\", "
    + "\"2026-11-24T14:02:33+01:00\" or \"now\""

  /// The times that `text` can mean; nil for any other form, and for a local time that a change of the clocks leaves out.
  ///
  /// Times are shown without their fraction, or in JSON with milliseconds. So a text with seconds means every time that is shown so: the
  /// whole second, or the millisecond. Every other text means one time.
  ///
  /// A day alone means its beginning. A time without a zone is local. Of a local time that comes twice, this is the first. Days, weeks,
  /// months and years ago are counted by the calendar, so "1 day ago" is the same time of day. Where a month has no such day, its last one is
  /// meant. "last week" is a week ago, and so with month and year. The word "at" may stand between a day and a time.
  static func parse(_ text: String, now: Date, timeZone: TimeZone) -> ClosedRange<Date>? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if let instant = DateCodec.parseISO8601(text).flatMap(DateCodec.date(milliseconds:)) { return shown(instant, as: text) }
    var words = text.lowercased().split(separator: " ").map(String.init)
    if words.count == 3, words[1] == "at" { words.remove(at: 1) }
    switch words.count {
    case 1:
      if words[0] == "now" { return now...now }
      if let time = local(day(of: now, timeZone), words[0], timeZone) { return time }
      let name = day(words[0], now, timeZone)
      // Where the clocks go forward at midnight, the day begins at one.
      return local(name, "00:00", timeZone) ?? local(name, "01:00", timeZone)
    case 2 where words[0] == "last" && ["week", "month", "year"].contains(words[1]):
      return ago("a", words[1], now, timeZone).map { $0...$0 }
    case 2: return local(day(words[0], now, timeZone), words[1], timeZone)
    case 3 where words[2] == "ago": return ago(words[0], words[1], now, timeZone).map { $0...$0 }
    default: return nil
    }
  }

  /// The same, with the clock and the time zone of this computer.
  ///
  /// - Parameter others: more forms that the option allows, for the error.
  /// - Throws: `ValidationError` that lists the forms.
  static func times(_ text: String, for option: String, or others: String = "") throws -> ClosedRange<Date> {
    if let times = parse(text, now: Date(), timeZone: .current) { return times }
    throw ValidationError("\"\(text)\" is not a time for \(option): write \(forms)\(others). Times without a zone are local.")
  }

  /// `2026-11-24 14:02:33`, in local time.
  static func local(_ date: Date, in timeZone: TimeZone = .current) -> String {
    let text = DisplayText.time(date.addingTimeInterval(TimeInterval(timeZone.secondsFromGMT(for: date))))
    return text.replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: "")
  }

  /// Whether local time and UTC are the same at all these times.
  static func isUniversal(_ dates: [Date], in timeZone: TimeZone = .current) -> Bool {
    dates.allSatisfy { timeZone.secondsFromGMT(for: $0) == 0 }
  }

  /// The time that `times` gives for a text. Its bounds may be shown as the second before or behind.
  static func both(_ times: ClosedRange<Date>, in timeZone: TimeZone = .current) -> String {
    both(times.lowerBound.addingTimeInterval(times.upperBound.timeIntervalSince(times.lowerBound) / 2), in: timeZone)
  }

  /// Local time and UTC; only one where both are the same, and where the local one is behind the year 9999.
  static func both(_ date: Date, in timeZone: TimeZone = .current) -> String {
    let universal = DisplayText.time(date)
    let local = local(date, in: timeZone)
    return isUniversal([date], in: timeZone) || local.isEmpty ? universal : "\(local) (\(universal))"
  }

  private static func ago(_ count: String, _ unit: String, _ now: Date, _ timeZone: TimeZone) -> Date? {
    guard let count = ["a", "an"].contains(count) ? 1 : Int(count), (0...1_000_000).contains(count) else { return nil }
    func earlier(_ seconds: Int) -> Date { now.addingTimeInterval(-TimeInterval(count) * TimeInterval(seconds)) }
    switch unit.count > 2 && unit.hasSuffix("s") ? String(unit.dropLast()) : unit {
    case "second", "sec", "s": return earlier(1)
    case "minute", "min": return earlier(60)
    case "hour", "h": return earlier(3_600)
    case "day", "d": return daysAgo(count, now, timeZone)
    case "week", "w": return daysAgo(7 * count, now, timeZone)
    case "month": return monthsAgo(count, now, timeZone)
    case "year": return monthsAgo(12 * count, now, timeZone)
    default: return nil
    }
  }

  private static func monthsAgo(_ count: Int, _ now: Date, _ timeZone: TimeZone) -> Date? {
    // Foundation's calendar need not count millions of years.
    guard count <= 12_000 else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar.date(byAdding: .month, value: -count, to: now)
  }

  private static func daysAgo(_ count: Int, _ now: Date, _ timeZone: TimeZone) -> Date? {
    guard let wall = wall(now, timeZone) else { return nil }
    return date(atWall: wall - Int64(count) * 86_400_000, timeZone) ?? now.addingTimeInterval(-TimeInterval(count) * 86_400)
  }

  /// `2026-11-24` for "today" and "yesterday"; any other word unchanged.
  private static func day(_ word: String, _ now: Date, _ timeZone: TimeZone) -> String {
    switch word {
    case "today": day(of: now, timeZone)
    case "yesterday": day(of: now, timeZone, daysBefore: 1)
    default: word
    }
  }

  /// `2026-11-24`: the local day of a time, or one before it.
  private static func day(of date: Date, _ timeZone: TimeZone, daysBefore: Int64 = 0) -> String {
    wall(date, timeZone).map { String(DateCodec.iso8601($0 - daysBefore * 86_400_000, fraction: false).prefix(10)) } ?? ""
  }

  private static func local(_ day: String, _ time: String, _ timeZone: TimeZone) -> ClosedRange<Date>? {
    // "9:02" is "09:02".
    let time = time.dropFirst().first == ":" ? "0" + time : time
    let hasSeconds = time.utf8.count > 5
    let spelled = DateCodec.parseISO8601("\(day)T\(time)\(hasSeconds ? "" : ":00")Z").flatMap { date(atWall: $0, timeZone) }
    return spelled.map { hasSeconds ? shown($0, as: time) : $0...$0 }
  }

  /// All times that are shown as `text`, which has seconds, and perhaps a fraction.
  ///
  /// - Parameter date: the time that `text` spells.
  private static func shown(_ date: Date, as text: String) -> ClosedRange<Date> {
    // `DateCodec` rounds to the nearest millisecond before it cuts off the fraction.
    date.addingTimeInterval(-0.000_5)...date.addingTimeInterval(text.contains(".") ? 0.000_499 : 0.999_499)
  }

  /// What the clock on the wall shows, in milliseconds as if it showed UTC.
  private static func wall(_ date: Date, _ timeZone: TimeZone) -> Int64? {
    DateCodec.milliseconds(date.addingTimeInterval(TimeInterval(timeZone.secondsFromGMT(for: date))))
  }

  /// The first time at which the clock on the wall shows `wall`. Foundation would move a time that does not exist.
  private static func date(atWall wall: Int64, _ timeZone: TimeZone) -> Date? {
    let offsets = [wall - 86_400_000, wall + 86_400_000].compactMap(DateCodec.date(milliseconds:)).map { timeZone.secondsFromGMT(for: $0) }
    return offsets.compactMap { offset in
      DateCodec.date(milliseconds: wall - Int64(offset) * 1_000).flatMap { timeZone.secondsFromGMT(for: $0) == offset ? $0 : nil }
    }.min()
  }
}
