import Holdfast
import HoldfastTesting
import Testing

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
}
