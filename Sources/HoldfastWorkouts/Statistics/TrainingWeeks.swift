import Foundation

/// The weeks of ISO 8601 in a time zone: they begin on Monday, and the first of a year is the one with its first Thursday.
struct TrainingWeeks {
  private let calendar: Calendar
  /// The week that was asked for last: workouts come in their order, and a calendar is slow.
  private var last: DateInterval?

  init(_ timeZone: TimeZone) {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  /// From the beginning of its Monday to that of the next.
  mutating func week(of date: Date) -> DateInterval {
    if let last, last.start <= date, date < last.end { return last }
    // Foundation traps on dates that are no dates, and every other has a week.
    guard abs(date.timeIntervalSince1970) < 1e12, let week = calendar.dateInterval(of: .weekOfYear, for: date) else {
      return DateInterval(start: .distantPast, duration: 604_800)
    }
    last = week
    return week
  }

  /// The year that the week counts in, which near the end of one may be the next, and its number, 1 to 53.
  func number(of week: DateInterval) -> (year: Int, week: Int) {
    let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: week.start)
    return (parts.yearForWeekOfYear ?? 0, parts.weekOfYear ?? 0)
  }

  /// The week that begins so many weeks before this one.
  mutating func week(_ count: Int, before week: DateInterval) -> DateInterval {
    self.week(of: calendar.date(byAdding: .weekOfYear, value: -count, to: week.start) ?? week.start)
  }

  /// How many weeks later another one begins: none is longer or shorter than seven days by half of one.
  static func count(from first: DateInterval, to last: DateInterval) -> Int {
    Int(exactly: (last.start.timeIntervalSince(first.start) / 604_800).rounded()) ?? 0
  }
}
