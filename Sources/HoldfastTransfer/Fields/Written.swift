public import Foundation
public import Holdfast

/// A value with the source's text for it. Verification compares this text with the text that the store gives back, so it finds a conversion
/// that is wrong in both directions.
public struct Written<Value: Sendable>: Sendable {
  /// The value for the store.
  public let value: Value
  /// The source's text, for its `SourceField`.
  public let text: JSONValue

  /// Makes a value with its text.
  @inlinable
  public init(value: Value, text: JSONValue) {
    self.value = value
    self.text = text
  }
}

extension Written<UUID> {
  /// Reads an id. Nil when the text is not an id.
  ///
  /// Ids are read in upper and lower case, and compared in upper case, as `JSONValue.id(_:)` writes them.
  public init?(id text: String) {
    guard let id = IDCodec.parse(text) else { return nil }
    self.init(value: id, text: .string(text.uppercased()))
  }
}

extension Written<Date> {
  /// Reads a date in ISO 8601, for comparison with `JSONValue.iso8601(_:)`. Nil when the text is not such a date.
  ///
  /// Whole seconds in UTC are compared as written, with or without a fraction of zeros. Any other notation must mean the same time to
  /// Foundation's parser, which shares no code with the kit; it is then compared in the form that the kit writes.
  public init?(date text: String) {
    guard let milliseconds = DateCodec.parseISO8601(text), let date = DateCodec.date(milliseconds: milliseconds) else { return nil }
    if text.utf8.count == 20, text.utf8.last == UInt8(ascii: "Z") {
      self.init(value: date, text: .string(text))
      return
    }
    if text.utf8.count > 21, text.utf8.last == UInt8(ascii: "Z"), text.dropFirst(19).first == ".",
      text.dropFirst(20).dropLast().allSatisfy({ $0 == "0" })
    {
      self.init(value: date, text: .string(text.prefix(19) + "Z"))
      return
    }
    guard Self.independentMilliseconds(text) == milliseconds else { return nil }
    self.init(value: date, text: .string(DateCodec.iso8601(milliseconds, fraction: milliseconds % 1000 != 0)))
  }

  /// Reads a date as SQLite's functions write it, for comparison with `JSONValue.sqlDate(_:)`. Nil when the text is not such a date.
  ///
  /// `2025-11-05 11:41:22.123` in UTC is compared as written. Other notations are first rewritten to that form: a time with an offset or
  /// with more than milliseconds by Foundation, others as text. Neither shares code with the kit's parser. Nil also for a time before 1583
  /// that Foundation would rewrite, because Foundation uses another calendar there.
  init?(sqlDate text: String) {
    guard let milliseconds = DateCodec.parseSQLText(text), let date = DateCodec.date(milliseconds: milliseconds),
      let canonical = Self.canonicalSQL(text)
    else { return nil }
    self.init(value: date, text: .string(canonical))
  }

  /// Foundation reads at most three digits of a fraction. So it reads the text without the fraction, which is added here.
  private static func independentMilliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard let whole = parts.first else { return nil }
    let digits = parts.count == 2 ? parts[1].prefix { $0.isNumber } : ""
    let zone = parts.count == 2 ? parts[1].dropFirst(digits.count) : ""
    // Another codec: verification reads an unusual date once more, with a parser that shares nothing with ours.
    guard let date = try? Date(String(whole + zone), strategy: Date.ISO8601FormatStyle()),
      let seconds = Int64(exactly: date.timeIntervalSince1970), seconds.magnitude < 1 << 40,
      let microseconds = Int64((digits + "000000").prefix(6))
    else { return nil }
    let exact = Double(seconds * 1000) + Double(microseconds) / 1000
    return Int64(exact.rounded(.toNearestOrAwayFromZero))
  }

  /// Another spelling of a date and time as `YYYY-MM-DD HH:MM:SS.SSS`. Only for texts that the kit reads as dates.
  private static func canonicalSQL(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    if bytes.count == 23, bytes[10] == UInt8(ascii: " "), bytes[19] == UInt8(ascii: "."), bytes.last != UInt8(ascii: "Z") { return text }
    let day = text.prefix(10)
    var time = text.dropFirst(11)
    var offset: Substring = ""
    if time.last == "Z" {
      time = time.dropLast()
    } else if let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      offset = time[sign...]
      time = time[..<sign]
    }
    let parts = time.split(separator: ".", maxSplits: 1)
    let fraction = parts.count == 2 ? parts[1] : ""
    let clock = (parts.first.map(String.init) ?? "00:00") + ((parts.first?.count ?? 0) > 5 ? "" : ":00")
    if offset.isEmpty, fraction.count <= 3 {
      return "\(day) \(clock).\(fraction)\(String(repeating: "0", count: 3 - fraction.count))"
    }
    return byFoundation("\(day)T\(clock)\(offset.isEmpty ? "Z" : offset)", fraction)
  }

  private static func byFoundation(_ seconds: String, _ fraction: Substring) -> String? {
    // Another codec: verification reads an unusual date once more, with a parser that shares nothing with ours.
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions =
      seconds.dropLast(2).last == ":" || seconds.last == "Z"
      ? [.withInternetDateTime] : [.withFullDate, .withTime, .withColonSeparatorInTime, .withTimeZone]
    guard seconds.prefix(4) >= "1583", let whole = formatter.date(from: seconds), let part = Decimal(string: "0.\(fraction)0") else {
      return nil
    }
    var exact = (Decimal(whole.timeIntervalSince1970) + part) * 1000
    var rounded = Decimal()
    NSDecimalRound(&rounded, &exact, 0, .plain)
    let milliseconds = NSDecimalNumber(decimal: rounded).int64Value
    return DateCodec.range.contains(milliseconds) ? DateCodec.sqlText(milliseconds) : nil
  }
}
