import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Schema") struct SchemaTests {
  private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

  @Test("the schema of every shipped version is what shipped")
  func frozen() throws {
    #expect(AudiobookLibrary.schema.version == 1)
    try FrozenSchema.check(AudiobookLibrary.schema, in: fixtures)
  }

  @Test("a library of every shipped version, with rows in every table, opens as the newest and loses none")
  func walk() throws {
    let plans = try FrozenSchema.walk(AudiobookLibrary.schema) { _, tx in
      var book = Sample.collection("Book", tracks: ["One"])
      book.playbackStates = [book.tracks[0].id: PlaybackState(position: 1, updatedAt: book.createdAt)]
      book.favorites = [book.tracks[0].id: Favorite(favoritedAt: nil)]
      book.tags = ["tag"]
      // The verbs write the newest schema: an older version needs SQL of its own.
      try AudiobookLibrary.save(book, in: tx)
    }
    #expect(plans.keys.sorted() == Array(1...AudiobookLibrary.schema.version))
  }

  @Test(
    "each invariant finds what breaks it",
    arguments: [
      ("UPDATE playback_states SET collection_id = 'x'", "breaks: a playback state belongs to its track's collection"),
      ("UPDATE favorites SET collection_id = 'x'", "breaks: a favourite belongs to its track's collection"),
      ("UPDATE tracks SET position = 7", "breaks: no two tracks of a collection have the same position"),
      ("UPDATE tags SET position = 7", "breaks: no two tags of a collection have the same position"),
      ("UPDATE collections SET last_played_track_id = 'x'", "breaks: the last played track is one of the collection"),
      ("UPDATE tracks SET location_payload = '[]' WHERE track_number = 1", "breaks: payloads of tracks are JSON objects"),
      ("UPDATE tracks SET metadata = '{' WHERE track_number = 1", "breaks: payloads of tracks are JSON objects"),
      ("UPDATE collections SET source_payload = ''", "breaks: payloads of collections are JSON objects"),
      ("UPDATE collections SET cover_payload = '1'", "breaks: payloads of collections are JSON objects"),
    ])
  func invariants(damage: String, message: String) throws {
    let world = try World.temporary()
    var book = try VerbCase.prepare(world).book
    book.tags = ["one", "two"]
    try world.library.save(book)
    try world.library.deleteCollection(Sample.collection("Other", seed: 2).id)
    #expect(try world.isHealthy())
    let copy = try world.copy()
    try RawDatabase.with(copy) { try $0.execute(damage) }
    let report = try AudiobookLibrary.open(at: copy, options: .testing).store.integrityCheck()
    let broken = report.findings.filter { $0.part == .invariants }
    #expect(Set(broken.map(\.message)) == [message])
    #expect(broken.allSatisfy { $0.row != nil })
  }

  @Test("the library's tests break every invariant that the schema declares")
  func allInvariants() {
    #expect(AudiobookLibrary.schema.invariants.count == 7)
  }

  @Test("the integrity check reads every table as a record")
  func allRecords() throws {
    #expect(try RecordCheck.tablesWithoutRecord(in: AudiobookLibrary.schema) == [])
  }

  @Test(
    "an index of search that no longer fits its text is found",
    arguments: ["DELETE FROM tracks_search_data WHERE id > 10", "INSERT INTO collections_search (rowid, title) VALUES (99, 'ghost')"])
  func searchDamage(damage: String) throws {
    let world = try World.temporary()
    _ = try VerbCase.prepare(world)
    let copy = try world.copy()
    try RawDatabase.with(copy) { try $0.execute(damage) }
    let report = try AudiobookLibrary.open(at: copy, options: .testing).store.integrityCheck()
    #expect(report.findings.map(\.part) == [.fullText])
  }

  @Test("rows whose parent is gone are found")
  func orphans() throws {
    let world = try World.temporary()
    _ = try VerbCase.prepare(world)
    let copy = try world.copy()
    try RawDatabase.with(copy) { try $0.execute("PRAGMA foreign_keys = OFF; DELETE FROM tracks WHERE track_number = 1") }
    let report = try AudiobookLibrary.open(at: copy, options: .testing).store.integrityCheck()
    let foreignKeys = report.findings.filter { $0.part == .foreignKeys }
    #expect(Set(foreignKeys.compactMap(\.table)) == ["favorites", "playback_states"])
  }
}
