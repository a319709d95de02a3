import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

/// What the player's own mistakes, and other people's, left in its file.
@Suite("Damage in the player's library.json") struct MusicJSONDamage {
  private typealias Music = PlayerMusic

  @Test("a damaged id is quarantined with the original, and never gets another one")
  func damagedIDs() throws {
    let world = try ImportWorld()
    let bad = Music.track(2, ["id": #""3F2504E0-4F89-41D3-9A0C""#])
    let json = Music.library(
      [Music.track(1), bad],
      [Music.playlist(5, [1], ["trackIDs": #"["\#(Music.id(1))","?",7]"#]), Music.playlist(6, [1], ["id": "\"six\""])])
    #expect(
      try world.importing(json) == """
        tracks 2: 1 imported, 1 quarantined
        collections 2: 1 imported, 1 quarantined
        collection_tracks 4: 1 imported, 3 quarantined
        $.tracks[1]: id should be a UUID, found "3F2504E0-4F89-41D3-9A0C"
        $.collections[0].trackIDs[1]: a track should be a UUID, found "?"
        $.collections[0].trackIDs[2]: a track should be a UUID
        $.collections[1]: id should be a UUID, found "six"
        $.collections[1].trackIDs[0]: its playlist is quarantined
        """)
    #expect(try world.quarantine().first == bad)
    #expect(try world.shelf().hasSuffix("list 5: track 1"))
  }

  @Test("a track that was removed leaves its id in playlists: that entry is quarantined, the rest comes in")
  func danglingEntries() throws {
    let world = try ImportWorld()
    let json = Music.library(
      [Music.track(1), Music.track(2), Music.track(3, ["title": nil])], [Music.playlist(5, [9, 1, 3, 2]), Music.playlist(6, [9])])
    #expect(
      try world.importing(json) == """
        tracks 3: 2 imported, 1 quarantined
        collections 2: 2 imported
        collection_tracks 5: 2 imported, 3 quarantined
        $.tracks[2]: title is missing
        $.collections[0].trackIDs[0]: there is no such track
        $.collections[0].trackIDs[2]: its track is quarantined
        $.collections[1].trackIDs[0]: there is no such track
        """)
    #expect(try world.shelf().hasSuffix("list 5: track 1, track 2\nlist 6: "))
    #expect(try world.quarantine().last == "\"\(Music.id(9))\"")
  }

  @Test("the same playlist id twice: the first one stays as it is, and what the second has besides is quarantined")
  func repeatedPlaylists() throws {
    let world = try ImportWorld()
    let json = Music.library(
      [Music.track(1), Music.track(2)],
      [
        Music.playlist(5, [1, 1]), Music.playlist(5, [1, 1]), Music.playlist(5, [1, 1, 1, 2], ["name": "\"other\""]),
        Music.playlist(6, [2]),
      ])
    #expect(
      try world.importing(json) == """
        tracks 2: 2 imported
        collections 4: 2 imported, 1 skipped, 1 quarantined
        collection_tracks 9: 3 imported, 4 skipped, 2 quarantined
        skipped 5: a repetition in the source
        $.collections[2]: an earlier record in the source has the same id and other content
        $.collections[2].trackIDs[2]: the first playlist with this id does not contain this entry
        $.collections[2].trackIDs[3]: the first playlist with this id does not contain this entry
        """)
    #expect(try world.shelf().hasSuffix("list 5: track 1, track 1\nlist 6: track 2"))
  }

  @Test("every field that a track must have is missed, and one of a wrong kind is refused")
  func required() throws {
    let world = try ImportWorld()
    let keys = ["id", "title", "artist", "album", "duration", "fileURL"]
    let tracks =
      keys.enumerated().map { Music.track($0, [$1: nil]) }
      + [Music.track(10, ["title": "null"]), Music.track(11, ["fileURL": "7"]), Music.track(12, ["album": "{}"]), "[]"]
    #expect(
      try world.importing(Music.library(tracks)) == """
        tracks 10: 10 quarantined
        $.tracks[0]: id is missing
        $.tracks[1]: title is missing
        $.tracks[2]: artist is missing
        $.tracks[3]: album is missing
        $.tracks[4]: duration is missing
        $.tracks[5]: fileURL is missing
        $.tracks[6]: title is missing
        $.tracks[7]: fileURL should be a text, found 7
        $.tracks[8]: album should be a text, found {}
        $.tracks[9]: a track should be an object
        """)
  }

  @Test("what a track can do without is left out where it is wrong, and the track comes in")
  func optional() throws {
    let world = try ImportWorld()
    let track = Music.track(
      1,
      [
        "duration": "-1", "albumArtist": "7", "genre": "[]", "year": "1.5", "trackNumber": "\"3\"", "artworkURL": "false",
        "artworkData": "\"no base64\"", "mood": "\"blue\"",
      ])
    let others = [
      Music.track(2, ["duration": "\"Infinity\""]), Music.track(3, ["duration": "null", "artworkData": "\"QR==\""]),
      Music.track(4, ["artworkData": "\"\"", "genre": "null", "duration": "0"]),
    ]
    #expect(
      try world.importing(Music.library([track] + others)) == """
        tracks 4: 4 imported
        $.tracks[0].artworkData: artworkData should be the bytes of a picture
        $.tracks[0].albumArtist: albumArtist should be a text, found 7
        $.tracks[0].duration: duration should be a number that is not less than 0, found -1
        $.tracks[0].artworkURL: artworkURL should be a text, found false
        $.tracks[0].genre: genre should be a text, found []
        $.tracks[0].year: year should be a whole number, found 1.5
        $.tracks[0].trackNumber: trackNumber should be a whole number, found "3"
        $.tracks[0].mood: this field is not known
        $.tracks[1].duration: duration should be a number that is not less than 0, found "Infinity"
        $.tracks[2].artworkData: artworkData should be the bytes of a picture
        $.tracks[2].duration: duration should be a number that is not less than 0, found null
        $.tracks[3].artworkData: artworkData should be the bytes of a picture
        """)
    #expect(try world.shelf().hasPrefix("track 1 by Artist on Album at file:///Music/a%20b/1.mp3\n"))
    #expect(try world.quarantine().prefix(4) == ["\"no base64\"", "7", "-1", "false"])
  }

  @Test("years and numbers of any size and sign are what the file says")
  func numbers() throws {
    let world = try ImportWorld()
    let numbers: [Int] = [-1, 0, 5_000_000_000, .max, .min]
    let tracks = numbers.enumerated().map { Music.track($0, ["year": "\($1)", "trackNumber": "\($1)"]) }
    #expect(try world.importing(Music.library(tracks)) == "tracks 5: 5 imported")
    let stored = try world.tracks()
    #expect(stored.map(\.year) == numbers && stored.map(\.trackNumber) == numbers)
  }

  @Test("fields that are not known are told, and playlists need theirs")
  func unknown() throws {
    let world = try ImportWorld()
    let json = #"""
      {"later":{"a":1},"tracks":[\#(Music.track(1))],"collections":[\#(Music.playlist(5, [1], ["color": "\"red\""])),
      \#(Music.playlist(6, [1], ["name": nil])),\#(Music.playlist(7, [1], ["trackIDs": "{}"])),7,
      {"id":"\#(Music.id(8))","name":"twice","name":"twice","trackIDs":[]}]}
      """#
    #expect(
      try world.importing(json) == """
        tracks 1: 1 imported
        collections 5: 1 imported, 4 quarantined
        collection_tracks 2: 1 imported, 1 quarantined
        $.later: this field is not known
        $.collections[0].color: this field is not known
        $.collections[1]: name is missing
        $.collections[1].trackIDs[0]: its playlist is quarantined
        $.collections[2]: trackIDs should be a list
        $.collections[3]: a playlist should be an object
        $.collections[4]: name appears twice in this record; keep one of the two in the source, and import it again
        """)
    #expect(try world.quarantine().prefix(2) == [#"{"a":1}"#, "\"red\""])
  }

  @Test("a picture that several tracks carry is stored once")
  func artwork() throws {
    let world = try ImportWorld()
    let (one, two) = (Data([0xFF, 0xD8, 0xFF, 0xE0]), Data([0, 1, 2, 3, 4]))
    func track(_ number: Int, _ data: Data) -> String { Music.track(number, ["artworkData": "\"\(data.base64EncodedString())\""]) }
    let json = Music.library([track(1, one), track(2, two), track(3, one)])
    #expect(
      try world.importing(json.replacingOccurrences(of: "\"/", with: #""\/"#)) == """
        artwork 3: 2 imported, 1 skipped
        tracks 3: 3 imported
        skipped 1: a repetition in the source
        """)
    try world.withLibrary { library in
      let hashes = try library.store.read { try MusicStore.tracks(in: $0) }.map(\.artworkHash)
      #expect(hashes[0] == hashes[2] && hashes[0] != hashes[1])
      #expect(
        try hashes.compactMap { $0 }.map { hash in try library.store.read { try MusicStore.artwork(hash, in: $0) }?.data } == [
          one, two, one,
        ])
      #expect(try library.store.read { try MusicStore.artwork(hashes[0] ?? "", in: $0) }?.mediaType == "image/jpeg")
    }
  }

  @Test("what is damaged in a later copy stays as the first one had it")
  func damagedLater() throws {
    let world = try ImportWorld()
    let good = [
      "albumArtist": "\"Band\"", "genre": "\"Jazz\"", "year": "1999", "trackNumber": "3", "artworkURL": "\"file:///a.jpg\"",
      "artworkData": "\"/9j/\"",
    ]
    _ = try world.report(Music.library([Music.track(1, good)]))
    let before = try world.rows()
    let fields = ["albumArtist", "artworkData", "artworkURL", "duration", "genre", "trackNumber", "year"]
    let bad = Dictionary(uniqueKeysWithValues: fields.map { ($0, ["albumArtist", "genre"].contains($0) ? "7" : "\"bad\"") })
      .merging(["artworkURL": "8"]) { $1 }
    let report = try world.report(Music.library([Music.track(1, bad)]))
    #expect(Set(report.problems.map(\.field)) == Set(fields))
    #expect(try world.rows() == before)
    // One of them at a time, too: each has its own way.
    for field in fields {
      _ = try world.report(Music.library([Music.track(1, good.merging([field: bad[field] ?? "7"]) { $1 })]))
      #expect(try world.rows() == before, "\(field)")
    }
  }

  @Test("a playlist that the listener put into a folder stays there when the file has another name for it")
  func folderStays() async throws {
    let world = try ImportWorld()
    _ = try world.report(Music.library([Music.track(1)], [Music.playlist(5, [1])]))
    try await world.usingLibrary { try await $0.movePlaylist(Music.uuid(5), toFolder: $0.createFolder(named: "Mine").id) }
    _ = try world.report(Music.library([Music.track(1)], [Music.playlist(5, [1], ["name": "\"other\""])]))
    // To move it is an edit: the name that it has here stays as well.
    #expect(try world.lists().split(separator: "\n").contains { $0.hasPrefix("Mine/") && $0.hasSuffix(": track 1") })
  }
}
