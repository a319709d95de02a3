public import Foundation
import Holdfast

/// A book: its tracks in order, with what the listener did with them.
public struct AudiobookCollection: Sendable, Hashable, Identifiable {
  /// Unique in the library. New ones come from `NewID`.
  public var id: UUID
  /// As people wrote it; neither trimmed nor cut. May be empty.
  public var title: String
  /// Nil when no author is known.
  public var author: String?
  /// A text about the book; nil when there is none.
  public var description: String?
  /// The image or colour that the shelf shows.
  public var cover: CollectionCover
  /// When the collection was made, to the millisecond. The shelf shows the newest first.
  public var createdAt: Date
  /// To the millisecond; the verbs set it when they change the collection. Imports compare it.
  public var updatedAt: Date
  /// Where the collection's files come from. Kinds that this version does not know are kept word for word.
  public var source: Tagged<CollectionSource>
  /// In listening order.
  public var tracks: [AudiobookTrack]
  /// The track to continue with; nil when nothing was played. Saved only when it is one of `tracks`.
  public var lastPlayedTrackID: UUID?
  /// How far each track was heard, by the track's id.
  public var playbackStates: [UUID: PlaybackState]
  /// The favourite tracks, by the track's id.
  public var favorites: [UUID: Favorite]
  /// In the order that the listener gave them; no tag twice.
  public var tags: [String]

  /// A collection that is not stored yet. Dates are rounded to the millisecond, so that a loaded value equals the saved one.
  public init(
    id: UUID, title: String, author: String? = nil, description: String? = nil, cover: CollectionCover = .standard, createdAt: Date,
    updatedAt: Date? = nil, source: CollectionSource, tracks: [AudiobookTrack] = [], lastPlayedTrackID: UUID? = nil,
    playbackStates: [UUID: PlaybackState] = [:], favorites: [UUID: Favorite] = [:], tags: [String] = []
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.description = description
    self.cover = cover
    self.createdAt = DateCodec.rounded(createdAt)
    self.updatedAt = DateCodec.rounded(updatedAt ?? createdAt)
    self.source = Tagged(source)
    self.tracks = tracks
    self.lastPlayedTrackID = lastPlayedTrackID
    self.playbackStates = playbackStates
    self.favorites = favorites
    self.tags = tags
  }

  init(_ row: CollectionRow) {
    id = row.id
    title = row.title
    author = row.author
    description = row.description
    cover = row.cover
    createdAt = row.createdAt
    updatedAt = row.updatedAt
    source = row.source
    tracks = []
    lastPlayedTrackID = row.lastPlayedTrackID
    playbackStates = [:]
    favorites = [:]
    tags = []
  }
}

/// A row of `collections`: the collection without its tracks, states, favourites and tags.
struct CollectionRow: StoredRecord, Hashable {
  static let table = "collections"
  static let columns = [
    "id", "title", "author", "description", "cover_kind", "cover_payload", "cover_dominant_color", "created_at", "updated_at",
    "source_type", "source_payload", "last_played_track_id", "search_title", "search_author",
  ]
  var id: UUID
  var title: String
  var author: String?
  var description: String?
  var cover: CollectionCover
  var createdAt: Date
  var updatedAt: Date
  var source: Tagged<CollectionSource>
  var lastPlayedTrackID: UUID?

  init(
    id: UUID, title: String, author: String?, description: String?, cover: CollectionCover, createdAt: Date, updatedAt: Date,
    source: Tagged<CollectionSource>, lastPlayedTrackID: UUID?
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.description = description
    self.cover = cover
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.source = source
    self.lastPlayedTrackID = lastPlayedTrackID
  }

  init(_ collection: AudiobookCollection) {
    id = collection.id
    title = collection.title
    author = collection.author
    description = collection.description
    cover = collection.cover
    createdAt = collection.createdAt
    updatedAt = collection.updatedAt
    source = collection.source
    lastPlayedTrackID = collection.lastPlayedTrackID
  }

  init(row: inout StoredRow) throws {
    id = try row.id()
    title = try row.text()
    author = try row.textOrNil()
    description = try row.textOrNil()
    cover = CollectionCover(
      image: Tagged(type: try row.text(), payload: try row.text()), dominantColorHex: try row.textOrNil())
    createdAt = try row.date()
    updatedAt = try row.date()
    source = Tagged(type: try row.text(), payload: try row.text())
    lastPlayedTrackID = try row.idOrNil()
    // Derived from title and author. Read only to reach the end of the row.
    _ = try row.textOrNil()
    _ = try row.textOrNil()
  }

  func encode(into values: inout Values) throws {
    try values.id(id)
    try values.text(title)
    try values.text(author)
    try values.text(description)
    try values.text(cover.image.type)
    try values.text(cover.image.payload)
    try values.text(cover.dominantColorHex)
    try values.date(createdAt)
    try values.date(updatedAt)
    try values.text(source.type)
    try values.text(source.payload)
    try values.id(lastPlayedTrackID)
    try values.text(SearchText.segmented(title))
    try values.text(author.flatMap { SearchText.segmented($0) })
  }
}
