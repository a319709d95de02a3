import Foundation
import Holdfast

/// A number from a table, with its text, which verification compares with the stored value.
struct CSVNumber {
  let value: Double
  /// Without superfluous zeros: `60` for `60.0`, `8.5` for `8,5`.
  let text: String

  /// Nil for text that is not a number, and for text with two possible readings that the evidence does not settle.
  init?(_ written: String, _ evidence: CSVEvidence) {
    let letters = written.withoutBlanks
    let use = evidence.use(in: letters)
    guard let plain = Self.plain(letters, use), let value = Double(plain), value.isFinite else { return nil }
    self.value = value == 0 ? 0 : value
    // The compared text comes from `letters` and not from `plain`, so that an error in one is found by the other.
    let canonical = Self.canonical(letters, isGrouped: use == .groups)
    let hasExponent = letters.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
    // A number with more digits than a `Double` holds is compared as it is stored.
    text = !hasExponent && (letters.utf8.count <= 15 || Self.isHeld(canonical, value)) ? canonical : Self.text(self.value)
  }

  /// Whether a `Double` holds all digits of a number without an exponent. It always holds 15.
  private static func isHeld(_ canonical: String, _ value: Double) -> Bool {
    let digits = canonical.drop { "-0.".contains($0) }.filter(\.isNumber)
    let count = canonical.contains(".") ? digits.count : digits.reversed().drop { $0 == "0" }.count
    return count <= 15 && (value.isNormal || count == 0) && abs(value) < 0x1p53
  }

  /// A stored number in the same form, without an exponent.
  static func text(_ value: Double) -> String {
    if let whole = Int(exactly: value) { return String(whole) }
    let text = "\(value)"
    guard text.utf8.contains(UInt8(ascii: "e")), let sign = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: sign)...])
    else { return canonical(text) }
    let mantissa = text[..<sign].drop { $0 == "-" }
    let digits = mantissa.filter { $0 != "." }
    let point = mantissa.prefix { $0 != "." }.count + exponent
    let zeros = String(repeating: "0", count: point <= 0 ? -point : max(0, point - digits.count))
    return canonical((value < 0 ? "-" : "") + (point <= 0 ? "0." + zeros + digits : digits + zeros))
  }

  /// The number as a whole number from 0, for example of repetitions.
  var whole: Int? { value >= 0 ? Int(exactly: value) : nil }

  private static func plain(_ letters: String, _ use: CSVEvidence.Use) -> String? {
    guard letters.utf8.allSatisfy({ isDigit($0) || ".,-+eE".utf8.contains($0) }), letters.utf8.contains(where: isDigit) else { return nil }
    switch use {
    case .doubtful: return nil
    case .groups: return letters.filter { $0 != "," && $0 != "." }
    case .decimal:
      guard let comma = letters.utf8.lastIndex(of: UInt8(ascii: ",")) else { return letters }
      guard let point = letters.utf8.lastIndex(of: UInt8(ascii: ".")) else { return letters.replacingOccurrences(of: ",", with: ".") }
      // The last of two signs is the decimal sign.
      let thousands: Character = comma > point ? "." : ","
      return letters.filter { $0 != thousands }.replacingOccurrences(of: ",", with: ".")
    }
  }

  /// The number with its last sign as the decimal point, and without superfluous zeros.
  ///
  /// - Parameter isGrouped: whether its signs separate thousands.
  private static func canonical(_ letters: String, isGrouped: Bool = false) -> String {
    var digits: [UInt8] = []
    var point: Int?
    for byte in letters.utf8 {
      if isDigit(byte) { digits.append(byte) } else if !isGrouped, ".,".utf8.contains(byte) { point = digits.count }
    }
    let whole = digits.prefix(point ?? digits.count).drop { $0 == UInt8(ascii: "0") }
    var part = digits.dropFirst(point ?? digits.count)
    while part.last == UInt8(ascii: "0") { part = part.dropLast() }
    let text =
      (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self)) + (part.isEmpty ? "" : "." + String(decoding: part, as: UTF8.self))
    return letters.utf8.first == UInt8(ascii: "-") && text != "0" ? "-" + text : text
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}

/// A duration as people write it.
enum CSVDuration {
  /// The seconds of `1h 9m`, `57m`, `35min`, `1h 1min`, `45s`, `1:02:03`, `1:02` (a minute and two seconds), or of a number
  /// alone. Nil for anything else.
  ///
  /// - Parameter evidence: the table's evidence about signs, for a number alone.
  static func seconds(_ text: String, _ evidence: CSVEvidence = .letters) -> Int? {
    let letters = withoutPoints(text.lowercased().withoutBlanks)
    if letters.utf8.contains(UInt8(ascii: ":")) {
      let parts = letters.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
      guard 2...3 ~= parts.count else { return nil }
      return parts.reduce(0 as Int?) { sum, part in part.flatMap { $0 >= 0 ? sum.flatMap { add($0, 60, to: part) } : nil } }
    }
    if let seconds = CSVNumber(text, evidence) { return seconds.whole }
    var sum = 0
    var rest = letters.utf8[...]
    while !rest.isEmpty {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      let unit = rest[digits.endIndex...].prefix { 0x61...0x7A ~= $0 }
      rest = rest[unit.endIndex...]
      guard let number = Int(Substring(digits)), let factor = units[String(Substring(unit))], let more = add(number, factor, to: sum) else {
        return nil
      }
      sum = more
    }
    return letters.isEmpty ? nil : sum
  }

  /// The same seconds as text, computed in another way: verification compares this with the stored value.
  static func read(_ text: String, _ evidence: CSVEvidence = .letters) -> String {
    let isClock = text.utf8.contains(UInt8(ascii: ":"))
    if !isClock, let number = CSVNumber(text, evidence) { return number.text }
    var sum = 0
    if isClock {
      for (part, factor) in zip(text.split(separator: ":").reversed(), [1, 60, 3600]) {
        sum &+= (Int(part.filter { $0.isASCII && $0.isNumber }) ?? 0) &* factor
      }
    } else {
      var rest = text.lowercased().withoutBlanks[...]
      while !rest.isEmpty {
        rest = rest.drop { !isDigit($0) }
        let number = rest.prefix(while: isDigit)
        rest = rest[number.endIndex...]
        let unit = rest.prefix(while: isLetter)
        rest = rest[unit.endIndex...]
        let factor = unit.isEmpty ? 0 : unit.hasPrefix("h") || unit.hasPrefix("st") ? 3600 : unit.hasPrefix("m") ? 60 : 1
        sum &+= (Int(number) ?? 0) &* factor
      }
    }
    return String(sum)
  }

  // Written by hand: a regular expression would be compiled again for each row.

  /// The text without points that end a unit: `1std` for `1std.`
  private static func withoutPoints(_ letters: String) -> String {
    guard letters.utf8.contains(UInt8(ascii: ".")) else { return letters }
    var (kept, last): (String, Character?) = ("", nil)
    for character in letters {
      if character != "." || last.map(isLetter) != true { kept.append(character) }
      last = character
    }
    return kept
  }

  /// The milliseconds of a unit that a header names, in English, German or French; nil for an unknown one. A clock, `hh:mm:ss`, is one of
  /// seconds.
  static func unit(_ text: String) -> Int? {
    switch CSVColumns.folded(text).filter({ $0 != "." }) {
    case "s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden", "seconde", "secondes": 1000
    case "m", "mn", "min", "mins", "minute", "minutes", "minuten": 60_000
    case "h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden", "heure", "heures": 3_600_000
    case "ms", "msec", "millisecond", "milliseconds", "millisekunden", "millisecondes": 1
    case let clock: clock.contains(":") && clock.allSatisfy { "hms:".contains($0) } ? 1000 : nil
    }
  }

  /// The seconds of a number of a unit, rounded half up. Computed in decimals: half a second in the text may be less in binary. Nil below 0
  /// and above 68 years.
  static func seconds(_ number: Double, unit milliseconds: Int) -> Int? {
    guard number >= 0, let exact = Decimal(string: "\(number)") else { return nil }
    var (product, rounded) = (exact * Decimal(milliseconds) / 1000, Decimal())
    NSDecimalRound(&rounded, &product, 0, .plain)
    return Int("\(rounded)").flatMap { $0 <= Int(Int32.max) ? $0 : nil }
  }

  /// The same seconds as text, from the number's text: digit by digit from the end, in half milliseconds.
  static func read(_ number: String, unit milliseconds: Int) -> String {
    let whole = number.prefix { $0 != "." }
    let part = number.dropFirst(whole.count + 1).reversed().reduce(0) { (($1.wholeNumberValue ?? 0) * 2 * milliseconds + $0) / 10 }
    return String(((Int(whole) ?? 0) &* 2 &* milliseconds &+ part &+ 1000) / 2000)
  }

  private static func isDigit(_ character: Character) -> Bool { character.asciiValue.map { 0x30...0x39 ~= $0 } == true }

  private static func isLetter(_ character: Character) -> Bool { character.asciiValue.map { 0x61...0x7A ~= $0 } == true }

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
