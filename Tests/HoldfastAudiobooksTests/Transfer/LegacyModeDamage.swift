import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Legacy mode on a file that cannot be read whole") struct LegacyModeDamage {
  private let world: LegacyWorld
  private let books = LegacyWorld.books

  init() throws { world = try LegacyWorld() }

  @Test("of a file that is cut off anywhere, the collections before the cut are there, and nothing is lost by writing")
  func cutOff() throws {
    let whole = try world.write(books)
    let first = try books[0].playerPayload().count + 16
    for count in [whole.count - 1, whole.count - 20, first + 40, first + 1, first - 1, 30, 16, 5, 1, 0] {
      let world = try LegacyWorld()
      let cut = whole.prefix(count)
      try cut.write(to: world.legacy)
      let library = try world.open()
      let expected = count > whole.count - 21 ? 2 : count >= first ? 1 : 0
      #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == Array(books.prefix(expected)), "\(count) bytes")
      #expect(library.accessWords.kind == "legacy" && library.accessWords.reason.contains("byte"), "\(count) bytes")
      var other = books[1]
      other.id = UUID()
      other.tracks = []
      try library.store.write { try AudiobookLibrary.save(other, in: $0) }
      #expect(try world.read().collections.count == expected + 1, "\(count) bytes")
      #expect(try Data(contentsOf: world.backup) == cut)

      let imported = try world.open()
      #expect(imported.access == .readWrite && imported.importFailure == nil)
      #expect(try imported.store.read { try AudiobookLibrary.collections(in: $0) }.count == expected + 1)
      let rest = try imported.store.read { reader in
        try reader.values("SELECT original FROM holdfast_quarantine") { row in try row.data() }
      }
      if expected == 1 { #expect(rest.count == 1 && rest.allSatisfy { whole.range(of: $0) != nil }, "\(count) bytes") }
    }
  }

  @Test("records that cannot be read stay in the file word for word, and go into quarantine when importing works again")
  func damagedRecords() throws {
    var text = String(decoding: try world.write(books), as: UTF8.self)
    let bad = #"{"id":"no id","b":1.50,"a":"\u00e9"}"#
    text = text.replacingOccurrences(of: #"{"collections":["#, with: #"{"later":[1],"collections":[\#(bad),"#)
    text = text.replacingOccurrences(of: #""displayName":"Two""#, with: #""displayName":2"#)
    try Data(text.utf8).write(to: world.legacy)
    try world.forbidStore()
    for title in ["A", "B"] {
      let library = try world.open()
      #expect(library.accessWords.kind == "legacy")
      #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) }.map(\.tracks.count) == [2, 1])
      _ = try library.store.write { try AudiobookLibrary.renameCollection(books[0].id, to: title, in: $0) }
      #expect(try world.read().collections.map(\.title) == [title, "Emma"], "the player can read it")
    }
    try world.allowStore()
    let imported = try world.open()
    let problems = try #require(imported.importReport).problems.map { "\($0.path) \($0.field ?? "-")" }
    #expect(Set(problems) == ["$ later", "$.collections[0] -", "$.collections[2].tracks[1] -"])
    let kept = try imported.store.read { reader in
      try reader.values("SELECT original FROM holdfast_quarantine") { row in String(decoding: try row.data(), as: UTF8.self) }
    }
    #expect(kept.contains(bad) && kept.contains("[1]"))
  }

  @Test("a member that is not known is kept also where the file is cut off behind it")
  func unknownMember() throws {
    let whole = String(decoding: try world.write(books), as: UTF8.self)
    let text = whole.replacingOccurrences(of: #"{"collections":["#, with: #"{"later":[1],"collections":["#)
    try Data(text.dropLast(30).utf8).write(to: world.legacy)
    let library = try world.open()
    _ = try library.store.write { try AudiobookLibrary.renameCollection(books[0].id, to: "New", in: $0) }
    let imported = try world.open()
    #expect(try #require(imported.importReport).problems.contains { $0.field == "later" && $0.path == "$" })
  }

  @Test("the first of two different records with one id is loaded, as an import would")
  func repetition() throws {
    var second = books[0]
    second.title = "Another"
    second.tracks = []
    try world.write([books[0], second])
    try world.forbidStore()
    let library = try world.open()
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == [books[0]])
    _ = try library.store.write { try AudiobookLibrary.addTag("x", to: books[0].id, in: $0) }
    #expect(try String(contentsOf: world.legacy, encoding: .utf8).contains("Another"))
  }

  @Test("kinds that the player does not know are written back, and come through a later import as they were")
  func unknownKinds() async throws {
    var text = String(decoding: try world.write(books), as: UTF8.self)
    text = text.replacingOccurrences(
      of: #""type":"external","url":"https:\/\/example.com\/2""#, with: #""type":"webdav","zone":[1,{"a":null}]"#)
    try Data(text.utf8).write(to: world.legacy)
    try world.forbidStore()
    let library = try world.open()
    #expect(
      try await library.store.read { try AudiobookLibrary.collections(in: $0) }.map { $0.tracks.last?.location.type } == [
        "webdav", "webdav",
      ])
    _ = try await library.store.write { try AudiobookLibrary.renameCollection(books[0].id, to: "New", in: $0) }
    #expect(try await world.open().collections().map { $0.tracks.last?.location.type } == ["webdav", "webdav"])
    try world.allowStore()
    let imported = try world.open()
    #expect(imported.importReport?.isClean == true)
    #expect(
      try await imported.store.read { try AudiobookLibrary.collections(in: $0) }.map { $0.tracks.last?.location.type } == [
        "webdav", "webdav",
      ])
    #expect(try await imported.store.read { try AudiobookLibrary.collections(in: $0) }[0].tracks[1].location.payload.contains("zone"))
  }

  @Test("a change that the file cannot hold is refused instead of being lost at the end")
  func cannotBeHeld() throws {
    let original = try world.write(books)
    try world.forbidStore()
    let library = try world.open()
    var book = books[0]
    book.tracks[0].metadata = StoredJSON(text: "[]")
    #expect(code { try library.store.write { try AudiobookLibrary.save(book, in: $0) } } == .invalidValue)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books && Data(contentsOf: world.legacy) == original)
  }

  @Test("a file of a newer version is read and never written, even when it is damaged", arguments: ["", "}", #","x":tru}"#])
  func newer(damage: String) throws {
    var bytes = try world.write(books, version: 4)
    if !damage.isEmpty { bytes = bytes.dropLast() + Data(damage.dropFirst(damage == "}" ? 1 : 0).utf8) }
    try bytes.write(to: world.legacy)
    let library = try world.open()
    #expect(library.accessWords.kind == "readOnly" && !library.accessWords.reason.isEmpty)
    #expect(library.importFailure?.code == (damage.isEmpty ? .newerSource : .invalidSource))
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books)
    #expect(code { _ = try library.store.write { try AudiobookLibrary.addTag("x", to: books[0].id, in: $0) } } == .readOnly)
    #expect(try Data(contentsOf: world.legacy) == bytes)
    #expect(try world.folder.contents() == ["library.json", "stores"])
  }

  @Test("a file that is not the player's is never written", arguments: ["SQLite format 3\u{0}and more", #"{"holdfast_export":1}"#])
  func notThePlayers(content: String) throws {
    try Data(content.utf8).write(to: world.legacy)
    let library = try world.open()
    #expect(library.accessWords.kind == "readOnly" && !library.accessWords.reason.isEmpty)
    #expect(throws: StoreError.self) { try library.store.write { try AudiobookLibrary.save(books[0], in: $0) } }
    #expect(try Data(contentsOf: world.legacy) == Data(content.utf8))
  }

  @Test(
    "where nothing can be recognised people start anew, and the old bytes are kept",
    arguments: ["", "garbage", "\u{0}\u{0}\u{0}", "[1]"])
  func garbage(content: String) async throws {
    try Data(content.utf8).write(to: world.legacy)
    let library = try world.open()
    #expect(library.accessWords.kind == "legacy" && library.importFailure?.code == .invalidSource)
    try await library.store.write { try AudiobookLibrary.save(books[0], in: $0) }
    #expect(try world.read() == ExportedLibrary([books[0]]))
    #expect(try Data(contentsOf: world.backup) == Data(content.utf8))
    #expect(try await world.open().collections() == [books[0]])
  }
}
