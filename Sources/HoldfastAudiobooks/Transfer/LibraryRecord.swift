import Foundation
import Holdfast
import HoldfastTransfer

/// One stored row, of any of the five kinds that every source of an audiobook library is made of.
enum LibraryRecord: Sendable {
  case collection(CollectionRow)
  case track(TrackRow)
  case playback(PlaybackRow)
  case favorite(FavoriteRow)
  case tag(TagRow)

  static let kinds = AudiobookLibrary.tables.map { (name: $0, table: $0) }

  /// - Parameter hasFreePlace: nobody else has the row's position in its list; false when that is not known.
  func write(in tx: Writer, hasFreePlace: Bool = false) throws {
    switch self {
    case .collection(let row): try tx.upsert(row)
    case .track(let row) where hasFreePlace: try tx.upsert(row)
    case .track(var row):
      // In a collection that the listener changed, another track may have this place by now.
      while try tx.count(
        "SELECT count(*) FROM tracks WHERE collection_id = \(row.collectionID) AND position = \(row.position) AND id <> \(row.track.id)")
        > 0
      {
        row.position &+= 1
      }
      try tx.upsert(row)
    case .playback(let row): try tx.upsert(row)
    case .favorite(let row): try tx.upsert(row)
    case .tag(var row):
      while try tx.count(
        "SELECT count(*) FROM tags WHERE collection_id = \(row.collectionID) AND position = \(row.position) AND tag <> \(row.tag)") > 0
      {
        row.position &+= 1
      }
      try tx.upsert(row)
    }
  }

  /// The row that is stored under the same key.
  func stored(in reader: Reader) throws -> LibraryRecord? {
    switch self {
    case .collection(let row): try reader.find(CollectionRow.self, id: row.id).map(Self.collection)
    case .track(let row): try reader.find(TrackRow.self, id: row.track.id).map(Self.track)
    case .playback(let row): try reader.find(PlaybackRow.self, id: row.trackID).map(Self.playback)
    case .favorite(let row): try reader.find(FavoriteRow.self, id: row.trackID).map(Self.favorite)
    case .tag(let row):
      try reader.all(TagRow.self, "WHERE collection_id = \(row.collectionID) AND tag = \(row.tag)").first.map(Self.tag)
    }
  }

  /// Whether the listener has deleted a track since it was imported: it does not come back with its collection, and is nobody's
  /// last played one.
  static func wasDeleted(track id: UUID, _ reader: Reader) throws -> Bool {
    try reader.wasImported(kind: "tracks", key: IDCodec.lowercase(id)) && AudiobookLibrary.track(id, in: reader) == nil
  }

  /// When the row says that it changed last.
  var modifiedAt: Int64? {
    switch self {
    case .collection(let row): DateCodec.milliseconds(row.updatedAt)
    case .playback(let row): DateCodec.milliseconds(row.state.updatedAt)
    case .track, .favorite, .tag: nil
    }
  }
}
