public import Foundation
public import Holdfast

/// A playlist or folder without its tracks, for a list of many.
public struct PlaylistSummary: Sendable, Hashable, Identifiable {
  /// The playlist's id.
  public var id: UUID
  /// The name as people wrote it.
  public var name: String
  /// The folder that contains it; nil at the top level.
  public var parentID: UUID?
  /// Whether this is a folder, which holds playlists.
  public var isFolder: Bool
  /// The number of entries in its own list.
  public var entries: Int
}

extension MusicStore {
  /// A page of a folder's playlists and folders in their order.
  ///
  /// - Parameters:
  ///   - folder: the folder; nil for the top level.
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list.
  public func playlists(in folder: UUID?, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<PlaylistSummary> {
    try await store.read { try Self.playlists(in: folder, after: key, limit: limit, in: $0) }
  }

  /// The first playlists of a folder now, and after each change of the playlists.
  public func playlistUpdates(in folder: UUID?, limit: Int = 100) -> Updates<[PlaylistSummary]> {
    store.updates { try Self.playlists(in: folder, limit: limit, in: $0).items }
  }

  /// Creates an empty playlist after all others.
  ///
  /// - Parameter folder: the folder that contains it; nil for the top level.
  /// - Throws: `.notFound` when there is no such folder.
  public func createPlaylist(named name: String, in folder: UUID? = nil) async throws -> MusicPlaylist {
    try await store.write { try Self.createPlaylist(named: name, in: folder, in: $0) }
  }

  /// Creates an empty folder after all others.
  ///
  /// - Parameter folder: the folder that contains it; nil for the top level.
  /// - Throws: `.notFound` when there is no such folder.
  public func createFolder(named name: String, in folder: UUID? = nil) async throws -> MusicPlaylist {
    try await store.write { try Self.createFolder(named: name, in: folder, in: $0) }
  }

  /// Renames a playlist or folder: one row. Returns false when there is none with this id.
  @discardableResult
  public func renamePlaylist(_ id: UUID, to name: String) async throws -> Bool {
    try await store.write { try Self.renamePlaylist(id, to: name, in: $0) }
  }

  /// Deletes a playlist with its entries, or a folder; a folder's playlists move to the top level. Tracks stay. Returns whether
  /// the playlist or folder existed.
  @discardableResult
  public func deletePlaylist(_ id: UUID) async throws -> Bool { try await store.write { try Self.deletePlaylist(id, in: $0) } }

  /// Moves a playlist before another one of its folder, or after all when `other` is nil. Usually one row changes.
  ///
  /// - Throws: `.notFound` when a playlist does not exist, or the two are in different folders.
  public func movePlaylist(_ id: UUID, before other: UUID?) async throws {
    try await store.write { try Self.movePlaylist(id, before: other, in: $0) }
  }

  /// Moves a playlist or folder into a folder, after everything there. If it is already in that folder, nothing changes.
  ///
  /// - Parameter folder: the folder; nil for the top level.
  /// - Throws: `.notFound` when there is no such playlist or folder; `.invalidValue` when a folder would be inside itself.
  public func movePlaylist(_ id: UUID, toFolder folder: UUID?) async throws {
    try await store.write { try Self.movePlaylist(id, toFolder: folder, in: $0) }
  }

  /// Reads a page of a folder's playlists and folders inside your transaction; as `playlists(in:after:limit:)`.
  public static func playlists(
    in folder: UUID?, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<PlaylistSummary> {
    try summaries(where: "parent_id IS \(folder)", after: key, limit: limit, in: reader)
  }

  /// A page of the playlists and folders for which the condition holds, in their order.
  static func summaries(where condition: BoundSQL, after key: PageKey?, limit: Int, in reader: Reader) throws -> Page<PlaylistSummary> {
    let listing = Listing(condition: condition, columns: [("position", .number), ("id", .text)])
    return try reader.page(
      "id, name, parent_id, is_folder, (SELECT count(*) FROM collection_tracks e WHERE e.collection_id = collections.id)",
      from: "collections", listing, after: key, limit: limit, of: "collections"
    ) { row in
      PlaylistSummary(
        id: try row.id(), name: try row.text(), parentID: try row.idOrNil(), isFolder: try row.bool(), entries: try row.int())
    }
  }

  /// Creates an empty playlist inside your transaction; as `createPlaylist(named:in:)`.
  public static func createPlaylist(named name: String, in folder: UUID? = nil, in tx: Writer) throws -> MusicPlaylist {
    try create(MusicPlaylist(id: tx.makeID(), name: name, parentID: folder), in: tx)
  }

  /// Creates an empty folder inside your transaction; as `createFolder(named:in:)`.
  public static func createFolder(named name: String, in folder: UUID? = nil, in tx: Writer) throws -> MusicPlaylist {
    try create(MusicPlaylist(id: tx.makeID(), name: name, parentID: folder, isFolder: true), in: tx)
  }

  /// Renames a playlist or folder inside your transaction; as `renamePlaylist(_:to:)`.
  public static func renamePlaylist(_ id: UUID, to name: String, in tx: Writer) throws -> Bool {
    try tx.execute("UPDATE collections SET name = \(name) WHERE id = \(id)") > 0
  }

  /// Deletes a playlist or folder inside your transaction; as `deletePlaylist(_:)`.
  public static func deletePlaylist(_ id: UUID, in tx: Writer) throws -> Bool { try tx.delete(PlaylistRow.self, id: id) }

  /// Moves a playlist within its folder inside your transaction; as `movePlaylist(_:before:)`.
  public static func movePlaylist(_ id: UUID, before other: UUID?, in tx: Writer) throws {
    let row = try row(of: id, in: tx)
    if let other, try self.row(of: other, in: tx).parentID != row.parentID {
      throw StoreError(.notFound, "the playlists \(IDCodec.lowercase(id)) and \(IDCodec.lowercase(other)) are not in one folder")
    }
    try playlistOrder.move(id, before: other, in: tx)
  }

  /// Moves a playlist or folder into a folder inside your transaction; as `movePlaylist(_:toFolder:)`.
  public static func movePlaylist(_ id: UUID, toFolder folder: UUID?, in tx: Writer) throws {
    guard try row(of: id, in: tx).parentID != folder else { return }
    try checkFolder(folder, in: tx)
    guard try !isInside(folder, of: id, in: tx) else {
      throw StoreError(.invalidValue, "the folder \(IDCodec.lowercase(id)) cannot be moved into itself")
    }
    let position = try playlistOrder.position(in: tx)
    try tx.execute("UPDATE collections SET parent_id = \(folder), position = \(position) WHERE id = \(id)")
  }

  /// Whether a folder is `id`, or lies in it at any depth.
  static func isInside(_ folder: UUID?, of id: UUID, in reader: Reader) throws -> Bool {
    // UNION ALL would not end for folders of a damaged file that contain each other.
    try reader.count(
      """
      WITH RECURSIVE above (id) AS (
        SELECT \(folder) UNION SELECT p.parent_id FROM above JOIN collections p ON p.id = above.id)
      SELECT count(*) FROM above WHERE id = \(id)
      """) > 0
  }

  static func isFolder(_ id: UUID, in reader: Reader) throws -> Bool {
    try reader.count("SELECT count(*) FROM collections WHERE id = \(id) AND is_folder") > 0
  }

  /// All playlists share one order, whatever their folders.
  static let playlistOrder = OrderedRows("collections", of: "playlist")

  static func row(of id: UUID, in reader: Reader) throws -> PlaylistRow {
    guard let row = try reader.find(PlaylistRow.self, id: id) else {
      throw StoreError(.notFound, "there is no playlist \(IDCodec.lowercase(id))")
    }
    return row
  }

  private static func create(_ playlist: MusicPlaylist, in tx: Writer) throws -> MusicPlaylist {
    try checkFolder(playlist.parentID, in: tx)
    try tx.insert(PlaylistRow(playlist, at: playlistOrder.position(in: tx)))
    return playlist
  }

  private static func checkFolder(_ id: UUID?, in reader: Reader) throws {
    guard let id, try !isFolder(id, in: reader) else { return }
    throw StoreError(.notFound, "there is no folder \(IDCodec.lowercase(id))")
  }
}
