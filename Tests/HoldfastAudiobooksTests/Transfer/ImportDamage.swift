import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Importing a library.json that is damaged")
struct ImportDamage {
  /// One thing that is wrong with a track, and what the report says.
  private static let damagedTracks: [(String, String, String)] = [
    ("\"fileSize\":1", "\"fileSize\":\"1\"", "fileSize should be a whole number, found \"1\""),
    ("\"fileSize\":1", "\"fileSize\":1.5", "fileSize should be a whole number, found 1.5"),
    ("\"fileSize\":1", "\"fileSize\":9223372036854775808", "fileSize should be a whole number, found 9.223372036854776e+18"),
    ("\"fileSize\":1,", "", "fileSize is missing"),
    ("\"displayName\":\"track 2\",", "", "displayName is missing"),
    ("\"displayName\":\"track 2\"", "\"displayName\":null", "displayName is missing"),
    (
      "\"displayName\":\"track 2\"", "\"displayName\":\"a\",\"displayName\":\"b\"",
      "displayName appears twice in this record; keep one of the two in the source, and import it again"
    ),
    (Legacy.id(2), "not-an-id", "id should be a UUID, found \"not-an-id\""),
    (Legacy.id(2), "{\(Legacy.id(2))}", "id should be a UUID, found \"{\(Legacy.id(2))}\""),
    ("\"id\":\"\(Legacy.id(2))\"", "\"id\":2", "id should be a UUID, found 2"),
    ("\"metadata\":{}", "\"metadata\":[]", "metadata should be an object of texts, found []"),
    ("\"metadata\":{}", "\"metadata\":{\"a\":1}", "metadata should be an object of texts, found {\"a\":1}"),
    ("\"metadata\":{}", "\"metadata\":{},\"duration\":\"long\"", "duration should be a number, found \"long\""),
    ("\"metadata\":{}", "\"metadata\":{},\"isFavorite\":1", "isFavorite should be true or false"),
    ("\"metadata\":{}", "\"metadata\":{},\"favoritedAt\":\"yesterday\"", "favoritedAt should be a date, found \"yesterday\""),
    (
      "\"metadata\":{}", "\"metadata\":{},\"favoritedAt\":\"2025-02-30T00:00:00Z\"",
      "favoritedAt should be a date, found \"2025-02-30T00:00:00Z\""
    ),
    ("\"metadata\":{}", "\"metadata\":{},\"favoritedAt\":1762342882", "favoritedAt should be a date, found 1762342882"),
    ("\"fsId\":2,", "", "location of the kind baidu lacks what that kind carries"),
    ("\"fsId\":2", "\"fsId\":\"2\"", "location of the kind baidu lacks what that kind carries"),
    ("\"type\":\"baidu\"", "\"kind\":\"baidu\"", "location should be an object with a type"),
    ("\"type\":\"baidu\"", "\"type\":\"baidu\",\"type\":\"local\"", "location cannot be read: a key that the object does not have yet"),
  ]

  @Test("one bad track among good ones: the good ones are in, the bad one is quarantined with its path", arguments: damagedTracks)
  func badTrack(old: String, new: String, reason: String) throws {
    let world = try ImportWorld()
    let bad = Legacy.track(2).replacing(old, with: new)
    let more = Legacy.states((1, Legacy.state("1")), (2, Legacy.state("2")))
    let picture = try world.importing(Legacy.library(Legacy.collection(tracks: [Legacy.track(1), bad, Legacy.track(3)], more: more)))
    #expect(
      picture == """
        collections 1: 1 imported
        tracks 3: 2 imported, 1 quarantined
        playback_states 2: 1 imported, 1 quarantined
        $.collections[0].tracks[1]: \(reason)
        $.collections[0].playbackStates[3]: there is no such track in the collection
        """)
    #expect(
      try world.shelf() == """
        三体 by nobody
          1 track 1 at 1.0
          3 track 3
        """)
    #expect(try world.leftOut() == ["tracks \(bad)", "playback_states \(Legacy.state("2"))"])
  }

  @Test(
    "one bad collection among good ones takes what hangs on it into quarantine",
    arguments: [
      ("\"title\":\"bad\",", "", "title is missing"), ("\"title\":\"bad\"", "\"title\":7", "title should be a text, found 7"),
      ("\"updatedAt\":\"2025-11-05T11:41:22Z\"", "\"updatedAt\":\"\"", "updatedAt should be a date, found \"\""),
      (
        "\"updatedAt\":\"2025-11-05T11:41:22Z\"", "\"updatedAt\":\"0000-01-01T00:00:00Z\"",
        "updatedAt should be a date, found \"0000-01-01T00:00:00Z\""
      ),
      (Legacy.id(1), "1", "id should be a UUID, found \"1\""), ("\"kind\":", "\"kin\":", "coverAsset.kind is missing"),
      (##"{"kind":{"colorHex":"#5B8DEF","type":"solid"}}"##, "null", "coverAsset should be an object"),
      (##""colorHex":"#5B8DEF","##, "", "coverAsset.kind of the kind solid lacks what that kind carries"),
      ("\"tags\":[\"a\"]", "\"tags\":\"a\"", "tags should be a list"),
    ])
  func badCollection(old: String, new: String, reason: String) throws {
    let world = try ImportWorld()
    let bad = Legacy.collection(
      1, title: "bad", tracks: [Legacy.track(2, more: #""isFavorite":true,"#)], more: #""tags":["a"],"# + Legacy.states((2, Legacy.state()))
    ).replacing(old, with: new)
    let picture = try world.importing(Legacy.library(bad, Legacy.collection(3, tracks: [Legacy.track(4)])))
    let lost = "its collection is quarantined"
    let tags = reason.hasPrefix("tags") ? ("", "") : ("\ntags 1: 1 quarantined", "\n$.collections[0].tags[0]: \(lost)")
    #expect(
      picture == """
        collections 2: 1 imported, 1 quarantined
        tracks 2: 1 imported, 1 quarantined
        playback_states 1: 1 quarantined
        favorites 1: 1 quarantined\(tags.0)
        $.collections[0]: \(reason)\(tags.1)
        $.collections[0].tracks[0]: \(lost)
        $.collections[0].tracks[0]: \(lost)
        $.collections[0].playbackStates[1]: \(lost)
        """)
    #expect(try world.leftOut().first == "collections \(bad)")
  }

  @Test(
    "one bad playback state among good ones is quarantined",
    arguments: [
      (#"{"updatedAt":"2025-11-05T11:41:22Z"}"#, "position is missing"), (#"{"position":1}"#, "updatedAt is missing"),
      (#"{"position":"1","updatedAt":"2025-11-05T11:41:22Z"}"#, "position should be a number, found \"1\""),
      (#"{"position":1,"updatedAt":"2025-11-05T11:41:22"}"#, "updatedAt should be a date, found \"2025-11-05T11:41:22\""),
      (
        #"{"position":1,"position":2,"updatedAt":"2025-11-05T11:41:22Z"}"#,
        "position appears twice in this record; keep one of the two in the source, and import it again"
      ),
      ("null", "a playback state should be an object"),
    ])
  func badState(state: String, reason: String) throws {
    let world = try ImportWorld()
    let more = Legacy.states((1, state), (2, Legacy.state("2")))
    #expect(
      try world.importing(Legacy.library(Legacy.collection(tracks: [Legacy.track(1), Legacy.track(2)], more: more))) == """
        collections 1: 1 imported
        tracks 2: 2 imported
        playback_states 2: 1 imported, 1 quarantined
        $.collections[0].playbackStates[1]: \(reason)
        """)
    #expect(try world.leftOut() == ["playback_states \(state)"])
  }

  @Test("what should be a collection, a track or a tag and is something else is quarantined where it stands")
  func otherThings() throws {
    let world = try ImportWorld()
    let good = Legacy.collection(tracks: ["7", Legacy.track(2), "[]"], more: #""tags":["a",1,null],"#)
    #expect(
      try world.importing(Legacy.library("null", good, "\"text\"")) == """
        collections 3: 1 imported, 2 quarantined
        tracks 3: 1 imported, 2 quarantined
        tags 3: 1 imported, 2 quarantined
        $.collections[0]: a collection should be an object
        $.collections[1].tags[1]: a tag should be a text
        $.collections[1].tags[2]: a tag should be a text
        $.collections[1].tracks[0]: a track should be an object
        $.collections[1].tracks[2]: a track should be an object
        $.collections[2]: a collection should be an object
        """)
  }

  @Test("fields that nobody knows are quarantined, and their records are imported")
  func unknownFields() throws {
    let world = try ImportWorld()
    let state = #"{"position":1,"speed":1.50,"updatedAt":"2025-11-05T11:41:22Z"}"#
    let json = Legacy.library(
      Legacy.collection(tracks: [Legacy.track(2, more: #""chapters":[1, 2],"#)], more: #""rating":5,"# + Legacy.states((2, state)))
        .replacing("\"kind\":", with: "\"shape\":\"round\",\"kind\":")
    ).replacing("\"schemaVersion\"", with: "\"device\":\"phone\",\"schemaVersion\"")
    let unknown = "this field is not known"
    #expect(
      try world.importing(json) == """
        collections 1: 1 imported
        tracks 1: 1 imported
        playback_states 1: 1 imported
        $.device: \(unknown)
        $.collections[0].coverAsset.shape: \(unknown)
        $.collections[0].rating: \(unknown)
        $.collections[0].tracks[0].chapters: \(unknown)
        $.collections[0].playbackStates[1].speed: \(unknown)
        """)
    #expect(
      try world.leftOut() == [
        "collections device \"phone\"", "collections coverAsset.shape \"round\"", "collections rating 5", "tracks chapters [1, 2]",
        "playback_states speed 1.50",
      ])
  }

  @Test("a file that is cut off, at every 50th byte, is refused with the place, and nothing is on disk")
  func cutOff() throws {
    let world = try ImportWorld()
    let json = Legacy.library(
      Legacy.collection(tracks: [Legacy.track(2), Legacy.track(3)], more: #""tags":["a"],"# + Legacy.states((2, Legacy.state()))))
    let bytes = Array(json.utf8)
    for count in stride(from: 0, to: bytes.count, by: 50) {
      try Data(bytes.prefix(count)).write(to: world.source)
      let error = try world.failure()
      #expect(error.code == .invalidSource && error.offset == count, "cut at \(count): \(error)")
    }
  }

  @Test(
    "what is no library is refused with the place where it stops making sense",
    arguments: [
      ("", 0), ("hello", 0), ("[]", 0), ("{}", 0), ("7", 0), (#"{"schemaVersion":"3","collections":[]}"#, 17),
      (#"{"collections":{}}"#, 15), (#"{"collections":[],"collections":[]}"#, 32), (#"{"collections":[]} x"#, 19),
      (#"{"collections":[{"a":01}]}"#, 22), (#"{"collections":[{"a":1e999}]}"#, 21), ("{\"collections\":[\"\u{1}\"]}", 17),
    ])
  func notALibrary(text: String, offset: Int) throws {
    let world = try ImportWorld()
    let error = try world.failure(text)
    #expect(error.code == .invalidSource && error.offset == offset, "\(error) at \(error.offset ?? -1)")
  }

  @Test("nesting beyond 512 levels is refused, and 500 levels in an unknown field are kept")
  func deepNesting() throws {
    let world = try ImportWorld()
    func json(_ depth: Int) -> String {
      Legacy.library(Legacy.collection(more: "\"x\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + ","))
    }
    #expect(try world.failure(json(600)).code == .invalidSource)
    #expect(try world.failure(json(200_000)).code == .invalidSource)
    #expect(
      try world.importing(json(500)) == """
        collections 1: 1 imported
        $.collections[0].x: this field is not known
        """)
  }

  @Test("schemaVersion 4 and higher are refused as newer, and nothing was changed", arguments: ["4", "99", "9223372036854775807"])
  func newer(version: String) throws {
    let world = try ImportWorld()
    let error = try world.failure(#"{"collections":[],"schemaVersion":\#(version)}"#)
    #expect(error.code == .newerSource)
    #expect(error.message.contains("schemaVersion \(version)"))
  }

  @Test("the greatest and smallest numbers and dates come in as they are")
  func extremes() throws {
    let world = try ImportWorld()
    let track = Legacy.track(2).replacing("\"fileSize\":1,", with: "\"duration\":1.7976931348623157e308,\"fileSize\":9223372036854775807,")
      .replacing("\"trackNumber\":2", with: "\"trackNumber\":-9223372036854775808")
    let states = Legacy.states((2, #"{"position":5e-324,"duration":-0.0,"updatedAt":"9999-12-31T23:59:59Z"}"#))
    #expect(
      try world.importing(Legacy.library(Legacy.collection(updatedAt: "0001-01-01T00:00:00Z", tracks: [track], more: states)))
        == allImported(["collections": 1, "tracks": 1, "playback_states": 1]))
    try world.withLibrary { library in
      let loaded = try #require(try library.store.read { try AudiobookLibrary.collection(Legacy.uuid(1), in: $0) })
      #expect(loaded.tracks.map(\.fileSize) == [.max])
      #expect(loaded.tracks.map(\.trackNumber) == [.min])
      #expect(loaded.tracks.map(\.duration) == [.greatestFiniteMagnitude])
      #expect(loaded.playbackStates[Legacy.uuid(2)]?.position == .leastNonzeroMagnitude)
    }
  }
}
