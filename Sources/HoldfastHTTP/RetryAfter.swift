import Foundation
import Holdfast

/// The header `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
enum RetryAfter {
  static func seconds(_ text: String, from now: Date) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? seconds : nil }
    // `Sun, 06 Nov 1994 08:49:37 GMT`, the form in use since 1999.
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    let date = DateCodec.parseISO8601("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z").flatMap(DateCodec.date(milliseconds:))
    return date.map { max(0, $0.timeIntervalSince(now)) }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
