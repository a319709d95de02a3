import Foundation
import Holdfast

enum UTCDay {
  static let milliseconds: Int64 = 86_400_000

  /// `2026-11-21`.
  static func name(of date: Date) -> String { name(of: DateCodec.milliseconds(date) ?? 0) }

  static func name(of milliseconds: Int64) -> String { String(DateCodec.iso8601(milliseconds, fraction: false).prefix { $0 != "T" }) }
}

/// The days of a time zone. The calendar is slow, so each day is computed once.
struct Days {
  struct Day {
    /// In milliseconds since 1970.
    var range: Range<Int64>
    var name: String
  }

  private let calendar: Calendar
  private let isUTC: Bool
  /// Sorted.
  private var known: [Day] = []

  init(_ timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
    isUTC = timeZone == .gmt
  }

  /// - Parameter milliseconds: a date that can be stored.
  mutating func day(of milliseconds: Int64) -> Day {
    // Finds the first day that ends later.
    var (lower, upper) = (0, known.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if known[middle].range.upperBound <= milliseconds { lower = middle + 1 } else { upper = middle }
    }
    if lower < known.count, known[lower].range.contains(milliseconds) { return known[lower] }
    let day = isUTC ? Self.utc(milliseconds) : local(milliseconds)
    known.insert(day, at: lower)
    return day
  }

  private static func utc(_ milliseconds: Int64) -> Day {
    let rest = milliseconds % UTCDay.milliseconds
    let start = milliseconds - (rest < 0 ? rest + UTCDay.milliseconds : rest)
    return Day(range: start..<(start + UTCDay.milliseconds), name: UTCDay.name(of: start))
  }

  private func local(_ milliseconds: Int64) -> Day {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    guard let day = calendar.dateInterval(of: .day, for: date),
      let start = Int64(exactly: (day.start.timeIntervalSince1970 * 1000).rounded()),
      let end = Int64(exactly: (day.end.timeIntervalSince1970 * 1000).rounded()), start <= milliseconds, milliseconds < end
    else { return Self.utc(milliseconds) }
    // The local time, read as UTC.
    return Day(range: start..<end, name: UTCDay.name(of: start + Int64(calendar.timeZone.secondsFromGMT(for: day.start)) * 1000))
  }
}
