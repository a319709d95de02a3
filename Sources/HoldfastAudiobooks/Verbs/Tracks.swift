public import Foundation
public import Holdfast

extension AudiobookLibrary {
  /// One track; nil when there is none with this id.
  public func track(_ id: UUID) async throws -> AudiobookTrack? { try await store.read { try Self.track(id, in: $0) } }

  /// Adds tracks at the end of a collection, or before one of its tracks.
  ///
  /// - Throws: `.notFound` when there is no such collection, or no such track in it; `.constraint` when a track is already stored.
  public func addTracks(_ tracks: [AudiobookTrack], to collectionID: UUID, before trackID: UUID? = nil) async throws {
    try await store.write { try Self.addTracks(tracks, to: collectionID, before: trackID, in: $0) }
  }

  /// Removes tracks with their playback states and favourites. Returns how many existed.
  @discardableResult
  public func removeTracks(_ ids: [UUID]) async throws -> Int { try await store.write { try Self.removeTracks(ids, in: $0) } }

  /// Moves a track before another one of its collection, or to the end when `other` is nil. Usually one row changes.
  ///
  /// - Throws: `.notFound` when a track does not exist, or the two tracks are in different collections.
  public func moveTrack(_ id: UUID, before other: UUID?) async throws {
    try await store.write { try Self.moveTrack(id, before: other, in: $0) }
  }

  /// Replaces stored tracks, in one transaction. Their places in the collection stay.
  ///
  /// - Throws: `.notFound` when a track does not exist; then no track is changed.
  public func updateTracks(_ tracks: [AudiobookTrack]) async throws {
    try await store.write { try Self.updateTracks(tracks, in: $0) }
  }

  /// Renames a track, and sets the collection's time of change. Returns false when there is no such track.
  @discardableResult
  public func renameTrack(_ id: UUID, to name: String) async throws -> Bool {
    try await store.write { try Self.renameTrack(id, to: name, in: $0) }
  }

  /// Reads one track inside your transaction; as `track(_:)`.
  public static func track(_ id: UUID, in reader: Reader) throws -> AudiobookTrack? {
    try reader.find(TrackRow.self, id: id)?.track
  }

  /// Adds tracks to a collection inside your transaction; as `addTracks(_:to:before:)`.
  public static func addTracks(
    _ tracks: [AudiobookTrack], to collectionID: UUID, before trackID: UUID? = nil, in tx: Writer
  ) throws {
    guard try touchCollection(collectionID, in: tx) else { throw missingCollection(collectionID) }
    let positions = try order(of: collectionID).positions(for: tracks.count, before: trackID, in: tx)
    try tx.insert(contentsOf: zip(tracks, positions).map { TrackRow($0, in: collectionID, at: $1) })
  }

  /// Removes tracks inside your transaction; as `removeTracks(_:)`.
  public static func removeTracks(_ ids: [UUID], in tx: Writer) throws -> Int {
    var removed = 0
    for id in ids {
      // The collection must not keep it as its last played track.
      try tx.execute(
        """
        UPDATE collections SET last_played_track_id = nullif(last_played_track_id, \(id)), updated_at = \(tx.currentDate())
        WHERE id = (SELECT collection_id FROM tracks WHERE id = \(id))
        """)
      if try tx.delete(TrackRow.self, id: id) { removed += 1 }
    }
    return removed
  }

  /// Moves a track within its collection inside your transaction; as `moveTrack(_:before:)`.
  public static func moveTrack(_ id: UUID, before other: UUID?, in tx: Writer) throws {
    guard let collectionID = try collectionID(ofTrack: id, in: tx) else { throw missingTrack(id) }
    if try order(of: collectionID).move(id, before: other, in: tx) { _ = try touchCollection(collectionID, in: tx) }
  }

  /// Replaces stored tracks inside your transaction; as `updateTracks(_:)`.
  public static func updateTracks(_ tracks: [AudiobookTrack], in tx: Writer) throws {
    var changed: Set<UUID> = []
    for track in tracks {
      guard let stored = try tx.find(TrackRow.self, id: track.id) else { throw missingTrack(track.id) }
      var row = TrackRow(track, in: stored.collectionID, at: stored.position)
      row.track.keepOriginalID(of: stored.track)
      guard row.track != stored.track else { continue }
      try tx.upsert(row)
      changed.insert(row.collectionID)
    }
    for collectionID in changed { _ = try touchCollection(collectionID, in: tx) }
  }

  /// Renames a track inside your transaction; as `renameTrack(_:to:)`.
  public static func renameTrack(_ id: UUID, to name: String, in tx: Writer) throws -> Bool {
    let found =
      try tx.execute("UPDATE tracks SET display_name = \(name), search_name = \(SearchText.segmented(name)) WHERE id = \(id)") > 0
    if found { try touchCollection(ofTrack: id, in: tx) }
    return found
  }

  static func missingCollection(_ id: UUID) -> StoreError {
    StoreError(.notFound, "there is no collection \(IDCodec.lowercase(id))")
  }

  static func missingTrack(_ id: UUID) -> StoreError { StoreError(.notFound, "there is no track \(IDCodec.lowercase(id))") }

  /// Sets the collection's time of change, so that it is newer than any copy elsewhere. Returns whether the collection exists.
  static func touchCollection(_ id: UUID, in tx: Writer) throws -> Bool {
    try tx.execute("UPDATE collections SET updated_at = \(tx.currentDate()) WHERE id = \(id)") > 0
  }

  static func touchCollection(ofTrack id: UUID, in tx: Writer) throws {
    try tx.execute(
      "UPDATE collections SET updated_at = \(tx.currentDate()) WHERE id = (SELECT collection_id FROM tracks WHERE id = \(id))")
  }

  private static func order(of collectionID: UUID) -> OrderedRows {
    OrderedRows("tracks", of: "track", where: "collection_id = \(collectionID)")
  }
}
