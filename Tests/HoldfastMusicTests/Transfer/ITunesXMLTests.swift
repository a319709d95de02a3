import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastMusic

@Suite("iTunes's Library.xml") struct ITunesXMLTests {
  @Test("every field of a track comes in, and what has none of its own stands in the metadata word for word")
  func allFields() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library([
      ITunes.track(
        1, "Ripe &#38; Ruin",
        more: ITunes.string("Artist", "alt-J") + ITunes.string("Album", "An Awesome Wave") + ITunes.string("Album Artist", "∆")
          + ITunes.string("Genre", "Indie") + ITunes.integer("Year", "2012") + ITunes.integer("Track Number", "3")
          + ITunes.integer("Track Count", "13") + ITunes.integer("Disc Number", "1") + ITunes.integer("Total Time", "72001")
          + ITunes.integer("Size", "2895416") + ITunes.date("Date Modified", "2019-11-03T09:08:07Z")
          + ITunes.integer("Play Count", "17") + ITunes.integer("Play Date", "3787878787")
          + ITunes.date("Play Date UTC", "2024-01-12T10:33:07Z") + ITunes.integer("Rating", "80") + "<key>Compilation</key><true/>"
          + ITunes.integer("Bit Rate", "256") + ITunes.string("Comments", "two\nlines") + ITunes.string("Sort Name", "ripe"))
    ])
    #expect(try world.importing(source) == "tracks 1: 1 imported")
    let track = try #require(try world.track(ITunes.uuid(1)))
    let expected = LibraryTrack(
      id: ITunes.uuid(1), title: "Ripe & Ruin", artist: "alt-J", album: "An Awesome Wave", albumArtist: "∆", isCompilation: true,
      genre: "Indie", year: 2012, trackNumber: 3, discNumber: 1, duration: 72.001,
      file: TrackFile(
        location: FileLocation(text: "file:///Music/1.mp3"), sizeBytes: 2_895_416,
        modifiedAt: Date(timeIntervalSince1970: 1_572_772_087)),
      playCount: 17, lastPlayedAt: Date(timeIntervalSince1970: 1_705_055_587), rating: 80,
      addedAt: Date(timeIntervalSince1970: 1_577_934_245), persistentID: ITunes.id(1), metadata: track.metadata)
    #expect(track == expected)
    #expect(
      try track.metadata.decoded() == [
        "Track Count": "13", "Bit Rate": "256", "Comments": "two\nlines", "Sort Name": "ripe", "Track Type": "File",
        "Play Date": "3787878787",
      ])
  }

  @Test("what a track does not say is not there, and stands for nothing in a comparison")
  func absentFields() throws {
    let world = try ImportWorld("Library.xml")
    let bare = "<key>7</key><dict><key>Persistent ID</key><string>\(ITunes.id(7))</string></dict>"
    let literal = ITunes.track(8, more: ITunes.string("Artist", LibraryTrack.unknownArtist) + ITunes.string("Album", ""))
    let source = ITunes.library([bare, literal])
    #expect(
      try world.importing(source)
        == "tracks 2: 2 imported\nnoted 1: the source does not say when it was added: a new track has no such date")
    #expect(
      try world.shelf() == """
         by Unknown Artist on Unknown Album at no place
        song 8 by Unknown Artist on  at file:///Music/8.mp3
        """)
    #expect(try world.importing(source) == "tracks 2: 2 skipped\nskipped 2: in the store already")
    let newest = try world.withLibrary { try $0.store.read { try MusicStore.tracks(.recentlyAdded, in: $0) }.items }
    #expect(newest.map(\.id) == [ITunes.uuid(8), ITunes.uuid(7)] && newest.last?.addedAt == nil, "the time of the import is no such date")
    #expect(try world.withLibrary { try $0.store.read { try MusicStore.statistics(in: $0) }.yearsAdded.map(\.tracks) } == [1])
    // A later export that has the date gives it.
    let dated = bare.replacingOccurrences(of: "</dict>", with: ITunes.date("Date Added", "2011-02-03T04:05:06Z") + "</dict>")
    #expect(try world.importing(ITunes.library([dated, literal])) == "tracks 2: 1 merged, 1 skipped\nskipped 1: in the store already")
    #expect(try world.track(ITunes.uuid(7))?.addedAt == Date(timeIntervalSince1970: 1_296_705_906))
  }

  @Test("a track of which only the Track ID is known, or with a damaged Persistent ID, goes into the quarantine")
  func persistentIDs() throws {
    let world = try ImportWorld("Library.xml")
    let none = "<key>103</key><dict><key>Track ID</key><integer>103</integer><key>Genre</key><string>a &lt; b</string></dict>"
    let source = ITunes.library(
      [ITunes.track(1), ITunes.track(2, id: "XYZ"), none, "<key>104</key><string>no dict</string>", ITunes.track(1)],
      [ITunes.playlist(20, "List", [1, 2, 3, 4])])
    #expect(
      try world.importing(source) == """
        tracks 5: 1 imported, 1 skipped, 3 quarantined
        collections 1: 1 imported
        collection_tracks 4: 1 imported, 3 quarantined
        skipped 1: a repetition in the source
        Tracks.102: Persistent ID should be 16 hexadecimal digits, found "XYZ"
        Tracks.103: Persistent ID is missing, and so are the place of a file and a name
        Tracks.104: a track should be a dict
        Playlists[0].Playlist Items[1]: its track is quarantined
        Playlists[0].Playlist Items[2]: its track is quarantined
        Playlists[0].Playlist Items[3]: its track is quarantined
        """)
    #expect(
      try world.quarantine().contains(
        "<dict><key>Track ID</key><integer>103</integer><key>Genre</key><string>a &lt; b</string></dict>"))
  }

  @Test("a track without a Persistent ID and a file is its names and its number, at each import, and its playlists come in")
  func namesOnly() throws {
    let world = try ImportWorld("Library.xml")
    func track(_ id: Int, _ more: String) -> String {
      "<key>\(id)</key><dict><key>Track ID</key><integer>\(id)</integer><key>Name</key><string>Song</string>\(more)</dict>"
    }
    let artist = "<key>Artist</key><string>A</string>"
    let source = ITunes.library(
      [track(101, artist), track(102, artist + "<key>Track Number</key><integer>2</integer>"), track(103, "")],
      [ITunes.playlist(20, "Mine", [2, 1])])
    #expect(try world.importing(source).hasPrefix("tracks 3: 3 imported\ncollections 1: 1 imported\ncollection_tracks 2: 2 imported"))
    // In another file they have other numbers.
    let later = source.replacing(/10([123])/) { "20\($0.1)" }
    #expect(try world.importing(later).hasPrefix("tracks 3: 3 skipped\ncollections 1: 1 skipped\ncollection_tracks 2: 2 skipped"))
  }

  @Test("in a library without Persistent IDs a track is its file, and a playlist its name, at each import")
  func withoutPersistentIDs() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library(
      [ITunes.track(1), ITunes.track(2)], [ITunes.playlist(20, "List", [2, 1]), ITunes.playlist(21, "List", [1])]
    )
    .replacing(/<key>(Playlist )?Persistent ID<\/key><string>[0-9A-F]*<\/string>/, with: "")
    #expect(try world.importing(source) == allImported(["tracks": 2, "collections": 2, "collection_tracks": 3]))
    #expect(try world.lists() == "List: song 2, song 1\nList: song 1")
    let renumbered = source.replacingOccurrences(of: ">101<", with: ">901<").replacingOccurrences(of: ">102<", with: ">101<")
    #expect(try world.importing(renumbered) == allSkipped(["tracks": 2, "collections": 2, "collection_tracks": 3]))
  }

  @Test("an entry whose Track ID two tracks have is quarantined: which one is meant cannot be known")
  func ambiguous() throws {
    let world = try ImportWorld("Library.xml")
    let second = ITunes.track(2).replacingOccurrences(of: "<integer>102", with: "<integer>101")
    #expect(
      try world.importing(ITunes.library([ITunes.track(1), second], [ITunes.playlist(20, "List", [1])])) == """
        tracks 2: 2 imported
        collections 1: 1 imported
        collection_tracks 1: 1 quarantined
        Playlists[0].Playlist Items[0]: several tracks have this Track ID
        """)
  }

  @Test("ids in lower case are the same ids")
  func lowerCase() throws {
    let world = try ImportWorld("Library.xml")
    _ = try world.report(ITunes.library([ITunes.track(1)]))
    #expect(
      try world.importing(ITunes.library([ITunes.track(1, id: ITunes.id(1).lowercased())]))
        == "tracks 1: 1 skipped\nskipped 1: in the store already")
  }

  @Test("a value of a wrong kind costs the track where it is needed, and elsewhere only itself")
  func wrongKinds() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library([
      ITunes.track(1, more: ITunes.integer("Artist", "5")),
      ITunes.track(
        2,
        more: ITunes.string("Year", "2001") + ITunes.integer("Rating", "400") + ITunes.integer("Play Count", "-1")
          + ITunes.integer("Total Time", "99999999999999999999") + ITunes.date("Date Modified", "yesterday") + ITunes.integer("Genre", "9")
          + "<key>Compilation</key><string>yes</string>"),
      ITunes.track(3, more: ITunes.string("Name", "again")),
    ])
    #expect(
      try world.importing(source) == """
        tracks 3: 1 imported, 2 quarantined
        Tracks.101: Artist should be a text, found 5
        Tracks.102.Compilation: Compilation should be true or false, found "yes"
        Tracks.102.Genre: Genre should be a text, found 9
        Tracks.102.Year: Year should be a whole number, found "2001"
        Tracks.102.Total Time: Total Time should be a whole number of milliseconds, found "99999999999999999999"
        Tracks.102.Date Modified: Date Modified should be a date, found "yesterday"
        Tracks.102.Play Count: Play Count should be a whole number that is not less than 0, found -1
        Tracks.102.Rating: Rating should be a whole number from 0 to 100, found 400
        Tracks.103: Name appears twice in this record; keep one of the two in the source, and import it again
        """)
    #expect(try world.quarantine().contains("<integer>99999999999999999999</integer>"))
  }

  @Test("a rating that was computed from the album's is nobody's, and stays in the metadata")
  func computedRating() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library([
      ITunes.track(1, more: ITunes.integer("Rating", "60") + "<key>Rating Computed</key><true/>"),
      ITunes.track(2, more: ITunes.integer("Album Rating", "60") + "<key>Album Rating Computed</key><true/>"),
      ITunes.track(3, more: ITunes.integer("Rating", "100")),
    ])
    #expect(try world.importing(source) == "tracks 3: 3 imported")
    let tracks = try world.tracks()
    #expect(tracks.map(\.rating) == [nil, nil, 100])
    #expect(
      try tracks.map { try $0.metadata.decoded().filter { $0.key.contains("Rating") } } == [
        ["Rating": "60", "Rating Computed": "true"], ["Album Rating": "60", "Album Rating Computed": "true"], [:],
      ])
  }

  @Test("films, podcasts and television are kept with their kind, and make no albums or artists; a music video is music")
  func otherKinds() throws {
    let world = try ImportWorld("Library.xml")
    let kinds = ["Movie", "Podcast", "TV Show", "Music Video"]
    let others = kinds.enumerated().map { number, kind in
      ITunes.track(
        number, more: ITunes.string("Artist", kind) + ITunes.string("Album", kind) + "<key>\(kind)</key><true/><key>Has Video</key><true/>")
    }
    // A text that looks like a kind is none.
    let song = ITunes.track(
      9, more: ITunes.string("Artist", "A") + ITunes.string("Album", "B") + ITunes.string("Comments", #""Movie":"true""#))
    #expect(try world.importing(ITunes.library(others + [song])) == "tracks 5: 5 imported")
    try world.withLibrary { library in
      let tracks = try library.store.read { try MusicStore.tracks(in: $0) }
      #expect(tracks.map(\.isMusic) == [false, false, false, true, true])
      #expect(tracks.map(\.otherKind) == ["Movie", "Podcast", "TV Show", nil, nil])
      #expect(try zip(kinds, tracks).allSatisfy { kind, track in try track.metadata.decoded()[kind] == "true" })
      #expect(try library.store.read { try MusicStore.albums(in: $0) }.items.map(\.name) == ["B", "Music Video"])
      #expect(try library.store.read { try MusicStore.artists(in: $0) }.items.map(\.name) == ["A", "Music Video"])
      #expect(try library.store.read { try MusicStore.albums(of: "Movie", in: $0) }.items == [])
      #expect(try library.store.read { try MusicStore.counts(in: $0) } == MusicCounts(tracks: 5, albums: 2, artists: 2))
      #expect(
        try library.store.read { try MusicStore.tracks(.byAlbum, in: $0) }.items.map(\.album) == [
          "B", "Music Video", "Movie", "Podcast", "TV Show",
        ])
    }
  }

  @Test("locations of Windows, of Unix and of no file come word for word")
  func locations() throws {
    let world = try ImportWorld("Library.xml")
    let windows = "file://localhost/G:/Music/Ripe%20&#38;%20Ruin.mp3"
    let source = ITunes.library([
      "<key>1</key><dict>\(ITunes.string("Persistent ID", ITunes.id(1)))\(ITunes.string("Location", windows))</dict>",
      "<key>2</key><dict>\(ITunes.string("Persistent ID", ITunes.id(2)))\(ITunes.string("Location", "file:///Users/a/e%CC%81.mp3"))</dict>",
      "<key>3</key><dict>\(ITunes.string("Persistent ID", ITunes.id(3)))\(ITunes.string("Track Type", "Remote"))</dict>",
      "<key>4</key><dict>\(ITunes.string("Persistent ID", ITunes.id(4)))\(ITunes.string("Location", "http://radio.example/;?a=b"))</dict>",
    ]).replacingOccurrences(of: "\n", with: "\r\n")
    #expect(try world.importing(source).hasPrefix("tracks 4: 4 imported"))
    let places = try world.tracks().map(\.file.location)
    #expect(
      places.map { $0?.text } == [
        "file://localhost/G:/Music/Ripe%20&%20Ruin.mp3", "file:///Users/a/e%CC%81.mp3", nil, "http://radio.example/;?a=b",
      ])
    #expect(places.map { $0?.path } == ["G:/Music/Ripe & Ruin.mp3", "/Users/a/e\u{301}.mp3", nil, nil])
  }

  @Test("where only the clock of the wall was noted, it is read in the time zone of the computer, and both kinds are verified")
  func playDates() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Library.xml")
    func play(_ number: Int, _ value: String, more: String = "") -> String {
      ITunes.track(number, more: ITunes.integer("Play Date", value) + more)
    }
    // 2024-01-12 11:33:07; the same as older programs wrote it; an hour that is not on the clock; one that is there twice.
    let source = ITunes.library([
      play(1, "3787903987"), play(2, "-507063309"), play(3, "3794697000"), play(4, "3812841000"),
      play(5, "1", more: ITunes.date("Play Date UTC", "2024-01-12T10:33:07Z")), play(6, "99999999999"),
    ])
    try Data(source.utf8).write(to: file)
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let report = try Store.importing(
      ITunesXML(ImportSource(file), timeZone: zone), from: ImportSource(file), into: folder.file("a.sqlite"),
      schemas: [MusicStore.schema], storeOptions: .testing)
    #expect(report.verified)
    #expect(
      report.picture == """
        tracks 6: 6 imported
        Tracks.103.Play Date: Play Date should be seconds since 1904, of a time that Europe/Berlin has, found 3794697000
        Tracks.106.Play Date: Play Date should be seconds since 1904, of a time that Europe/Berlin has, found 99999999999
        """)
    let played = try await MusicStore.open(at: folder.file("a.sqlite")).tracks().map { $0.lastPlayedAt.map(JSONValue.iso8601) }
    #expect(
      played == [
        .string("2024-01-12T10:33:07Z"), .string("2024-01-12T10:33:07Z"), nil, .string("2024-10-27T00:30:00Z"),
        .string("2024-01-12T10:33:07Z"), nil,
      ])
  }

  @Test("the time zone of the computer that played can be given, and a format that says its times in full passes over it")
  func givenTimeZone() throws {
    var played: [JSONValue?] = []
    for name in ["Asia/Tokyo", "America/New_York"] {
      let world = try ImportWorld("Library.xml")
      let text = ITunes.library([
        ITunes.track(1, more: ITunes.integer("Play Date", "3787903987")),
        ITunes.track(2, more: ITunes.integer("Play Date", "1") + ITunes.date("Play Date UTC", "2024-01-12T10:33:07Z")),
      ])
      world.hints.timeZone = TimeZone(identifier: name)
      #expect(try world.report(text).isClean)
      played += try world.tracks().map { $0.lastPlayedAt.map(JSONValue.iso8601) }
    }
    #expect(
      played == [
        .string("2024-01-12T02:33:07Z"), .string("2024-01-12T10:33:07Z"), .string("2024-01-12T16:33:07Z"), .string("2024-01-12T10:33:07Z"),
      ])
  }

  @Test("a conversion that is wrong is found: the report cannot say that another time than the source's was verified")
  func verificationCanFail() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("Library.xml")
    try Data(ITunes.library([ITunes.track(1, more: ITunes.integer("Play Date", "3787903987"))]).utf8).write(to: file)
    struct Shifted: ImportFormat {
      let right: ITunesXML
      var name: String { right.name }
      var version: Int { right.version }
      var kinds: [(name: String, table: String)] { right.kinds }
      var total: Int { right.total }
      func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws { try right.scan(reader, visit) }
      func write(_ record: SourceRecord<SaidContent>, in tx: Writer) throws {
        guard record.kind == "tracks" else { return }
        try right.write(record, in: tx)
        // The epoch of 1970 taken for that of 1904, as it happens to programs that compare what they converted.
        try tx.execute("UPDATE tracks SET last_played_at = last_played_at + 2082844800000")
      }
      func readBack(_ record: SourceRecord<SaidContent>, in reader: Reader) throws -> StoredShape? {
        try right.readBack(record, in: reader)
      }
    }
    let error = #expect(throws: StoreError.self) {
      let zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
      _ = try Store.importing(
        Shifted(right: ITunesXML(ImportSource(file), timeZone: zone)), from: ImportSource(file), into: folder.file("a.sqlite"),
        schemas: [MusicStore.schema], storeOptions: .testing)
    }
    #expect(error?.code == .verificationFailed)
    #expect(
      error?.message
        == "Tracks.101 was not stored as it is in the source: Play Date UTC is 3787903987 in the source and 5870748787 in the store")
    #expect(try folder.contents() == ["Library.xml"])
  }
}
