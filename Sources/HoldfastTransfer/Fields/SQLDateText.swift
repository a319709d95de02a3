import Foundation
import Holdfast

/// Rewrites other spellings of a date and time as `YYYY-MM-DD HH:MM:SS.SSS`. Only for texts that the kit reads as dates.
enum SQLDateText {
  static func canonical(_ text: String) -> String? {
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
