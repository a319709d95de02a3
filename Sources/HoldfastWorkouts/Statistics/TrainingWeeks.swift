import Foundation

/// ISO 8601 weeks in a time zone: they begin on Monday, and the first week of a year has its first Thursday.
struct TrainingWeeks {
  private let calendar: Calendar
  /// The last result: workouts come in order, and a calendar is slow.
  private var last: DateInterval?

  init(_ timeZone: TimeZone) {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  /// From the beginning of its Monday to the next Monday.
  mutating func week(of date: Date) -> DateInterval {
    if let last, last.start <= date, date < last.end { return last }
    // Foundation traps on invalid dates; every other date has a week.
    guard abs(date.timeIntervalSince1970) < 1e12, let week = calendar.dateInterval(of: .weekOfYear, for: date) else {
      return DateInterval(start: .distantPast, duration: 604_800)
    }
    last = week
    return week
  }

  /// The week's ISO year, which may differ from the calendar year, and its number, 1 to 53.
  func number(of week: DateInterval) -> (year: Int, week: Int) {
    let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: week.start)
    return (parts.yearForWeekOfYear ?? 0, parts.weekOfYear ?? 0)
  }

  /// The week that is `count` weeks earlier.
  mutating func week(_ count: Int, before week: DateInterval) -> DateInterval {
    self.week(of: calendar.date(byAdding: .weekOfYear, value: -count, to: week.start) ?? week.start)
  }

  /// How many weeks lie between two beginnings. Rounding is safe: no week is half a week longer or shorter than seven days.
  static func count(from first: DateInterval, to last: DateInterval) -> Int {
    Int(exactly: (last.start.timeIntervalSince(first.start) / 604_800).rounded()) ?? 0
  }
}
