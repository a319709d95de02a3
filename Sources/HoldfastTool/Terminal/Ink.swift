import Foundation

/// Bold, dim and red text.
///
/// Within the program a mark stands for each: a private character of Unicode, which `DisplayText.printable` takes out of every text of a store. So
/// a terminal gets only these sequences, whatever a store holds.
enum Ink: Unicode.Scalar, CaseIterable {
  case bold = "\u{10FFF0}"
  case dim = "\u{10FFF1}"
  case red = "\u{10FFF2}"
  case plain = "\u{10FFF3}"

  /// `text` between two marks.
  func on(_ text: String) -> String { text.isEmpty ? "" : "\(rawValue)\(text)\(Self.plain.rawValue)" }

  private var sequence: String {
    switch self {
    case .bold: "\u{1B}[1m"
    case .dim: "\u{1B}[2m"
    case .red: "\u{1B}[31m"
    case .plain: "\u{1B}[0m"
    }
  }

  /// The text with sequences in place of the marks; without colours, the text alone.
  static func painted(_ text: String, isColoured: Bool) -> String {
    allCases.reduce(text) { text, ink in
      text.replacingOccurrences(of: String(ink.rawValue), with: isColoured ? ink.sequence : "")
    }
  }

  /// The same with the first word of a problem in red.
  static func problem(_ line: String) -> String {
    let word = ["Error:", "warning:", "finding:"].first { line.hasPrefix($0) }
    return word.map { red.on($0) + line.dropFirst($0.count) } ?? line
  }

  /// Whether a person wants colours: not with NO_COLOR (https://no-color.org), and not on a terminal that knows none.
  static func isWanted(_ environment: [String: String]) -> Bool { environment["NO_COLOR"] ?? "" == "" && environment["TERM"] != "dumb" }
}
