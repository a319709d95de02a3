import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

/// Rows as texts that were no longer alive, and saves that were cut in two, left them.
@Suite("Damage in the player's library.db") struct MusicSQLiteDamage {
  private typealias Old = PlayerDatabase
  private typealias Music = PlayerMusic

  @Test("a row with a text of arbitrary bytes is quarantined whole: none of its texts can be believed")
  func garbage() throws {
    let world = try ImportWorld("library.db")
    try world.database([
      Old.raw, Old.track(1), Old.track(2, ["title": "CAST(x'61ff62' AS TEXT)"]), Old.track(3, ["genre": "CAST(x'e4b8' AS TEXT)"]),
      Old.track(4, ["artist": "CAST(x'410000' AS TEXT)"]), Old.track(5, ["file_url": "CAST(x'00' AS TEXT)"]),
      Old.track(6, ["artwork_url": "CAST(x'c0af' AS TEXT)"]),
    ])
    #expect(
      try world.importing() == #"""
        tracks 6: 1 imported, 5 quarantined
        tracks[rowid 2]: title should be a text without zeros, found bytes that are not text
        tracks[rowid 3]: genre should be a text without zeros, found bytes that are not text
        tracks[rowid 4]: artist should be a text without zeros, found "A\u0000\u0000"
        tracks[rowid 5]: file_url should be a path that a file URL can hold, found "\u0000"
        tracks[rowid 6]: artwork_url should be a path that a file URL can hold, found bytes that are not text
        """#)
    #expect(try world.quarantine().first?.contains(#""title":{"text":"Yf9i"}"#) == true)
  }

  @Test("a damaged id is quarantined with its row, and never gets another one")
  func damagedIDs() throws {
    let world = try ImportWorld("library.db")
    try world.database(
      [
        Old.raw, Old.track(1), Old.track(2, ["id": "'3F2504E0-4F89'"]), Old.track(3, ["id": "CAST(x'ff' AS TEXT)"]),
        Old.track(4, ["id": "x'00'"]), Old.track(5, ["id": "NULL"]), "INSERT INTO collections VALUES ('five', 'list')",
        "INSERT INTO collection_tracks VALUES ('five', '\(Music.id(1))', 0)",
      ] + Old.playlist(6, [1]) + ["INSERT INTO collection_tracks VALUES ('\(Music.id(6))', '?', 1)"])
    #expect(
      try world.importing() == #"""
        tracks 5: 1 imported, 4 quarantined
        collections 2: 1 imported, 1 quarantined
        collection_tracks 3: 1 imported, 2 quarantined
        tracks[rowid 2]: id should be a UUID, found "3F2504E0-4F89"
        tracks[rowid 3]: id should be a UUID, found bytes that are not text
        tracks[rowid 4]: id should be a UUID, found "\u0000"
        tracks[rowid 5]: id is missing
        collections[rowid 1]: id should be a UUID, found "five"
        collection_tracks[rowid 3]: track_id should be a UUID, found "?"
        collection_tracks[rowid 1]: collection_id should be a UUID, found "five"
        """#)
    #expect(try world.shelf() == "track 1 by Artist on Album, 200.5 s at file:///Music/a%20b/1.mp3\nlist 6: track 1")
  }

  @Test("entries that lost their track or their playlist are quarantined with the reason")
  func dangling() throws {
    let world = try ImportWorld("library.db")
    try world.database(
      [Old.loose, Old.track(1), Old.track(2, ["title": "NULL"])] + Old.playlist(5, [9, 1, 2])
        + ["INSERT INTO collections VALUES ('\(Music.id(6))', NULL)"]
        + [6, 7].map { "INSERT INTO collection_tracks VALUES ('\(Music.id($0))', '\(Music.id(1))', 0)" })
    #expect(
      try world.importing() == """
        tracks 2: 1 imported, 1 quarantined
        collections 2: 1 imported, 1 quarantined
        collection_tracks 5: 1 imported, 4 quarantined
        tracks[rowid 2]: title is missing
        collections[rowid 2]: name is missing
        collection_tracks[rowid 1]: there is no such track
        collection_tracks[rowid 3]: its track is quarantined
        collection_tracks[rowid 4]: its playlist is quarantined
        collection_tracks[rowid 5]: there is no such playlist
        """)
    #expect(try world.quarantine().contains(#"{"collection_id":"\#(Music.id(5))","position":0,"track_id":"\#(Music.id(9))"}"#))
  }

  @Test("playlists that a save emptied, because it was cut off before the second half, come as they are: empty")
  func emptied() throws {
    let world = try ImportWorld("library.db")
    try world.database([Old.raw, Old.track(1)] + Old.playlist(5, []) + Old.playlist(6, []))
    #expect(try world.importing() == "tracks 1: 1 imported\ncollections 2: 2 imported")
    #expect(try world.shelf().hasSuffix("list 5: \nlist 6: "))
  }

  @Test("what a track can do without is left out where it is of a wrong kind")
  func wrongKinds() throws {
    let world = try ImportWorld("library.db")
    try world.database([
      Old.loose,
      Old.track(
        1, ["duration": "-3", "year": "'soon'", "track_number": "1.5", "artwork_data": "'text'", "genre": "NULL", "album_artist": "NULL"]),
      Old.track(2, ["duration": "9e999", "artwork_data": "x''"]), Old.track(3, ["duration": "NULL"]), Old.track(4, ["genre": "7"]),
      Old.track(5, ["duration": "200", "year": "1999.0"]),
    ])
    #expect(
      try world.importing() == """
        tracks 5: 4 imported, 1 quarantined
        tracks[rowid 1].artwork_data: artwork_data should be the bytes of a picture
        tracks[rowid 1].duration: duration should be a number that is not less than 0, found -3
        tracks[rowid 1].year: year should be a whole number, found "soon"
        tracks[rowid 1].track_number: track_number should be a whole number, found 1.5
        tracks[rowid 2].artwork_data: artwork_data should be the bytes of a picture
        tracks[rowid 2].duration: duration should be a number that is not less than 0, found bytes that are not text
        tracks[rowid 3].duration: duration should be a number that is not less than 0, found null
        tracks[rowid 4]: genre should be a text without zeros, found 7
        """)
    let tracks = try world.tracks()
    #expect(tracks.map(\.duration) == [nil, nil, nil, 200] && tracks.last?.year == 1999)
  }

  @Test("numbers that 32 bits do not hold, and negative ones, are what the file says")
  func numbers() throws {
    let world = try ImportWorld("library.db")
    let numbers: [Int] = [-1, 5_000_000_000, .max, .min + 1]
    try world.database([Old.raw] + numbers.enumerated().map { Old.track($0, ["year": "\($1)", "track_number": "\($1)"]) })
    #expect(try world.importing() == "tracks 4: 4 imported")
    let tracks = try world.tracks()
    #expect(tracks.map(\.year) == numbers && tracks.map(\.trackNumber) == numbers)
  }

  @Test("entries come in the order of their positions, however those are numbered, and ids in either case are one id")
  func positions() throws {
    let world = try ImportWorld("library.db")
    let list = Music.id(5)
    func entry(_ track: Int, _ position: String, in list: String) -> String {
      "INSERT INTO collection_tracks VALUES ('\(list)', '\(Music.id(track))', \(position))"
    }
    try world.database([
      Old.loose, Old.track(1), Old.track(2, ["id": "'\(Music.id(2).lowercased())'"]), Old.track(3),
      "INSERT INTO collections VALUES ('\(list)', 'l')",
      entry(1, "100", in: list), entry(2, "-5", in: list.lowercased()), entry(3, "NULL", in: list), entry(1, "100", in: list),
      entry(3, "'last'", in: list),
    ])
    #expect(
      try world.importing() == """
        tracks 3: 3 imported
        collections 1: 1 imported
        collection_tracks 5: 5 imported
        collection_tracks[rowid 3].position: position should be a whole number, found null
        collection_tracks[rowid 5].position: position should be a whole number, found "last"
        """)
    #expect(try world.shelf().hasSuffix("l: track 3, track 2, track 1, track 1, track 3"))
  }

  @Test("what is damaged in a later copy stays as the first one had it")
  func damagedLater() throws {
    let world = try ImportWorld("library.db")
    try world.database([Old.loose, Old.track(1, ["year": "1999", "track_number": "3", "artwork_data": "x'ffd8'"])])
    _ = try world.report()
    let before = try world.rows()
    try world.database(["UPDATE tracks SET year = 'x', track_number = 1.5, duration = -1, artwork_data = 'text'"])
    let report = try world.report()
    #expect(Set(report.problems.compactMap(\.field)).isSuperset(of: ["artwork_data", "duration", "track_number", "year"]))
    let track = try #require(try world.tracks().first)
    #expect(track.year == 1999 && track.trackNumber == 3 && track.duration == 200.5 && track.artworkHash != nil)
    #expect(try world.rows() == before)
  }

  @Test("a new playlist comes behind one that stands at the very end of all places")
  func lastPlace() throws {
    let world = try ImportWorld("library.db")
    try world.database([Old.raw, Old.track(1)] + Old.playlist(5, [1]))
    _ = try world.report()
    try world.withLibrary { library in
      _ = try library.store.write { try $0.execute("UPDATE collections SET position = \(Int64.max)") }
    }
    try world.database(Old.playlist(6, [1]) + Old.playlist(7, [1]))
    #expect(try world.importing().contains("collections 3: 2 imported, 1 skipped"))
    #expect(try world.shelf().hasSuffix("list 5: track 1\nlist 6: track 1\nlist 7: track 1"))
  }
}
