import Foundation
import Holdfast
import HoldfastTransfer

/// One form of the player's files: its fields, their names and the form of their times.
///
/// Ids are not among the fields, because a track may have another id in the store. The order of the fields must stay: the
/// fingerprints in the ledgers of existing stores depend on it.
struct LibraryShape: Sendable {
  let collections: FieldTable<CollectionRow>
  let tracks: FieldTable<TrackRow>
  let states: FieldTable<PlaybackRow>
  let favorites: FieldTable<FavoriteRow>

  /// `library.json` for reading.
  static let json = LibraryShape(.iso8601, marks: []) { name, _ in name }
  /// `library.json` for writing, as the player writes it.
  static let player = LibraryShape(.wholeSeconds, marks: []) { name, _ in name }
  /// `library.sqlite`.
  static let sqlite = LibraryShape(.sqlText, marks: [.isFavorite]) { _, column in column }

  /// A form of another program's files.
  init(
    collections: FieldTable<CollectionRow>, tracks: FieldTable<TrackRow>, states: FieldTable<PlaybackRow>,
    favorites: FieldTable<FavoriteRow> = []
  ) {
    (self.collections, self.tracks, self.states, self.favorites) = (collections, tracks, states, favorites)
  }

  private init(_ dates: ValueForm<Date>, marks: [RecordField<FavoriteRow>], _ name: (_ json: String, _ column: String) -> String) {
    // The content of a kind follows its type: see `SourceMembers.split(_:_:)`.
    collections = [
      .required("title", \.title, .text),
      .optional("author", \.author, .text),
      .optional("description", \.description, .text),
      .required(name("coverAsset.kind.type", "cover_kind"), \.cover.image.type, .text),
      .required(name("coverAsset.kind", "cover_data"), \.cover.image.payload, .text),
      .optional(name("coverAsset.dominantColorHex", "cover_dominant_color"), \.cover.dominantColorHex, .text),
      .required(name("createdAt", "created_at"), \.createdAt, dates),
      .required(name("updatedAt", "updated_at"), \.updatedAt, dates),
      .required(name("source.type", "source_type"), \.source.type, .text),
      .required(name("source", "source_payload"), \.source.payload, .text),
      .optional(name("lastPlayedTrackId", "last_played_track_id"), \.lastPlayedTrackID, .id),
    ]
    tracks = [
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
    states = [
      .required("position", \.state.position, .double),
      .optional("duration", \.state.duration, .double),
      .required(name("updatedAt", "updated_at"), \.state.updatedAt, dates),
    ]
    favorites = FieldTable(marks + [.optional(name("favoritedAt", "favorited_at"), \.favoritedAt, dates)])
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
