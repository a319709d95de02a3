public import Foundation
public import Holdfast

/// An entry of a playlist that could not be saved, because its track is not in the library.
public struct MissingEntry: Sendable, Hashable {
  /// The playlist that should have the entry.
  public var playlistID: UUID
  /// The track that is not in the library.
  public var trackID: UUID

  /// An entry that was left out.
  public init(playlistID: UUID, trackID: UUID) {
    self.playlistID = playlistID
    self.trackID = trackID
  }
}

extension MusicStore {
  /// As the method with the same name, inside your transaction.
  public static func savePlaylists(
    _ playlists: [MusicPlaylist], replacingAll: Bool = false, in tx: Writer
  ) throws -> [MissingEntry] {
    let wanted = Set(playlists.map(\.id))
    guard wanted.count == playlists.count else {
      throw StoreError(.constraint, "the list of playlists to save contains one playlist twice")
    }
    let rows = try tx.all(PlaylistRow.self, "ORDER BY position, id")
    let inOrder = rows.map(\.id)
    var stored = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    if replacingAll {
      for id in stored.keys where !wanted.contains(id) {
        try tx.delete(PlaylistRow.self, id: id)
        stored[id] = nil
      }
    }
    let order = order(of: playlists, among: inOrder.filter { stored[$0] != nil })
    let positions = Dictionary(zip(order, SparseOrder.assign(existing: order.map { stored[$0]?.position })), uniquingKeysWith: { $1 })
    for (id, position) in positions where !wanted.contains(id) && stored[id]?.position != position {
      try tx.execute("UPDATE collections SET position = \(position) WHERE id = \(id)")
    }
    let folders = Folders(stored.values.map(\.playlist) + playlists)
    var missing: [MissingEntry] = []
    for playlist in playlists {
      var row = PlaylistRow(playlist, at: positions[playlist.id] ?? .max)
      row.parentID = folders.parent(of: playlist)
      if row != stored[playlist.id] { try tx.upsert(row) }
      if let old = stored[playlist.id], old.isFolder, !playlist.isFolder {
        // Playlists in the former folder, and not among the given ones, would be inside a playlist.
        try tx.execute("UPDATE collections SET parent_id = NULL WHERE parent_id = \(playlist.id)")
      }
      missing += try saveEntries(of: playlist, isNew: stored[playlist.id] == nil, in: tx)
    }
    return missing
  }

  /// The new order of all playlists. Given playlists that are stored share their places in the given order; others keep theirs.
  /// A new one comes directly before the next given one that was already stored, or after all.
  private static func order(of playlists: [MusicPlaylist], among stored: [UUID]) -> [UUID] {
    let known = Set(stored)
    let wanted = Set(playlists.map(\.id))
    var given = playlists.map(\.id)[...]
    var order: [UUID] = []
    for id in stored {
      guard wanted.contains(id) else {
        order.append(id)
        continue
      }
      while let next = given.popFirst() {
        order.append(next)
        if known.contains(next) { break }
      }
    }
    return order + given
  }

  /// Each wanted place takes the first stored entry of its track that is still free, so that an entry that does not move is not written.
  private static func saveEntries(of playlist: MusicPlaylist, isNew: Bool, in tx: Writer) throws -> [MissingEntry] {
    var free: [UUID: ArraySlice<EntryRow>] = [:]
    if !isNew {
      try tx.each(EntryRow.self, "WHERE collection_id = \(playlist.id) ORDER BY position, id") { free[$0.trackID, default: []].append($0) }
    }
    var missing: [MissingEntry] = []
    var known: [UUID: Bool] = [:]
    var places: [(trackID: UUID, stored: EntryRow?)] = []
    for trackID in playlist.trackIDs {
      if let entry = free[trackID]?.popFirst() {
        places.append((trackID, entry))
        continue
      }
      let isThere = try known[trackID] ?? (tx.count("SELECT count(*) FROM tracks WHERE id = \(trackID)") > 0)
      known[trackID] = isThere
      if isThere { places.append((trackID, nil)) } else { missing.append(MissingEntry(playlistID: playlist.id, trackID: trackID)) }
    }
    for entry in free.values.joined() { try tx.delete(EntryRow.self, id: entry.id) }
    let positions = SparseOrder.assign(existing: places.map { $0.stored?.position })
    var new: [EntryRow] = []
    for (place, position) in zip(places, positions) {
      if var entry = place.stored {
        guard entry.position != position else { continue }
        entry.position = position
        try tx.upsert(entry)
      } else {
        new.append(EntryRow(id: tx.makeID(), collectionID: playlist.id, trackID: place.trackID, position: position))
      }
    }
    try tx.insert(contentsOf: new)
    return missing
  }
}

/// The parents of folders, to tell a valid parent from an invalid one.
struct Folders {
  private var folders: [UUID: UUID?]
  /// Folders that contain themselves.
  private var circles: Set<UUID> = []

  /// If two of them have one id, the later playlist counts.
  init(_ playlists: [MusicPlaylist]) {
    folders = [:]
    for playlist in playlists { folders[playlist.id] = playlist.isFolder ? .some(playlist.parentID) : nil }
    findCircles()
  }

  /// Visits each folder once: folders may be nested thousands deep.
  private mutating func findCircles() {
    var walks: [UUID: Int] = [:]
    for (walk, start) in folders.keys.enumerated() {
      var next: UUID? = start
      while let id = next, walks[id] == nil, let above = folders[id] {
        walks[id] = walk
        next = above
      }
      // A walk that meets itself has found a circle.
      guard let first = next, walks[first] == walk else { continue }
      while let id = next, circles.insert(id).inserted { next = folders[id] ?? nil }
    }
  }

  /// The folder that contains the playlist; nil when there is no such folder, or the playlist would be inside itself.
  func parent(of playlist: MusicPlaylist) -> UUID? {
    guard let parent = playlist.parentID, folders[parent] != nil, !circles.contains(playlist.id) else { return nil }
    return parent
  }
}
