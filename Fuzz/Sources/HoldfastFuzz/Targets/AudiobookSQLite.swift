import Foundation
import Holdfast

/// The player's first database, `library.sqlite`.
struct AudiobookSQLite: AudiobookTarget {
  let name = "audiobook-sqlite"
  let file = "library.sqlite"
  /// A damaged database has no single byte to name.
  var saysWhere: Bool { false }

  private static let kinds = ["collections": "collections", "tracks": "tracks", "playback_states": "playback_states", "tags": "tags"]

  func source(_ random: inout SeededRandom) throws -> FuzzSource {
    try .database(&random, kinds: Self.kinds, bookkeeping: ["schema_state", "grdb_migrations"]) { random in
      var seeds = LibrarySheets(random: random)
      defer { random = seeds.random }
      return seeds.library()
    }
  }
}

/// Small valid databases.
private struct LibrarySheets {
  var random: SeededRandom
  private var collections = Sheet(
    "collections",
    [
      "id TEXT", "title TEXT", "author TEXT", "description TEXT", "cover_kind TEXT", "cover_data TEXT", "cover_dominant_color TEXT",
      "created_at DATETIME", "updated_at DATETIME", "source_type TEXT", "source_payload TEXT", "last_played_track_id TEXT",
    ])
  private var tracks = Sheet(
    "tracks",
    [
      "id TEXT", "collection_id TEXT", "display_name TEXT", "filename TEXT", "location_type TEXT", "location_payload TEXT",
      "file_size INTEGER", "duration REAL", "track_number INTEGER", "checksum TEXT", "metadata_json TEXT", "is_favorite INTEGER",
      "favorited_at DATETIME",
    ])
  private var states = Sheet(
    "playback_states", ["track_id TEXT", "collection_id TEXT", "position REAL", "duration REAL", "updated_at DATETIME"])
  private var tags = Sheet("tags", ["collection_id TEXT", "tag TEXT"])

  init(random: SeededRandom) { self.random = random }

  mutating func library() -> [Sheet] {
    for _ in 0..<Int.random(in: 0...3, using: &random) { addCollection() }
    var sheets = [collections, tracks, states, tags]
    if random.chance(1, of: 2) { sheets.append(Sheet("schema_state", ["version INTEGER"], rows: [["1"]])) }
    if random.chance(1, of: 4) { sheets.append(Sheet("grdb_migrations", ["identifier TEXT"], rows: [["'v1'"]])) }
    return sheets
  }

  private mutating func addCollection() {
    let id = Sheet.quoted(random.worldID())
    var last = "NULL"
    for number in 0..<Int.random(in: 0...4, using: &random) {
      let track = Sheet.quoted(random.worldID())
      if random.chance(1, of: 2) { last = track }
      let isFavorite = random.chance(1, of: 3)
      let (type, payload) = pick([
        ("'baidu'", #"'{"fsId":112233445566778,"path":"\/a.mp3"}'"#), ("'local'", #"'{"urlBookmark":"Ym9va21hcms="}'"#),
        ("'external'", #"'{"url":"https://example.com/1.mp3"}'"#), ("'sftp'", #"'{"z": 1.50}'"#),
      ])
      tracks.rows.append([
        track, id, title(), "'00\(number).mp3'", type, payload, "29360128", pick(["1832.48", "NULL", "0"]), "\(number + 1)",
        pick(["NULL", "'d41d'"]), pick(["'{}'", #"'{"artist":"é"}'"#, "NULL"]), isFavorite ? "1" : "0", isFavorite ? date() : "NULL",
      ])
      if random.chance(1, of: 2) { states.rows.append([track, id, pick(["754.2", "0", "12"]), pick(["1832.48", "NULL"]), date()]) }
    }
    let (cover, data) = pick([
      ("'solid'", ##"'{"colorHex":"#5B8DEF"}'"##), ("'image'", "'covers/1.jpg'"), ("'remote'", #"'{"url":"https://example.com/1.jpg"}'"#),
      ("'gradient'", #"'{"stops": [0, 1.0]}'"#),
    ])
    let (source, payload) = pick([
      ("'baiduNetdisk'", #"'{"folderPath":"\/有声书","tokenScope":"netdisk"}'"#), ("'local'", #"'{"directoryBookmark":"Ym9va21hcms="}'"#),
      ("'external'", #"'{"description":"a drive"}'"#), ("'webdav'", #"'{"b": 1.50, "a": [null]}'"#),
    ])
    collections.rows.append([
      id, title(), pick([title(), "NULL"]), "NULL", cover, data, pick(["'#5B8DEF'", "NULL"]), date(), date(), source, payload, last,
    ])
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      tags.rows.append([id, Sheet.quoted(random.pick(AudiobookTexts.tags, otherwise: ""))])
    }
  }

  private mutating func title() -> String { Sheet.quoted(random.pick(AudiobookTexts.titles, otherwise: "")) }

  private mutating func date() -> String {
    pick([
      "'2025-11-03 02:10:05.000'", "'2025-11-05 11:41:22.125'", "'2025-11-05 11:41:22'", "'1999-12-31T23:59:59Z'", "'2025-11-05 13:41'",
      "'2025-11-05T13:41:22.5+02:00'",
    ])
  }

  private mutating func pick<T>(_ first: [T]) -> T { first[Int.random(in: first.indices, using: &random)] }
}
