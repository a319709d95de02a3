import Foundation
import Holdfast
import HoldfastTransfer
import Testing

@Suite("The text by which people sort")
struct SortTextTests {
  @Test(
    "case, diacritics and width are folded, and white space before the text is dropped",
    arguments: [
      ("", ""), ("  \t\r\n", ""), ("The Beatles", "the beatles"), ("  ABBA  x ", "abba  x "), ("AC/DC", "ac/dc"), ("Émile", "emile"),
      ("E\u{301}mile", "emile"), ("Ärzte", "arzte"), ("ＥＭＩＬＥ　１", "emile 1"), ("\u{A0}\u{3000}Über", "uber"), ("Motörhead", "motorhead"),
      ("Straße", "strasse"), ("STRAẞE", "strasse"), ("Mø", "mo"), ("Łódź", "lodz"), ("Þórr", "thorr"), ("Œuvre", "oeuvre"),
      ("Æther", "aether"),
      ("İstanbul", "istanbul"), ("Diyarbakır", "diyarbakir"), ("Đà Nẵng", "da nang"), ("Όδος ΟΔΟΣ", "οδοσ οδοσ"), ("Йод", "иод"),
      ("ﬁn", "fin"), ("nul\u{0}Byte é", "nul\u{0}byte e"), ("´", ""), ("5", "5"), ("#1 Crush", "#1 crush"),
    ])
  func folds(_ text: String, _ folded: String) {
    #expect(SortText.folded(text) == folded)
    #expect(Array(SortText.folded(text).utf8) == Array(folded.utf8), "the same bytes, too")
  }

  @Test(
    "marks of scripts in which they are no decoration stay",
    arguments: [
      ("三体", "三体"), ("が", "が"), ("か\u{3099}", "が"), ("ｶﾞ", "ガ"), ("한국", "한국"), ("한", "한"), ("हिन्दी", "हिन्दी"), ("ไม้", "ไม้"), ("שָׁלוֹם", "שָׁלוֹם"),
      ("📚 B", "📚 b"),
    ])
  func keeps(_ text: String, _ folded: String) {
    #expect(Array(SortText.folded(text).utf8) == Array(folded.precomposedStringWithCanonicalMapping.utf8))
  }

  @Test("folding what is folded changes nothing, with characters of every script")
  func idempotent() {
    var wrong: [String] = []
    // Without most of the ideographs, which are all alike.
    for value in Array(0..<0x3500 as Range<UInt32>) + Array(0xA000..<0x20000) {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
      let once = SortText.folded("a\(Character(scalar))b")
      if Array(SortText.folded(once).utf8) != Array(once.utf8) { wrong.append(String(value, radix: 16)) }
    }
    #expect(wrong == [])
  }

  /// The constant was written down when the function was made. Folded text is stored: whoever changes this number must have
  /// every stored text folded again.
  @Test("the folding of the letters of the first blocks is what it always was")
  func drift() {
    var print = Fingerprint()
    for value in 0x20..<0x590 as Range<UInt32> {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
      print.combine(SortText.folded(String(Character(scalar))))
    }
    #expect(print.value == 4_302_472_760_027_504_053)
  }

  @Test("SQLite's own order of folded text is the one that people expect")
  func order() {
    let titles = ["zebra", "Äpfel", "apfel", "The Wall", "éclair", "Zoo", "Eclat", " Abba", "ａbc"]
    let sorted = titles.sorted { (Array(SortText.folded($0).utf8), $0).0.lexicographicallyPrecedes(Array(SortText.folded($1).utf8)) }
    #expect(sorted == [" Abba", "ａbc", "Äpfel", "apfel", "éclair", "Eclat", "The Wall", "zebra", "Zoo"])
  }
}
