import Foundation
import Holdfast

/// What one import knows of the store from before it: the same at both readings of the source, in one transaction.
final class ImportMemory {
  private weak var transaction: Reader?
  private var storeHadTracks = false
  private var taken = TakenPlaces()

  /// The ids for one reading of the source, before anything of it is written.
  func ids(_ reader: Reader) throws -> TrackIDs {
    if transaction !== reader {
      storeHadTracks = try reader.count("SELECT count(*) FROM (SELECT 1 FROM tracks LIMIT 1)") > 0
      transaction = reader
      taken = TakenPlaces()
    }
    return TrackIDs(storeHadTracks: storeHadTracks)
  }

  func write(_ record: LibraryRecord, in tx: Writer) throws {
    // The store has not changed but by this run, which began with `ids`.
    if case .track(let row) = record, transaction === tx, !storeHadTracks {
      return try record.write(in: tx, hasFreePlace: taken.take(row.position, in: row.collectionID))
    }
    try record.write(in: tx)
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
