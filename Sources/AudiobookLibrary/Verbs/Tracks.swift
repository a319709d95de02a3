public import Foundation
public import Holdfast

extension AudiobookLibrary {
  /// One track, or nil.
  public func track(_ id: UUID) throws -> AudiobookTrack? { try store.read { try Self.track(id, in: $0) } }
  public func track(_ id: UUID) async throws -> AudiobookTrack? { try await store.read { try Self.track(id, in: $0) } }

  /// Adds tracks at the end of a collection, or before one of its tracks.
  ///
  /// - Throws: `.notFound` when there is no such collection or no such track in it; `.constraint` when a track is there already.
  public func addTracks(_ tracks: [AudiobookTrack], to collectionID: UUID, before trackID: UUID? = nil) throws {
    try store.write { try Self.addTracks(tracks, to: collectionID, before: trackID, in: $0) }
  }
  public func addTracks(_ tracks: [AudiobookTrack], to collectionID: UUID, before trackID: UUID? = nil) async throws {
    try await store.write { try Self.addTracks(tracks, to: collectionID, before: trackID, in: $0) }
  }

  /// Removes tracks with their playback states and favourites. Returns how many were there.
  @discardableResult
  public func removeTracks(_ ids: [UUID]) throws -> Int { try store.write { try Self.removeTracks(ids, in: $0) } }
  @discardableResult
  public func removeTracks(_ ids: [UUID]) async throws -> Int { try await store.write { try Self.removeTracks(ids, in: $0) } }

  /// Moves a track before another of its collection, or to the end: as a rule one row changes.
  ///
  /// - Throws: `.notFound` when a track is not there, or both are not of one collection.
  public func moveTrack(_ id: UUID, before other: UUID?) throws { try store.write { try Self.moveTrack(id, before: other, in: $0) } }
  public func moveTrack(_ id: UUID, before other: UUID?) async throws {
    try await store.write { try Self.moveTrack(id, before: other, in: $0) }
  }

  /// Replaces what is stored of tracks that are there, in one transaction. Places in the collection stay.
  ///
  /// - Throws: `.notFound` when one is not there; then none is changed.
  public func updateTracks(_ tracks: [AudiobookTrack]) throws { try store.write { try Self.updateTracks(tracks, in: $0) } }
  public func updateTracks(_ tracks: [AudiobookTrack]) async throws {
    try await store.write { try Self.updateTracks(tracks, in: $0) }
  }

  /// Gives a track another name: one small write. Returns false when there is no such track.
  @discardableResult
  public func renameTrack(_ id: UUID, to name: String) throws -> Bool { try store.write { try Self.renameTrack(id, to: name, in: $0) } }
  @discardableResult
  public func renameTrack(_ id: UUID, to name: String) async throws -> Bool {
    try await store.write { try Self.renameTrack(id, to: name, in: $0) }
  }

  public static func track(_ id: UUID, in reader: Reader) throws -> AudiobookTrack? {
    try reader.find(TrackRow.self, id: id)?.track
  }

  public static func addTracks(
    _ tracks: [AudiobookTrack], to collectionID: UUID, before trackID: UUID? = nil, in tx: Transaction
  ) throws {
    guard try touchCollection(collectionID, in: tx) else { throw StoreError(.notFound, "there is no collection \(collectionID)") }
    let positions: [Int64]
    if let trackID {
      var rows = try tx.all(TrackRow.self, "WHERE collection_id = \(collectionID) ORDER BY position, id")
      guard let place = rows.firstIndex(where: { $0.track.id == trackID }) else {
        throw StoreError(.notFound, "there is no track \(trackID) in the collection \(collectionID)")
      }
      let existing = rows[..<place].map { Optional($0.position) } + tracks.map { _ in nil } + rows[place...].map { Optional($0.position) }
      let assigned = SparseOrder.assign(existing: existing)
      positions = Array(assigned[place..<place + tracks.count])
      rows.replaceSubrange(place..<place, with: zip(tracks, positions).map { TrackRow($0, in: collectionID, at: $1) })
      for (row, position) in zip(rows, assigned) where row.position != position { try setPosition(position, of: row.track.id, in: tx) }
    } else {
      let last = try tx.value("SELECT position FROM tracks WHERE collection_id = \(collectionID) ORDER BY position DESC LIMIT 1") { row in
        try row.int64()
      }
      positions = SparseOrder.assign(existing: [last] + tracks.map { _ in nil }).suffix(tracks.count)
    }
    try tx.insert(contentsOf: zip(tracks, positions).map { TrackRow($0, in: collectionID, at: $1) })
  }

  public static func removeTracks(_ ids: [UUID], in tx: Transaction) throws -> Int {
    var removed = 0
    for id in ids {
      // The collection must not go on pointing at it.
      try tx.execute(
        """
        UPDATE collections SET last_played_track_id = nullif(last_played_track_id, \(id)), updated_at = \(tx.currentDate())
        WHERE id = (SELECT collection_id FROM tracks WHERE id = \(id))
        """)
      if try tx.delete(TrackRow.self, id: id) { removed += 1 }
    }
    return removed
  }

  public static func moveTrack(_ id: UUID, before other: UUID?, in tx: Transaction) throws {
    guard let row = try tx.find(TrackRow.self, id: id) else { throw StoreError(.notFound, "there is no track \(id)") }
    guard other != id else { return }
    var rows = try tx.all(TrackRow.self, "WHERE collection_id = \(row.collectionID) ORDER BY position, id")
    rows.removeAll { $0.track.id == id }
    var place = rows.count
    if let other {
      guard let found = rows.firstIndex(where: { $0.track.id == other }) else {
        throw StoreError(.notFound, "there is no track \(other) in the collection of the track \(id)")
      }
      place = found
    }
    rows.insert(row, at: place)
    var existing = rows.map { Optional($0.position) }
    existing[place] = nil
    for (row, position) in zip(rows, SparseOrder.assign(existing: existing)) where row.position != position {
      try setPosition(position, of: row.track.id, in: tx)
    }
    _ = try touchCollection(row.collectionID, in: tx)
  }

  public static func updateTracks(_ tracks: [AudiobookTrack], in tx: Transaction) throws {
    for track in tracks {
      guard let row = try tx.find(TrackRow.self, id: track.id) else { throw StoreError(.notFound, "there is no track \(track.id)") }
      if row.track != track { try tx.upsert(TrackRow(track, in: row.collectionID, at: row.position)) }
    }
  }

  public static func renameTrack(_ id: UUID, to name: String, in tx: Transaction) throws -> Bool {
    try tx.execute("UPDATE tracks SET display_name = \(name), search_name = \(SearchText.segmented(name)) WHERE id = \(id)") > 0
  }

  static func touchCollection(_ id: UUID, in tx: Transaction) throws -> Bool {
    try tx.execute("UPDATE collections SET updated_at = \(tx.currentDate()) WHERE id = \(id)") > 0
  }

  private static func setPosition(_ position: Int64, of id: UUID, in tx: Transaction) throws {
    try tx.execute("UPDATE tracks SET position = \(position) WHERE id = \(id)")
  }
}
