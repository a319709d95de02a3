import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer
import Testing

/// Rows as old versions, switched-off foreign keys and ad hoc columns left them.
@Suite struct LibrarySQLiteDamageTests {
  private typealias Old = OldDatabase

  @Test("orphans that switched-off foreign keys left are quarantined, with what they are orphans of")
  func orphans() throws {
    let folder = try ImportFolder([
      Old.collection(), Old.track(), Old.track(Old.second, in: Old.nobody, ["is_favorite": "1"]), Old.state(Old.nobody),
      Old.state(Old.second), Old.tag("lost", of: Old.nobody), Old.tag("kept"),
    ])
    #expect(
      try folder.importing() == [
        "collections 1 = 1 + 0 + 0 + 0", "tracks 2 = 1 + 0 + 0 + 1", "playback_states 2 = 0 + 0 + 0 + 2", "favorites 1 = 0 + 0 + 0 + 1",
        "tags 2 = 1 + 0 + 0 + 1", "tags[rowid 1]: there is no such collection", "tracks[rowid 2]: there is no such collection",
        "tracks[rowid 2]: there is no such collection", "playback_states[rowid 1]: there is no such track",
        "playback_states[rowid 2]: its track is quarantined",
      ])
    #expect(try folder.quarantine().first == #"{"collection_id":"\#(Old.nobody)","tag":"lost"}"#)
  }

  @Test("favourites are two columns of their track")
  func favorites() throws {
    let ids = (0..<7).map { "E621E1F8-C36C-495A-93FC-0C247A3E6E\($0)F" }
    let marks = [
      ["is_favorite": "1"], ["is_favorite": "1", "favorited_at": "'2025-11-05 09:12:00.125'"], ["is_favorite": "0"],
      ["is_favorite": "0", "favorited_at": "'2025-11-05 09:12:00.000'"], ["is_favorite": "'true'"], ["is_favorite": "x'01'"],
      ["is_favorite": "1", "favorited_at": "'yesterday'"],
    ]
    let folder = try ImportFolder([Old.collection()] + zip(ids, marks).enumerated().map { Old.track($1.0, number: $0, $1.1) })
    #expect(
      try folder.importing() == [
        "collections 1 = 1 + 0 + 0 + 0", "tracks 7 = 7 + 0 + 0 + 0", "favorites 6 = 4 + 0 + 1 + 1", "skipped 1: no longer a favourite",
        #"tracks[rowid 6]: is_favorite should be 0 or 1, found "\u0001""#,
        #"tracks[rowid 7].favorited_at: favorited_at should be a date, found "yesterday""#,
      ])
    let stored = try #require(folder.collections().first)
    #expect(
      stored.tracks.map { track in stored.favorites[track.id].map { $0.favoritedAt?.timeIntervalSince1970 ?? 0 } }
        == [0, 1_762_333_920.125, nil, nil, 0, nil, 0])
  }

  @Test("ids come in either case, and are the same id")
  func cases() throws {
    let folder = try ImportFolder([
      Old.collection(Old.book.lowercased(), ["last_played_track_id": "'\(Old.first)'"]), Old.track(Old.first.lowercased()), Old.state(),
      Old.tag("a", of: Old.book), Old.collection(Old.book), Old.track(Old.first, ["display_name": "'other'"]),
    ])
    #expect(
      try folder.importing() == [
        "collections 2 = 1 + 0 + 0 + 1", "tracks 2 = 1 + 0 + 0 + 1", "playback_states 1 = 1 + 0 + 0 + 0", "tags 1 = 1 + 0 + 0 + 0",
        "collections[rowid 2]: an earlier record in the source has the same id and other content",
        "tracks[rowid 2]: an earlier record in the source has the same id and other content",
      ])
    #expect(try folder.collections().first?.lastPlayedTrackID == UUID(uuidString: Old.first))
  }

  @Test("a track id in two collections is kept in both, and each position finds its own")
  func twoCollections() throws {
    let folder = try ImportFolder([
      Old.collection(), Old.collection(Old.other, ["created_at": "'2025-11-04 00:00:00.000'"]), Old.track(Old.first),
      Old.track(Old.first.lowercased(), in: Old.other), Old.state(Old.first),
      Old.state(Old.first.lowercased(), in: Old.other, ["position": "1"]),
    ])
    #expect(
      try folder.importing() == [
        "collections 2 = 2 + 0 + 0 + 0", "tracks 2 = 2 + 0 + 0 + 0", "playback_states 2 = 2 + 0 + 0 + 0",
      ])
    let stored = try folder.collections()
    #expect(Set(stored.flatMap { $0.tracks.map { $0.originalID ?? $0.id } }) == [try #require(UUID(uuidString: Old.first))])
    #expect(stored.map { collection in collection.tracks.map { collection.playbackStates[$0.id]?.position } } == [[1], [754.2]])
    #expect(try folder.importing().last == "skipped 6: in the store already")
  }

  @Test("what cannot be read is quarantined for what is wrong with it, and the rest is imported")
  func wrong() throws {
    let wrong: [[String: String]] = [
      ["id": "'not an id'"], ["display_name": "NULL"], ["filename": "x'00ff'"], ["file_size": "'big'"], ["duration": "9e999"],
      ["track_number": "1.5"], ["location_payload": "'{\"fsId\":1}'"], ["location_payload": "'[]'"], ["metadata_json": "'{\"a\":1}'"],
      ["collection_id": "NULL"], ["display_name": "CAST(x'61ff62' AS TEXT)"], ["checksum": "7"],
    ]
    let folder = try ImportFolder(
      [Old.collection(), Old.track()]
        + wrong.enumerated().map {
          Old.track(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8($0 + 1))).uuidString, number: $0 + 2, $1)
        }, schema: Old.looseSchema)
    #expect(
      try folder.importing() == [
        "collections 1 = 1 + 0 + 0 + 0", "tracks 13 = 1 + 0 + 0 + 12", "tracks[rowid 11]: collection_id is missing",
        "tracks[rowid 7]: track_number should be a whole number, found 1.5", #"tracks[rowid 2]: id should be a UUID, found "not an id""#,
        "tracks[rowid 3]: display_name is missing", "tracks[rowid 4]: filename should be a text, found bytes that are not text",
        #"tracks[rowid 5]: file_size should be a whole number, found "big""#,
        "tracks[rowid 6]: duration should be a number, found bytes that are not text",
        "tracks[rowid 8]: location_payload lacks what the kind baidu carries",
        "tracks[rowid 9]: location_payload lacks what the kind baidu carries",
        #"tracks[rowid 10]: metadata_json should be an object of texts, found {"a":1}"#,
        "tracks[rowid 12]: display_name should be a text, found bytes that are not text",
        "tracks[rowid 13]: checksum should be a text, found 7",
      ])
    #expect(try folder.quarantine().contains { $0.contains(#""display_name":{"text":"Yf9i"}"#) })
    #expect(try folder.quarantine().contains { $0.contains(#""filename":{"blob":"AP8="}"#) })
  }

  @Test("collections that cannot be read take what hangs on them into quarantine")
  func collections() throws {
    let folder = try ImportFolder(
      [
        Old.collection(Old.book, ["created_at": "'soon'"]), Old.track(), Old.tag("x"), Old.collection(Old.other, ["cover_kind": "NULL"]),
        Old.collection(Old.nobody, ["source_payload": "'{}'"]),
      ], schema: Old.looseSchema)
    #expect(
      try folder.importing() == [
        "collections 3 = 0 + 0 + 0 + 3", "tracks 1 = 0 + 0 + 0 + 1", "tags 1 = 0 + 0 + 0 + 1",
        #"collections[rowid 1]: created_at should be a date, found "soon""#, "collections[rowid 2]: cover_kind is missing",
        "collections[rowid 3]: source_payload lacks what the kind baiduNetdisk carries", "tags[rowid 1]: its collection is quarantined",
        "tracks[rowid 1]: its collection is quarantined",
      ])
  }

  @Test("a field that points nowhere is quarantined alone")
  func fields() throws {
    let folder = try ImportFolder([
      Old.collection(Old.book, ["last_played_track_id": "'\(Old.nobody)'"]), Old.collection(Old.other, ["last_played_track_id": "'?'"]),
      Old.track(), Old.state(Old.first, in: Old.other),
    ])
    #expect(
      try folder.importing() == [
        "collections 2 = 2 + 0 + 0 + 0", "tracks 1 = 1 + 0 + 0 + 0", "playback_states 1 = 1 + 0 + 0 + 0",
        "collections[rowid 1].last_played_track_id: there is no such track in the collection",
        #"collections[rowid 2].last_played_track_id: last_played_track_id should be a UUID, found "?""#,
        "playback_states[rowid 1].collection_id: its track belongs to another collection",
      ])
    #expect(try folder.quarantine() == ["\"\(Old.nobody)\"", "\"?\"", "\"\(Old.other)\""])
    #expect(try folder.change { try $0.store.integrityCheck().findings.map(\.message) } == [])
  }

  @Test("kinds that are not known survive word for word, and covers come as JSON or plain")
  func kinds() throws {
    let covers = [
      ("'solid'", "'#112233'"), ("'image'", "'covers/1.jpg'"), ("'remote'", "'https://example.com/c.png'"),
      ("'gradient'", "'{ \"b\": 1.50 }'"), ("'solid'", "NULL"), ("'gradient'", "'plain'"),
    ]
    let ids = covers.indices.map { "7C9E6679-7425-40DE-944B-E07FC1F90AE\($0)" }
    let folder = try ImportFolder(
      zip(ids, covers).enumerated().map {
        Old.collection($1.0, ["cover_kind": $1.1.0, "cover_data": $1.1.1, "created_at": "'2025-11-03 02:10:0\($0)'"])
      } + [Old.track(Old.first, in: ids[0], ["location_type": "'webdav'", "location_payload": #"'{"b": 1.50, "a":"é\/"}'"#])])
    #expect(
      try folder.importing() == [
        "collections 6 = 6 + 0 + 0 + 0", "tracks 1 = 1 + 0 + 0 + 0",
        "collections[rowid 5].cover_data: cover_data cannot be read as a cover of the kind solid",
        "collections[rowid 6].cover_data: cover_data cannot be read as a cover of the kind gradient",
      ])
    let stored = try Array(folder.collections().reversed())
    #expect(
      stored.map(\.cover.image.kind) == [
        .solid(colorHex: "#112233"), .image(relativePath: "covers/1.jpg"), .remote(url: "https://example.com/c.png"),
        .unknown(type: "gradient", json: #"{ "b": 1.50 }"#), .solid(colorHex: "#5B8DEF"), .solid(colorHex: "#5B8DEF"),
      ])
    #expect(stored.first?.tracks.first?.location.kind == .unknown(type: "webdav", json: #"{"b": 1.50, "a":"é\/"}"#))
  }

  @Test("older files lack columns and tables, newer ones have more: those that hold something are told")
  func columns() throws {
    let folder = try ImportFolder(
      [
        "INSERT INTO collections VALUES ('\(Old.book)', 'T', 'solid', '#112233', '2025-11-03 02:10:05.000', '2025-11-03 02:10:05.000',"
          + "'external', '{\"description\":\"d\"}', 'fast');",
        "INSERT INTO tracks VALUES ('\(Old.first)', '\(Old.book)', 'n', 'f', 'external', '{\"url\":\"https:\\/\\/a\"}', 1, 1, NULL);",
        "INSERT INTO transcripts VALUES (1), (2);",
      ],
      schema: """
        CREATE TABLE collections (id, title, cover_kind, cover_data, created_at, updated_at, source_type, source_payload, speed);
        CREATE TABLE tracks (id, collection_id, display_name, filename, location_type, location_payload, file_size, track_number, gain);
        CREATE TABLE transcripts (x); CREATE TABLE empty (x); CREATE TABLE grdb_migrations (identifier);
        """)
    #expect(
      try folder.importing() == [
        "collections 1 = 1 + 0 + 0 + 0", "tracks 1 = 1 + 0 + 0 + 0", "transcripts 2 = 0 + 0 + 2 + 0",
        "skipped 2: the table transcripts has no place in this library; it stays in the source and its copy",
        "collections[rowid 1].speed: this field is not known",
      ])
    #expect(try folder.quarantine() == ["\"fast\""])
  }

  @Test("a table whose name is in other letters is the same table, and is not told a second time as one without a place")
  func lettersOfTables() throws {
    let folder = try ImportFolder(
      [Old.collection(), Old.tag("a"), "ALTER TABLE tags RENAME TO t", "ALTER TABLE t RENAME TO TAGS", "CREATE TABLE Schema_State (x)"],
      schema: Old.looseSchema)
    #expect(try folder.importing() == ["collections 1 = 1 + 0 + 0 + 0", "tags 1 = 1 + 0 + 0 + 0"])
  }

  @Test("every spelling of a time that SQLite knows is one and the same time")
  func dates() throws {
    let spellings = [
      "2025-11-05 11:41:22.500", "2025-11-05T11:41:22.500", "2025-11-05 11:41:22.5", "2025-11-05T11:41:22.5Z", "2025-11-05 11:41:22.5000",
      "2025-11-05T13:41:22.4999996+02:00", "2025-11-05 09:41:22.50-0200",
    ]
    for spelling in spellings {
      let folder = try ImportFolder([Old.collection(Old.book, ["updated_at": "'\(spelling)'"])])
      #expect(try folder.importing() == ["collections 1 = 1 + 0 + 0 + 0"], "\(spelling)")
      #expect(try folder.collections().map(\.updatedAt.timeIntervalSince1970) == [1_762_342_882.5], "\(spelling)")
    }
    let others = ["2025-11-05", "2025-11-05 11:41", "2025-11-05T11:41:22Z", "0001-01-01 00:00:00.000", "9999-12-31 23:59:59.999"]
    for spelling in others {
      let folder = try ImportFolder([Old.collection(Old.book, ["updated_at": "'\(spelling)'"])])
      #expect(try folder.importing() == ["collections 1 = 1 + 0 + 0 + 0"], "\(spelling)")
    }
    for spelling in ["1762342882", "", "now", "2025-02-29 00:00:00.000", "1200-01-01 00:00:00+01:00"] {
      let folder = try ImportFolder([Old.collection(Old.book, ["updated_at": "'\(spelling)'"])])
      #expect(try folder.importing().first == "collections 1 = 0 + 0 + 0 + 1", "\(spelling)")
    }
  }
}
