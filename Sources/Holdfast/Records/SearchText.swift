import Foundation

// FTS5's `unicode61` treats a run of letters as one word. So a sentence in a script without spaces is one word, and a search finds nothing
// inside it. It also cuts words at combining marks that are not Latin. The kit corrects both in the text before SQLite sees it, so that any
// SQLite can index and rebuild:
//
//   三体问题          三体 体问 问题 题        every pair of neighbours, then the last character alone
//   第1章序章         第 1 章序 序章 章        spaces separate runs from other characters
//
// So each character begins a word, and one typed character matches as a prefix. A typed run of n characters becomes n - 1 words in a row,
// which match only the same run: the single character at the end of a run separates the pairs of two runs. Text and query must use the same
// normalisation (NFKC) and the same classes of characters.

/// Makes text of every script searchable with FTS5's `tokenize="unicode61 remove_diacritics 2"`, in any SQLite.
///
/// Index ``segmented(_:)``, or the text itself where that is nil, and match it against ``query(_:prefix:)``. Han, kana, Bopomofo, Hangul,
/// Thai, Lao, Khmer and Myanmar are found by any part of a run, because they are written without spaces or, like Korean, searched inside
/// words. Vowel signs and tone marks of the last four are ignored. Other scripts are found by words and their beginnings. Pure functions,
/// safe to call from any thread.
///
/// When the results of these functions change, the stored text and its index must be built again.
public enum SearchText {
  /// The most words of a query that are searched; further words are ignored.
  public static let maximumWords = 64

  /// The text to index instead of `text`; nil when `text` itself can be indexed.
  ///
  /// Nil for ASCII, and for text in NFKC without unspaced scripts. Otherwise `text` in NFKC (full-width letters become ASCII, half-width
  /// kana become full-width) without soft hyphens. Each unspaced run is replaced by its overlapping pairs and its last character. Always
  /// pass the original text, never a segmented one.
  public static func segmented(_ text: String) -> String? {
    if text.utf8.allSatisfy({ $0 < 0x80 }) || text.unicodeScalars.allSatisfy(isPlain) { return nil }
    let normal = normalized(text)
    var out = String.UnicodeScalarView()
    var run: [Unicode.Scalar] = []
    for scalar in normal.unicodeScalars {
      switch kind(of: scalar) {
      case .unspaced:
        if run.isEmpty, let last = out.last, !last.properties.isWhitespace { out.append(" ") }
        run.append(scalar)
      case .mark where !run.isEmpty, .ignored:
        continue
      case .mark, .word, .separator, .wordBreak:
        let needsSpace = !run.isEmpty && !scalar.properties.isWhitespace
        appendPairs(of: &run, ending: true, to: &out)
        if needsSpace { out.append(" ") }
        out.append(scalar)
      }
    }
    appendPairs(of: &run, ending: true, to: &out)
    return out.elementsEqual(text.unicodeScalars) ? nil : String(out)
  }

  /// An FTS5 `MATCH` expression for a typed text; nil when the text has nothing to search for.
  ///
  /// Every word must match, in any order. Words end at spaces, commas, quotes and brackets. Pieces joined by other characters (`AC/DC`,
  /// `3.5`, `第1章`) must follow one another. With `prefix`, the last piece of every word may be the beginning of a longer word, which suits
  /// search while typing; a single character of an unspaced script always may. FTS5's operators and column names are ordinary words here;
  /// punctuation and control characters only separate. Words after the first ``maximumWords`` are ignored.
  public static func query(_ text: String, prefix: Bool = true) -> String? {
    let words = queries(text, prefix: prefix)
    // A space means AND. Unlike the keyword, it skips a phrase in which an older SQLite sees no letter.
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// One expression for each word, for records with text in several indexes: each word must match in one of the indexes.
  public static func queries(_ text: String, prefix: Bool = true) -> [String] {
    var words: [String] = []
    var word = QueryWord()
    for scalar in (normalized(text) + " ").unicodeScalars {
      if words.count == maximumWords { break }
      if kind(of: scalar) == .wordBreak {
        if let phrase = word.finish(prefix: prefix) { words.append(phrase) }
      } else {
        word.append(scalar)
      }
    }
    return words
  }

  // Foundation's normalisation costs more than all other steps, and most titles do not need it.
  private static func normalized(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy(isNormal) { return text }
    // Composed a second time, because Foundation on Linux leaves the voice marks of half-width kana separate.
    return text.precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
  }

  /// Appends the pairs of `run`, separated by spaces, and empties `run`. With `ending`, also appends the last character alone.
  fileprivate static func appendPairs(of run: inout [Unicode.Scalar], ending: Bool, to out: inout String.UnicodeScalarView) {
    for (first, second) in zip(run, run.dropFirst()) {
      out.append(first)
      out.append(second)
      out.append(" ")
    }
    if ending, let last = run.last {
      out.append(last)
    } else if run.count > 1 {
      out.removeLast()
    }
    run.removeAll(keepingCapacity: true)
  }
}

/// One typed word that becomes a quoted phrase.
///
/// Only letters, digits and marks enter the phrase, so nothing in it can end the quotes or be an operator.
private struct QueryWord {
  private var phrase = String.UnicodeScalarView()
  private var run: [Unicode.Scalar] = []
  private var gap = false

  mutating func append(_ scalar: Unicode.Scalar) {
    switch SearchText.kind(of: scalar) {
    case .unspaced:
      if gap { endRun() }
      if run.isEmpty { space() }
      run.append(scalar)
    case .word:
      endRun()
      if gap { space() }
      phrase.append(scalar)
    case .mark:
      if run.isEmpty, !gap, !phrase.isEmpty { phrase.append(scalar) }
    case .separator, .wordBreak:
      // The run stays open. If no more characters follow, the text may go on after the run's last character.
      gap = true
    case .ignored:
      break
    }
  }

  mutating func finish(prefix: Bool) -> String? {
    defer { self = QueryWord() }
    let isOneCharacter = run.count == 1
    let endsInPairs = run.count > 1
    SearchText.appendPairs(of: &run, ending: isOneCharacter, to: &phrase)
    guard !phrase.isEmpty else { return nil }
    return "\"\(String(phrase))\"" + (isOneCharacter || (prefix && !endsInPairs) ? "*" : "")
  }

  private mutating func endRun() {
    guard !run.isEmpty else { return }
    SearchText.appendPairs(of: &run, ending: true, to: &phrase)
    gap = true
  }

  private mutating func space() {
    if !phrase.isEmpty { phrase.append(" ") }
    gap = false
  }
}
