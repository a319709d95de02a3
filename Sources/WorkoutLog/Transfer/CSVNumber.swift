import Foundation
import Holdfast

/// A number as a table has it, with its letters, which verification compares with what is stored.
struct CSVNumber {
  let value: Double
  /// Without zeros that say nothing: `60` for `60.0`, `8.5` for `8,5`.
  let text: String

  /// Nil for what is no number, and for one that might be two: `1,500` between commas is fifteen hundred or one and a half.
  ///
  /// - Parameter commaIsDecimal: nobody writes thousands with it.
  init?(_ written: String, commaIsDecimal: Bool) {
    let letters = written.filter { !$0.isWhitespace }
    guard let plain = Self.plain(letters, commaIsDecimal), let value = Double(plain), value.isFinite else { return nil }
    self.value = value == 0 ? 0 : value
    let canonical = Self.canonical(plain)
    // What has more digits than are stored is compared as it is stored.
    text = canonical == Self.text(self.value) ? canonical : Self.text(self.value)
  }

  /// A stored number in the same form.
  static func text(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A whole number, for example of repetitions.
  var whole: Int? { value >= 0 ? Int(exactly: value) : nil }

  private static func plain(_ letters: String, _ commaIsDecimal: Bool) -> String? {
    guard letters.utf8.allSatisfy({ "0123456789.,-+eE".utf8.contains($0) }), letters.contains(where: \.isNumber) else { return nil }
    guard let comma = letters.lastIndex(of: ",") else { return letters }
    let point = letters.lastIndex(of: ".")
    if let point {
      // Of two signs the last one is the decimal's.
      let thousands: Character = comma > point ? "." : ","
      return letters.filter { $0 != thousands }.replacingOccurrences(of: ",", with: ".")
    }
    guard letters.filter({ $0 == "," }).count == 1 else { return nil }
    let (before, after) = (letters[..<comma], letters[letters.index(after: comma)...])
    let isDoubtful = !commaIsDecimal && after.count == 3 && before.contains { "123456789".contains($0) }
    return isDoubtful ? nil : letters.replacingOccurrences(of: ",", with: ".")
  }

  private static func canonical(_ plain: String) -> String {
    var text = plain.hasPrefix("+") ? plain.dropFirst() : plain[...]
    let isNegative = text.hasPrefix("-")
    if isNegative { text = text.dropFirst() }
    if text.contains(".") {
      while text.last == "0" { text.removeLast() }
      if text.last == "." { text.removeLast() }
    }
    text = text.drop { $0 == "0" }
    if text.isEmpty || text.first == "." { text = "0" + text }
    return isNegative && text != "0" ? "-\(text)" : String(text)
  }
}

/// How long something took, as people write it.
enum CSVDuration {
  /// Seconds of `1h 9m`, `57m`, `35min`, `1h 1min`, `45s`, `1:02:03`, `1:02`, which is a minute and two seconds, and of a number alone. Nil
  /// for anything else.
  static func seconds(_ text: String) -> Int? {
    let letters = text.lowercased().filter { !$0.isWhitespace && $0 != "." }
    if letters.contains(":") {
      let parts = letters.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
      guard 2...3 ~= parts.count else { return nil }
      return parts.reduce(0 as Int?) { sum, part in part.flatMap { $0 >= 0 ? sum.flatMap { add($0, 60, to: part) } : nil } }
    }
    if let seconds = CSVNumber(text, commaIsDecimal: true) { return seconds.whole }
    var sum = 0
    var rest = letters[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      let unit = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(unit.count)
      guard let number = Int(digits), let factor = units[String(unit)], let more = add(number, factor, to: sum) else { return nil }
      sum = more
    }
    return letters.isEmpty ? nil : sum
  }

  /// `1h 9m`, `57m`, `45s`, as Strong writes it.
  static func text(_ seconds: Int) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours == 0, minutes == 0 { return "\(seconds)s" }
    return [hours > 0 ? "\(hours)h" : nil, minutes > 0 ? "\(minutes)m" : nil].compactMap { $0 }.joined(separator: " ")
  }

  private static func add(_ number: Int?, _ factor: Int, to sum: Int?) -> Int? {
    guard let number, let sum else { return nil }
    let (product, isTooMuch) = number.multipliedReportingOverflow(by: factor)
    let (more, isMore) = sum.addingReportingOverflow(product)
    return isTooMuch || isMore ? nil : more
  }

  private static let units = [
    "h": 3600, "hr": 3600, "hrs": 3600, "std": 3600, "m": 60, "min": 60, "mins": 60, "mn": 60, "s": 1, "sec": 1, "sek": 1,
  ]
}
