import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer

/// Writes the player's first database as the player did: foreign keys off, everything as text or number.
enum OldDatabase {
  static let book = "7C9E6679-7425-40DE-944B-E07FC1F90AE7"
  static let other = "0B6A2E6C-9E1B-4B43-8E57-4E3A6C7F0D11"
  static let first = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
  static let second = "A9D1C7B2-0F3E-4C61-9A55-1D2E3F405162"
  static let third = "5F0C1A2B-3D4E-4F60-8123-456789ABCDEF"
  static let nobody = "11111111-2222-4333-8444-555555555555"

  static let schema = """
    CREATE TABLE collections (id TEXT PRIMARY KEY, title TEXT NOT NULL, author TEXT, description TEXT, cover_kind TEXT NOT NULL,
      cover_data TEXT, cover_dominant_color TEXT, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, source_type TEXT NOT NULL,
      source_payload TEXT NOT NULL, last_played_track_id TEXT);
    CREATE TABLE tracks (id TEXT PRIMARY KEY, collection_id TEXT NOT NULL REFERENCES collections(id), display_name TEXT NOT NULL,
      filename TEXT NOT NULL, location_type TEXT NOT NULL, location_payload TEXT NOT NULL, file_size INTEGER NOT NULL, duration REAL,
      track_number INTEGER NOT NULL, checksum TEXT, metadata_json TEXT, is_favorite INTEGER NOT NULL DEFAULT 0, favorited_at DATETIME);
    CREATE TABLE playback_states (track_id TEXT PRIMARY KEY REFERENCES tracks(id), collection_id TEXT NOT NULL REFERENCES collections(id),
      position REAL NOT NULL, duration REAL, updated_at DATETIME NOT NULL);
    CREATE TABLE tags (collection_id TEXT NOT NULL REFERENCES collections(id), tag TEXT NOT NULL, PRIMARY KEY (collection_id, tag));
    CREATE TABLE schema_state (version INTEGER PRIMARY KEY CHECK (version = 1));
    INSERT INTO schema_state VALUES (1);
    """

  /// The same without any constraint, as a column that was added later has none.
  static let looseSchema = """
    CREATE TABLE collections (id, title, author, description, cover_kind, cover_data, cover_dominant_color, created_at, updated_at,
      source_type, source_payload, last_played_track_id);
    CREATE TABLE tracks (id, collection_id, display_name, filename, location_type, location_payload, file_size, duration, track_number,
      checksum, metadata_json, is_favorite, favorited_at);
    CREATE TABLE playback_states (track_id, collection_id, position, duration, updated_at);
    CREATE TABLE tags (collection_id, tag);
    """

  /// `changes` are SQL literals by column.
  static func collection(_ id: String = book, _ changes: [String: String] = [:]) -> String {
    RawDatabase.insert(
      into: "collections",
      [
        "id": "'\(id)'", "title": "'三体'", "author": "'刘慈欣'", "cover_kind": "'solid'", "cover_data": ##"'{"colorHex":"#5B8DEF"}'"##,
        "cover_dominant_color": "'#5B8DEF'", "created_at": "'2025-11-03 02:10:05.000'", "updated_at": "'2025-11-05 11:41:22.000'",
        "source_type": "'baiduNetdisk'", "source_payload": #"'{"folderPath":"\/有声书\/三体","tokenScope":"netdisk"}'"#,
      ], changes)
  }

  static func track(_ id: String = first, in collection: String = book, number: Int = 1, _ changes: [String: String] = [:]) -> String {
    RawDatabase.insert(
      into: "tracks",
      [
        "id": "'\(id)'", "collection_id": "'\(collection)'", "display_name": "'第\(number)章'", "filename": "'00\(number).mp3'",
        "location_type": "'baidu'", "location_payload": #"'{"fsId":11223344556677\#(number),"path":"\/三体\/00\#(number).mp3"}'"#,
        "file_size": "29360128", "duration": "1832.48", "track_number": "\(number)", "checksum": "'d41d'", "metadata_json": "'{}'",
        "is_favorite": "0",
      ], changes)
  }

  static func state(_ track: String = first, in collection: String = book, _ changes: [String: String] = [:]) -> String {
    RawDatabase.insert(
      into: "playback_states",
      [
        "track_id": "'\(track)'", "collection_id": "'\(collection)'", "position": "754.2", "duration": "1832.48",
        "updated_at": "'2025-11-05 11:41:22.000'",
      ], changes)
  }

  static func tag(_ tag: String, of collection: String = book) -> String { "INSERT INTO tags VALUES ('\(collection)', '\(tag)');" }
}

/// A folder with a source to import and the library that it goes into; both are removed with the value.
struct ImportFolder {
  private let world: ImportWorld
  var url: URL { world.folder.url }
  var source: URL { world.source }
  var store: URL { world.store }

  init(_ statements: [String] = [], schema: String = OldDatabase.schema) throws {
    world = try ImportWorld("library.sqlite")
    try execute([schema] + statements)
  }

  func execute(_ statements: [String]) throws {
    if !FileManager.default.fileExists(atPath: source.path) { try Data().write(to: source) }
    try RawDatabase.with(source) { for statement in ["PRAGMA foreign_keys = OFF"] + statements { try $0.execute(statement) } }
  }

  func importing(_ source: URL? = nil, into store: URL? = nil) throws -> [String] {
    Self.picture(try AudiobookLibrary.importLibrary(from: source ?? self.source, into: store ?? self.store, storeOptions: .testing))
  }

  /// Kinds that have records: `kind source = imported + merged + skipped + quarantined`; then why.
  static func picture(_ report: ImportReport) -> [String] {
    report.kinds.compactMap { kind in
      guard let counts = report.counts[kind], counts.source > 0 else { return nil }
      return "\(kind) \(counts.source) = \(counts.imported) + \(counts.merged) + \(counts.skipped) + \(counts.quarantined)"
    } + report.skipped.sorted { $0.key < $1.key }.map { "skipped \($1): \($0)" }
      + report.problems.map { "\($0.path)\($0.field.map { ".\($0)" } ?? ""): \($0.reason)" }
      + (report.verified ? [] : ["not verified"])
  }

  func collections(in store: URL? = nil) throws -> [AudiobookCollection] {
    let library = try AudiobookLibrary.open(at: store ?? self.store, options: .testing)
    defer { try? library.store.close() }
    return try library.store.read { try AudiobookLibrary.collections(in: $0) }
  }

  func change<T>(_ body: (AudiobookLibrary) throws -> T) throws -> T { try world.withLibrary(body) }

  func quarantine() throws -> [String] { try world.quarantine() }

  /// Every file of the folder but the store, with its content.
  func files() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasPrefix("store.sqlite") }
    return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: url.appendingPathComponent($0))) })
  }

  /// Leaves a database as a player that was killed does: `later` stands only in the log.
  func leaveLog(_ later: [String]) throws {
    let live = url.appendingPathComponent("live.sqlite")
    try FileManager.default.moveItem(at: source, to: live)
    try RawDatabase.with(live) { database in
      try database.execute("PRAGMA journal_mode = WAL")
      for statement in later { try database.execute(statement) }
      for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: live.path + suffix, toPath: source.path + suffix) }
    }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: live.path + suffix) }
  }
}
