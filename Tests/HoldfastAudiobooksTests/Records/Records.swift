import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Records") struct Records {
  @Test("kinds that the app does not know survive saving, loading and saving again word for word")
  func unknownKinds() async throws {
    let world = try World.temporary()
    let json = #"{"type":"teleport", "b" : 1.50,"a":"\u00e9\/","n":null,"big":123456789012345678901234567890}"#
    var collection = Sample.collection("Book", tracks: ["One"])
    collection.source = Tagged(.unknown(type: "teleport", json: json))
    collection.cover = CollectionCover(.unknown(type: "hologram", json: json))
    collection.tracks[0].location = Tagged(.unknown(type: "cassette", json: json))
    try await world.library.save(collection)
    let loaded = try #require(try await world.library.collection(collection.id))
    #expect(loaded == collection)
    #expect(loaded.source.kind == .unknown(type: "teleport", json: json))
    #expect(Array(loaded.tracks[0].location.payload.utf8) == Array(json.utf8))
  }

  @Test(
    "a known kind whose content is not what it should be is kept as it is",
    arguments: ["{}", "[]", "null", "", "{\"fsId\":1.5,\"path\":\"x\"}", "{\"fsId\":1}", "{\"fsId\":\"1\",\"path\":\"x\"}", "{\"fsId\":1,"])
  func brokenKinds(json: String) {
    #expect(TrackLocation(type: "baidu", payload: json) == .unknown(type: "baidu", json: json))
    #expect(TrackLocation(type: "local", payload: json) == .unknown(type: "local", json: json))
    #expect(TrackLocation(type: "external", payload: json) == .unknown(type: "external", json: json))
    for type in ["baiduNetdisk", "local", "external", "ephemeralBaidu"] {
      #expect(CollectionSource(type: type, payload: json) == .unknown(type: type, json: json))
    }
    for type in ["solid", "image", "remote"] {
      #expect(CollectionCover.Kind(type: type, payload: json) == .unknown(type: type, json: json))
    }
  }

  @Test("every kind is stored as its name and sorted JSON, and read back")
  func storedKinds() {
    let locations: [(TrackLocation, String)] = [
      (.local(bookmark: Data([0, 255])), #"local {"urlBookmark":"AP8="}"#),
      (.baidu(fsID: 112_233_445_566_778, path: "/有声书/1.mp3"), #"baidu {"fsId":112233445566778,"path":"/有声书/1.mp3"}"#),
      (.external(url: "https://example.com/?a=1"), #"external {"url":"https://example.com/?a=1"}"#),
    ]
    for (kind, expected) in locations { check(kind, expected) }
    let sources: [(CollectionSource, String)] = [
      (.baiduNetdisk(folderPath: "/a", tokenScope: "netdisk"), #"baiduNetdisk {"folderPath":"/a","tokenScope":"netdisk"}"#),
      (.local(directoryBookmark: Data()), #"local {"directoryBookmark":""}"#),
      (.external(description: "a \"shelf\""), #"external {"description":"a \"shelf\""}"#),
      (.ephemeralBaidu(path: "/b"), #"ephemeralBaidu {"ephemeralPath":"/b"}"#),
    ]
    for (kind, expected) in sources { check(kind, expected) }
    let covers: [(CollectionCover.Kind, String)] = [
      (.solid(colorHex: "#5B8DEF"), ##"solid {"colorHex":"#5B8DEF"}"##),
      (.image(relativePath: "a.jpg"), #"image {"relativePath":"a.jpg"}"#),
      (.remote(url: "https://example.com/a"), #"remote {"url":"https://example.com/a"}"#),
    ]
    for (kind, expected) in covers { check(kind, expected) }
  }

  private func check<Kind: TaggedKind>(_ kind: Kind, _ expected: String) {
    let tagged = Tagged(kind)
    #expect("\(tagged.type) \(tagged.payload)" == expected)
    #expect(tagged.kind == kind)
  }

  @Test("dates finer than a millisecond are rounded when the record is made, so that what is saved is what is loaded")
  func roundedDates() async throws {
    let world = try World.temporary()
    let fine = Date(timeIntervalSince1970: 1_762_342_882.123_456_7)
    let old = Date(timeIntervalSince1970: -0.0004)
    var collection = Sample.collection("Book", tracks: ["One", "Two"], created: fine)
    collection.playbackStates = [collection.tracks[0].id: PlaybackState(position: 1, updatedAt: fine)]
    collection.favorites = [collection.tracks[1].id: Favorite(favoritedAt: old)]
    try await world.library.save(collection)
    #expect(collection.createdAt == Date(timeIntervalSince1970: 1_762_342_882.123))
    #expect(collection.favorites[collection.tracks[1].id]?.favoritedAt == Date(timeIntervalSince1970: 0))
    #expect(try await world.library.collections() == [collection])
  }

  @Test("dates at both ends of what can be stored come back, and those beyond are refused")
  func extremeDates() async throws {
    let world = try World.temporary()
    let ends = [DateCodec.range.lowerBound, DateCodec.range.upperBound].compactMap(DateCodec.date(milliseconds:))
    var collections: [AudiobookCollection] = []
    for (seed, date) in ends.enumerated() {
      let collection = Sample.collection("Book", created: date, seed: UInt64(seed))
      try await world.library.save(collection)
      collections.append(collection)
    }
    #expect(try await world.library.collections() == Sample.newestFirst(collections))
    for date in [Date.distantFuture.addingTimeInterval(1e12), Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: -.infinity)] {
      #expect(await asyncCode { try await world.library.save(Sample.collection("Never", created: date, seed: 9)) } == .invalidValue)
    }
    #expect(try await world.library.collections().count == 2)
  }

  struct Damage: Sendable, CustomTestStringConvertible {
    var table: String
    var column: String
    /// SQL of the value.
    var value: String
    /// The column whose value the error names the row by.
    var key = "id"
    /// Takes away STRICT, so that a value of another type can be written at all.
    var loosens = false
    var testDescription: String { "\(table).\(column) = \(value)" }
  }

  static let damages = [
    Damage(table: "collections", column: "id", value: "'nonsense'"),
    Damage(table: "collections", column: "title", value: "CAST(x'C328' AS TEXT)"),
    Damage(table: "collections", column: "created_at", value: "9223372036854775807"),
    Damage(table: "collections", column: "last_played_track_id", value: "''"),
    Damage(table: "collections", column: "updated_at", value: "'2025-11-05 11:41:22'", loosens: true),
    Damage(table: "tracks", column: "id", value: "'{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}'"),
    Damage(table: "tracks", column: "display_name", value: "CAST(x'FF' AS TEXT)"),
    Damage(table: "tracks", column: "original_id", value: "'x'"),
    Damage(table: "tracks", column: "file_size", value: "'many'", loosens: true),
    Damage(table: "tracks", column: "duration", value: "x'00'", loosens: true),
    Damage(table: "playback_states", column: "updated_at", value: "-9223372036854775808", key: "track_id"),
    Damage(table: "playback_states", column: "position", value: "'far'", key: "track_id", loosens: true),
    Damage(table: "favorites", column: "favorited_at", value: "9223372036854775807", key: "track_id"),
    Damage(table: "tags", column: "tag", value: "CAST(x'80' AS TEXT)", key: "collection_id"),
  ]

  @Test("a damaged value is an error that names table, column and row; it is never left out and never overwritten", arguments: damages)
  func damage(_ damage: Damage) async throws {
    let world = try World.temporary()
    var collection = Sample.collection("Book", tracks: ["One"])
    let track = collection.tracks[0].id
    collection.playbackStates[track] = PlaybackState(position: 1, updatedAt: world.clock.now)
    collection.favorites[track] = Favorite(favoritedAt: world.clock.now)
    collection.tags = ["tag"]
    try await world.library.save(collection)
    let copy = try world.store.copy()
    let row = try damage.apply(to: copy)

    let damaged = try AudiobookLibrary.open(at: copy, options: .testing)
    let error = await #expect(throws: StoreError.self) { try await damaged.collections() }
    #expect([error?.code.rawValue, error?.table, error?.column, error?.row] == ["decoding", damage.table, damage.column, row])
    if damage.column != "id" {
      await #expect(throws: StoreError.self) { try await damaged.save(collection) }
    }
    let after = try RawDatabase.with(copy) { try $0.rows("SELECT hex(\(damage.column)) = hex(\(damage.value)) FROM \(damage.table)") }
    #expect(after == [["1"]])
  }
}

extension Records.Damage {
  /// Writes the damage, and returns what names the row.
  func apply(to url: URL) throws -> String? {
    if loosens {
      try RawDatabase.with(url) { raw in
        try raw.execute(
          "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = '\(table)'")
      }
    }
    return try RawDatabase.with(url) { raw in
      try raw.execute("UPDATE \(table) SET \(column) = \(value)")
      return try raw.rows("SELECT \(key) FROM \(table)").first?.first
    }
  }
}
