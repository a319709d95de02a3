import Foundation
import Holdfast
import HoldfastTransfer

/// What every source of a music library has: four kinds of record.
enum MusicRecord {
  /// In the order in which rows must be written.
  static let kinds = ["artwork", "tracks", "collections", "collection_tracks"].map { (name: $0, table: $0) }

  /// Without those by which an import finds a free place, or a picture's tracks.
  static let laterIndexes =
    ["title", "album", "artist", "guest", "added_at", "plays", "rating", "file"].map { "tracks_by_\($0)" } + ["collection_tracks_by_track"]

  /// The fields of a new track that the source does not give.
  ///
  /// No date of addition is made up: neither the time of the import nor another date of the track is that date.
  static let blank = LibraryTrack(id: .zero, title: "", file: TrackFile(location: nil), addedAt: nil)

  static let entries = RecordKind<EntryRow>(
    "collection_tracks", table: EntryRow.table, [], key: { IDCodec.lowercase($0.id) }, parent: { playlist($0.collectionID) },
    ids: ["collectionId", "trackId"], storedIDs: { row, _ in [.id(row.collectionID), .id(row.trackID)] },
    place: .list(\.position) { "collection_id = \($0.collectionID) AND id <> \($0.id)" },
    find: { try $1.find(EntryRow.self, id: $0.row.id) }, isReplaced: true, save: { try $2.upsert($0) })

  static func playlist(_ id: UUID) -> RecordKind<EntryRow>.Parent { .init(kind: "collections", key: IDCodec.lowercase(id)) }

  /// The id of the nth entry of a track in a playlist, counted from 0: the same at every import, at any place in the list.
  static func entryID(of trackID: UUID, number: Int, in playlistID: UUID) -> UUID {
    NewID.derived(from: "\(IDCodec.lowercase(playlistID))/\(IDCodec.lowercase(trackID))/\(number)")
  }

  /// That entry, at a place of the list.
  static func entry(of trackID: UUID, number: Int, in playlistID: UUID, at index: Int) -> EntryRow {
    EntryRow(
      id: entryID(of: trackID, number: number, in: playlistID), collectionID: playlistID, trackID: trackID,
      position: ListPlace.position(at: index))
  }
}

extension RecordKind<MusicArtwork> {
  /// - Parameter inBase64: whether pictures are compared in base64 instead of by their hash.
  static func artwork(inBase64: Bool) -> RecordKind {
    let data = RecordField<MusicArtwork>("artworkData", "a picture", .fails) {
      .string(inBase64 ? $0.data.base64EncodedString() : $0.hash)
    } take: { _, _ in
      nil
    }
    return RecordKind(
      "artwork", table: "artwork", [data], key: { $0.hash }, find: { try MusicStore.artwork($0.row.hash, in: $1) }, isReplaced: true,
      save: { try MusicStore.saveArtwork($0, in: $2) })
  }
}

extension RecordKind<LibraryTrack> {
  static func tracks(_ fields: FieldTable<LibraryTrack>) -> RecordKind {
    RecordKind(
      "tracks", table: TrackRow.table, fields, key: { IDCodec.lowercase($0.id) }, find: { try MusicStore.track($0.row.id, in: $1) },
      save: { track, stored, tx in
        if stored == nil { try tx.insert(TrackRow(track)) } else { try tx.upsert(TrackRow(track)) }
      })
  }
}

extension RecordKind<SourceList> {
  /// - Parameter hasPlace: whether the source has an order of playlists, given by the position. Otherwise a new playlist comes last.
  static func playlists(_ fields: FieldTable<SourceList>, hasPlace: Bool) -> RecordKind {
    RecordKind(
      "collections", table: PlaylistRow.table, fields, key: { IDCodec.lowercase($0.row.id) },
      place: hasPlace ? .list(\.row.position) { "id <> \($0.row.id)" } : nil, find: { try SourceList($0.row.row.id, in: $1) },
      save: { try save($0.row, $1?.row, hasPlace: hasPlace, in: $2) })
  }

  private static func save(_ list: PlaylistRow, _ stored: PlaylistRow?, hasPlace: Bool, in tx: Writer) throws {
    var row = list
    // The listener may have moved folders since the last import.
    if let parent = row.parentID, parent != stored?.parentID {
      guard try MusicStore.isFolder(parent, in: tx) else {
        throw StoreError(.constraint, "the folder that contains it is not in this library")
      }
      guard try !MusicStore.isInside(parent, of: row.id, in: tx) else {
        throw StoreError(.constraint, "in this library its folder is inside of it")
      }
    }
    if !hasPlace, stored == nil { row.position = try MusicStore.playlistOrder.position(in: tx) }
    try tx.upsert(row)
    if let stored, stored.isFolder, !row.isFolder {
      // The lists in it would be inside a playlist.
      try tx.execute("UPDATE collections SET parent_id = NULL WHERE parent_id = \(row.id)")
    }
  }
}

/// A playlist without its entries, and its folder's id in the source.
struct SourceList: Sendable {
  var row: PlaylistRow
  /// The folder's id in iTunes, 16 hexadecimal digits; for a folder that iTunes does not know, its id in this library.
  var parent: String? {
    didSet { row.parentID = parent.flatMap(ITunesID.uuid) }
  }

  init(_ row: PlaylistRow) { self.row = row }

  /// The stored list.
  init?(_ id: UUID, in reader: Reader) throws {
    guard let row = try reader.find(PlaylistRow.self, id: id) else { return nil }
    self.row = row
    parent = try row.parentID.map { try reader.find(PlaylistRow.self, id: $0)?.persistentID ?? IDCodec.lowercase($0) }
  }
}

extension SaidRow {
  /// Whether the source has a value for a field.
  func says(_ name: String) -> Bool { fields.contains { $0.name == name && $0.value != .null } }
}
