import Foundation
import Holdfast
import HoldfastTransfer

/// What one import remembers of the store before it, for both readings of the source in one transaction.
final class ImportMemory {
  private weak var transaction: Reader?
  private var storeHadTracks = false

  /// The ids for one reading of the source. Called before the reading writes anything.
  func ids(_ reader: Reader) throws -> TrackIDs {
    if transaction !== reader {
      storeHadTracks = try reader.count("SELECT count(*) FROM (SELECT 1 FROM tracks LIMIT 1)") > 0
      transaction = reader
    }
    return TrackIDs(storeHadTracks: storeHadTracks)
  }
}

/// Chooses the id of each imported track. An id that stands in two collections of the source belongs to the first. In the
/// second, the track gets an id derived from both ids, the same at every import.
struct TrackIDs {
  private var owners: [UUID: UUID] = [:]
  /// The last position of a track in this reading, by collection, so that a store without tracks need not be asked for each track.
  /// `Int64.max` when the store must be asked.
  private var lastPlaces: [UUID: Int64] = [:]
  /// Whether the store had tracks before this import. If not, the store is not asked for ids.
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

  /// Whether no track has the position of this one, the next in this reading. False when that is not known.
  mutating func isPlaceFree(_ row: TrackRow) -> Bool {
    // Without tracks before this import, all positions in the store are those of this reading.
    guard !storeHadTracks else { return false }
    let isFree = row.position > lastPlaces[row.collectionID] ?? .min
    lastPlaces[row.collectionID] = isFree ? row.position : .max
    return isFree
  }

  static func derived(_ original: UUID, _ collectionID: UUID) -> UUID {
    NewID.derived(from: "\(IDCodec.lowercase(collectionID))/\(IDCodec.lowercase(original))")
  }
}
