public import Foundation
import Holdfast

/// A list of tracks in an order of its own; the app calls it a collection. Or a folder of such lists.
public struct MusicPlaylist: Sendable, Hashable, Identifiable {
  /// Unique in the library.
  public var id: UUID
  /// As people wrote it. May be empty, and need not be unique.
  public var name: String
  /// The folder that it is in; nil at the top.
  public var parentID: UUID?
  /// A folder holds playlists; what stands in its own list is kept and means nothing to most players.
  public var isFolder: Bool
  /// In playing order. A track may stand in it several times.
  public var trackIDs: [UUID]
  /// What another player calls it: 16 hexadecimal digits from iTunes.
  public var persistentID: String?

  /// A list that is not stored yet.
  public init(
    id: UUID, name: String, parentID: UUID? = nil, isFolder: Bool = false, trackIDs: [UUID] = [], persistentID: String? = nil
  ) {
    self.id = id
    self.name = name
    self.parentID = parentID
    self.isFolder = isFolder
    self.trackIDs = trackIDs
    self.persistentID = persistentID
  }
}

/// A row of `collections`: the playlist without its entries.
struct PlaylistRow: StoredRecord, Hashable {
  static let table = "collections"
  static let columns = ["id", "name", "parent_id", "is_folder", "position", "persistent_id"]
  var id: UUID
  var name: String
  var parentID: UUID?
  var isFolder: Bool
  /// Among all playlists, whatever folder they are in.
  var position: Int64
  var persistentID: String?

  init(_ playlist: MusicPlaylist, at position: Int64) {
    id = playlist.id
    name = playlist.name
    parentID = playlist.parentID
    isFolder = playlist.isFolder
    self.position = position
    persistentID = playlist.persistentID
  }

  init(row: inout StoredRow) throws {
    id = try row.id()
    name = try row.text()
    parentID = try row.idOrNil()
    isFolder = try row.bool()
    position = try row.int64()
    persistentID = try row.textOrNil()
  }

  func encode(into values: inout Values) throws {
    try values.id(id)
    try values.text(name)
    try values.id(parentID)
    try values.bool(isFolder)
    try values.int64(position)
    try values.text(persistentID)
  }

  /// Without its tracks.
  var playlist: MusicPlaylist { MusicPlaylist(id: id, name: name, parentID: parentID, isFolder: isFolder, persistentID: persistentID) }
}

/// One place in a playlist. It has an id of its own, because a track may stand in a list several times.
public struct PlaylistEntry: Sendable, Hashable, Identifiable {
  /// Unique in the library.
  public var id: UUID
  /// What is played there.
  public var trackID: UUID

  /// One place of a list.
  public init(id: UUID, trackID: UUID) {
    self.id = id
    self.trackID = trackID
  }
}

/// A row of `collection_tracks`.
struct EntryRow: StoredRecord, Hashable {
  static let table = "collection_tracks"
  static let columns = ["id", "collection_id", "track_id", "position"]
  static let insertOnly = ["collection_id"]
  var id: UUID
  var collectionID: UUID
  var trackID: UUID
  var position: Int64

  init(id: UUID, of trackID: UUID, in collectionID: UUID, at position: Int64) {
    self.id = id
    self.collectionID = collectionID
    self.trackID = trackID
    self.position = position
  }

  init(row: inout StoredRow) throws {
    id = try row.id()
    collectionID = try row.id()
    trackID = try row.id()
    position = try row.int64()
  }

  func encode(into values: inout Values) throws {
    try values.id(id)
    try values.id(collectionID)
    try values.id(trackID)
    try values.int64(position)
  }

  var entry: PlaylistEntry { PlaylistEntry(id: id, trackID: trackID) }
}
