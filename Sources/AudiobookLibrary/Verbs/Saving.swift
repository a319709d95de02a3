public import Foundation
public import Holdfast

extension AudiobookLibrary {
  /// Makes the stored collection equal to this one; rows that do not change are not written.
  ///
  /// Tracks, tags and favourites that it does not name are removed. A playback state is replaced only by a newer one, and one
  /// that the collection does not name stays: a copy that was loaded before the last listening cannot set it back.
  /// - Throws: `.constraint` when a track's id is that of another collection's track; `.invalidValue`; `.readOnly`.
  public func save(_ collection: AudiobookCollection) throws { try store.write { try Self.save(collection, in: $0) } }
  public func save(_ collection: AudiobookCollection) async throws {
    try await store.write { try Self.save(collection, in: $0) }
  }

  /// Deletes the collection with all that hangs on it. Returns whether there was one.
  @discardableResult
  public func deleteCollection(_ id: UUID) throws -> Bool { try store.write { try Self.deleteCollection(id, in: $0) } }
  @discardableResult
  public func deleteCollection(_ id: UUID) async throws -> Bool {
    try await store.write { try Self.deleteCollection(id, in: $0) }
  }

  /// Gives the collection another title: one small write. Returns false when there is no such collection.
  @discardableResult
  public func renameCollection(_ id: UUID, to title: String) throws -> Bool {
    try store.write { try Self.renameCollection(id, to: title, in: $0) }
  }
  @discardableResult
  public func renameCollection(_ id: UUID, to title: String) async throws -> Bool {
    try await store.write { try Self.renameCollection(id, to: title, in: $0) }
  }

  public static func save(_ collection: AudiobookCollection, in tx: Transaction) throws {
    try tx.upsert(CollectionRow(collection))
    try saveTracks(collection, in: tx)
    try saveTags(collection, in: tx)
    for (trackID, state) in collection.playbackStates {
      try savePlaybackState(state, of: trackID, in: collection.id, tx)
    }
    let old = try tx.all(FavoriteRow.self, "WHERE collection_id = \(collection.id)")
    for row in old where collection.favorites[row.trackID] == nil {
      try tx.execute("DELETE FROM favorites WHERE track_id = \(row.trackID)")
    }
    let known = Dictionary(old.map { ($0.trackID, $0.favorite) }, uniquingKeysWith: { first, _ in first })
    for (trackID, favorite) in collection.favorites where known[trackID] != favorite {
      try tx.upsert(FavoriteRow(favorite, of: trackID, in: collection.id))
    }
  }

  public static func deleteCollection(_ id: UUID, in tx: Transaction) throws -> Bool {
    try tx.delete(CollectionRow.self, id: id)
  }

  public static func renameCollection(_ id: UUID, to title: String, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      UPDATE collections SET title = \(title), search_title = \(SearchText.segmented(title)), updated_at = \(tx.currentDate())
      WHERE id = \(id)
      """) > 0
  }

  private static func saveTracks(_ collection: AudiobookCollection, in tx: Transaction) throws {
    var old: [UUID: TrackRow] = [:]
    try tx.each(TrackRow.self, "WHERE collection_id = \(collection.id)") { old[$0.track.id] = $0 }
    let wanted = Set(collection.tracks.map(\.id))
    for id in old.keys where !wanted.contains(id) { try tx.delete(TrackRow.self, id: id) }
    // A track may be named twice by mistake: the second would fight with the first for its place.
    guard wanted.count == collection.tracks.count else {
      throw StoreError(.constraint, "the collection \(collection.title) names one track twice")
    }
    let positions = SparseOrder.assign(existing: collection.tracks.map { old[$0.id]?.position })
    var new: [TrackRow] = []
    for (track, position) in zip(collection.tracks, positions) {
      let row = TrackRow(track, in: collection.id, at: position)
      if let stored = old[track.id] {
        if stored.track != track || stored.position != position { try tx.upsert(row) }
      } else {
        new.append(row)
      }
    }
    // Not an upsert: a track of another collection must not be taken over.
    try tx.insert(contentsOf: new)
  }

  private static func saveTags(_ collection: AudiobookCollection, in tx: Transaction) throws {
    var old: [String: Int64] = [:]
    try tx.each(TagRow.self, "WHERE collection_id = \(collection.id)") { old[$0.tag] = $0.position }
    var seen: Set<String> = []
    let tags = collection.tags.filter { seen.insert($0).inserted }
    for tag in old.keys where !seen.contains(tag) {
      try tx.execute("DELETE FROM tags WHERE collection_id = \(collection.id) AND tag = \(tag)")
    }
    let positions = SparseOrder.assign(existing: tags.map { old[$0] })
    for (tag, position) in zip(tags, positions) where old[tag] != position {
      try tx.upsert(TagRow(tag, of: collection.id, at: position))
    }
  }

  private static func savePlaybackState(_ state: PlaybackState, of trackID: UUID, in collectionID: UUID, _ tx: Transaction) throws {
    let old = try tx.all(PlaybackRow.self, "WHERE track_id = \(trackID)").first
    guard old.map({ $0.state.updatedAt < state.updatedAt || $0.state == state }) ?? true, old?.state != state else { return }
    try tx.upsert(PlaybackRow(state, of: trackID, in: collectionID))
  }
}
