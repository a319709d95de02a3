import Foundation
import Holdfast

/// One stored row, of any of the five kinds that every source of an audiobook library is made of.
enum LibraryRecord: Sendable {
  case collection(CollectionRow)
  case track(TrackRow)
  case playback(PlaybackRow)
  case favorite(FavoriteRow)
  case tag(TagRow)

  static let kinds = AudiobookLibrary.tables.map { (name: $0, table: $0) }

  /// - Parameter hasFreePlace: nobody else has the row's position in its list; false when that is not known.
  func write(in tx: Transaction, hasFreePlace: Bool = false) throws {
    switch self {
    case .collection(let row): try tx.upsert(row)
    case .track(let row) where hasFreePlace: try tx.upsert(row)
    case .track(var row):
      // In a collection that the listener changed, another track may have this place by now.
      while try tx.count(
        "SELECT count(*) FROM tracks WHERE collection_id = \(row.collectionID) AND position = \(row.position) AND id <> \(row.track.id)")
        > 0
      {
        row.position += 1
      }
      try tx.upsert(row)
    case .playback(let row): try tx.upsert(row)
    case .favorite(let row): try tx.upsert(row)
    case .tag(var row):
      while try tx.count(
        "SELECT count(*) FROM tags WHERE collection_id = \(row.collectionID) AND position = \(row.position) AND tag <> \(row.tag)") > 0
      {
        row.position += 1
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

/// The places of tracks that one import wrote into a store that had none, so that the store need not be asked for each.
struct TakenPlaces {
  private struct Place: Hashable {
    var collection: UUID
    var position: Int64
  }
  private var places: Set<Place> = []
  private var isKnown = true

  /// Whether nobody has the place; from now on somebody does. After two had the same, the second stands somewhere else:
  /// then nothing is known any more.
  mutating func take(_ position: Int64, in collection: UUID) -> Bool {
    if isKnown, places.insert(Place(collection: collection, position: position)).inserted { return true }
    isKnown = false
    return false
  }
}

/// Places in a source's list, as positions in the store: the place can be read back from the position.
enum ListPlace {
  static func position(at index: Int) -> Int64 { Int64(clamping: index + 1) &* SparseOrder.stride }
  static func index(of position: Int64) -> Int64 { position / SparseOrder.stride - 1 }
}

/// Which id a track of a source gets. An id that stands in two collections of the source belongs to the first; in the
/// second the track gets one that is derived from both, the same at every import.
struct TrackIDs {
  private var owners: [UUID: UUID] = [:]
  /// Whether the store had tracks before this import: only then is it asked.
  let storeHadTracks: Bool

  init(storeHadTracks: Bool) { self.storeHadTracks = storeHadTracks }

  mutating func id(of original: UUID, in collectionID: UUID, _ reader: Reader) throws -> UUID {
    if storeHadTracks {
      let derived = Self.derived(original, collectionID)
      if try AudiobookLibrary.collectionID(ofTrack: derived, in: reader) == collectionID { return derived }
      if let owner = try AudiobookLibrary.collectionID(ofTrack: original, in: reader), owner != collectionID { return derived }
    }
    if let owner = owners[original] { return owner == collectionID ? original : Self.derived(original, collectionID) }
    owners[original] = collectionID
    return original
  }

  static func derived(_ original: UUID, _ collectionID: UUID) -> UUID {
    NewID.derived(from: "\(IDCodec.lowercase(collectionID))/\(IDCodec.lowercase(original))")
  }
}
