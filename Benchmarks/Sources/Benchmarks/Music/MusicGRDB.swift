import Foundation
import GRDB

/// Records as GRDB's own documentation writes them, for the music library's tables.
private struct MusicTrackRecord: LibraryRecord {
  static let databaseTableName = "tracks"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var id: UUID
  var title: String
  var artist: String
  var album: String
  var albumArtist: String?
  var isCompilation: Bool
  var genre: String?
  var year: Int?
  var trackNumber: Int?
  var discNumber: Int?
  var duration: Double?
  var fileURL: String?
  var availability: String
  var fileSize: Int64?
  var fileModifiedAt: Date?
  var contentHash: String?
  var artworkURL: String?
  var artworkHash: String?
  var playCount: Int
  var lastPlayedAt: Date?
  var rating: Int?
  var addedAt: Date
  var persistentID: String?
  var metadata: String

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, title, artist, album, genre, year, duration, availability, rating, metadata
    case albumArtist = "album_artist"
    case isCompilation = "is_compilation"
    case trackNumber = "track_number"
    case discNumber = "disc_number"
    case fileURL = "file_url"
    case fileSize = "file_size"
    case fileModifiedAt = "file_modified_at"
    case contentHash = "content_hash"
    case artworkURL = "artwork_url"
    case artworkHash = "artwork_hash"
    case playCount = "play_count"
    case lastPlayedAt = "last_played_at"
    case addedAt = "added_at"
    case persistentID = "persistent_id"
  }
}

private struct PlaylistRecord: LibraryRecord {
  static let databaseTableName = "collections"
  var id: UUID
  var name: String
  var parentID: UUID?
  var isFolder: Bool
  var position: Int64
  var persistentID: String?

  enum CodingKeys: String, CodingKey {
    case id, name, position
    case parentID = "parent_id"
    case isFolder = "is_folder"
    case persistentID = "persistent_id"
  }
}

private struct EntryRecord: LibraryRecord {
  static let databaseTableName = "collection_tracks"
  var collectionID: UUID
  var trackID: UUID

  enum CodingKeys: String, CodingKey, CaseIterable {
    case collectionID = "collection_id"
    case trackID = "track_id"
  }
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
}

/// A `DatabasePool` with Codable records and the query interface.
final class MusicGRDB: GRDBPool {
  func load() throws -> Found {
    try pool.read { db in
      let tracks = try MusicTrackRecord.order(Column.rowID).fetchAll(db)
      let playlists = try PlaylistRecord.order(Column("position"), Column("id")).fetchAll(db)
      let entries = try EntryRecord.order(Column("collection_id"), Column("position"), Column("id")).fetchAll(db)
      let byPlaylist = Dictionary(grouping: entries, by: \.collectionID)
      let found = playlists.reduce(0) { $0 + (byPlaylist[$1.id]?.count ?? 0) }
      let textBytes = tracks.reduce(0) { $0 + $1.title.utf8.count + $1.metadata.utf8.count }
      return Found([Double(tracks.count), Double(found), Double(textBytes)], kept: [tracks, playlists, byPlaylist])
    }
  }
}
