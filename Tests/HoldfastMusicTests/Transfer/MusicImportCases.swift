import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What becomes of music that the store may know already") struct MusicImportCases {
  private typealias Music = PlayerMusic

  @Test("what the source does not carry survives a newer source: plays, rating, where the file was found")
  func notCarried() throws {
    let world = try ImportWorld()
    _ = try world.importing(Music.library([Music.track(1), Music.track(2)]))
    try world.edit(track: Music.uuid(1)) { track in
      (track.playCount, track.rating, track.lastPlayedAt) = (4, 80, world.clock.now)
      (track.discNumber, track.isCompilation, track.file.contentHash) = (2, true, "hash")
    }
    var expected = try #require(try world.track(Music.uuid(1)))
    expected.title = "newer"
    #expect(
      try world.importing(Music.library([Music.track(1, ["title": "\"newer\""]), Music.track(2)])) == """
        tracks 2: 1 merged, 1 skipped
        skipped 1: in the store already
        """)
    #expect(try world.track(Music.uuid(1)) == expected)
  }

  @Test("a track that was deleted stays deleted, in every playlist of the source, in a new one too")
  func deletedTrack() throws {
    let world = try ImportWorld()
    _ = try world.importing(Music.library([Music.track(1), Music.track(2)], [Music.playlist(5, [1, 2])]))
    try world.withLibrary { _ = try $0.store.write { try MusicStore.deleteTracks([Music.uuid(1)], in: $0) } }
    let json = Music.library([Music.track(1), Music.track(2)], [Music.playlist(5, [1, 2, 1]), Music.playlist(6, [1, 2])])
    #expect(
      try world.importing(json) == """
        tracks 2: 2 skipped
        collections 2: 1 imported, 1 skipped
        collection_tracks 5: 1 imported, 4 skipped
        skipped 1: deleted since it was imported
        skipped 3: in the store already
        skipped 3: its track was deleted since it was imported
        """)
    #expect(try world.shelf().hasSuffix("list 5: track 2\nlist 6: track 2"))
  }

  @Test("a playlist and an entry that were deleted stay deleted")
  func deletedPlaylist() throws {
    let world = try ImportWorld()
    let json = Music.library([Music.track(1), Music.track(2)], [Music.playlist(5, [1, 2]), Music.playlist(6, [1, 2, 1])])
    _ = try world.importing(json)
    try world.withLibrary { library in
      var kept = try #require(try library.store.read { try MusicStore.playlist(Music.uuid(6), in: $0) })
      kept.trackIDs = [Music.uuid(2)]
      _ = try library.store.write { try MusicStore.savePlaylists([kept], replacingAll: true, in: $0) }
    }
    #expect(
      try world.importing(json) == """
        tracks 2: 2 skipped
        collections 2: 2 skipped
        collection_tracks 5: 5 skipped
        skipped 5: deleted since it was imported
        skipped 4: in the store already
        """)
    #expect(try world.shelf().hasSuffix("list 6: track 2"))
  }

  @Test("a playlist that was renamed keeps its name; one that nobody touched follows the source")
  func renamedPlaylist() throws {
    let world = try ImportWorld()
    let tracks = [Music.track(1)]
    _ = try world.importing(Music.library(tracks, [Music.playlist(5, [1]), Music.playlist(6, [1])]))
    try world.edit(list: Music.uuid(5)) { $0.name = "mine" }
    let newer = ["name": "\"theirs\""]
    #expect(
      try world.importing(Music.library(tracks, [Music.playlist(5, [1], newer), Music.playlist(6, [1], newer)])) == """
        tracks 1: 1 skipped
        collections 2: 1 merged, 1 skipped
        collection_tracks 2: 2 skipped
        skipped 3: in the store already
        skipped 1: the store is newer
        """)
    #expect(try world.shelf().hasSuffix("mine: track 1\ntheirs: track 1"))
  }

  @Test("a source in another order brings its order along, where the listener has not changed it")
  func newOrder() throws {
    let world = try ImportWorld()
    let tracks = (1...4).map { Music.track($0) }
    _ = try world.importing(Music.library(tracks, [Music.playlist(5, [1, 2, 3, 1]), Music.playlist(6, [])]))
    #expect(
      try world.importing(Music.library(tracks, [Music.playlist(6, []), Music.playlist(5, [4, 1, 1, 3, 2])])) == """
        tracks 4: 4 skipped
        collections 2: 2 merged
        collection_tracks 5: 1 imported, 4 merged
        skipped 4: in the store already
        """)
    #expect(try world.shelf().hasSuffix("list 6: \nlist 5: track 4, track 1, track 1, track 3, track 2"))
  }

  @Test("a picture that nobody showed any more and was removed comes back with a new track that shows it")
  func removedArtwork() throws {
    let world = try ImportWorld()
    let picture: [String: String?] = ["artworkData": "\"\(Data("picture".utf8).base64EncodedString())\""]
    _ = try world.importing(Music.library([Music.track(1, picture)]))
    try world.withLibrary { library in
      _ = try library.store.write { try MusicStore.deleteTracks([Music.uuid(1)], in: $0) }
      #expect(try library.store.write { try MusicStore.removeUnusedArtwork(in: $0) } == 7)
    }
    #expect(
      try world.importing(Music.library([Music.track(1, picture), Music.track(2, picture)])) == """
        artwork 2: 2 skipped
        tracks 2: 1 imported, 1 skipped
        skipped 1: a repetition in the source
        skipped 2: deleted since it was imported
        """)
    let pictures = try world.withLibrary { library in
      try library.store.read { try MusicStore.tracks(in: $0) }.map { track in
        try library.store.read { try MusicStore.artwork(track.artworkHash ?? "", in: $0) }?.data
      }
    }
    #expect(pictures == [Data("picture".utf8)])
  }

  @Test("tracks of the file are merged with those of the database that came after it")
  func databaseAfterFile() throws {
    let world = try ImportWorld()
    _ = try world.importing(Music.library([Music.track(1)], [Music.playlist(5, [1])]))
    world.source = world.folder.file("library.db")
    try world.database([PlayerDatabase.raw, PlayerDatabase.track(1), PlayerDatabase.track(2)] + PlayerDatabase.playlist(5, [2, 1]))
    #expect(
      try world.importing() == """
        tracks 2: 1 imported, 1 skipped
        collections 1: 1 skipped
        collection_tracks 2: 1 imported, 1 skipped
        skipped 2: in the store already
        skipped 1: the store is newer
        """)
    #expect(try world.shelf().hasSuffix("list 5: track 1, track 2"))
  }
}
