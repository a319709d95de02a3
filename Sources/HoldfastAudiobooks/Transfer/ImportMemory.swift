import Foundation
import Holdfast
import HoldfastTransfer

/// What one import remembers of the store before it, for both readings of the source in one transaction.
final class ImportMemory {
  private weak var transaction: Reader?
  private var storeHadTracks = false
  /// The last track position that this import wrote, by collection, so that an empty store need not be asked for each track.
  /// `Int64.max` when the store must be asked.
  private var lastPlaces: [UUID: Int64] = [:]

  /// The ids for one reading of the source. Called before the reading writes anything.
  func ids(_ reader: Reader) throws -> TrackIDs {
    if transaction !== reader {
      storeHadTracks = try reader.count("SELECT count(*) FROM (SELECT 1 FROM tracks LIMIT 1)") > 0
      transaction = reader
      lastPlaces = [:]
    }
    return TrackIDs(storeHadTracks: storeHadTracks)
  }

  func write(_ record: LibraryRecord, in tx: Writer) throws {
    // Without tracks before this import, all positions in the store are those that this run wrote.
    guard case .track(let said) = record, transaction === tx, !storeHadTracks else { return try record.write(in: tx) }
    let isFree = said.row.position > lastPlaces[said.row.collectionID] ?? .min
    lastPlaces[said.row.collectionID] = isFree ? said.row.position : .max
    try record.write(in: tx, hasFreePlace: isFree)
  }
}

/// Chooses the id of each imported track. An id that stands in two collections of the source belongs to the first. In the
/// second, the track gets an id derived from both ids, the same at every import.
struct TrackIDs {
  private var owners: [UUID: UUID] = [:]
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

  static func derived(_ original: UUID, _ collectionID: UUID) -> UUID {
    NewID.derived(from: "\(IDCodec.lowercase(collectionID))/\(IDCodec.lowercase(original))")
  }
}
