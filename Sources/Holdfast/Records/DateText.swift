/// A cursor over the bytes of a date. Each function reads one part, and returns nil when that part is missing or invalid.
struct DateText {
  struct Time {
    var seconds: Int64 = 0
    var nanoseconds: Int64 = 0
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { index == bytes.count }

  /// `YYYY-MM-DD` as days since 1970.
  mutating func date() -> Int64? {
    guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"), let day = number(digits: 2),
      year >= 1, 1...12 ~= month, day >= 1, day <= GregorianDay.length(ofMonth: month, year: year)
    else { return nil }
    return GregorianDay.days(year: year, month: month, day: day)
  }

  /// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.f`.
  mutating func time(secondsRequired: Bool) -> Time? {
    guard let hour = number(digits: 2), hour < 24, take(":"), let minute = number(digits: 2), minute < 60 else { return nil }
    guard take(":") else { return secondsRequired ? nil : Time(seconds: hour * 3600 + minute * 60) }
    guard let second = number(digits: 2), second < 60 else { return nil }
    var time = Time(seconds: hour * 3600 + minute * 60 + second)
    guard take(".") else { return time }
    var digits = 0
    while digits < 9, let digit = number(digits: 1) {
      time.nanoseconds = time.nanoseconds * 10 + digit
      digits += 1
    }
    guard digits > 0 else { return nil }
    for _ in digits..<9 { time.nanoseconds *= 10 }
    return time
  }

  /// `Z` or an offset, as seconds east of UTC.
  mutating func zone() -> Int64? {
    if take("Z") { return 0 }
    let sign: Int64
    if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
    guard let hours = number(digits: 2), hours < 24 else { return nil }
    _ = take(":")
    guard let minutes = number(digits: 2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard index < bytes.count, UInt32(bytes[index]) == mark.value else { return false }
    index += 1
    return true
  }

  private mutating func number(digits: Int) -> Int64? {
    guard bytes.count - index >= digits else { return nil }
    var number: Int64 = 0
    for byte in bytes[index..<(index + digits)] {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      number = number * 10 + Int64(byte - 0x30)
    }
    index += digits
    return number
  }
}
