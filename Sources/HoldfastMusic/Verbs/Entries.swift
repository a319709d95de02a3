public import Foundation
public import Holdfast

/// A track at one place of a playlist.
public struct PlaylistTrack: Sendable, Hashable, Identifiable {
  /// The entry's id: a track may be listed several times.
  public var id: UUID
  /// The track that the entry plays.
  public var track: LibraryTrack
}

extension MusicStore {
  /// A page of a playlist's entries with their tracks, in playing order. Empty when there is no such playlist.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list.
  public func entries(of playlistID: UUID, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<PlaylistTrack> {
    try await store.read { try Self.entries(of: playlistID, after: key, limit: limit, in: $0) }
  }

  /// The first entries of a playlist now, and after each change of the playlists or the tracks.
  ///
  /// - Parameter ignoringPlays: as for `trackUpdates(_:limit:ignoringPlays:)`.
  public func entryUpdates(of playlistID: UUID, limit: Int = 100, ignoringPlays: Bool = false) -> Updates<[PlaylistTrack]> {
    store.updates(ignoring: Self.plays(ignoringPlays: ignoringPlays)) {
      try Self.entries(of: playlistID, limit: limit, in: $0).items
    }
  }

  /// Adds tracks at the end of a playlist, or before one of its entries. Usually writes one row for each track, however long
  /// the playlist is. A track that is already listed is listed once more.
  ///
  /// - Returns: the new entries.
  /// - Throws: `.notFound` when there is no such playlist or it is a folder, when the entry is not in the playlist, or when a
  ///   track is not in the library; then no track is added.
  @discardableResult
  public func addTracks(_ ids: [UUID], to playlistID: UUID, before entryID: UUID? = nil) async throws -> [PlaylistEntry] {
    try await store.write { try Self.addTracks(ids, to: playlistID, before: entryID, in: $0) }
  }

  /// Removes entries of one or several playlists. Their tracks stay. Returns how many existed.
  @discardableResult
  public func removeEntries(_ ids: [UUID]) async throws -> Int { try await store.write { try Self.removeEntries(ids, in: $0) } }

  /// Moves an entry before another one of its playlist, or to the end when `other` is nil. Usually one row changes.
  ///
  /// - Throws: `.notFound` when an entry does not exist, or the two entries are in different playlists.
  public func moveEntry(_ id: UUID, before other: UUID?) async throws {
    try await store.write { try Self.moveEntry(id, before: other, in: $0) }
  }

  /// Reads a page of a playlist's entries inside your transaction; as `entries(of:after:limit:)`.
  public static func entries(
    of playlistID: UUID, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<PlaylistTrack> {
    let listing = Listing(condition: "e.collection_id = \(playlistID)", columns: [("e.position", .number), ("e.id", .text)])
    // CROSS keeps SQLite from starting with the tracks.
    return try reader.page(
      "\(sql: LibraryTrack.joinedColumns), e.id", from: "collection_tracks e CROSS JOIN tracks t ON t.id = e.track_id", listing, after: key,
      limit: limit
    ) { row in
      let track = try LibraryTrack(loading: &row)
      return PlaylistTrack(id: try row.id(), track: track)
    }
  }

  /// Adds tracks to a playlist inside your transaction; as `addTracks(_:to:before:)`.
  public static func addTracks(
    _ ids: [UUID], to playlistID: UUID, before entryID: UUID? = nil, in tx: Writer
  ) throws -> [PlaylistEntry] {
    guard try !row(of: playlistID, in: tx).isFolder else {
      throw StoreError(.notFound, "\(IDCodec.lowercase(playlistID)) is a folder, not a playlist")
    }
    for id in Set(ids) { try checkTrack(id, in: tx) }
    let positions = try entryOrder(of: playlistID).positions(for: ids.count, before: entryID, in: tx)
    let rows = zip(ids, positions).map { EntryRow(id: tx.makeID(), collectionID: playlistID, trackID: $0, position: $1) }
    try tx.insert(contentsOf: rows)
    return rows.map(\.entry)
  }

  /// Removes entries of playlists inside your transaction; as `removeEntries(_:)`.
  public static func removeEntries(_ ids: [UUID], in tx: Writer) throws -> Int {
    try ids.reduce(0) { try $0 + (tx.delete(EntryRow.self, id: $1) ? 1 : 0) }
  }

  /// Moves an entry within its playlist inside your transaction; as `moveEntry(_:before:)`.
  public static func moveEntry(_ id: UUID, before other: UUID?, in tx: Writer) throws {
    guard let entry = try tx.find(EntryRow.self, id: id) else {
      throw StoreError(.notFound, "there is no entry \(IDCodec.lowercase(id))")
    }
    try entryOrder(of: entry.collectionID).move(id, before: other, in: tx)
  }

  private static func entryOrder(of playlistID: UUID) -> OrderedRows {
    OrderedRows("collection_tracks", of: "entry", where: "collection_id = \(playlistID)")
  }
}
