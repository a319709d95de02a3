import Foundation

// Stored beside the text that it was made of, and compared byte by byte: what this returns for a text must never change, or
// the rows of one list would be in two orders. The tables that it uses are those of Unicode that are promised to stay for every
// character that there is; a character that is newer than the system comes back as it is.

/// The text by which people sort: `Émile`, `emile` and `ＥＭＩＬＥ` stand together.
public enum SortText {
  /// `text` without case, without diacritics and without white space at its beginning.
  ///
  /// Ä is a, é is e, full-width letters are ASCII, half-width kana whole ones, ß is ss, æ is ae, ø is o. Marks of other scripts than
  /// Latin, Greek and Cyrillic stay, because they are no decoration there: が is not か. Articles stay: `the beatles`. Everything
  /// else stays as it is, and folding twice changes nothing. A pure function, the same on every platform and in every
  /// language of the device; safe to call from any thread.
  ///
  /// To be stored, and ordered by SQLite's own comparison of bytes. Texts that differ may be the same here: order by the text
  /// itself next.
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

  /// The blocks of combining marks for Latin, Greek and Cyrillic, and for signs of any kind.
  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x36F, 0x483...0x487, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
    default: false
    }
  }

  /// Letters that Unicode does not take apart, though people sort them as these.
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
