import Foundation
import Holdfast
import HoldfastAudiobooks

/// The product with records that say themselves once: columns, reading and binding follow from `Codable`.
final class HoldfastDerivedContestant: HoldfastContestant, @unchecked Sendable {
  override class var name: String { "Holdfast, derived" }
  override class var imports: Bool { false }
  override class func takesPart(in workload: Workload) -> Bool { [Workload.loadNew, Workload.saveFast].contains(workload.name) }

  override func loadLibrary() throws -> any Loaded {
    try library.store.read { reader in
      try DerivedLibrary(
        collections: reader.all(DerivedCollection.self, "ORDER BY created_at, id"),
        tags: reader.all(DerivedTag.self, "ORDER BY collection_id, position, tag"),
        tracks: reader.all(DerivedTrack.self, "ORDER BY collection_id, position, id"),
        states: reader.all(DerivedState.self), favorites: reader.all(DerivedFavorite.self))
    }
  }

  override func savePosition(_ save: SavedPosition) throws {
    try library.store.write { tx in
      try tx.upsert(
        DerivedState(
          trackID: save.track, collectionID: save.collection, position: save.position, duration: save.duration, updatedAt: save.updatedAt))
      try setLastPlayed(save, in: tx)
    }
  }
}

/// The same save with the same record, written by hand.
final class HoldfastByHandContestant: HoldfastContestant, @unchecked Sendable {
  override class var name: String { "Holdfast, by hand" }
  override class var imports: Bool { false }
  override class func takesPart(in workload: Workload) -> Bool { workload.name == Workload.saveFast }

  override func savePosition(_ save: SavedPosition) throws {
    try library.store.write { tx in
      try tx.upsert(
        WrittenState(
          trackID: save.track, collectionID: save.collection, position: save.position, duration: save.duration, updatedAt: save.updatedAt))
      try setLastPlayed(save, in: tx)
    }
  }
}

private let lastPlayed: BoundSQL = "UPDATE collections SET last_played_track_id = ?1, updated_at = ?2 WHERE id = ?3"

private func setLastPlayed(_ save: SavedPosition, in tx: Writer) throws {
  try tx.execute(lastPlayed) { values in
    try values.id(save.track)
    try values.date(save.updatedAt)
    try values.id(save.collection)
  }
}

private struct DerivedCollection: StoredRecord, Codable {
  static let table = "collections"
  var id: UUID
  var title: String
  var author: String?
  var description: String?
  var coverKind: String
  var coverPayload: String
  var coverDominantColor: String?
  var createdAt: Date
  var updatedAt: Date
  var sourceType: String
  var sourcePayload: String
  var lastPlayedTrackID: UUID?
}

private struct DerivedTrack: StoredRecord, Codable {
  static let table = "tracks"
  var id: UUID
  var collectionID: UUID
  var position: Int
  var displayName: String
  var filename: String
  var locationType: String
  var locationPayload: String
  var fileSize: Int64
  var duration: Double?
  var trackNumber: Int
  var checksum: String?
  var metadata: String
  var originalID: String?
}

private struct DerivedState: StoredRecord, Codable {
  static let table = "playback_states"
  static let key = ["track_id"]
  static let insertOnly = ["collection_id"]
  var trackID: UUID
  var collectionID: UUID
  var position: Double
  var duration: Double?
  var updatedAt: Date
}

private struct WrittenState: StoredRecord {
  static let table = "playback_states"
  static let key = ["track_id"]
  static let insertOnly = ["collection_id"]
  static let columns = ["track_id", "collection_id", "position", "duration", "updated_at"]
  var trackID: UUID
  var collectionID: UUID
  var position: Double
  var duration: Double?
  var updatedAt: Date

  init(trackID: UUID, collectionID: UUID, position: Double, duration: Double?, updatedAt: Date) {
    (self.trackID, self.collectionID, self.position) = (trackID, collectionID, position)
    (self.duration, self.updatedAt) = (duration, updatedAt)
  }

  init(row: inout StoredRow) throws {
    (trackID, collectionID) = (try row.id(), try row.id())
    (position, duration, updatedAt) = (try row.seconds(), try row.secondsOrNil(), try row.date())
  }

  func encode(into values: inout Values) throws {
    try values.id(trackID)
    try values.id(collectionID)
    try values.seconds(position)
    try values.seconds(duration)
    try values.date(updatedAt)
  }
}

private struct DerivedFavorite: StoredRecord, Codable {
  static let table = "favorites"
  static let key = ["track_id"]
  var trackID: UUID
  var collectionID: UUID
  var favoritedAt: Date?
}

private struct DerivedTag: StoredRecord, Codable {
  static let table = "tags"
  static let key = ["collection_id", "tag"]
  var collectionID: UUID
  var tag: String
  var position: Int
}

private struct DerivedLibrary: Loaded {
  struct Entry {
    var collection: DerivedCollection
    var tags: ArraySlice<DerivedTag> = []
    var tracks: ArraySlice<DerivedTrack> = []
  }
  private var entries: [Entry]
  private var states: [UUID: DerivedState]
  private var favorites: [UUID: DerivedFavorite]

  init(
    collections: [DerivedCollection], tags: [DerivedTag], tracks: [DerivedTrack], states: [DerivedState], favorites: [DerivedFavorite]
  ) {
    let places = Dictionary(collections.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    entries = collections.map { Entry(collection: $0) }
    // The rows of one collection follow each other.
    for (start, id) in Self.starts(tags.map(\.collectionID)) { if let place = places[id] { entries[place].tags = tags[start] } }
    for (start, id) in Self.starts(tracks.map(\.collectionID)) { if let place = places[id] { entries[place].tracks = tracks[start] } }
    self.states = Dictionary(states.map { ($0.trackID, $0) }, uniquingKeysWith: { $1 })
    self.favorites = Dictionary(favorites.map { ($0.trackID, $0) }, uniquingKeysWith: { $1 })
  }

  /// Where the rows of each collection stand.
  private static func starts(_ ids: [UUID]) -> [(Range<Int>, UUID)] {
    var found: [(Range<Int>, UUID)] = []
    var start = 0
    for place in ids.indices where place + 1 == ids.count || ids[place + 1] != ids[place] {
      found.append((start..<(place + 1), ids[place]))
      start = place + 1
    }
    return found
  }

  var checksum: Checksum {
    var sum = Checksum()
    for entry in entries {
      sum.addCollection(
        tags: entry.tags.count, title: entry.collection.title.utf8.count, updatedAtMilliseconds: entry.collection.updatedAt.milliseconds)
      for track in entry.tracks {
        sum.addTrack(id: track.id, fileSize: track.fileSize, textBytes: track.displayName.utf8.count + track.filename.utf8.count)
        if let state = states[track.id] { sum.addState(position: state.position, updatedAtMilliseconds: state.updatedAt.milliseconds) }
      }
    }
    sum.addFavorites(favorites.count)
    return sum
  }
}
