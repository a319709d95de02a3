import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The player's library.json") struct MusicJSONTests {
  private typealias Music = PlayerMusic

  @Test("the first form without a version, sample data included, and the second with one", arguments: [nil, 1])
  func versions(version: Int?) throws {
    let world = try ImportWorld(version == nil ? "MusicLibrary.json" : "library.json")
    let sample = Music.track(
      2,
      [
        "title": "\"Sample Track\"", "artist": "\"Unknown Artist\"", "album": "\"Unknown Album\"", "albumArtist": "\"Other\"",
        "genre": "\"Jazz\"", "year": "1999", "trackNumber": "7", "artworkURL": #""file:\/\/\/covers\/1.jpg""#,
      ])
    let report = try world.report(Music.library([Music.track(1), sample], [Music.playlist(5, [2, 1])], version: version))
    #expect(report.format == "music-json" && report.formatVersion == version ?? 0)
    #expect(report.picture == allImported(["tracks": 2, "collections": 1, "collection_tracks": 2]))
    #expect(
      try world.shelf() == """
        track 1 by Artist on Album, 200.5 s at file:///Music/a%20b/1.mp3
        Sample Track by Unknown Artist on Unknown Album of Other, Jazz, year 1999, no. 7, 200.5 s at file:///Music/a%20b/2.mp3
        list 5: Sample Track, track 1
        """)
    let track = try #require(world.tracks().last)
    #expect(track.artworkURL == "file:///covers/1.jpg" && track.addedAt == nil && track.rating == nil)
  }

  @Test("an awaited import does what a blocking one does, and ends when its task is cancelled")
  func awaited() async throws {
    try await ImportWorld().checkAsync(Music.library([Music.track(1)])) { wanted in
      try await MusicStore.importLibrary(
        from: wanted.source, into: wanted.store, hints: wanted.hints, options: wanted.options, storeOptions: wanted.storeOptions)
    }
  }

  @Test("URLs are kept word for word, whatever they are")
  func locations() throws {
    let world = try ImportWorld()
    let urls = [
      "file:///Music/a%20b/x.mp3", "file:///Music/%E4%B8%89.mp3", "file:///Music/a b.mp3", "file://localhost/G:/x.mp3", "https://a/b?c#d",
      "", "not a url", "file:///%ZZ", "/Music/path.mp3",
    ]
    let tracks = urls.enumerated().map { Music.track($0, ["fileURL": "\"\($1)\"", "artworkURL": "\"\($1)\""]) }
    #expect(try world.importing(Music.library(tracks)) == "tracks 9: 9 imported")
    #expect(try world.tracks().map { $0.file.location?.text } == urls)
    #expect(try world.tracks().map(\.artworkURL) == urls)
  }

  @Test("ids come in either case, and are the same id")
  func cases() throws {
    let world = try ImportWorld()
    let json = Music.library(
      [Music.track(1, ["id": "\"\(Music.id(1).lowercased())\""]), Music.track(1)],
      [Music.playlist(5, [1], ["id": "\"\(Music.id(5).lowercased())\""]), Music.playlist(5, [1])])
    #expect(
      try world.importing(json) == """
        tracks 2: 1 imported, 1 skipped
        collections 2: 1 imported, 1 skipped
        collection_tracks 2: 1 imported, 1 skipped
        skipped 3: a repetition in the source
        """)
  }

  @Test("an empty library is a library", arguments: ["", "\u{FEFF}"])
  func empty(mark: String) throws {
    let world = try ImportWorld()
    #expect(try world.importing(mark + Music.library([])) == "")
    #expect(try world.shelf() == "")
    #expect(try world.importing(mark + #"{"tracks":[]}"#) == "")
  }

  @Test("members stand in any order: a playlist before its tracks, its entries before its id")
  func order() throws {
    let world = try ImportWorld()
    let json = #"{"collections":[{"trackIDs":["\#(Music.id(1))"],"name":"first","id":"\#(Music.id(5))"}],"tracks":[\#(Music.track(1))]}"#
    #expect(try world.importing(json) == allImported(["tracks": 1, "collections": 1, "collection_tracks": 1]))
  }

  @Test("what is not the player's library is refused, and a newer one is")
  func refused() throws {
    func failure(_ text: String, format: String? = nil) throws -> String {
      let error = try ImportWorld().failure(text, format: format)
      return "\(error.code.rawValue): \(error.message)"
    }
    #expect(
      try failure(#"{"schemaVersion":3,"collections":[]}"#)
        == #"invalid_source: this JSON has no "tracks": expected the player's library at byte 0"#)
    #expect(
      try failure(#"{"tracks":{}}"#)
        == "invalid_source: the JSON stops making sense at byte 10 ($.tracks): expected an array, found an object")
    #expect(
      try failure(#"{"tracks":[],"tracks":[]}"#)
        == #"invalid_source: "tracks" appears twice, the second time at byte 22; the file does not say which of the two counts"#)
    #expect(
      try failure(Music.library([], version: 2))
        == "newer_source: this library has version 2, which is newer than 1, the newest that can be read; nothing was changed")
    #expect(try failure(Music.library([], version: -1)) == "invalid_source: this library has version -1, which does not exist")
    #expect(try failure("{}", format: "library-json").hasPrefix("misuse: there is no format library-json"))
    #expect(try failure("{}", format: "music-sqlite").hasSuffix("is not a SQLite database"))
    #expect(try ImportWorld().failure("").offset == 0)
  }

  @Test("the name does not matter: the copy that the player left is read, too")
  func backupName() throws {
    let world = try ImportWorld("library.json.backup")
    #expect(try world.importing(Music.library([Music.track(1)])) == "tracks 1: 1 imported")
    #expect(try world.folder.contents() == ["library.json.backup", "library.json.backup.backup", "store.sqlite"])
  }
}
