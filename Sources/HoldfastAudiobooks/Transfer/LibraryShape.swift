import Foundation
import Holdfast
import HoldfastTransfer

/// One form of the player's files: its kinds of records, with the names of their fields and the form of their times.
///
/// Ids are not among the fields, because a track may have another id in the store. The order of the fields must stay: the
/// fingerprints in the ledgers of existing stores depend on it.
struct LibraryShape: Sendable {
  let collections: RecordKind<CollectionRow>
  let tracks: RecordKind<TrackRow>
  let states: RecordKind<PlaybackRow>
  let favorites: RecordKind<FavoriteRow>

  /// `library.json` for reading.
  static let json = LibraryShape(.iso8601, marks: []) { name, _ in name }
  /// `library.json` for writing, as the player writes it.
  static let player = LibraryShape(.wholeSeconds, marks: []) { name, _ in name }
  /// `library.sqlite`.
  static let sqlite = LibraryShape(.sqlText, marks: [.isFavorite]) { _, column in column }

  /// - Parameter replacesCollections: false: a stored collection keeps what the source does not give, such as its cover.
  init(
    collections: FieldTable<CollectionRow>, tracks: FieldTable<TrackRow>, states: FieldTable<PlaybackRow>,
    favorites: FieldTable<FavoriteRow> = [], replacesCollections: Bool
  ) {
    self.collections = RecordKind(
      "collections", table: CollectionRow.table, collections, key: { IDCodec.lowercase($0.collection.id) }, ids: ["id"],
      storedIDs: { row, _ in [.id(row.collection.id)] }, modifiedAt: { $0.collection.updatedAt },
      shown: { row, reader in
        guard let last = row.collection.lastPlayedTrackID, let track = try reader.find(TrackRow.self, id: last)?.track else { return row }
        var row = row
        row.collection.lastPlayedTrackID = track.originalID ?? last
        return row
      }, find: { try $1.find(CollectionRow.self, id: $0.row.collection.id) }, isReplaced: replacesCollections, save: { try $2.upsert($0) })
    self.tracks = RecordKind(
      "tracks", table: TrackRow.table, tracks, key: { IDCodec.lowercase($0.track.id) }, parent: { Self.collection($0.collectionID) },
      ids: ["id", "collection"], storedIDs: { row, _ in [.id(row.track.originalID ?? row.track.id), .id(row.collectionID)] },
      place: .list(\.position) { "collection_id = \($0.collectionID) AND id <> \($0.track.id)" },
      find: { try $1.find(TrackRow.self, id: $0.row.track.id) }, isReplaced: true, save: { try $2.upsert($0) })
    self.states = RecordKind(
      "playback_states", table: PlaybackRow.table, states, key: { IDCodec.lowercase($0.trackID) }, parent: { Self.track($0.trackID) },
      ids: ["collection"], storedIDs: { row, _ in [.id(row.collectionID)] }, modifiedAt: { $0.state.updatedAt },
      find: { try $1.find(PlaybackRow.self, id: $0.row.trackID) }, isReplaced: true, save: { try $2.upsert($0) })
    self.favorites = RecordKind(
      "favorites", table: FavoriteRow.table, favorites, key: { IDCodec.lowercase($0.trackID) }, parent: { Self.track($0.trackID) },
      ids: ["collection"], storedIDs: { row, _ in [.id(row.collectionID)] },
      find: { try $1.find(FavoriteRow.self, id: $0.row.trackID) }, isReplaced: true, save: { try $2.upsert($0) })
  }

  private static let tags = RecordKind<TagRow>(
    "tags", table: TagRow.table, [.required("tag", \.tag, .text)], key: { "\(IDCodec.lowercase($0.collectionID))/\($0.tag)" },
    parent: { collection($0.collectionID) }, ids: ["collection"], storedIDs: { row, _ in [.id(row.collectionID)] },
    place: .list(\.position) { "collection_id = \($0.collectionID) AND tag <> \($0.tag)" },
    find: { try $1.first(TagRow.self, "WHERE collection_id = \($0.row.collectionID) AND tag = \($0.row.tag)") }, isReplaced: true,
    save: { try $2.upsert($0) })

  /// - Parameter collection: the id of its collection, as the source spells it.
  static func tag(_ row: TagRow, in collection: JSONValue, path: SourcePath, original: SourceBytes) -> SourceRecord<SaidContent> {
    tags.record(tags.fields.said(row), ids: [collection], path: path, original: original)
  }

  private static func collection(_ id: UUID) -> RecordKind<TrackRow>.Parent { .init(kind: "collections", key: IDCodec.lowercase(id)) }
  private static func track(_ id: UUID) -> RecordKind<TrackRow>.Parent { .init(kind: "tracks", key: IDCodec.lowercase(id)) }

  /// The field with the last played track, in each form.
  static let lastPlayed: Set<String> = ["lastPlayedTrackId", "last_played_track_id"]

  private init(_ dates: ValueForm<Date>, marks: [RecordField<FavoriteRow>], _ name: (_ json: String, _ column: String) -> String) {
    // The content of a kind follows its type: see `SourceMembers.split(_:_:)`.
    let collections: FieldTable<CollectionRow> = [
      .required("title", \.collection.title, .text),
      .optional("author", \.collection.author, .text),
      .optional("description", \.collection.description, .text),
      .required(name("coverAsset.kind.type", "cover_kind"), \.collection.cover.image.type, .text),
      .required(name("coverAsset.kind", "cover_data"), \.collection.cover.image.payload, .text),
      .optional(name("coverAsset.dominantColorHex", "cover_dominant_color"), \.collection.cover.dominantColorHex, .text),
      .required(name("createdAt", "created_at"), \.collection.createdAt, dates),
      .required(name("updatedAt", "updated_at"), \.collection.updatedAt, dates),
      .required(name("source.type", "source_type"), \.collection.source.type, .text),
      .required(name("source", "source_payload"), \.collection.source.payload, .text),
      .optional(name("lastPlayedTrackId", "last_played_track_id"), \.collection.lastPlayedTrackID, .id),
    ]
    let tracks: FieldTable<TrackRow> = [
      .required(name("displayName", "display_name"), \.track.displayName, .text),
      .required("filename", \.track.filename, .text),
      .required(name("location.type", "location_type"), \.track.location.type, .text),
      .required(name("location", "location_payload"), \.track.location.payload, .text),
      .required(name("fileSize", "file_size"), \.track.fileSize, .int64),
      .optional("duration", \.track.duration, .double),
      .required(name("trackNumber", "track_number"), \.track.trackNumber, .int),
      .optional("checksum", \.track.checksum, .text),
      .init(name("metadata", "metadata_json"), \.track.metadata, .textMap.otherwise(.empty), .empties),
    ]
    let states: FieldTable<PlaybackRow> = [
      .required("position", \.state.position, .double),
      .optional("duration", \.state.duration, .double),
      .required(name("updatedAt", "updated_at"), \.state.updatedAt, dates),
    ]
    let favorites = FieldTable(marks + [.optional(name("favoritedAt", "favorited_at"), \.favoritedAt, dates)])
    self.init(collections: collections, tracks: tracks, states: states, favorites: favorites, replacesCollections: true)
  }
}

extension ValueForm<Date> {
  /// ISO 8601 without a fraction: the player's decoder accepts none.
  fileprivate static var wholeSeconds: ValueForm {
    ValueForm(
      "a date", write: { DateCodec.milliseconds($0).map { .string(DateCodec.iso8601($0, fraction: false)) } ?? .null },
      read: ValueForm<Date>.iso8601.read)
  }
}

extension RecordField<FavoriteRow> {
  /// True for every stored favourite, whatever the row contains.
  fileprivate static var isFavorite: Self {
    Self("is_favorite", "0 or 1", .fails, get: { _ in .integer(1) }, take: { json, _ in isFavorite(json) == true ? .integer(1) : nil })
  }

  /// Whether a row of `tracks` is a favourite; nil when the value cannot be read.
  static func isFavorite(_ json: JSONValue) -> Bool? {
    switch json {
    case .null: false
    case .integer(let number): number != 0
    case .string(let text) where ["0", "false"].contains(text.lowercased()): false
    case .string(let text) where ["1", "true"].contains(text.lowercased()): true
    default: nil
    }
  }
}
