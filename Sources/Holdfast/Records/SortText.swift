import Foundation

// The result is stored beside its text and compared byte by byte. So the result for a text must never change, or the rows of one list would
// be in two orders. Unicode promises never to change the tables used here for existing characters. A character that is newer than the
// system stays unchanged.

/// The text for sorting by name: `Émile`, `emile` and `ＥＭＩＬＥ` sort together.
public enum SortText {
  /// `text` without case, without diacritics and without white space at its beginning.
  ///
  /// Ä becomes a, é becomes e, full-width letters become ASCII, half-width kana become full-width, ß becomes ss, æ becomes ae, ø becomes o.
  /// Marks of scripts other than Latin, Greek and Cyrillic stay, because they make another letter: が is not か. Articles stay: `the
  /// beatles`. Everything else stays, and folding twice changes nothing more. A pure function with the same result on every platform and in
  /// every device language; safe to call from any thread.
  ///
  /// Store the result, and order by it with SQLite's own comparison of bytes. Different texts may have the same result, so order by the
  /// text itself next.
  public static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return foldedASCII(text) }
    var out = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars where !isDiacritic(scalar) {
      if out.isEmpty, scalar.properties.isWhitespace { continue }
      for lower in scalar.properties.lowercaseMapping.unicodeScalars where !isDiacritic(lower) {
        if let letters = letters(for: lower) { out.append(contentsOf: letters.unicodeScalars) } else { out.append(lower) }
      }
    }
    return String(out).precomposedStringWithCanonicalMapping
  }

  private static func foldedASCII(_ text: String) -> String {
    let bytes = text.utf8.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether it is in a block of combining marks for Latin, Greek and Cyrillic, or for symbols.
  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x36F, 0x483...0x487, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
    default: false
    }
  }

  /// Replacements for letters that Unicode does not decompose, but that people sort as these.
  private static func letters(for scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "ß": "ss"
    case "æ": "ae"
    case "œ": "oe"
    case "þ": "th"
    case "ø": "o"
    case "ł": "l"
    case "đ", "ð": "d"
    case "ħ": "h"
    case "ŧ": "t"
    case "ı": "i"
    case "ς": "σ"
    default: nil
    }
  }
}
