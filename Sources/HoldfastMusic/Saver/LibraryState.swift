import Foundation
public import Holdfast

/// A whole library at one moment, as an app holds it in memory.
public struct LibraryState: Sendable, Hashable {
  /// In any order.
  public var tracks: [LibraryTrack]
  /// Playlists and folders, in their order.
  public var playlists: [MusicPlaylist]

  /// A state with these tracks and playlists; empty by default.
  public init(tracks: [LibraryTrack] = [], playlists: [MusicPlaylist] = []) {
    self.tracks = tracks
    self.playlists = playlists
  }

  /// This state without entries whose track is not in it, and without parents that are not a folder in it. Also returns these entries.
  func complete() -> (state: LibraryState, missing: [MissingEntry]) {
    let ids = Set(tracks.map(\.id))
    let folders = Folders(playlists)
    var complete = self
    var missing: [MissingEntry] = []
    for (place, playlist) in playlists.enumerated() {
      let parent = folders.parent(of: playlist)
      if parent != playlist.parentID { complete.playlists[place].parentID = parent }
      guard let first = playlist.trackIDs.firstIndex(where: { !ids.contains($0) }) else { continue }
      missing += playlist.trackIDs[first...].filter { !ids.contains($0) }.map { MissingEntry(playlistID: playlist.id, trackID: $0) }
      complete.playlists[place].trackIDs.removeAll { !ids.contains($0) }
    }
    return (complete, missing)
  }
}

extension MusicStore {
  /// All tracks and playlists, from one commit. An app loads this state before it gives its own states to a `LibrarySaver`.
  ///
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func state() async throws -> LibraryState { try await store.read { try Self.state(in: $0) } }

  /// Reads all tracks and playlists inside your transaction; as `state()`.
  public static func state(in reader: Reader) throws -> LibraryState {
    LibraryState(tracks: try tracks(in: reader), playlists: try playlists(in: reader))
  }

  /// Writes the differences between two states, field by field. Changes that another writer made since `known` stay.
  ///
  /// - Returns: entries whose track is no longer in the library.
  /// - Throws: `.constraint` when two of them have one id; what `saveTracks` throws. Then nothing is changed.
  static func saveChanges(from known: LibraryState, to state: LibraryState, in tx: Writer) throws -> [MissingEntry] {
    let returned = try saveTracks(from: known.tracks, to: state.tracks, in: tx)
    guard known.playlists != state.playlists || !returned.isEmpty else { return [] }
    return try savePlaylists(from: known.playlists, to: state.playlists, returned, in: tx)
  }

  /// Returns the tracks that another writer removed and that return because the app changed them.
  private static func saveTracks(from known: [LibraryTrack], to tracks: [LibraryTrack], in tx: Writer) throws -> Set<UUID> {
    guard known != tracks else { return [] }
    var gone = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    var seen = Set<UUID>(minimumCapacity: tracks.count)
    var new: [TrackRow] = []
    var returned: Set<UUID> = []
    for track in tracks {
      guard seen.insert(track.id).inserted else { throw StoreError(.constraint, "the list of tracks to save contains one track twice") }
      let old = gone.removeValue(forKey: track.id)
      if old == track { continue }
      guard let stored = try self.track(track.id, in: tx) else {
        new.append(TrackRow(track))
        if old != nil { returned.insert(track.id) }
        continue
      }
      let merged = old.map { stored.taking(track, since: $0) } ?? track
      if merged != stored { try tx.upsert(TrackRow(merged)) }
    }
    for id in gone.keys { try tx.delete(TrackRow.self, id: id) }
    try tx.insert(contentsOf: new)
    return returned
  }

  /// - Parameter returned: tracks that return in this write. They had lost their places in the stored playlists.
  private static func savePlaylists(
    from known: [MusicPlaylist], to playlists: [MusicPlaylist], _ returned: Set<UUID>, in tx: Writer
  ) throws -> [MissingEntry] {
    let old = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let inOrder = try self.playlists(in: tx)
    let stored = Dictionary(inOrder.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let wanted = Set(playlists.map(\.id))
    guard wanted.count == playlists.count else {
      throw StoreError(.constraint, "the list of playlists to save contains one playlist twice")
    }
    // Playlists that another writer removed stay removed, unless the app changed them.
    var merged = try playlists.compactMap { playlist -> MusicPlaylist? in
      guard var stored = stored[playlist.id] else { return playlist == old[playlist.id] ? nil : playlist }
      if playlist.trackIDs.contains(where: returned.contains) {
        stored.trackIDs = try list(stored.trackIDs, takingBack: returned, from: playlist.trackIDs, tx)
      }
      return old[playlist.id].map { stored.taking(playlist, since: $0) } ?? playlist
    }
    let others = inOrder.filter { !wanted.contains($0.id) && old[$0.id] == nil }
    if known.map(\.id) == playlists.map(\.id) {
      // The app kept its order, so another writer's order counts.
      let byID = Dictionary((merged + others).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
      merged = inOrder.compactMap { byID[$0.id] } + merged.filter { stored[$0.id] == nil }
    } else {
      merged += others
    }
    let isInPlace = merged.map(\.id).starts(with: inOrder.map(\.id))
    return try savePlaylists(isInPlace ? merged.filter { stored[$0.id] != $0 } : merged, replacingAll: !isInPlace, in: tx)
  }

  /// A stored list with the returning tracks, each after its predecessor in the app's list. Also contains tracks that are no
  /// longer in the library, so that they are reported as missing.
  private static func list(
    _ stored: [UUID], takingBack returned: Set<UUID>, from wanted: [UUID], _ tx: Writer
  ) throws -> [UUID] {
    let there = Set(stored)
    let back = try Set(wanted).subtracting(there).filter { id in
      try returned.contains(id) || tx.count("SELECT count(*) FROM tracks WHERE id = \(id)") == 0
    }
    var rest = stored[...]
    var list: [UUID] = []
    for id in wanted {
      if back.contains(id) {
        list.append(id)
      } else if there.contains(id), let place = rest.firstIndex(of: id) {
        list += rest.prefix(through: place)
        rest = rest.suffix(from: place + 1)
      }
    }
    return list + rest
  }
}

extension LibraryTrack {
  /// This track with the fields that differ between `old` and `new`.
  func taking(_ new: LibraryTrack, since old: LibraryTrack) -> LibraryTrack {
    var merged = self
    func take<Value: Equatable>(_ field: WritableKeyPath<LibraryTrack, Value>) {
      if new[keyPath: field] != old[keyPath: field] { merged[keyPath: field] = new[keyPath: field] }
    }
    take(\.title)
    take(\.artist)
    take(\.album)
    take(\.albumArtist)
    take(\.isCompilation)
    take(\.genre)
    take(\.year)
    take(\.trackNumber)
    take(\.discNumber)
    take(\.duration)
    take(\.file.location)
    take(\.file.availability)
    take(\.file.sizeBytes)
    take(\.file.modifiedAt)
    take(\.file.contentHash)
    take(\.artworkURL)
    take(\.artworkHash)
    take(\.playCount)
    take(\.lastPlayedAt)
    take(\.rating)
    take(\.addedAt)
    take(\.persistentID)
    take(\.metadata)
    return merged
  }
}

extension MusicPlaylist {
  /// This playlist with the fields that differ between `old` and `new`; its list of tracks counts as one field.
  func taking(_ new: MusicPlaylist, since old: MusicPlaylist) -> MusicPlaylist {
    var merged = self
    if new.name != old.name { merged.name = new.name }
    if new.parentID != old.parentID { merged.parentID = new.parentID }
    if new.isFolder != old.isFolder { merged.isFolder = new.isFolder }
    if new.trackIDs != old.trackIDs { merged.trackIDs = new.trackIDs }
    if new.persistentID != old.persistentID { merged.persistentID = new.persistentID }
    return merged
  }
}
