import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Schema") struct SchemaTests {
  private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

  @Test("the schema of every shipped version is what shipped")
  func frozen() throws {
    #expect(MusicStore.schema.version == 1)
    try FrozenSchema.check(MusicStore.schema, in: fixtures)
  }

  @Test("a library of every shipped version, with rows in every table, opens as the newest and loses none")
  func walk() throws {
    let plans = try FrozenSchema.walk(MusicStore.schema) { _, tx in
      // The verbs write the newest schema: an older version needs SQL of its own.
      _ = try MiniLibrary.save(in: tx)
    }
    #expect(plans.keys.sorted() == Array(1...MusicStore.schema.version))
  }

  @Test(
    "each invariant finds what breaks it",
    arguments: [
      ("UPDATE collections SET parent_id = id WHERE is_folder", "breaks: a playlist is in a folder, and in none of its own"),
      (
        "UPDATE collections SET parent_id = (SELECT id FROM collections WHERE NOT is_folder) WHERE NOT is_folder",
        "breaks: a playlist is in a folder, and in none of its own"
      ),
      ("UPDATE artwork SET bytes = 1", "breaks: an artwork's size is that of its content"),
      ("UPDATE tracks SET metadata = '{'", "breaks: what else is known of a track is a JSON object"),
      ("UPDATE tracks SET group_album = 'Other' WHERE title = 'Bare'", "breaks: a track counts to the album that its own fields name"),
      ("UPDATE tracks SET group_artist = 'é' WHERE title = 'Bare'", "breaks: a track counts to the album that its own fields name"),
      ("UPDATE tracks SET guest_artist = artist WHERE title = 'Bare'", "breaks: a track counts to the album that its own fields name"),
    ])
  func invariants(damage: String, message: String) throws {
    let world = try World.temporary()
    try world.store.write { _ = try MiniLibrary.save(in: $0) }
    #expect(try world.isHealthy())
    let copy = try world.store.copy()
    try RawDatabase.with(copy) { try $0.execute(damage) }
    let report = try MusicStore.open(at: copy, options: .testing).store.integrityCheck()
    let broken = report.findings.filter { $0.part == .invariants }
    #expect(Set(broken.map(\.message)) == [message])
    #expect(broken.allSatisfy { $0.row != nil })
  }

  @Test("the tests break every invariant that the schema declares")
  func allInvariants() {
    #expect(MusicStore.schema.invariants.count == 4)
  }

  @Test("the integrity check reads every table as a record")
  func allRecords() throws {
    #expect(try RecordCheck.tablesWithoutRecord(in: MusicStore.schema) == [])
  }

  @Test("an index of search that no longer fits its text is found")
  func searchDamage() throws {
    let world = try World.temporary()
    try world.store.write { _ = try MiniLibrary.save(in: $0) }
    let copy = try world.store.copy()
    try RawDatabase.with(copy) { try $0.execute("DELETE FROM tracks_search_data WHERE id > 10") }
    let report = try MusicStore.open(at: copy, options: .testing).store.integrityCheck()
    #expect(report.findings.map(\.part) == [.fullText])
  }

  @Test("the kinds of list that the library derives are those that the track's fields say")
  func groupArtist() throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 3)
    var tracks = (0..<4).map { Sample.track("\($0)", artist: "Artist", &random) }
    tracks[1].albumArtist = "Owner"
    tracks[2].isCompilation = true
    (tracks[3].albumArtist, tracks[3].isCompilation) = ("", true)
    try world.library.saveTracks(tracks)
    #expect(try world.store.rows("SELECT group_artist FROM tracks ORDER BY title") == tracks.map(\.groupArtist))
    #expect(tracks.map(\.groupArtist) == ["Artist", "Owner", "Various Artists", "Various Artists"])
  }
}

/// A row in every table.
enum MiniLibrary {
  static func save(in tx: Writer) throws -> (tracks: [LibraryTrack], playlists: [MusicPlaylist]) {
    var random = SeededGenerator(seed: 2)
    let artwork = MusicArtwork(Data("picture".utf8))
    try MusicStore.saveArtwork(artwork, in: tx)
    let tracks = [Sample.full(&random, artwork: artwork.hash), Sample.track("Bare", &random)]
    try MusicStore.saveTracks(tracks, in: tx)
    let folder = MusicPlaylist(id: random.id(), name: "Folder", isFolder: true)
    let list = MusicPlaylist(id: random.id(), name: "List", parentID: folder.id, trackIDs: [tracks[0].id, tracks[1].id, tracks[0].id])
    _ = try MusicStore.savePlaylists([folder, list], in: tx)
    return (tracks, [folder, list])
  }
}
