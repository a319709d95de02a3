import Foundation
import Holdfast

/// The app's first database, `library.sqlite`.
///
/// Tables `collections`, `tracks`, `playback_states`, `tags`; favourites are two columns of `tracks`. Ids are text in upper
/// case, times are text in UTC, and what a kind carries is JSON whose type stands in a column of its own. Columns came and
/// went, and foreign keys were switched off for a time: nothing is taken for granted but the two tables it is known by.
struct LibrarySQLite: ImportFormat {
  let name = "library-sqlite"
  let version = 1
  let kinds = LibraryRecord.kinds
  let total: Int
  private let source: SQLiteSource
  /// With all their rows, the tables that this library has no place for.
  private let others: [(table: String, rows: Int)]
  private let lastPlayed: Set<TrackPlace>
  private let memory = Memory()

  /// What must be the same at both readings of the source.
  private final class Memory {
    var storeHadTracks: Bool?
  }

  private static let own: Set<String> = ["collections", "tracks", "playback_states", "tags"]
  /// Tables about the file itself.
  private static let bookkeeping: Set<String> = ["schema_state", "grdb_migrations", "android_metadata"]

  /// - Throws: `.wrongKind` for a store of ours; `.invalidSource` for another program's database; `.newerSource`.
  init(_ source: SQLiteSource, named path: String) throws {
    let tables = source.tables
    guard !tables.contains("holdfast_schemas") else {
      throw StoreError(.wrongKind, "\(path) is a Holdfast library already", suggestion: "Open it, or choose another file to import.")
    }
    func has(_ table: String, _ columns: [String]) throws -> Bool {
      Set(try source.columns(of: table).map { $0.lowercased() }).isSuperset(of: columns)
    }
    guard try has("collections", ["id", "title"]), try has("tracks", ["id", "collection_id"]) else {
      let found = tables.isEmpty ? "has no tables" : "has the tables \(tables.prefix(12).joined(separator: ", "))"
      throw StoreError(.invalidSource, "\(path) is not the player's library: it \(found)")
    }
    try source.rows(of: "schema_state") { row in
      guard case .integer(let version)? = row.value("version"), version > 1 else { return }
      throw StoreError(
        .newerSource, "\(path) has version \(version), which is newer than 1, the newest that can be read; nothing was changed")
    }
    self.source = source
    others = try tables.filter { !Self.own.contains($0) && !Self.bookkeeping.contains($0) }.map { ($0, try source.count(of: $0)) }
    total = try Self.own.reduce(others.reduce(0) { $0 + $1.rows }) { try $0 + source.count(of: $1) }
    lastPlayed = try LibrarySQLiteScan.lastPlayed(source)
  }

  func scan(_ reader: Reader, _ visit: (Scanned<LibraryRecord>, Int) throws -> Void) throws {
    let hadTracks = try memory.storeHadTracks ?? (reader.count("SELECT count(*) FROM (SELECT 1 FROM tracks LIMIT 1)") > 0)
    memory.storeHadTracks = hadTracks
    var scan = LibrarySQLiteScan(source: source, lastPlayed: lastPlayed, ids: TrackIDs(storeHadTracks: hadTracks))
    try scan.run(reader, visit)
    for (table, rows) in others {
      for number in 0..<rows {
        let reason = "\(table) have no place in this library; they stay in the source and its copy"
        try visit(.skipped(kind: table, path: .text("\(table)[\(number)]"), reason: reason), scan.position + number)
      }
      scan.position += rows
    }
  }

  func write(_ record: SourceRecord<LibraryRecord>, in tx: Transaction) throws {
    try record.content.write(in: tx)
  }

  func readBack(_ record: SourceRecord<LibraryRecord>, in reader: Reader) throws -> StoredShape? {
    guard let stored = try record.content.stored(in: reader) else { return nil }
    return StoredShape(fields: try LibrarySQLiteShape.fields(of: stored, in: reader), modifiedAt: stored.modifiedAt)
  }
}

/// A track of the source: the same id may stand in two collections, once in each case.
struct TrackPlace: Hashable {
  let id: UUID
  let collectionID: UUID
}

/// Stored rows in the shape of `library.sqlite`, for verification.
enum LibrarySQLiteShape {
  static func fields(of record: LibraryRecord, in reader: Reader) throws -> [SourceField] {
    switch record {
    case .collection(let row):
      var lastPlayed = row.lastPlayedTrackID
      if let id = lastPlayed, let track = try reader.find(TrackRow.self, id: id)?.track { lastPlayed = track.originalID ?? id }
      return fields(of: row, lastPlayed: lastPlayed.map(id) ?? .null)
    case .track(let row): return fields(of: row)
    case .playback(let row): return fields(of: row)
    case .favorite(let row): return fields(of: row)
    case .tag(let row): return fields(of: row)
    }
  }

  /// The arguments are the source's own texts at its reading, and are made from the row when it is read back.
  static func fields(
    of row: CollectionRow, lastPlayed: JSONValue, id: JSONValue? = nil, createdAt: JSONValue? = nil, updatedAt: JSONValue? = nil
  ) -> [SourceField] {
    [
      SourceField("id", id ?? Self.id(row.id)), SourceField("title", .string(row.title)), SourceField("author", text(row.author)),
      SourceField("description", text(row.description)), SourceField("cover_kind", .string(row.cover.image.type)),
      SourceField("cover_data", .string(row.cover.image.payload)),
      SourceField("cover_dominant_color", text(row.cover.dominantColorHex)), SourceField("created_at", createdAt ?? date(row.createdAt)),
      SourceField("updated_at", updatedAt ?? date(row.updatedAt)), SourceField("source_type", .string(row.source.type)),
      SourceField("source_payload", .string(row.source.payload)), SourceField("last_played_track_id", lastPlayed),
    ]
  }

  static func fields(of row: TrackRow, id: JSONValue? = nil, collection: JSONValue? = nil) -> [SourceField] {
    let track = row.track
    return [
      SourceField("id", id ?? Self.id(track.originalID ?? track.id)),
      SourceField("collection_id", collection ?? Self.id(row.collectionID)),
      SourceField("display_name", .string(track.displayName)), SourceField("filename", .string(track.filename)),
      SourceField("location_type", .string(track.location.type)), SourceField("location_payload", .string(track.location.payload)),
      SourceField("file_size", .integer(track.fileSize)), SourceField("duration", number(track.duration)),
      SourceField("track_number", .integer(Int64(track.trackNumber))), SourceField("checksum", text(track.checksum)),
      SourceField("metadata_json", .string(track.metadata.text)),
      SourceField("place", .integer(ListPlace.index(of: row.position)), isPlace: true),
    ]
  }

  static func fields(of row: PlaybackRow, collection: JSONValue? = nil, updatedAt: JSONValue? = nil) -> [SourceField] {
    [
      SourceField("collection_id", collection ?? id(row.collectionID)), SourceField("position", .double(row.state.position)),
      SourceField("duration", number(row.state.duration)), SourceField("updated_at", updatedAt ?? date(row.state.updatedAt)),
    ]
  }

  static func fields(of row: FavoriteRow, collection: JSONValue? = nil, favoritedAt: JSONValue? = nil) -> [SourceField] {
    [
      SourceField("collection_id", collection ?? id(row.collectionID)), SourceField("is_favorite", .integer(1)),
      SourceField("favorited_at", favoritedAt ?? row.favorite.favoritedAt.map(date) ?? .null),
    ]
  }

  static func fields(of row: TagRow, collection: JSONValue? = nil) -> [SourceField] {
    [
      SourceField("collection_id", collection ?? id(row.collectionID)), SourceField("tag", .string(row.tag)),
      SourceField("place", .integer(ListPlace.index(of: row.position)), isPlace: true),
    ]
  }

  private static func id(_ id: UUID) -> JSONValue { .string(IDCodec.uppercase(id)) }
  private static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
  private static func number(_ number: Double?) -> JSONValue { number.map(JSONValue.double) ?? .null }
  private static func date(_ date: Date) -> JSONValue { DateCodec.milliseconds(date).map { .string(DateCodec.sqlText($0)) } ?? .null }
}
