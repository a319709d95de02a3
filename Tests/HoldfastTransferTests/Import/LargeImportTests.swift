import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastTransfer

@Suite("Imports of many records")
struct LargeImportTests {
  @Test("a key of a record is as its text, whether that is an id or not", arguments: [UInt64(1), 2])
  func keys(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let ids = (0..<50).map { _ in IDCodec.lowercase(random.id()) }
    let others = ids.map { $0.uppercased() } + ids.map { $0 + "x" } + ["", "a", "é", "e\u{301}", "[1,2]", "17", "zz"]
    let texts = (ids + others).shuffled(using: &random)
    let keys = texts.map(RecordKey.init)
    #expect(keys.map(\.text) == texts)
    #expect(keys.sorted().map { Array($0.text.utf8) } == texts.map(ExactText.init).sorted().map { Array($0.text.utf8) })
    #expect(Set(keys).count == Set(texts.map(ExactText.init)).count)
    #expect(RecordKey("é") != RecordKey("e\u{301}"))
  }

  @Test("the ledger has each record once, also where one was refused and another one took its key", arguments: [false, true])
  func ledger(again: Bool) throws {
    let world = try NoteWorld((1...400).map { "note\($0)" }.joined(separator: "\n") + "\ntoo long for its column")
    for _ in 0...(again ? 1 : 0) { #expect(try world.importing(NoteFormat(world.text)).problemCount == 1) }
    let keys = try world.store.read { try $0.values("SELECT key FROM holdfast_imported WHERE kind = 'notes'") { try $0.text() } }
    #expect(keys == (0..<400).map(String.init).sorted())
  }

  @Test(
    "indexes that the format does not need come after the rows, and are there again when the import ends or fails", arguments: [2, 400])
  func laterIndexes(count: Int) throws {
    let world = try NoteWorld((1...count).map { "note\($0)" }.joined(separator: "\n"))
    try world.store.write { _ = try $0.execute("CREATE INDEX notes_by_text ON notes (text)") }
    var format = NoteFormat(world.text)
    format.laterIndexes = ["notes_by_text"]
    format.secondReading = []
    #expect(throws: StoreError.self) { _ = try world.importing(format) }
    #expect(try world.store.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'notes_by_text'") == ["1"])
    format = NoteFormat(world.text)
    format.laterIndexes = ["notes_by_text"]
    #expect(try world.importing(format).verified)
    // A small import takes no such trouble.
    #expect(format.indexesAtFirstWrite == (count < 20 ? 1 : 0))
    #expect(try world.store.rows("SELECT text FROM notes INDEXED BY notes_by_text WHERE text = 'note2'") == ["note2"])
  }
}
