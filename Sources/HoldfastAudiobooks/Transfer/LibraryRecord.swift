import Foundation
import Holdfast
import HoldfastTransfer

/// A row from a source: one of the five kinds of record that every source of an audiobook library has.
enum LibraryRecord: Sendable {
  case collection(SaidRow<CollectionRow>)
  case track(SaidRow<TrackRow>)
  case playback(SaidRow<PlaybackRow>)
  case favorite(SaidRow<FavoriteRow>)
  case tag(TagRow)

  typealias Visit = (Scanned<LibraryRecord>, Int) throws -> Void

  static let kinds = AudiobookLibrary.tables.map { (name: $0, table: $0) }

  /// The reason why the tracks, states and tags of a quarantined collection are not imported.
  static let lost = "its collection is quarantined"

  /// - Parameter hasFreePlace: whether no other row has this position in its list; false when that is not known.
  func write(in tx: Writer, hasFreePlace: Bool = false) throws {
    switch self {
    case .collection(let said): try tx.upsert(said.row)
    case .track(let said):
      var row = said.row
      if !hasFreePlace {
        row.position = try tx.freePosition(
          from: row.position, in: TrackRow.table, where: "collection_id = \(row.collectionID) AND id <> \(row.track.id)")
      }
      try tx.upsert(row)
    case .playback(let said): try tx.upsert(said.row)
    case .favorite(let said): try tx.upsert(said.row)
    case .tag(var row):
      row.position = try tx.freePosition(
        from: row.position, in: TagRow.table, where: "collection_id = \(row.collectionID) AND tag <> \(row.tag)")
      try tx.upsert(row)
    }
  }

  /// Whether the listener deleted an imported track. Such a track does not return with its collection, and cannot be the last
  /// played track.
  static func wasDeleted(track id: UUID, _ reader: Reader) throws -> Bool {
    try reader.wasImported(kind: "tracks", key: IDCodec.lowercase(id)) && AudiobookLibrary.track(id, in: reader) == nil
  }
}

extension LibraryShape {
  /// A record that will be written to the store.
  ///
  /// - Parameters:
  ///   - id: as the source spells it. Not compared for a playback state, a favourite and a tag.
  ///   - collection: the id of its collection, as the source spells it.
  func scanned(
    _ content: LibraryRecord, id: JSONValue = .null, in collection: JSONValue = .null, path: SourcePath, original: SourceBytes
  ) -> Scanned<LibraryRecord> {
    func record(_ kind: String, _ key: String, in parent: (String, String)? = nil, _ fields: [SourceField], _ modifiedAt: Date? = nil)
      -> Scanned<LibraryRecord>
    {
      .record(
        SourceRecord(
          kind: kind, key: key, parent: parent.map { .init(kind: $0, key: $1) }, path: path, fields: fields,
          modifiedAt: modifiedAt.flatMap(DateCodec.milliseconds), content: content, original: original))
    }
    switch content {
    case .collection(let said):
      var fields = said.fields
      // The listener may have deleted the track from the store.
      if said.row.lastPlayedTrackID == nil, let last = fields.popLast() { fields.append(SourceField(last.name, .null)) }
      return record("collections", IDCodec.lowercase(said.row.id), Self.fields(id, nil, fields), said.row.updatedAt)
    case .track(let said):
      return record(
        "tracks", IDCodec.lowercase(said.row.track.id), in: ("collections", IDCodec.lowercase(said.row.collectionID)),
        Self.fields(id, collection, said.fields, at: said.row.position))
    case .playback(let said):
      let key = IDCodec.lowercase(said.row.trackID)
      return record("playback_states", key, in: ("tracks", key), Self.fields(nil, collection, said.fields), said.row.state.updatedAt)
    case .favorite(let said):
      let key = IDCodec.lowercase(said.row.trackID)
      return record("favorites", key, in: ("tracks", key), Self.fields(nil, collection, said.fields))
    case .tag(let row):
      let parent = IDCodec.lowercase(row.collectionID)
      return record("tags", "\(parent)/\(row.tag)", in: ("collections", parent), Self.fields(of: row, in: collection))
    }
  }

  /// The stored row under a record's key.
  func readBack(_ record: SourceRecord<LibraryRecord>, in reader: Reader) throws -> StoredShape? {
    switch record.content {
    case .collection(let said):
      guard var stored = try reader.find(CollectionRow.self, id: said.row.id) else { return nil }
      if let last = stored.lastPlayedTrackID, let track = try reader.find(TrackRow.self, id: last)?.track {
        stored.lastPlayedTrackID = track.originalID ?? last
      }
      return StoredShape(
        fields: Self.fields(.id(stored.id), nil, collections.shape(of: stored, as: said)),
        modifiedAt: DateCodec.milliseconds(stored.updatedAt))
    case .track(let said):
      guard let stored = try reader.find(TrackRow.self, id: said.row.track.id) else { return nil }
      let id = JSONValue.id(stored.track.originalID ?? stored.track.id)
      return StoredShape(
        fields: Self.fields(id, .id(stored.collectionID), tracks.shape(of: stored, as: said), at: stored.position))
    case .playback(let said):
      guard let stored = try reader.find(PlaybackRow.self, id: said.row.trackID) else { return nil }
      return StoredShape(
        fields: Self.fields(nil, .id(stored.collectionID), states.shape(of: stored, as: said)),
        modifiedAt: DateCodec.milliseconds(stored.state.updatedAt))
    case .favorite(let said):
      guard let stored = try reader.find(FavoriteRow.self, id: said.row.trackID) else { return nil }
      return StoredShape(fields: Self.fields(nil, .id(stored.collectionID), favorites.shape(of: stored, as: said)))
    case .tag(let row):
      let stored = try reader.all(TagRow.self, "WHERE collection_id = \(row.collectionID) AND tag = \(row.tag)").first
      return stored.map { StoredShape(fields: Self.fields(of: $0, in: .id($0.collectionID))) }
    }
  }

  /// The values that verification compares.
  private static func fields(_ id: JSONValue?, _ collection: JSONValue?, _ said: [SourceField], at position: Int64? = nil) -> [SourceField]
  {
    var fields: [SourceField] = []
    fields.reserveCapacity(said.count + 3)
    if let id { fields.append(SourceField("id", id)) }
    if let collection { fields.append(SourceField("collection", collection)) }
    fields += said
    if let position { fields.append(ListPlace.field(of: position)) }
    return fields
  }

  private static func fields(of tag: TagRow, in collection: JSONValue) -> [SourceField] {
    fields(nil, collection, [SourceField("tag", .string(tag.tag))], at: tag.position)
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

extension UUID {
  /// Stands for an id while a record is read field by field, before its own id is known. No record has this id.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
