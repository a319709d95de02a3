import Foundation
import GRDBSQLite
import Holdfast
import HoldfastTesting
import Testing

@Suite("Search text")
struct SearchTextTests {
  @Test(
    "finds what people type in a real full-text index",
    arguments: [
      ("刘慈欣三体全集", "三体"), ("刘慈欣三体全集", "刘慈欣三体全集"), ("刘慈欣三体全集", "集"), ("刘慈欣三体全集", "慈"),
      ("データの修正をお願いします", "修正"), ("データの修正をお願いします", "データ"), ("ハリー・ポッターと賢者の石", "ポッター"),
      ("ハリー・ポッターと賢者の石", "ハリー・ポッター"), ("ﾊﾘｰ･ﾎﾟｯﾀｰ", "ポッター"), ("ポッター", "ﾎﾟｯﾀｰ"), ("か\u{3099}くせい", "がく"),
      ("ฉันชอบฟังหนังสือเสียงทุกวัน", "หนังสือ"), ("ฉันชอบฟังหนังสือเสียงทุกวัน", "เสียง"), ("น้ำท่วม", "น้ำ"), ("ປຶ້ມສຽງ", "ສຽງ"),
      ("សៀវភៅសំឡេង", "សំឡេង"), ("အသံစာအုပ်", "စာအုပ်"), ("한국어오디오북", "오디오"), ("한국어를 배우자", "국어"), ("한국어", "한"),
      ("\u{1112}\u{1161}\u{11AB}국", "한국"), ("第1章序章", "第1章"), ("第 1 章", "第1"), ("第１章", "第1章"), ("ＡＢＣの本", "abc"),
      ("ABC", "ＡＢＣ"), ("Ödipus", "odipus"), ("Crème brûlée", "creme"), ("Cre\u{300}me", "crème"), ("Война и мир", "вой"),
      ("Бои\u{306}", "бой"), ("हिन्दी किताब", "किताब"), ("كتاب صوتي", "صوت"), ("AC/DC Live", "ac/dc"), ("m² und ﬁne", "m2 fine"),
      ("Don’t Stop", "don't"), ("𠮷野家の牛丼", "𠮷野"), ("株式会社", "㍿"), ("Auto\u{AD}bahn", "autobahn"), ("葛\u{E0100}城", "葛城"),
      ("《三体》刘慈欣", "刘慈欣，三体"), ("x三体y", "x三体y"), ("三体!", "三体!"), ("三体问题", "三体!"), ("สวัสดี\u{200B}ครับ", "ดีครับ"),
    ])
  func found(text: String, typed: String) throws {
    let index = try SearchIndex()
    try index.add(text)
    #expect(try index.matches(typed) == [1], "\(SearchText.segmented(text) ?? "nil") / \(SearchText.query(typed) ?? "nil")")
  }

  @Test("does not find what is not there")
  func notFound() throws {
    let index = try SearchIndex()
    for text in ["三体 问题", "第10章", "第一章", "体三", "The art of war", "三, 体"] { try index.add(text) }
    for typed in ["体问", "第1章", "三体问题", "war peace", "体三体", "题三"] { #expect(try index.matches(typed) == [], "\(typed)") }
    #expect(try index.matches("第1") == [2])
    #expect(try index.matches("a w") == [5])
    #expect(try index.matches("a w", prefix: false) == [])
    #expect(try index.matches("体", prefix: false) == [1, 4, 6])
  }

  @Test("cuts unspaced runs into pairs and leaves everything else")
  func segments() {
    let cases: [(String, String?)] = [
      ("三体问", "三体 体问 问"), ("第1章序章", "第 1 章序 序章 章"), ("三体(1)", "三体 体 (1)"), ("三体 1", "三体 体 1"),
      ("三体、黑暗", "三体 体 、 黑暗 暗"), ("ＡＢＣ", "ABC"), ("น้ำ", "นา า"), ("한국", "한국 국"), ("ﾃﾞﾀ", "デタ タ"), ("a\u{301}", "á"),
      ("", nil), ("The Three-Body Problem", nil), ("Crème brûlée", nil), ("Война и мир — «том»", nil), ("Ελλάδα", nil),
      ("हिन्दी", nil), ("🎧", nil),
    ]
    for (text, expected) in cases { #expect(SearchText.segmented(text) == expected, "\(text)") }
    #expect(SearchText.segmented("三") == nil)
  }

  @Test("writes a query as quoted phrases only")
  func queries() {
    let cases: [(String, String?)] = [
      ("three body", "\"three\"* \"body\"*"), ("三体问", "\"三体 体问\""), ("三", "\"三\"*"), ("第1章", "\"第 1 章\"*"), ("三体2", "\"三体 体 2\"*"),
      ("a\"b", "\"a\"* \"b\"*"), ("NEAR(a b)", "\"NEAR\"* \"a\"* \"b\"*"), ("title:x* -y ^z", "\"title x\"* \"y\"* \"z\"*"),
      ("", nil), ("  \t\n", nil), ("\"*^-:()", nil), ("\0\u{1}", nil), ("a\0b", "\"a\"* \"b\"*"), ("🎧", nil), ("́", nil), ("ั", nil),
    ]
    for (typed, expected) in cases { #expect(SearchText.query(typed) == expected, "\(typed)") }
    #expect(SearchText.query("three body", prefix: false) == "\"three\" \"body\"")
    #expect(SearchText.query("三", prefix: false) == "\"三\"*")
    let many = SearchText.query(String(repeating: "w ", count: 1000)) ?? ""
    #expect(many.split(separator: " ").count == SearchText.maximumWords)
    #expect(SearchText.queries("three, 第1章 AC/DC") == ["\"three\"*", "\"第 1 章\"*", "\"AC DC\"*"])
    #expect(SearchText.queries("…") == [] && SearchText.queries(String(repeating: "w ", count: 1000)).count == SearchText.maximumWords)
  }

  @Test("no typed text is ever an SQL error")
  func neverAnError() throws {
    var random = SeededGenerator(printing: 0x5E_0001)
    let index = try SearchIndex()
    try index.add("三体 NEAR and or not")
    let pieces = [
      "\"", "'", "*", "NEAR", "NEAR(", "AND", "OR", "NOT", "-", "+", ":", "(", ")", "^", "{", "}", " ", ",", "\0", "\u{1}", "\n", "三", "体",
      "ab", "é", "\u{301}", "า", "ั", "한", "ﾞ", "🎧", "\u{200D}", "\u{FFFF}", "\u{10FFFF}", "\u{E000}", "²", "ﷺ",
      "title", "x", ";", "--", "\\", "%",
    ]
    for _ in 0..<3_000 {
      let typed = (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      for prefix in [true, false] { _ = try index.matches(typed, prefix: prefix) }
    }
    #expect(try index.matches("三体") == [1])
    _ = try index.matches(String(repeating: "三体 a/b ", count: 20_000))
    _ = try index.matches(String(repeating: "三体", count: 20_000))
  }

  @Test("every two neighbours of an unspaced run are found, and so is every text by itself")
  func everySubstring() throws {
    var random = SeededGenerator(printing: 0x5E_0002)
    let unspaced = Array("三体问题黑暗森林データポのがかン々〇ーฉันชอบนน้ำສຽງសំဪစာ한국어𠮷ㄅㄆ")
    let other = Array("ab1é Ω, ，-Ｚ・；.。 \n🎧")
    let index = try SearchIndex()
    var wrong: [String] = []
    for row in 1...200 {
      let text = (0..<Int.random(in: 2...24, using: &random)).compactMap { _ in
        (Int.random(in: 0..<4, using: &random) == 0 ? other : unspaced).randomElement(using: &random)
      }
      try index.add(String(text))
      for (first, second) in zip(text, text.dropFirst()) where unspaced.contains(first) && unspaced.contains(second) {
        let typed = String([first, second])
        if try !index.matches(typed).contains(row) { wrong.append("\(typed) in \(String(text))") }
      }
      if SearchText.query(String(text)) != nil, try !index.matches(String(text)).contains(row) { wrong.append(String(text)) }
    }
    #expect(wrong.prefix(3) == [])
  }

  @Test("text that needs no segmenting is in NFKC and of spaced scripts, for every character")
  func everyCharacter() {
    var wrong: [String] = []
    for scalar in (0x80...0x3FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
      let text = String(scalar)
      let around = "a\(text)b"
      let normal = around.precomposedStringWithCompatibilityMapping
      if SearchText.segmented(around) == nil, !normal.unicodeScalars.elementsEqual(around.unicodeScalars) {
        wrong.append(String(scalar.value, radix: 16))
      }
    }
    #expect(wrong.prefix(5) == [])
  }
}

/// A full-text table in memory, fed and asked as a library does it.
private final class SearchIndex {
  private let database: OpaquePointer?
  private var rows = 0

  init() throws {
    var database: OpaquePointer?
    let code = sqlite3_open(":memory:", &database)
    self.database = database
    guard code == SQLITE_OK else { throw SQLFailure(message: "cannot open") }
    _ = try run("CREATE VIRTUAL TABLE titles USING fts5 (title, tokenize = \"unicode61 remove_diacritics 2\")", [])
  }

  deinit { sqlite3_close(database) }

  func add(_ text: String) throws {
    rows += 1
    _ = try run("INSERT INTO titles (rowid, title) VALUES (\(rows), ?)", [SearchText.segmented(text) ?? text])
  }

  func matches(_ typed: String, prefix: Bool = true) throws -> [Int] {
    guard let query = SearchText.query(typed, prefix: prefix) else { return [] }
    return try run("SELECT rowid FROM titles WHERE titles MATCH ? ORDER BY rowid", [query])
  }

  private func run(_ sql: String, _ values: [String]) throws -> [Int] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil), [SQLITE_OK])
    // SQLite copies the text when it is told that the memory is transient, which its header spells -1.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (place, value) in zip(Int32(1)..., values) {
      try check(sqlite3_bind_text(statement, place, value, Int32(value.utf8.count), transient), [SQLITE_OK])
    }
    var found: [Int] = []
    while true {
      let code = sqlite3_step(statement)
      try check(code, [SQLITE_ROW, SQLITE_DONE])
      if code == SQLITE_DONE { return found }
      found.append(Int(sqlite3_column_int64(statement, 0)))
    }
  }

  private func check(_ code: Int32, _ allowed: [Int32]) throws {
    guard allowed.contains(code) else { throw SQLFailure(message: String(cString: sqlite3_errmsg(database))) }
  }
}

private struct SQLFailure: Error { var message: String }
