import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Importing the versions and forms of library.json")
struct ImportVersions {
  /// As JSON writes it, as it is, and a word of it that must be found.
  private static let titles: [(String, String, String?)] = [
    ("三体", "三体", "三"), ("ノルウェイの森", "ノルウェイの森", "森"), ("حكاية", "حكاية", "حكاية"), ("Der Prozeß", "Der Prozeß", "proz"),
    ("📚 Emoji 👩‍👩‍👧", "📚 Emoji 👩‍👩‍👧", "emoji"), (#"a \"b\" \\ \/ \n\t\u00e9 \ud83d\ude00"#, "a \"b\" \\ / \n\té 😀", "é"),
    (#"nul\u0000behind"#, "nul\0behind", "nul"), ("e\u{301}te", "e\u{301}te", "ete"), ("", "", nil), ("Дюна", "Дюна", "дюн"),
    ("สามก๊ก", "สามก๊ก", "สาม"),
  ]

  @Test("version 1 has one position per collection, which goes to the last played track")
  func versionOne() throws {
    let world = try ImportWorld()
    let more = #""lastPlayedTrackId":"\#(Legacy.id(2))","lastPlaybackPosition":12.5,"tags":["a"],"#
    let picture = try world.importing(
      Legacy.library(Legacy.collection(tracks: [Legacy.track(1), Legacy.track(2)], more: more), version: 1))
    #expect(picture == allImported(["collections": 1, "tracks": 2, "playback_states": 1, "tags": 1]))
    #expect(
      try world.shelf() == """
        三体 by nobody ["a"] last 2
          1 track 1
          2 track 2 at 12.5
        """)
    try world.withLibrary { library in
      let state = try #require(try library.store.read { try AudiobookLibrary.playbackState(of: Legacy.uuid(2), in: $0) })
      #expect(state == PlaybackState(position: 12.5, updatedAt: Date(timeIntervalSince1970: 1_762_342_882)))
    }
  }

  @Test("a version 1 position without a last played track is quarantined, and one beside a state of its own is skipped")
  func versionOneLeftovers() throws {
    let world = try ImportWorld()
    let picture = try world.importing(
      Legacy.library(
        Legacy.collection(1, tracks: [Legacy.track(2)], more: #""lastPlaybackPosition":3,"#),
        Legacy.collection(
          3, tracks: [Legacy.track(4)],
          more: #""lastPlaybackPosition":3,"lastPlayedTrackId":"\#(Legacy.id(4))","# + Legacy.states((4, Legacy.state()))), version: 1))
    #expect(
      picture == """
        collections 2: 2 imported
        tracks 2: 2 imported
        playback_states 3: 1 imported, 1 skipped, 1 quarantined
        skipped 1: the track has a playback state of its own
        $.collections[0].lastPlaybackPosition: a position without a last played track
        """)
  }

  @Test("version 2 knows no favourites: a track without isFavorite is none", arguments: [1, 2, 3])
  func missingFavorite(version: Int) throws {
    let world = try ImportWorld()
    let collection = Legacy.collection(tracks: [Legacy.track(1)], more: Legacy.states((1, Legacy.state())))
    #expect(
      try world.importing(Legacy.library(collection, version: version))
        == allImported(["collections": 1, "tracks": 1, "playback_states": 1]))
    #expect(
      try world.shelf() == """
        三体 by nobody
          1 track 1 at 754.2
        """)
  }

  @Test("version 3 has favourites with and without a time")
  func versionThree() throws {
    let world = try ImportWorld()
    let tracks = [
      Legacy.track(1, more: #""isFavorite":true,"favoritedAt":"2025-11-05T09:12:00Z","checksum":"d41d","duration":1832.48,"#),
      Legacy.track(2, more: #""isFavorite":true,"#), Legacy.track(3, more: #""isFavorite":false,"#),
      Legacy.track(4, more: #""isFavorite":false,"favoritedAt":"2025-11-05T09:12:00Z","#),
    ]
    #expect(
      try world.importing(Legacy.library(Legacy.collection(tracks: tracks, more: #""author":"刘慈欣","description":"d","#))) == """
        collections 1: 1 imported
        tracks 4: 4 imported
        favorites 3: 2 imported, 1 skipped
        skipped 1: no longer a favourite
        """)
    #expect(
      try world.shelf() == """
        三体 by 刘慈欣
          1 track 1 ★2025-11-05T09:12:00Z
          2 track 2 ★
          3 track 3
          4 track 4
        """)
  }

  @Test("when only library.json.tmp is left of a crash, that is read")
  func temporaryFile() throws {
    let world = try ImportWorld()
    try Legacy.library(Legacy.collection()).write(to: world.folder.file("library.json.tmp"), atomically: true, encoding: .utf8)
    let report = try AudiobookLibrary.importLibrary(from: world.source, into: world.store, storeOptions: world.options)
    #expect(report.picture == "collections 1: 1 imported")
    #expect(try world.folder.contents() == ["library.json.tmp", "library.json.tmp.backup", "store.sqlite"])
  }

  @Test("playbackStates may be an object")
  func stateObject() throws {
    let world = try ImportWorld()
    let more = #""playbackStates":{"\#(Legacy.id(1).lowercased())":\#(Legacy.state("1")),"\#(Legacy.id(2))":\#(Legacy.state("2"))},"#
    #expect(
      try world.importing(Legacy.library(Legacy.collection(tracks: [Legacy.track(1), Legacy.track(2)], more: more)))
        == allImported(["collections": 1, "tracks": 2, "playback_states": 2]))
    #expect(
      try world.shelf() == """
        三体 by nobody
          1 track 1 at 1.0
          2 track 2 at 2.0
        """)
  }

  @Test("the flat array of playbackStates may be uneven or hold what is no id; each piece is counted")
  func stateArrayDamage() throws {
    let world = try ImportWorld()
    let more = #""playbackStates":["nonsense",{},7,\#(Legacy.state()),"\#(Legacy.id(1))",[],"\#(Legacy.id(1))"],"#
    #expect(
      try world.importing(Legacy.library(Legacy.collection(tracks: [Legacy.track(1)], more: more))) == """
        collections 1: 1 imported
        tracks 1: 1 imported
        playback_states 4: 4 quarantined
        $.collections[0].playbackStates[1]: nonsense is not a UUID
        $.collections[0].playbackStates[3]: the id of the track is not a text
        $.collections[0].playbackStates[5]: a playback state should be an object
        $.collections[0].playbackStates[6]: an id without a state
        """)
  }

  @Test(
    "every kind of source comes in with what it carries",
    arguments: [
      (
        #"{"type":"baiduNetdisk","folderPath":"\/a","tokenScope":"netdisk"}"#,
        CollectionSource.baiduNetdisk(folderPath: "/a", tokenScope: "netdisk")
      ),
      (#"{"type":"local","directoryBookmark":"Ym9v"}"#, .local(directoryBookmark: Data("boo".utf8))),
      (#"{"type":"external","description":"d"}"#, .external(description: "d")),
      (#"{"type":"ephemeralBaidu","ephemeralPath":"\/tmp"}"#, .ephemeralBaidu(path: "/tmp")),
    ])
  func sources(json: String, source: CollectionSource) throws {
    let world = try ImportWorld()
    let collection = Legacy.collection().replacing(#"{"folderPath":"\/有声书","tokenScope":"netdisk","type":"baiduNetdisk"}"#, with: json)
    #expect(try world.importing(Legacy.library(collection)) == "collections 1: 1 imported")
    #expect(try world.withLibrary { try $0.store.read { try AudiobookLibrary.collection(Legacy.uuid(1), in: $0) }?.source.kind } == source)
  }

  @Test(
    "every kind of location comes in with what it carries",
    arguments: [
      (#"{"type":"baidu","fsId":112233445566778,"path":"\/a"}"#, TrackLocation.baidu(fsID: 112_233_445_566_778, path: "/a")),
      (#"{"type":"local","urlBookmark":"Ym9v"}"#, .local(bookmark: Data("boo".utf8))),
      (#"{"type":"external","url":"https:\/\/example.com\/a%20b"}"#, .external(url: "https://example.com/a%20b")),
    ])
  func locations(json: String, location: TrackLocation) throws {
    let world = try ImportWorld()
    let track = Legacy.track(1).replacing(#"{"fsId":1,"path":"\/1.mp3","type":"baidu"}"#, with: json)
    #expect(try world.importing(Legacy.library(Legacy.collection(tracks: [track]))) == allImported(["collections": 1, "tracks": 1]))
    #expect(try world.withLibrary { try $0.store.read { try AudiobookLibrary.track(Legacy.uuid(1), in: $0) }?.location.kind } == location)
  }

  @Test(
    "every kind of cover comes in with what it carries",
    arguments: [
      (
        ##"{"kind":{"type":"solid","colorHex":"#112233"},"dominantColorHex":"#445566"}"##,
        CollectionCover(.solid(colorHex: "#112233"), dominantColorHex: "#445566")
      ),
      (#"{"kind":{"type":"image","relativePath":"a\/b.jpg"}}"#, CollectionCover(.image(relativePath: "a/b.jpg"))),
      (#"{"kind":{"type":"remote","url":"https:\/\/example.com"}}"#, CollectionCover(.remote(url: "https://example.com"))),
    ])
  func covers(json: String, cover: CollectionCover) throws {
    let world = try ImportWorld()
    let collection = Legacy.collection().replacing(##"{"kind":{"colorHex":"#5B8DEF","type":"solid"}}"##, with: json)
    #expect(try world.importing(Legacy.library(collection)) == "collections 1: 1 imported")
    #expect(try world.withLibrary { try $0.store.read { try AudiobookLibrary.collection(Legacy.uuid(1), in: $0) }?.cover } == cover)
  }

  @Test("ids in lower case and in upper case are the same ids")
  func caseOfIDs() throws {
    let world = try ImportWorld()
    let json = Legacy.library(
      Legacy.collection(tracks: [Legacy.track(2)], more: #""lastPlayedTrackId":"\#(Legacy.id(2))","# + Legacy.states((2, Legacy.state()))))
    _ = try world.importing(json)
    let lower = json.replacing("7C9E6679-7425-40DE-944B", with: "7c9e6679-7425-40de-944b")
    #expect(try world.importing(lower) == allSkipped(["collections": 1, "tracks": 1, "playback_states": 1]))
  }

  @Test(
    "titles of any script come in as they are and are found",
    arguments: ImportVersions.titles)
  func scripts(written: String, title: String, word: String?) throws {
    let world = try ImportWorld()
    #expect(
      try world.importing(Legacy.library(Legacy.collection(title: written, tracks: [Legacy.track(2, name: written)])))
        == allImported(["collections": 1, "tracks": 1]))
    try world.withLibrary { library in
      let collection = try #require(try library.store.read { try AudiobookLibrary.collection(Legacy.uuid(1), in: $0) })
      #expect(Array(collection.title.utf8) == Array(title.utf8))
      #expect(collection.tracks.map { Array($0.displayName.utf8) } == [Array(title.utf8)])
      if let word { #expect(try library.store.read({ try AudiobookLibrary.search(word, in: $0) }).count == 2) }
    }
  }

  @Test("a byte order mark, other white space and another order of members change nothing")
  func forms() throws {
    let world = try ImportWorld()
    let json = Legacy.library(Legacy.collection(tracks: [Legacy.track(2)]))
    _ = try world.importing(json)
    let other = "\u{FEFF}\n" + json.replacing(",", with: " ,\r\n\t").replacing("{}", with: "{ }")
    #expect(try world.importing(other) == allSkipped(["collections": 1, "tracks": 1]))
  }

  @Test("a file without schemaVersion is version 1, and one without collections is refused")
  func noVersion() throws {
    let world = try ImportWorld()
    #expect(try world.report(#"{"collections":[]}"#).formatVersion == 1)
    let other = try ImportWorld()
    #expect(try other.failure(#"{"schemaVersion":1}"#).code == .invalidSource)
  }

  @Test(
    "times with a fraction, an offset or both mean the same instant",
    arguments: [
      ("2025-11-05T11:41:22.125Z", 125), ("2025-11-05T12:41:22.125+01:00", 125), ("2025-11-05T06:11:22-0530", 0),
      ("2025-11-05T11:41:22.9996Z", 1000), ("2025-11-05T11:41:22.123456789Z", 123),
    ])
  func times(text: String, milliseconds: Int) throws {
    let world = try ImportWorld()
    #expect(try world.importing(Legacy.library(Legacy.collection(updatedAt: text))) == "collections 1: 1 imported")
    let expected = Date(timeIntervalSince1970: 1_762_342_882 + Double(milliseconds) / 1000)
    #expect(try world.withLibrary { try $0.store.read { try AudiobookLibrary.collection(Legacy.uuid(1), in: $0) } }?.updatedAt == expected)
  }
}

extension String {
  func replacing(_ old: String, with new: String) -> String { replacingOccurrences(of: old, with: new) }
}
