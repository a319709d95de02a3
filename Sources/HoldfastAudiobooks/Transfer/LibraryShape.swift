import Foundation
import Holdfast
import HoldfastTransfer

/// Stored rows in the shape of one of the player's two forms, for verification: the same values by the names of each.
enum LibraryShape {
  case json
  case sqlite

  func fields(of record: LibraryRecord, in reader: Reader) throws -> [SourceField] {
    switch record {
    case .collection(let row):
      var lastPlayed = row.lastPlayedTrackID
      if let id = lastPlayed, let track = try reader.find(TrackRow.self, id: id)?.track { lastPlayed = track.originalID ?? id }
      return fields(of: row, lastPlayed: lastPlayed.map(JSONValue.id) ?? .null)
    case .track(let row): return fields(of: row)
    case .playback(let row): return fields(of: row)
    case .favorite(let row): return fields(of: row)
    case .tag(let row): return fields(of: row)
    }
  }

  /// The arguments are the source's own texts at its reading, and are made from the row when it is read back.
  func fields(
    of row: CollectionRow, lastPlayed: JSONValue, id: JSONValue? = nil, createdAt: JSONValue? = nil, updatedAt: JSONValue? = nil
  ) -> [SourceField] {
    [
      field("id", "id", id ?? .id(row.id)), field("title", "title", .string(row.title)), field("author", "author", .text(row.author)),
      field("description", "description", .text(row.description)),
      field("coverAsset.kind.type", "cover_kind", .string(row.cover.image.type)),
      field("coverAsset.kind", "cover_data", .string(row.cover.image.payload)),
      field("coverAsset.dominantColorHex", "cover_dominant_color", .text(row.cover.dominantColorHex)),
      field("createdAt", "created_at", createdAt ?? date(row.createdAt)),
      field("updatedAt", "updated_at", updatedAt ?? date(row.updatedAt)),
      field("source.type", "source_type", .string(row.source.type)), field("source", "source_payload", .string(row.source.payload)),
      field("lastPlayedTrackId", "last_played_track_id", lastPlayed),
    ]
  }

  func fields(of row: TrackRow, id: JSONValue? = nil, collection: JSONValue? = nil) -> [SourceField] {
    let track = row.track
    return [
      field("id", "id", id ?? .id(track.originalID ?? track.id)), self.collection(collection, row.collectionID),
      field("displayName", "display_name", .string(track.displayName)), field("filename", "filename", .string(track.filename)),
      field("location.type", "location_type", .string(track.location.type)),
      field("location", "location_payload", .string(track.location.payload)),
      field("fileSize", "file_size", .integer(track.fileSize)), field("duration", "duration", .number(track.duration)),
      field("trackNumber", "track_number", .integer(Int64(track.trackNumber))), field("checksum", "checksum", .text(track.checksum)),
      field("metadata", "metadata_json", .string(track.metadata.text)), place(row.position),
    ]
  }

  func fields(of row: PlaybackRow, collection: JSONValue? = nil, updatedAt: JSONValue? = nil) -> [SourceField] {
    [
      self.collection(collection, row.collectionID), field("position", "position", .double(row.state.position)),
      field("duration", "duration", .number(row.state.duration)),
      field("updatedAt", "updated_at", updatedAt ?? date(row.state.updatedAt)),
    ]
  }

  func fields(of row: FavoriteRow, collection: JSONValue? = nil, favoritedAt: JSONValue? = nil) -> [SourceField] {
    let time = field("favoritedAt", "favorited_at", favoritedAt ?? row.favorite.favoritedAt.map(date) ?? .null)
    let collection = self.collection(collection, row.collectionID)
    // In the ledgers of stores that have imported a database.
    return self == .sqlite ? [collection, SourceField("is_favorite", .integer(1)), time] : [collection, time]
  }

  func fields(of row: TagRow, collection: JSONValue? = nil) -> [SourceField] {
    [self.collection(collection, row.collectionID), field("tag", "tag", .string(row.tag)), place(row.position)]
  }

  private func field(_ json: String, _ column: String, _ value: JSONValue) -> SourceField {
    SourceField(self == .json ? json : column, value)
  }

  private func collection(_ text: JSONValue?, _ id: UUID) -> SourceField { field("collection", "collection_id", text ?? .id(id)) }

  private func place(_ position: Int64) -> SourceField {
    SourceField("place", .integer(ListPlace.index(of: position)), isPlace: true)
  }

  private func date(_ date: Date) -> JSONValue { self == .json ? .iso8601(date) : .sqlDate(date) }
}
