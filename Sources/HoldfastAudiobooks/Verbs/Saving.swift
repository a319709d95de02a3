public import Foundation
public import Holdfast

extension AudiobookLibrary {
  /// Makes the stored collection equal to this one; rows that do not change are not written.
  ///
  /// Tracks, tags and favourites that the collection does not contain are removed. A playback state is replaced only by a newer one, and
  /// a state that the collection does not contain stays: so a copy loaded before the last listening cannot undo that listening, nor the
  /// last played track. A playback state, favourite or last played track whose track is not in `tracks` is left out.
  /// - Throws: `.constraint` when a track's id belongs to a track of another collection; `.invalidValue`; `.readOnly`.
  public func save(_ collection: AudiobookCollection) async throws {
    try await store.write { try Self.save(collection, in: $0) }
  }

  /// Deletes the collection with its tracks, states, favourites and tags. Returns whether there was one.
  @discardableResult
  public func deleteCollection(_ id: UUID) async throws -> Bool {
    try await store.write { try Self.deleteCollection(id, in: $0) }
  }

  /// Gives the collection another title: one small write. Returns false when there is no such collection.
  @discardableResult
  public func renameCollection(_ id: UUID, to title: String) async throws -> Bool {
    try await store.write { try Self.renameCollection(id, to: title, in: $0) }
  }

  /// Saves a collection inside your transaction; as `save(_:)`.
  public static func save(_ collection: AudiobookCollection, in tx: Writer) throws {
    let tracks = Set(collection.tracks.map(\.id))
    // A track may stand in the list twice by mistake; both would claim its position.
    guard tracks.count == collection.tracks.count else {
      throw StoreError(.constraint, "the collection \(IDCodec.lowercase(collection.id)) names one track twice")
    }
    try saveRow(collection, tracks, in: tx)
    try saveTracks(collection, tracks, in: tx)
    try saveTags(collection, in: tx)
    try savePlaybackStates(collection, tracks, in: tx)
    try saveFavorites(collection, tracks, in: tx)
  }

  /// Deletes a collection inside your transaction; as `deleteCollection(_:)`.
  public static func deleteCollection(_ id: UUID, in tx: Writer) throws -> Bool {
    try tx.delete(CollectionRow.self, id: id)
  }

  /// Gives a collection another title inside your transaction; as `renameCollection(_:to:)`.
  public static func renameCollection(_ id: UUID, to title: String, in tx: Writer) throws -> Bool {
    try tx.execute(
      """
      UPDATE collections SET title = \(title), search_title = \(SearchText.segmented(title)), updated_at = \(tx.currentDate())
      WHERE id = \(id)
      """) > 0
  }

  private static func saveRow(_ collection: AudiobookCollection, _ tracks: Set<UUID>, in tx: Writer) throws {
    let stored = try tx.find(CollectionRow.self, id: collection.id)
    var row = CollectionRow(collection)
    if let last = row.collection.lastPlayedTrackID, !tracks.contains(last) { row.collection.lastPlayedTrackID = nil }
    if let last = stored?.collection.lastPlayedTrackID, tracks.contains(last), let heard = try playbackState(of: last, in: tx),
      collection.playbackStates.values.allSatisfy({ $0.updatedAt < heard.updatedAt })
    {
      // The copy was loaded before the last listening.
      row.collection.lastPlayedTrackID = last
    }
    if row != stored { try tx.upsert(row) }
  }

  private static func saveTracks(_ collection: AudiobookCollection, _ wanted: Set<UUID>, in tx: Writer) throws {
    var old: [UUID: TrackRow] = [:]
    try tx.each(TrackRow.self, "WHERE collection_id = \(collection.id)") { old[$0.track.id] = $0 }
    for id in old.keys where !wanted.contains(id) { try tx.delete(TrackRow.self, id: id) }
    let positions = SparseOrder.assign(existing: collection.tracks.map { old[$0.id]?.position })
    var new: [TrackRow] = []
    for (track, position) in zip(collection.tracks, positions) {
      var row = TrackRow(track, in: collection.id, at: position)
      if let stored = old[track.id] {
        row.track.keepOriginalID(of: stored.track)
        if stored.track != row.track || stored.position != position { try tx.upsert(row) }
      } else {
        new.append(row)
      }
    }
    // Not an upsert: a track of another collection must not be taken over.
    try tx.insert(contentsOf: new)
  }

  private static func saveTags(_ collection: AudiobookCollection, in tx: Writer) throws {
    // SQLite takes two spellings of one text, with different code points, for two tags. Here they are one: the stored spelling stays.
    var old: [String: (tag: String, position: Int64)] = [:]
    var twins: [String] = []
    try tx.each(TagRow.self, "WHERE collection_id = \(collection.id) ORDER BY position, tag") { row in
      if old[row.tag] == nil { old[row.tag] = (row.tag, row.position) } else { twins.append(row.tag) }
    }
    var seen: Set<String> = []
    let tags = collection.tags.filter { seen.insert($0).inserted }
    for tag in old.filter({ !seen.contains($0.key) }).map(\.value.tag) + twins {
      try tx.execute("DELETE FROM tags WHERE collection_id = \(collection.id) AND tag = \(tag)")
    }
    let positions = SparseOrder.assign(existing: tags.map { old[$0]?.position })
    for (tag, position) in zip(tags, positions) where old[tag]?.position != position {
      try tx.upsert(TagRow(collectionID: collection.id, tag: old[tag]?.tag ?? tag, position: position))
    }
  }

  private static func savePlaybackStates(_ collection: AudiobookCollection, _ tracks: Set<UUID>, in tx: Writer) throws {
    var old: [UUID: Date] = [:]
    try tx.each(PlaybackRow.self, "WHERE collection_id = \(collection.id)") { old[$0.trackID] = $0.state.updatedAt }
    var new: [PlaybackRow] = []
    for (trackID, state) in collection.playbackStates where tracks.contains(trackID) {
      let row = PlaybackRow(state, of: trackID, in: collection.id)
      if let heard = old[trackID] {
        if heard < state.updatedAt { try tx.upsert(row) }
      } else {
        new.append(row)
      }
    }
    try tx.insert(contentsOf: new)
  }

  private static func saveFavorites(_ collection: AudiobookCollection, _ tracks: Set<UUID>, in tx: Writer) throws {
    var old: [UUID: Favorite] = [:]
    try tx.each(FavoriteRow.self, "WHERE collection_id = \(collection.id)") { old[$0.trackID] = $0.favorite }
    for trackID in old.keys where collection.favorites[trackID] == nil {
      try tx.execute("DELETE FROM favorites WHERE track_id = \(trackID)")
    }
    for (trackID, favorite) in collection.favorites where tracks.contains(trackID) && old[trackID] != favorite {
      try tx.upsert(FavoriteRow(trackID: trackID, collectionID: collection.id, favoritedAt: favorite.favoritedAt))
    }
  }
}
