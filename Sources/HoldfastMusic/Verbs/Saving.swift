public import Foundation
public import Holdfast

extension MusicStore {
  /// Inserts or updates tracks in one transaction; unchanged rows are not written.
  ///
  /// - Parameter replacingAll: true removes all other tracks and their entries in playlists. Entries of the given tracks stay.
  /// - Throws: `.constraint` when two of them have one id, a rating is outside 0 to 100, a play count or a duration is less than 0,
  ///   or an artwork is not stored; `.invalidValue` for a value that a column cannot hold. Then nothing is changed.
  public func saveTracks(_ tracks: [LibraryTrack], replacingAll: Bool = false) async throws {
    try await store.write { try Self.saveTracks(tracks, replacingAll: replacingAll, in: $0) }
  }

  /// Removes tracks and their entries in playlists. Their files stay. Returns how many existed.
  @discardableResult
  public func deleteTracks(_ ids: [UUID]) async throws -> Int { try await store.write { try Self.deleteTracks(ids, in: $0) } }

  /// Makes the stored playlists equal to these, in this order. Unchanged rows are not written, and an entry that moves keeps its id.
  ///
  /// An entry whose track is not in the library is left out, and so is a parent that is not a folder here; everything else is saved.
  /// - Parameter replacingAll: true removes all other playlists. False: the others keep their places among all, and the given
  ///   ones share the places that they had, in the given order. A new one comes directly before the next given one that was
  ///   already stored, or after all.
  /// - Returns: the entries that were left out.
  /// - Throws: `.constraint` when two of them have one id. Then nothing is changed.
  @discardableResult
  public func savePlaylists(_ playlists: [MusicPlaylist], replacingAll: Bool = false) async throws -> [MissingEntry] {
    try await store.write { try Self.savePlaylists(playlists, replacingAll: replacingAll, in: $0) }
  }

  /// Inserts or updates tracks inside your transaction; as `saveTracks(_:replacingAll:)`.
  public static func saveTracks(_ tracks: [LibraryTrack], replacingAll: Bool = false, in tx: Writer) throws {
    let wanted = Set(tracks.map(\.id))
    guard wanted.count == tracks.count else { throw StoreError(.constraint, "the list of tracks to save contains one track twice") }
    var stored: [UUID: LibraryTrack] = [:]
    // Reads each track by its id, or all tracks at once, whichever reads less. For a few tracks, counting all is not worth the time.
    if try replacingAll || tracks.count > 200 && tracks.count > tx.count("SELECT count(*) FROM tracks") / 8 {
      stored.reserveCapacity(tracks.count)
      for track in try self.tracks(in: tx) { stored[track.id] = track }
    } else {
      for id in wanted { stored[id] = try track(id, in: tx) }
    }
    if replacingAll { for id in stored.keys where !wanted.contains(id) { try tx.delete(TrackRow.self, id: id) } }
    var new: [TrackRow] = []
    for track in tracks {
      if let old = stored[track.id] {
        if old != track, old != track.rounded { try tx.upsert(TrackRow(track)) }
      } else {
        new.append(TrackRow(track))
      }
    }
    try tx.insert(contentsOf: new)
  }

  /// Removes tracks and their entries in playlists inside your transaction; as `deleteTracks(_:)`.
  public static func deleteTracks(_ ids: [UUID], in tx: Writer) throws -> Int {
    try ids.reduce(0) { try $0 + (tx.delete(TrackRow.self, id: $1) ? 1 : 0) }
  }
}
