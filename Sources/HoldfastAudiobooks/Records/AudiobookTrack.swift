public import Foundation
public import Holdfast

/// One audio file of a collection.
///
/// Its place in the collection is its place in `AudiobookCollection.tracks`; `trackNumber` is what the file's source says.
public struct AudiobookTrack: Sendable, Hashable, Identifiable {
  /// Unique in the whole library, not only in its collection.
  public var id: UUID
  /// What people see and search for.
  public var displayName: String
  /// With its extension, without a folder.
  public var filename: String
  /// Where the file is. Kinds that this version does not know are kept word for word.
  public var location: Tagged<TrackLocation>
  /// In bytes.
  public var fileSize: Int64
  /// In seconds, if known.
  public var duration: Double?
  /// The number that the source gives, from 1. Need not be unique.
  public var trackNumber: Int
  /// The checksum that the source gives: an MD5 from Baidu, for example.
  public var checksum: String?
  /// Other facts from the source, by name. Decoded on each access.
  public var metadata: StoredJSON<[String: String]>
  /// The id in the source, when another collection already had a track with this id; nil otherwise. Exports use it.
  public internal(set) var originalID: UUID?

  /// A track that is not stored yet. Names, location and number are required.
  public init(
    id: UUID, displayName: String, filename: String, location: TrackLocation, fileSize: Int64 = 0, duration: Double? = nil,
    trackNumber: Int, checksum: String? = nil, metadata: StoredJSON<[String: String]> = .empty
  ) {
    self.id = id
    self.displayName = displayName
    self.filename = filename
    self.location = Tagged(location)
    self.fileSize = fileSize
    self.duration = duration
    self.trackNumber = trackNumber
    self.checksum = checksum
    self.metadata = metadata
  }

  /// A track that the app built anew does not carry the original id; that must not erase the stored one.
  mutating func keepOriginalID(of stored: AudiobookTrack) {
    originalID = originalID ?? stored.originalID
  }

  /// The columns that `init(loading:)` reads, in its order.
  static let loadedColumns = [
    "id", "display_name", "filename", "location_type", "location_payload", "file_size", "duration", "track_number", "checksum",
    "metadata", "original_id",
  ]

  /// Reads into local values first: of a track that is built value by value, the compiler makes a copy at the end.
  init(loading row: inout StoredRow) throws {
    let id = try row.id()
    let displayName = try row.text()
    let filename = try row.text()
    let location = Tagged<TrackLocation>(type: try row.text(), payload: try row.text())
    let fileSize = try row.int64()
    let duration = try row.secondsOrNil()
    let trackNumber = try row.int()
    let checksum = try row.textOrNil()
    let metadata: StoredJSON<[String: String]> = try row.json()
    let originalID = try row.idOrNil()
    (self.id, self.displayName, self.filename, self.location, self.fileSize) = (id, displayName, filename, location, fileSize)
    (self.duration, self.trackNumber, self.checksum, self.metadata) = (duration, trackNumber, checksum, metadata)
    self.originalID = originalID
  }
}

struct TrackRow: StoredRecord {
  static let table = "tracks"
  static let columns = AudiobookTrack.loadedColumns + ["collection_id", "position", "search_name"]
  var track: AudiobookTrack
  var collectionID: UUID
  var position: Int64

  init(_ track: AudiobookTrack, in collectionID: UUID, at position: Int64) {
    self.track = track
    self.collectionID = collectionID
    self.position = position
  }

  init(row: inout StoredRow) throws {
    track = try AudiobookTrack(loading: &row)
    collectionID = try row.id()
    position = try row.int64()
    // Derived from the name; read to keep to the columns.
    _ = try row.textOrNil()
  }

  func encode(into values: inout Values) throws {
    try values.id(track.id)
    try values.text(track.displayName)
    try values.text(track.filename)
    try values.text(track.location.type)
    try values.text(track.location.payload)
    try values.int64(track.fileSize)
    try values.seconds(track.duration)
    try values.int(track.trackNumber)
    try values.text(track.checksum)
    try values.json(track.metadata)
    try values.id(track.originalID)
    try values.id(collectionID)
    try values.int64(position)
    try values.text(SearchText.segmented(track.displayName))
  }
}
