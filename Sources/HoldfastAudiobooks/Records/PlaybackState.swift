public import Foundation
import Holdfast

/// How far a track was heard.
public struct PlaybackState: Sendable, Hashable {
  /// In seconds from the track's start.
  public var position: Double
  /// The track's length in seconds, as the player measured it; nil if unknown.
  public var duration: Double?
  /// When the listener reached the position, to the millisecond.
  public var updatedAt: Date

  /// A position; its date is rounded to the millisecond.
  public init(position: Double, duration: Double? = nil, updatedAt: Date) {
    self.position = position
    self.duration = duration
    self.updatedAt = DateCodec.rounded(updatedAt)
  }
}

/// The time since which a track is a favourite.
public struct Favorite: Sendable, Hashable {
  /// Nil when the source did not say.
  public var favoritedAt: Date?

  /// A favourite; its date is rounded to the millisecond.
  public init(favoritedAt: Date?) {
    self.favoritedAt = favoritedAt.map(DateCodec.rounded)
  }
}

struct PlaybackRow: StoredRecord {
  static let table = "playback_states"
  static let columns = ["track_id", "collection_id", "position", "duration", "updated_at"]
  static let key = ["track_id"]
  static let insertOnly = ["collection_id"]
  var trackID: UUID
  var collectionID: UUID
  var state: PlaybackState

  init(_ state: PlaybackState, of trackID: UUID, in collectionID: UUID) {
    self.trackID = trackID
    self.collectionID = collectionID
    self.state = state
  }

  init(row: inout StoredRow) throws {
    trackID = try row.id()
    collectionID = try row.id()
    state = PlaybackState(position: try row.seconds(), duration: try row.secondsOrNil(), updatedAt: try row.date())
  }

  func encode(into values: inout Values) throws {
    try values.id(trackID)
    try values.id(collectionID)
    try values.seconds(state.position)
    try values.seconds(state.duration)
    try values.date(state.updatedAt)
  }
}

struct FavoriteRow: StoredRecord, Codable {
  static let table = "favorites"
  static let key = ["track_id"]
  static let insertOnly = ["collection_id"]
  var trackID: UUID
  var collectionID: UUID
  var favoritedAt: Date?

  var favorite: Favorite { Favorite(favoritedAt: favoritedAt) }
}

struct TagRow: StoredRecord, Codable {
  static let table = "tags"
  static let key = ["collection_id", "tag"]
  var collectionID: UUID
  var tag: String
  var position: Int64
}
