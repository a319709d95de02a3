import Foundation
import Holdfast
import HoldfastTransfer

/// What every source of an audiobook library has: five kinds of record. See `LibraryShape`.
enum LibraryRecord {
  typealias Visit = (Scanned<SaidContent>, Int) throws -> Void

  static let kinds = AudiobookLibrary.tables.map { (name: $0, table: $0) }

  static let laterIndexes = [
    "collections_by_created_at", "playback_states_by_collection", "favorites_by_collection", "favorites_by_time", "tags_by_tag",
  ]

  /// The reason why the tracks, states and tags of a quarantined collection are not imported.
  static let lost = "its collection is quarantined"

  /// Whether the listener deleted an imported track. Such a track does not return with its collection, and cannot be the last
  /// played track.
  static func wasDeleted(track id: UUID, _ reader: Reader) throws -> Bool {
    try reader.wasImported(kind: "tracks", key: IDCodec.lowercase(id)) && AudiobookLibrary.track(id, in: reader) == nil
  }
}

extension SaidRow<CollectionRow> {
  /// Gives the last played track its id in the store. There is none, where the listener deleted the track.
  mutating func place(lastPlayed id: UUID, _ reader: Reader) throws {
    row.collection.lastPlayedTrackID = try LibraryRecord.wasDeleted(track: id, reader) ? nil : id
    guard row.collection.lastPlayedTrackID == nil, let place = fields.firstIndex(where: { LibraryShape.lastPlayed.contains($0.name) })
    else { return }
    fields[place] = SourceField(fields[place].name, .null)
  }
}

// MARK: Rows without a source's values

extension CollectionRow {
  static func blank(_ id: Written<UUID>?) -> CollectionRow {
    CollectionRow(AudiobookCollection(id: id?.value ?? .zero, title: "", createdAt: .epoch, source: .external(description: "")))
  }
}

extension TrackRow {
  static func blank(_ id: Written<UUID>?) -> TrackRow {
    let location = TrackLocation.unknown(type: "", json: "{}")
    return TrackRow(
      AudiobookTrack(id: id?.value ?? .zero, displayName: "", filename: "", location: location, trackNumber: 0), in: .zero, at: 0)
  }

  /// Puts a track into its collection, under its id in the store.
  mutating func place(_ id: UUID, of original: UUID, in collection: UUID, at index: Int) {
    track.id = id
    if id != original { track.originalID = original }
    (collectionID, position) = (collection, ListPlace.position(at: index))
  }
}

extension PlaybackRow {
  static func blank(of track: UUID, in collection: UUID) -> PlaybackRow {
    PlaybackRow(PlaybackState(position: 0, updatedAt: .epoch), of: track, in: collection)
  }
}

extension Date {
  fileprivate static let epoch = Date(timeIntervalSince1970: 0)
}
