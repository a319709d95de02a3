import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The player's library.db") struct MusicSQLiteTests {
  private typealias Old = PlayerDatabase
  private typealias Music = PlayerMusic

  @Test("the first database: paths become URLs that lead back to them")
  func raw() throws {
    let world = try ImportWorld("library.db")
    let full = [
      "album_artist": "'Other'", "genre": "'Jazz'", "year": "1999", "track_number": "7", "artwork_url": "'/covers/é #1?.jpg'",
      "artwork_data": "x'ffd8ffe0'", "file_url": "'/Music/三体/100% #1?.mp3'",
    ]
    try world.database(
      [Old.raw, Old.track(1), Old.track(2, full), Old.track(3, ["artwork_data": "x'ffd8ffe0'"])] + Old.playlist(5, [3, 1]))
    let report = try world.report()
    #expect(report.format == "music-sqlite" && report.formatVersion == 1)
    #expect(
      report.picture == """
        artwork 2: 1 imported, 1 skipped
        tracks 3: 3 imported
        collections 1: 1 imported
        collection_tracks 2: 2 imported
        skipped 1: a repetition in the source
        """)
    let tracks = try world.tracks()
    #expect(tracks.map { $0.file.location?.path } == ["/Music/a b/1.mp3", "/Music/三体/100% #1?.mp3", "/Music/a b/3.mp3"])
    #expect(tracks.first?.file.location?.text == "file:///Music/a%20b/1.mp3")
    #expect(tracks[1].artworkURL == "file:///covers/%C3%A9%20%231%3F.jpg")
    #expect(try world.shelf().hasSuffix("list 5: track 3, track 1"))
  }

  @Test("the databases that came next have URLs, and the last counts plays", arguments: [false, true])
  func urls(plays: Bool) throws {
    let world = try ImportWorld("library.db")
    let more = plays ? ["playCount": "3"] : [:]
    try world.database(
      [
        plays ? Old.plays : Old.urls, Old.urlTrack(1, ["albumArtist": "'Other'", "trackNumber": "7", "artworkURL": "'https://a/b'"]),
        Old.urlTrack(2, more),
      ] + Old.playlist(5, [1, 2]))
    let report = try world.report()
    #expect(report.formatVersion == (plays ? 3 : 2))
    #expect(report.picture == allImported(["tracks": 2, "collections": 1, "collection_tracks": 2]))
    #expect(
      try world.shelf() == """
        track 1 by Artist on Album of Other, no. 7, 200.5 s at file:///Music/a%20b/1.mp3
        track 2 by Artist on Album, 200.5 s\(plays ? ", played 3" : "") at file:///Music/a%20b/2.mp3
        list 5: track 1, track 2
        """)
  }

  @Test("plays that the listener added since are not taken back by the database that counted fewer")
  func plays() throws {
    let world = try ImportWorld("library.db")
    try world.database([Old.plays, Old.urlTrack(1, ["playCount": "3"]), Old.urlTrack(2, ["playCount": "-1"])])
    #expect(
      try world.importing() == """
        tracks 2: 2 imported
        tracks[rowid 2].playCount: playCount should be a whole number that is not less than 0, found -1
        """)
    try world.edit(track: Music.uuid(1)) { $0.playCount = 9 }
    try world.database(["UPDATE tracks SET title = 'newer'"])
    #expect(
      try world.importing() == """
        tracks 2: 1 merged, 1 skipped
        skipped 1: the store is newer
        tracks[rowid 2].playCount: playCount should be a whole number that is not less than 0, found -1
        """)
    #expect(try world.tracks().map(\.playCount) == [9, 0])
  }

  @Test("paths of every kind lead back, a value that is a URL is one, and what would not lead back is left out")
  func paths() throws {
    let world = try ImportWorld("library.db")
    let values = [
      "/Music/a b/x.mp3", "/a%20b", "file:///Music/a%20b/x.mp3", "Music/x.mp3", "C:/Music/x.mp3", "//server/share/x.mp3", "a:b", "/C:/x",
      "FILE:///x", "", "https://a/b", "/Cafe\u{301}", "/Caf\u{E9}",
    ]
    try world.database([Old.raw] + values.enumerated().map { Old.track($0, ["file_url": "'\($1)'", "artwork_url": "'\($1)'"]) })
    #expect(
      try world.importing() == """
        tracks 13: 13 imported
        tracks[rowid 8].file_url: file_url cannot be written as a file URL without a change
        tracks[rowid 8].artwork_url: artwork_url cannot be written as a file URL without a change
        """)
    let expected = [
      "file:///Music/a%20b/x.mp3", "file:///a%2520b", "file:///Music/a%20b/x.mp3", "Music/x.mp3", "C%3A/Music/x.mp3",
      "file:////server/share/x.mp3", "a%3Ab", nil, "FILE:///x", nil, "https%3A//a/b", "file:///Cafe%CC%81", "file:///Caf%C3%A9",
    ]
    #expect(try world.tracks().map { $0.file.location?.text } == expected)
    #expect(try world.tracks().map(\.artworkURL) == expected.enumerated().map { values[$0].isEmpty ? "" : $1 })
    #expect(try world.quarantine() == ["\"/C:/x\"", "\"/C:/x\""])
  }

  @Test("physical media and other tables stay in the source, and are counted")
  func otherTables() throws {
    let world = try ImportWorld("library.db")
    try world.database([
      Old.urls, Old.urlTrack(1), "CREATE TABLE artists (id INTEGER PRIMARY KEY, name)", "INSERT INTO artists (name) VALUES ('a'), ('b')",
      "CREATE TABLE releases (id INTEGER PRIMARY KEY, format)", "INSERT INTO releases (format) VALUES ('Vinyl')",
      "ALTER TABLE tracks ADD COLUMN mood", "UPDATE tracks SET mood = 'blue'",
    ])
    #expect(
      try world.importing() == """
        tracks 1: 1 imported
        artists 2: 2 skipped
        releases 1: 1 skipped
        skipped 2: the table artists has no place in this library; it stays in the source and its copy
        skipped 1: the table releases has no place in this library; it stays in the source and its copy
        tracks[rowid 1].mood: this field is not known
        """)
  }

  @Test("a table in other letters is the same table, and is counted once")
  func lettersOfTables() throws {
    let world = try ImportWorld("library.db")
    try world.database([
      Old.urls, Old.urlTrack(1), "ALTER TABLE tracks RENAME TO old", "ALTER TABLE old RENAME TO \"TRACKS\"",
      "ALTER TABLE grdb_migrations RENAME TO old", "ALTER TABLE old RENAME TO GRDB_Migrations",
    ])
    #expect(try world.importing() == "tracks 1: 1 imported")
  }

  @Test("later databases of the player are told for what they are, and other programs' are refused")
  func refused() throws {
    func failure(_ schema: String) throws -> String {
      let world = try ImportWorld("library.db")
      try world.database([schema])
      let error = try world.failure()
      return "\(error.code.rawValue): \(error.message.replacingOccurrences(of: world.source.path, with: "it"))"
    }
    let later = "these cannot be read, and nothing was changed"
    #expect(
      try failure("CREATE TABLE tracks (id, releaseId, title, duration); CREATE TABLE digital_files (trackId, fileURL);")
        == "newer_source: it was written by a later version of the player, which kept its tracks in digital_files; \(later)")
    #expect(
      try failure("CREATE TABLE local_track (contentHash UNIQUE, fileURL); CREATE TABLE library_track (id); CREATE TABLE works (id);")
        == "newer_source: it was written by a later version of the player, which kept its tracks in library_track and local_track; \(later)"
    )
    #expect(
      try failure("CREATE TABLE collections (id, title); CREATE TABLE tracks (id, collection_id, title);")
        == "invalid_source: it is not the player's library: it has the tables collections, tracks")
    let empty = "invalid_source: it is not the player's library: it has no tables; where a program had it open while it was copied"
    #expect(try failure("PRAGMA user_version = 1; VACUUM").hasPrefix(empty))
    let world = try ImportWorld("library.json")
    _ = try world.importing(Music.library([]))
    #expect(code { _ = try MusicStore.importLibrary(from: world.store, into: world.folder.file("x")) } == .wrongKind)
  }

  @Test("a file that lacks the tables of playlists has tracks all the same")
  func tracksAlone() throws {
    let world = try ImportWorld("library.db")
    try world.database([Old.raw, Old.track(1), "DROP TABLE collection_tracks", "DROP TABLE collections"])
    #expect(try world.importing() == "tracks 1: 1 imported")
  }

  @Test("a database of a known form that says it is of a later one is refused")
  func laterForms() throws {
    let world = try ImportWorld("library.db")
    try world.database([Old.raw, Old.track(1), "PRAGMA user_version = 2"])
    #expect(
      try world.failure().message.hasSuffix(
        "was written by a later version of the player, which called it version 2; 1 is the newest of this form that can be read, "
          + "and nothing was changed"))
    let later = "INSERT INTO grdb_migrations VALUES ('v2_physical_media')"
    let migrated = try ImportWorld("library.db")
    try migrated.database([Old.urls, Old.urlTrack(1), later])
    #expect(try migrated.importing() == "tracks 1: 1 imported", "its tables are those of the known form")
    let more = try ImportWorld("library.db")
    try more.database([Old.urls, Old.urlTrack(1), later, "CREATE TABLE releases (id INTEGER PRIMARY KEY, format)"])
    let error = try more.failure()
    #expect(error.code == .newerSource && error.message.contains("migrated it by v2_physical_media"), "\(error.message)")
  }
}
