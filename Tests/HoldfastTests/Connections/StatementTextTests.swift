import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Statements by their text") struct StatementTextTests {
  @Test("two spellings of one letter are two statements, however many others there are between them")
  func spellings() throws {
    let store = try Store.inMemory(schemas: [Shelves.schema])
    let (composed, apart) = ("\u{E9}", "e\u{301}")
    try store.read { reader in
      for number in 0..<500 {
        for letter in [composed, apart] {
          let found = try reader.value("SELECT '\(raw: letter)', \(raw: String(number))") { row in try row.text() }
          #expect(found.map { Array($0.utf8) } == Array(letter.utf8))
        }
      }
    }
  }

  @Test("texts of one length that differ in a name at the beginning, in the middle or at the end are told apart before they are compared")
  func hashes() {
    for form in [
      ("", " of a table with some columns and a condition"), ("SELECT name FROM ", " WHERE id = ?"), ("SELECT a FROM b LIMIT ", ""),
      ("", ""),
    ] {
      let texts = (100..<500).map { SQLText(text: "\(form.0)\($0)\(form.1)") }
      #expect(Set(texts.map(\.hashValue)).count > 350, "\(form)")
      #expect(Set(texts).count == 400)
    }
  }
}
