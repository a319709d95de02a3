import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting

/// Pieces of a `library.json`, with ids from small numbers.
enum PlayerMusic {
  static func id(_ number: Int) -> String { "3F2504E0-4F89-41D3-9A0C-" + String(repeating: "0", count: 10) + "\(number + 10)" }
  static func uuid(_ number: Int) -> UUID { IDCodec.parse(id(number)) ?? UUID() }

  /// `version` nil: the first form, which had none.
  static func library(_ tracks: [String], _ playlists: [String] = [], version: Int? = 1) -> String {
    let version = version.map { #","version":\#($0)"# } ?? ""
    return #"{"collections":[\#(playlists.joined(separator: ","))],"tracks":[\#(tracks.joined(separator: ","))]\#(version)}"#
  }

  /// `changes` are JSON texts by key; nil leaves a key out.
  static func track(_ number: Int, _ changes: [String: String?] = [:]) -> String {
    object(
      [
        "id": "\"\(id(number))\"", "title": "\"track \(number)\"", "artist": "\"Artist\"", "album": "\"Album\"", "duration": "200.5",
        "fileURL": #""file:\/\/\/Music\/a%20b\/\#(number).mp3""#,
      ], changes)
  }

  static func playlist(_ number: Int, _ tracks: [Int], _ changes: [String: String?] = [:]) -> String {
    let ids = tracks.map { "\"\(id($0))\"" }.joined(separator: ",")
    return object(["id": "\"\(id(number))\"", "name": "\"list \(number)\"", "trackIDs": "[\(ids)]"], changes)
  }

  private static func object(_ members: [String: String?], _ changes: [String: String?]) -> String {
    let all = members.merging(changes) { $1 }.sorted { $0.key < $1.key }
    return "{\(all.compactMap { key, value in value.map { "\"\(key)\":\($0)" } }.joined(separator: ","))}"
  }
}

/// The player's databases as it wrote them, and as it damaged them.
enum PlayerDatabase {
  /// The first one: snake_case, paths.
  static let raw = """
    CREATE TABLE tracks (id TEXT PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL, album_artist TEXT,
      duration REAL NOT NULL, file_url TEXT NOT NULL, artwork_url TEXT, artwork_data BLOB, genre TEXT, year INTEGER, track_number INTEGER);
    CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE collection_tracks (collection_id TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
      track_id TEXT NOT NULL REFERENCES tracks(id) ON DELETE CASCADE, position INTEGER NOT NULL, PRIMARY KEY (collection_id, track_id));
    CREATE INDEX idx_tracks_artist ON tracks(artist);
    PRAGMA user_version = 1;
    """

  /// The next one: camelCase, URLs.
  static let urls = """
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('v1');
    CREATE TABLE tracks (id TEXT PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL, albumArtist TEXT,
      duration DOUBLE NOT NULL, fileURL TEXT NOT NULL, artworkURL TEXT, artworkData BLOB, genre TEXT, year INTEGER, trackNumber INTEGER);
    CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE collection_tracks (collectionId TEXT NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
      trackId TEXT NOT NULL REFERENCES tracks(id) ON DELETE CASCADE, position INTEGER NOT NULL, PRIMARY KEY (collectionId, trackId));
    """

  static let plays = urls + "INSERT INTO grdb_migrations VALUES ('v2'); ALTER TABLE tracks ADD COLUMN playCount INTEGER NOT NULL DEFAULT 0;"

  /// The first one without any constraint: what a garbled bind leaves behind may break them all.
  static let loose = """
    CREATE TABLE tracks (id, title, artist, album, album_artist, duration, file_url, artwork_url, artwork_data, genre, year, track_number);
    CREATE TABLE collections (id, name);
    CREATE TABLE collection_tracks (collection_id, track_id, position);
    """

  /// `changes` are SQL literals by column.
  static func track(_ number: Int, _ changes: [String: String] = [:]) -> String {
    track(number, ["file_url": "'/Music/a b/\(number).mp3'"], changes)
  }

  static func urlTrack(_ number: Int, _ changes: [String: String] = [:]) -> String {
    track(number, ["fileURL": "'file:///Music/a%20b/\(number).mp3'"], changes)
  }

  private static func track(_ number: Int, _ file: [String: String], _ changes: [String: String]) -> String {
    let names = ["id": "'\(PlayerMusic.id(number))'", "title": "'track \(number)'", "artist": "'Artist'", "album": "'Album'"]
    return RawDatabase.insert(into: "tracks", names.merging(file) { $1 }.merging(["duration": "200.5"]) { $1 }, changes)
  }

  static func playlist(_ number: Int, _ tracks: [Int]) -> [String] {
    let list = PlayerMusic.id(number)
    return ["INSERT INTO collections VALUES ('\(list)', 'list \(number)')"]
      + tracks.enumerated().map { "INSERT INTO collection_tracks VALUES ('\(list)', '\(PlayerMusic.id($1))', \($0))" }
  }
}

extension ImportWorld {
  /// Writes to the source with the player's foreign keys, which were off.
  func database(_ statements: [String]) throws {
    try RawDatabase.with(source, creating: true) { database in
      for statement in ["PRAGMA foreign_keys = OFF"] + statements { try database.execute(statement) }
    }
  }
}
