import Foundation
import GRDB

/// Records as GRDB's own documentation writes them: Codable, with strategies for the schema's ids and dates.
protocol LibraryRecord: Codable, FetchableRecord, PersistableRecord {}

extension LibraryRecord {
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .millisecondsSince1970 }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .millisecondsSince1970 }
}

/// GRDB's pool on a file that another contestant has made.
class GRDBPool {
  static let name = GRDBContestant.name
  let pool: DatabasePool

  init(path: String) throws { pool = try DatabasePool(path: path) }

  func close() throws { try pool.close() }
}

enum LocationType: String, Codable { case local, baidu, external }
enum SourceType: String, Codable { case local, baiduNetdisk, external, ephemeralBaidu }
enum CoverKind: String, Codable { case solid, image, remote }

struct CollectionRecord: LibraryRecord {
  static let databaseTableName = "collections"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var id: UUID
  var title: String
  var author: String?
  var description: String?
  var coverKind: CoverKind
  var coverPayload: String
  var coverDominantColor: String?
  var createdAt: Date
  var updatedAt: Date
  var sourceType: SourceType
  var sourcePayload: String
  var lastPlayedTrackId: UUID?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, title, author, description
    case coverKind = "cover_kind"
    case coverPayload = "cover_payload"
    case coverDominantColor = "cover_dominant_color"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case sourceType = "source_type"
    case sourcePayload = "source_payload"
    case lastPlayedTrackId = "last_played_track_id"
  }
}

struct TrackRecord: LibraryRecord {
  static let databaseTableName = "tracks"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var id: UUID
  var collectionId: UUID
  var position: Int
  var displayName: String
  var filename: String
  var locationType: LocationType
  var locationPayload: String
  var fileSize: Int64
  var duration: Double?
  var trackNumber: Int
  var checksum: String?
  var metadata: String
  var originalId: String?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id
    case collectionId = "collection_id"
    case position
    case displayName = "display_name"
    case filename
    case locationType = "location_type"
    case locationPayload = "location_payload"
    case fileSize = "file_size"
    case duration
    case trackNumber = "track_number"
    case checksum, metadata
    case originalId = "original_id"
  }
}

struct StateRecord: LibraryRecord {
  static let databaseTableName = "playback_states"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var trackId: UUID
  var collectionId: UUID
  var position: Double
  var duration: Double?
  var updatedAt: Date

  enum CodingKeys: String, CodingKey, CaseIterable {
    case trackId = "track_id"
    case collectionId = "collection_id"
    case position, duration
    case updatedAt = "updated_at"
  }
}

struct FavoriteRecord: LibraryRecord {
  static let databaseTableName = "favorites"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var trackId: UUID
  var collectionId: UUID
  var favoritedAt: Date?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case trackId = "track_id"
    case collectionId = "collection_id"
    case favoritedAt = "favorited_at"
  }
}

struct TagRecord: LibraryRecord {
  static let databaseTableName = "tags"
  var collectionId: UUID
  var tag: String
  var position: Int

  enum CodingKeys: String, CodingKey {
    case collectionId = "collection_id"
    case tag, position
  }
}

extension CollectionRecord {
  init(_ seed: SeedCollection) {
    self.init(
      id: seed.id, title: seed.title, author: seed.author, description: seed.description, coverKind: .solid,
      coverPayload: seed.coverPayload, coverDominantColor: seed.colorHex, createdAt: Date(milliseconds: seed.createdAt),
      updatedAt: Date(milliseconds: seed.updatedAt), sourceType: .baiduNetdisk, sourcePayload: seed.sourcePayload,
      lastPlayedTrackId: seed.lastPlayedTrack)
  }
}

extension TrackRecord {
  init(_ seed: SeedTrack) throws {
    guard let type = LocationType(rawValue: seed.locationType) else { throw Failure("location type \(seed.locationType)") }
    self.init(
      id: seed.id, collectionId: seed.collection, position: seed.position, displayName: seed.displayName, filename: seed.filename,
      locationType: type, locationPayload: seed.locationPayload, fileSize: seed.fileSize, duration: seed.duration,
      trackNumber: seed.trackNumber, checksum: seed.checksum, metadata: seed.metadataText, originalId: nil)
  }
}
