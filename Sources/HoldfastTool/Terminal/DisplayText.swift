import Foundation
import HoldfastTransfer

/// Text as a terminal shows it.
enum DisplayText {
  /// How many columns a terminal uses: two for Chinese, Japanese, Korean and emoji, none for marks on the letter before.
  static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

  static func columns(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // U+FE0F selects the emoji form, which is wide.
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return isWide(first) ? 2 : 1
    }
  }

  /// At most `limit` columns; what is cut is replaced by an ellipsis.
  static func cut(_ text: String, to limit: Int) -> String {
    guard columns(text) > limit else { return text }
    var used = 0
    var kept = ""
    for character in text {
      used += columns(character)
      guard used < limit else { break }
      kept.append(character)
    }
    return kept + "…"
  }

  /// As `cut`, but between two words if at least one word fits.
  static func cutBetweenWords(_ text: String, to limit: Int) -> String {
    guard columns(text) > limit else { return text }
    let cut = cut(text, to: limit)
    return wordEnds(text).last { $0 < cut.count }.map { String(text.prefix($0)) + "…" } ?? cut
  }

  /// The fewest columns in which `cutBetweenWords` cuts no word: for the first word, and for an ellipsis if more words follow.
  static func columnsOfFirstWord(_ text: String) -> Int {
    guard let end = wordEnds(text).first else { return columns(text) }
    return columns(String(text.prefix(end))) + 1
  }

  /// The numbers of characters before the ends of words, without the end of the text. Chinese and Japanese have no spaces, so a word also ends
  /// at each wide character.
  private static func wordEnds(_ text: String) -> [Int] {
    let characters = Array(text)
    return zip(characters, characters.dropFirst()).enumerated().filter { _, pair in
      pair.1 == " " || columns(pair.0) == 2 || columns(pair.1) == 2
    }.map { $0.offset + 1 }
  }

  /// Text that is safe to print: control characters, marks that change the direction of writing, and the marks of `Ink` become U+FFFD.
  static func printable(_ text: String) -> String { printableLines(text, breaks: [], hasInk: false) }

  /// The same for each line of a text.
  ///
  /// - Parameters:
  ///   - breaks: what stays as it is between lines and cells.
  ///   - hasInk: whether the text may have marks of `Ink`: one in which every text of a store is printable.
  static func printableLines(_ text: String, breaks: Set<Unicode.Scalar> = ["\n"], hasInk: Bool = true) -> String {
    func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
      isUnsafe(scalar) && !breaks.contains(scalar) || !hasInk && Ink(rawValue: scalar) != nil
    }
    guard text.unicodeScalars.contains(where: isReplaced) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { isReplaced($0) ? "\u{FFFD}" : $0 }))
  }

  static func length(_ seconds: Double?) -> String { ShownValue.length(seconds).words }
  static func time(_ date: Date?) -> String { ShownValue.time(date).words }
  static func size(_ bytes: Int64) -> String { ShownValue.size(bytes).words }

  /// Whether `printable` replaces it.
  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The blocks of Unicode's East Asian Width that are wide or full width, and emoji.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x1100: false
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
      0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
