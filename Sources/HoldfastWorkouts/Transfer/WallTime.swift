import Foundation
import Holdfast

/// Local times in a time zone: milliseconds since 1970, as if that zone were UTC.
struct WallClock: Sendable {
  let timeZone: TimeZone
  /// What its table calls the months.
  var months = MonthNames.usual

  /// The moment of a local time. If the clock shows the time twice, the first moment. A skipped time is read on the clock
  /// before it was set forward: 2:30 that night is 3:30.
  func date(_ wall: Int64) -> Date {
    let candidates = [86_400_000, -86_400_000].map { (day: Int64) -> Date in
      let near = Date(timeIntervalSince1970: Double(wall - day) / 1000)
      return Date(timeIntervalSince1970: Double(wall) / 1000 - Double(timeZone.secondsFromGMT(for: near)))
    }
    return candidates.first { time($0) == wall } ?? candidates[0]
  }

  /// The moment of an end. If the clock shows the time twice, the moment that is not before the start.
  func end(_ wall: Int64, of start: Date) -> Date {
    let end = date(wall)
    let again = end.addingTimeInterval(3600)
    return end < start && again >= start && time(again) == wall ? again : end
  }

  /// The moments at which the clock shows a time, in milliseconds since 1970: one, two for a repeated hour, none for a skipped
  /// one. Computed in another way than `date`, because verification compares the two.
  func moments(_ wall: Int64) -> [Int64] {
    let near = [-86_400_000, 0, 86_400_000].map { Date(timeIntervalSince1970: Double(wall &+ $0) / 1000) }
    return Set(near.map { Int64(timeZone.secondsFromGMT(for: $0)) }).map { wall &- $0 &* 1000 }
      .filter { moment in
        let shown = timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment) / 1000))
        return moment &+ Int64(shown) &* 1000 == wall
      }.sorted()
  }

  /// The local time at a moment; 0 for a moment that cannot be stored.
  func time(_ date: Date) -> Int64 {
    (DateCodec.milliseconds(date) ?? 0) + Int64(timeZone.secondsFromGMT(for: date)) * 1000
  }
}

/// Reads and writes local times. Every spelling becomes `2025-11-05 11:41:22`, which the kit's codec reads.
enum WallTime {
  /// To the second, as verification writes the stored time.
  static func text(_ wall: Int64) -> String { String(DateCodec.sqlText(wall).prefix { $0 != "." }) }

  /// A date with or without a time. Without a time it is noon, which is the same day some time zones away, too. Nil for text
  /// that is not a date, and for a date whose day and month could be exchanged.
  ///
  /// The year comes first, or after a month in letters, or after points: `2025-11-05 11:41:22`, `5 Nov 2025, 11:41`, `Nov 5,
  /// 2025, 11:41 AM`, `05.11.2025, 11:41`. A time with a zone becomes the local time of that moment.
  static func parse(_ text: String, on clock: WallClock) -> Int64? {
    // The form that nearly all tables have in each row.
    if isCanonical(text) { return DateCodec.parseSQLText(text) }
    if text.contains("T"), let milliseconds = DateCodec.parseISO8601(text) {
      return DateCodec.date(milliseconds: milliseconds).map(clock.time)
    }
    return canonical(text, clock.months).flatMap { DateCodec.parseSQLText($0) }
  }

  /// `7:37 PM` or `19:37`, as `19:37:00`.
  static func timeOfDay(_ text: String) -> String? {
    var parts = Parts(text)
    return parts.words.allSatisfy(Parts.halves.contains) ? parts.takeTime() : nil
  }

  /// Whether the text has the form that `canonical` returns.
  private static func isCanonical(_ text: String) -> Bool {
    let pattern = "0000-00-00 00:00:00".utf8
    return text.utf8.count == pattern.count
      && zip(text.utf8, pattern).allSatisfy { $1 == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) : $0 == $1 }
  }

  /// The words of a text that may be a month: those of a date whose year has four digits. Empty for any other text.
  static func monthWords(_ text: String) -> [String] {
    guard !isCanonical(text) else { return [] }
    let parts = Parts(text)
    guard parts.numbers.contains(where: { $0.count == 4 }) else { return [] }
    // A letter is the sign of a zone, as in `2026-05-15T17:26:00Z`.
    return parts.words.filter { $0.count > 1 && !Parts.fillers.contains($0) && !Parts.halves.contains($0) }
  }

  private static func canonical(_ text: String, _ names: MonthNames) -> String? {
    var parts = Parts(text)
    func month(_ word: String) -> String? { names.number(word).map(String.init) }
    let months = parts.words.compactMap(month)
    guard months.count <= 1, parts.words.allSatisfy({ month($0) != nil || Parts.fillers.contains($0) || Parts.halves.contains($0) }),
      let first = parts.numbers.first
    else { return nil }
    var date: (year: String, month: String, day: String)
    if let month = months.first {
      guard parts.numbers.count >= 2 else { return nil }
      date = (parts.numbers[1], month, first)
      parts.numbers.removeFirst(2)
    } else {
      guard parts.numbers.count >= 3 else { return nil }
      let (second, third) = (parts.numbers[1], parts.numbers[2])
      if first.count == 4 {
        date = (first, second, third)
      } else if parts.firstSign == "." {
        date = (third, second, first)
      } else {
        // One of the numbers is too great for a month, or both are equal.
        guard let one = Int(first), let two = Int(second), one == two || (one > 12) != (two > 12) else { return nil }
        date = one > 12 ? (third, second, first) : (third, first, second)
      }
      parts.numbers.removeFirst(3)
    }
    guard date.year.count == 4, let time = parts.numbers.isEmpty ? "12:00:00" : parts.takeTime() else { return nil }
    return "\(date.year)-\(two(date.month))-\(two(date.day)) \(time)"
  }

  /// The parts of a text: numbers, words, and the separator between the first two numbers.
  private struct Parts {
    static let halves: Set = ["am", "pm"]
    static let fillers: Set = ["t", "um", "uhr", "at", "a", "de", "del", "kl", "klo", "г", "р", "年", "月", "日", "년", "월", "일"]
    var numbers: [String] = []
    private(set) var words: [String] = []
    private(set) var firstSign: Character?

    init(_ text: String) {
      let folded = SortText.folded(text).replacingOccurrences(of: "a.m.", with: "am").replacingOccurrences(of: "p.m.", with: "pm")
      var isNumber = false
      var isWord = false
      for character in folded {
        if character.isASCII, character.isNumber {
          if isNumber { numbers[numbers.count - 1].append(character) } else { numbers.append(String(character)) }
          (isNumber, isWord) = (true, false)
        } else if character.isLetter {
          if isWord { words[words.count - 1].append(character) } else { words.append(String(character)) }
          (isNumber, isWord) = (false, true)
        } else {
          if numbers.count == 1, firstSign == nil { firstSign = character }
          (isNumber, isWord) = (false, false)
        }
      }
    }

    /// Takes two or three numbers, and AM or PM.
    mutating func takeTime() -> String? {
      guard 2...3 ~= numbers.count, let hour = Int(numbers[0]) else { return nil }
      let seconds = numbers.count == 3 ? numbers[2] : "00"
      let minutes = numbers[1]
      numbers = []
      let half = words.first(where: Self.halves.contains)
      guard half == nil || 1...12 ~= hour else { return nil }
      let full = half.map { hour % 12 + ($0 == "pm" ? 12 : 0) } ?? hour
      return "\(WallTime.two(String(full))):\(WallTime.two(minutes)):\(WallTime.two(seconds))"
    }
  }

  /// A number with two digits or more.
  fileprivate static func two(_ number: some StringProtocol) -> String { number.count == 1 ? "0\(number)" : "\(number)" }
}

/// The order of a date's numbers in a header: `yyyy/mm/dd`. Separators are ignored. With `yy`, a year may have two digits, from 2000.
struct DatePattern: Sendable {
  let text: String
  /// `y`, `m` and `d`.
  private let order: [Character]
  private let isShort: Bool

  /// Nil for a text that is not such a pattern.
  init?(_ text: String) {
    let parts = text.lowercased().split { !$0.isLetter }
    let order = parts.compactMap(\.first)
    guard order.sorted() == ["d", "m", "y"], parts.allSatisfy({ part in part.allSatisfy { $0 == part.first } }) else { return nil }
    (self.text, self.order, isShort) = (text, order, parts.contains("yy"))
  }

  /// Noon of that day in local time; nil for a text that does not fit.
  func noon(_ date: String) -> Int64? {
    let numbers = date.split { !($0.isASCII && $0.isNumber) }
    guard numbers.count == 3, !date.contains(where: \.isLetter) else { return nil }
    var parts: [Character: Substring] = [:]
    for (sign, number) in zip(order, numbers) { parts[sign] = number }
    guard let year = parts["y"], let month = parts["m"], let day = parts["d"], year.count == 4 || isShort && year.count == 2,
      month.count <= 2, day.count <= 2
    else { return nil }
    return DateCodec.parseSQLText("\(year.count == 2 ? "20" : "")\(year)-\(WallTime.two(month))-\(WallTime.two(day)) 12:00:00")
  }
}

/// Decides from all dates of a table whether the day or the month comes first: one day after the 12th shows it.
struct DateOrder {
  private var isDayFirst = false
  private var isMonthFirst = false
  /// Whether the year does not stand last: the dates then have another form.
  private var isOther = false

  mutating func see(_ date: String) {
    let numbers = date.split { !($0.isASCII && $0.isNumber) }.compactMap { Int($0) }
    guard numbers.count == 3 else { return }
    if (13...31).contains(numbers[0]) { isDayFirst = true }
    if (13...31).contains(numbers[1]) { isMonthFirst = true }
    // The app wrote such tables from 2011 to 2018.
    if numbers[2] < 100, !(7...19).contains(numbers[2]) { isOther = true }
  }

  /// Nil when no date shows it, or two dates contradict each other.
  var pattern: DatePattern? { isOther || isDayFirst == isMonthFirst ? nil : DatePattern(isDayFirst ? "dd/mm/yy" : "mm/dd/yy") }
}
