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
}

/// A row of `collections`: the collection without its tracks, states, favourites and tags.
struct CollectionRow: StoredRecord, Hashable {
  static let table = "collections"
  static let columns = [
    "id", "title", "author", "description", "cover_kind", "cover_payload", "cover_dominant_color", "created_at", "updated_at",
    "source_type", "source_payload", "last_played_track_id", "search_title", "search_author",
  ]
  /// Without tracks, states, favourites and tags.
  var collection: AudiobookCollection

  init(_ collection: AudiobookCollection) {
    self.collection = collection
    (self.collection.tracks, self.collection.tags) = ([], [])
    (self.collection.playbackStates, self.collection.favorites) = ([:], [:])
  }

  init(row: inout StoredRow) throws {
    collection = AudiobookCollection(
      id: try row.id(), title: try row.text(), author: try row.textOrNil(), description: try row.textOrNil(),
      cover: CollectionCover(image: Tagged(type: try row.text(), payload: try row.text()), dominantColorHex: try row.textOrNil()),
      // Also for a known kind: this case takes both texts as they are.
      createdAt: try row.date(), updatedAt: try row.date(), source: .unknown(type: try row.text(), json: try row.text()),
      lastPlayedTrackID: try row.idOrNil())
    // Derived from title and author. Read only to reach the end of the row.
    _ = try row.textOrNil()
    _ = try row.textOrNil()
  }

  func encode(into values: inout Values) throws {
    try values.id(collection.id)
    try values.text(collection.title)
    try values.text(collection.author)
    try values.text(collection.description)
    try values.text(collection.cover.image.type)
    try values.text(collection.cover.image.payload)
    try values.text(collection.cover.dominantColorHex)
    try values.date(collection.createdAt)
    try values.date(collection.updatedAt)
    try values.text(collection.source.type)
    try values.text(collection.source.payload)
    try values.id(collection.lastPlayedTrackID)
    try values.text(SearchText.segmented(collection.title))
    try values.text(collection.author.flatMap { SearchText.segmented($0) })
  }
}
