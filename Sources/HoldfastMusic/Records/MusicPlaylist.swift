public import Foundation
import Holdfast

/// A list of tracks in its own order, or a folder of playlists. The app calls it a collection.
public struct MusicPlaylist: Sendable, Hashable, Identifiable {
  /// Unique in the library.
  public var id: UUID
  /// As people wrote it. May be empty, and need not be unique.
  public var name: String
  /// The folder that contains it; nil at the top level.
  public var parentID: UUID?
  /// Whether this is a folder, which holds playlists. A folder's own tracks are kept, and most players ignore them.
  public var isFolder: Bool
  /// In playing order. A track may be listed several times.
  public var trackIDs: [UUID]
  /// The playlist's id in another player: 16 hexadecimal digits from iTunes.
  public var persistentID: String?

  /// A playlist that is not stored yet.
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
struct PlaylistRow: StoredRecord, Codable, Hashable {
  static let table = "collections"
  var id: UUID
  var name: String
  var parentID: UUID?
  var isFolder: Bool
  /// The place among all playlists, whatever their folders.
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

  /// The playlist without its tracks.
  var playlist: MusicPlaylist { MusicPlaylist(id: id, name: name, parentID: parentID, isFolder: isFolder, persistentID: persistentID) }
}

/// One entry of a playlist. It has its own id, because a track may be listed several times.
public struct PlaylistEntry: Sendable, Hashable, Identifiable {
  /// Unique in the library.
  public var id: UUID
  /// The track that the entry plays.
  public var trackID: UUID

  /// An entry with its id and its track.
  public init(id: UUID, trackID: UUID) {
    self.id = id
    self.trackID = trackID
  }
}

struct EntryRow: StoredRecord, Hashable, Codable {
  static let table = "collection_tracks"
  static let insertOnly = ["collection_id"]
  var id: UUID
  var collectionID: UUID
  var trackID: UUID
  var position: Int64

  var entry: PlaylistEntry { PlaylistEntry(id: id, trackID: trackID) }
}
