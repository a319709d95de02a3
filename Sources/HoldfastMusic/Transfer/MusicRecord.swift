import Foundation
import Holdfast
import HoldfastTransfer

/// One stored row: one of the four kinds of record that every source of a music library has.
enum MusicRecord: Sendable {
  /// Compared in base64, otherwise by its hash.
  case artwork(MusicArtwork, inBase64: Bool)
  case track(SourceTrack)
  case playlist(SourcePlaylist)
  case entry(EntryRow)

  /// In the order in which rows must be written.
  static let kinds = ["artwork", "tracks", "collections", "collection_tracks"].map { (name: $0, table: $0) }

  func write(in tx: Writer) throws {
    switch self {
    case .artwork(let artwork, _): try MusicStore.saveArtwork(artwork, in: tx)
    case .track(let source): try source.write(in: tx)
    case .playlist(let source): try source.write(in: tx)
    case .entry(var row):
      row.position = try tx.freePosition(
        from: row.position, in: EntryRow.table, where: "collection_id = \(row.collectionID) AND id <> \(row.id)")
      try tx.upsert(row)
    }
  }

  /// The stored row of this record, in the source's form.
  func readBack(in reader: Reader) throws -> StoredShape? {
    let fields: [SourceField]? =
      switch self {
      case .artwork(let artwork, let inBase64):
        try MusicStore.artwork(artwork.hash, in: reader).map { MusicRecord.artwork($0, inBase64: inBase64).fields }
      case .track(let source): try MusicStore.track(source.said.row.id, in: reader).map { source.table.shape(of: $0, as: source.said) }
      case .playlist(let source):
        try SourceList(source.said.row.row.id, in: reader).map {
          source.fields(source.table.shape(of: $0, as: source.said), at: $0.row.position)
        }
      case .entry(let row): try reader.find(EntryRow.self, id: row.id).map { Self.fields(of: $0) }
      }
    return fields.map { StoredShape(fields: $0) }
  }

  /// The values that the source gives.
  var fields: [SourceField] {
    switch self {
    case .artwork(let artwork, let inBase64):
      [SourceField("artworkData", .string(inBase64 ? artwork.data.base64EncodedString() : artwork.hash))]
    case .track(let source): source.said.fields
    case .playlist(let source): source.fields(source.said.fields, at: source.said.row.row.position)
    case .entry(let row): Self.fields(of: row)
    }
  }

  static func fields(of entry: EntryRow, collection: JSONValue? = nil, track: JSONValue? = nil) -> [SourceField] {
    [
      SourceField("collectionId", collection ?? .id(entry.collectionID)), SourceField("trackId", track ?? .id(entry.trackID)),
      ListPlace.field(of: entry.position),
    ]
  }

  /// The id of the nth entry of a track in a playlist, counted from 0: the same at every import, at any place in the list.
  static func entryID(of trackID: UUID, number: Int, in playlistID: UUID) -> UUID {
    NewID.derived(from: "\(IDCodec.lowercase(playlistID))/\(IDCodec.lowercase(trackID))/\(number)")
  }
}

extension ImportFormat where Content == MusicRecord {
  func write(_ record: SourceRecord<MusicRecord>, in tx: Writer) throws { try record.content.write(in: tx) }

  func readBack(_ record: SourceRecord<MusicRecord>, in reader: Reader) throws -> StoredShape? { try record.content.readBack(in: reader) }
}

/// A track from one source: fields that the source does not give keep their stored values.
struct SourceTrack: Sendable {
  /// The fields of a new track that the source does not give.
  ///
  /// No date of addition is made up: neither the time of the import nor another date of the track is that date.
  static let blank = LibraryTrack(id: .zero, title: "", file: TrackFile(location: nil), addedAt: nil)

  var said: SaidRow<LibraryTrack>
  let table: FieldTable<LibraryTrack>
  /// The picture that the source has with the track. It is a record of its own, too. The track also holds it, because a stored
  /// picture that no track shows any more is removed.
  var artwork: MusicArtwork?

  func write(in tx: Writer) throws {
    if let artwork { try MusicStore.saveArtwork(artwork, in: tx) }
    if let stored = try MusicStore.track(said.row.id, in: tx) { return try tx.upsert(TrackRow(table.merged(said, into: stored))) }
    try tx.insert(TrackRow(said.row))
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

/// A playlist from one source, without its entries: fields that the source does not give keep their stored values.
struct SourcePlaylist: Sendable {
  let said: SaidRow<SourceList>
  let table: FieldTable<SourceList>
  /// Whether the source has an order of playlists, given by the position. Otherwise a new playlist comes last.
  var hasPlace = false

  func fields(_ fields: [SourceField], at position: Int64) -> [SourceField] {
    hasPlace ? fields + [ListPlace.field(of: position)] : fields
  }

  func write(in tx: Writer) throws {
    let stored = try SourceList(said.row.row.id, in: tx)
    var row = (stored.map { table.merged(said, into: $0) } ?? said.row).row
    // The listener may have moved folders since the last import.
    if let parent = row.parentID, parent != stored?.row.parentID {
      guard try MusicStore.isFolder(parent, in: tx) else {
        throw StoreError(.constraint, "the folder that contains it is not in this library")
      }
      guard try !MusicStore.isInside(parent, of: row.id, in: tx) else {
        throw StoreError(.constraint, "in this library its folder is inside of it")
      }
    }
    if hasPlace {
      row.position = try tx.freePosition(from: said.row.row.position, in: PlaylistRow.table, where: "id <> \(row.id)")
    } else if stored == nil {
      row.position = try MusicStore.playlistOrder.position(in: tx)
    }
    try tx.upsert(row)
    if let stored, stored.row.isFolder, !row.isFolder {
      // The lists in it would be inside a playlist.
      try tx.execute("UPDATE collections SET parent_id = NULL WHERE parent_id = \(row.id)")
    }
  }
}

extension SaidRow {
  /// Whether the source has a value for a field.
  func says(_ name: String) -> Bool { fields.contains { $0.name == name && $0.value != .null } }
}

extension UUID {
  /// Stands for an id while a record is read field by field, before its own id is known. No record has this id.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
