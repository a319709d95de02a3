public import Foundation
public import Holdfast

/// A value with the text that the source has for it: verification compares the text with what the store gives back, so a
/// conversion that is wrong in both directions is found.
public struct Written<Value: Sendable>: Sendable {
  /// What is stored.
  public let value: Value
  /// What the source has, for its `SourceField`.
  public let text: JSONValue

  /// A value that the source has in a form of its own.
  @inlinable
  public init(value: Value, text: JSONValue) {
    self.value = value
    self.text = text
  }
}

extension Written<UUID> {
  /// Reads an id. Nil when it is none.
  ///
  /// Ids come in either case; they are compared in upper case, as `JSONValue.id(_:)` writes them.
  public init?(id text: String) {
    guard let id = IDCodec.parse(text) else { return nil }
    self.init(value: id, text: .string(text.uppercased()))
  }
}

extension Written<Date> {
  /// Reads a date in ISO 8601, to be compared with `JSONValue.iso8601(_:)`. Nil when it is none.
  ///
  /// Whole seconds in UTC are compared as they stand, with a fraction of zeros or without. Another way to write a time must mean the same
  /// to Foundation's parser, which shares nothing with the kit's; it is then compared in the first form.
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

  /// Reads a date as SQLite's functions write it, to be compared with `JSONValue.sqlDate(_:)`. Nil when it is none.
  ///
  /// `2025-11-05 11:41:22.123` in UTC is compared as it stands. Another way to write a time is first brought into that form by
  /// its letters alone, and one with an offset or finer than a millisecond by Foundation: neither shares anything with the
  /// kit's own reading. Nil also for a time before 1583 in the last two forms, where Foundation counts in another calendar.
  public init?(sqlDate text: String) {
    guard let milliseconds = DateCodec.parseSQLText(text), let date = DateCodec.date(milliseconds: milliseconds),
      let canonical = SQLDateText.canonical(text)
    else { return nil }
    self.init(value: date, text: .string(canonical))
  }

  /// Foundation reads at most three digits of a fraction: it gets the text without, and the digits are added to that.
  private static func independentMilliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard let whole = parts.first else { return nil }
    let digits = parts.count == 2 ? parts[1].prefix { $0.isNumber } : ""
    let zone = parts.count == 2 ? parts[1].dropFirst(digits.count) : ""
    guard let date = try? Date(String(whole + zone), strategy: Date.ISO8601FormatStyle()),
      let seconds = Int64(exactly: date.timeIntervalSince1970), seconds.magnitude < 1 << 40,
      let microseconds = Int64((digits + "000000").prefix(6))
    else { return nil }
    let exact = Double(seconds * 1000) + Double(microseconds) / 1000
    return Int64(exact.rounded(.toNearestOrAwayFromZero))
  }
}
