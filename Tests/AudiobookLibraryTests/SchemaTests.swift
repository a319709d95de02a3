import AudiobookLibrary
import Foundation
import Holdfast
import Testing

@Suite("Schema") struct SchemaTests {
  @Test("the schema of version 1 is what shipped as version 1")
  func frozen() throws {
    let world = try World.temporary()
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/schema-v1.sql")
    #expect(AudiobookLibrary.schema.version == 1)
    #expect(try dump(world) == String(contentsOf: fixture, encoding: .utf8), "a migration that has shipped is never edited")
  }

  /// The library's own objects in the order in which they were made; a virtual table brings its shadows itself.
  private func dump(_ world: World) throws -> String {
    try world.rows(
      """
      SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'holdfast\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_search\\_data' ESCAPE '\\'
      AND name NOT LIKE '%\\_search\\_idx' ESCAPE '\\' AND name NOT LIKE '%\\_search\\_docsize' ESCAPE '\\'
      AND name NOT LIKE '%\\_search\\_config' ESCAPE '\\' ORDER BY rowid
      """
    ).map { $0 + ";\n" }.joined()
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
    #expect(Set(report.findings.map(\.message)) == [message])
    #expect(report.findings.allSatisfy { $0.part == .invariants && $0.row != nil })
  }

  @Test("the library's tests break every invariant that the schema declares")
  func allInvariants() {
    #expect(AudiobookLibrary.schema.invariants.count == 7)
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
