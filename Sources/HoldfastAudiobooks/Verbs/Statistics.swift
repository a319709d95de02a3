public import Foundation
public import Holdfast

/// The library in numbers.
public struct LibraryStatistics: Sendable, Hashable, Codable {
  /// All collections, empty ones included.
  public var collections = 0
  /// All tracks.
  public var tracks = 0
  /// The sum of all lengths. A track of unknown length counts as 0.
  public var totalSeconds = 0.0
  /// The sum of the positions reached in all tracks.
  public var listenedSeconds = 0.0
  /// Tracks heard to within their last 30 seconds, or to 98 % when they are shorter than 25 minutes.
  public var finishedTracks = 0
  /// Tracks that were begun and are not finished.
  public var tracksInProgress = 0
  /// Collections whose tracks are all finished.
  public var finishedCollections = 0
  /// Collections with a playback state that are not finished.
  public var collectionsInProgress = 0
  /// Tracks that are favourites.
  public var favorites = 0
}

/// How long one collection was listened to.
public struct HeardCollection: Sendable, Hashable, Codable, Identifiable {
  /// The collection's id.
  public var id: UUID
  /// Its title, to be shown.
  public var title: String
  /// Its author; nil when not known.
  public var author: String?
  /// The sum of the positions reached in its tracks.
  public var listenedSeconds: Double
  /// The sum of its tracks' lengths. A track of unknown length counts as 0.
  public var totalSeconds: Double
}

extension AudiobookLibrary {
  /// The numbers of the whole library at one commit. Reads every track.
  public func statistics() async throws -> LibraryStatistics { try await store.read { try Self.statistics(in: $0) } }

  /// The numbers now, and after each change.
  public func statisticsUpdates() -> Updates<LibraryStatistics> {
    store.updates { try Self.statistics(in: $0) }
  }

  /// The collections that were listened to longest, the longest first. Collections that were never heard are left out.
  ///
  /// - Parameter limit: how many at most; values below 1 count as 1.
  public func mostHeard(limit: Int = 10) async throws -> [HeardCollection] {
    try await store.read { try Self.mostHeard(limit: limit, in: $0) }
  }

  /// Reads the most heard collections inside your transaction; as `mostHeard(limit:)`.
  public static func mostHeard(limit: Int = 10, in reader: Reader) throws -> [HeardCollection] {
    try reader.values(
      """
      SELECT c.id, c.title, c.author, total(s.position) AS listened,
        (SELECT total(t.duration) FROM tracks t WHERE t.collection_id = s.collection_id)
      FROM playback_states s JOIN collections c ON c.id = s.collection_id
      GROUP BY s.collection_id HAVING listened > 0 ORDER BY listened DESC, s.collection_id LIMIT \(max(1, limit))
      """
    ) { row in
      HeardCollection(
        id: try row.id(), title: try row.text(), author: try row.textOrNil(), listenedSeconds: try row.double(),
        totalSeconds: try row.double())
    }
  }

  /// Computes the numbers of the whole library inside your transaction; as `statistics()`.
  public static func statistics(in reader: Reader) throws -> LibraryStatistics {
    // The end of a track is mostly silence and credits: 30 seconds, or 2 % of a short one.
    let length = "coalesce(s.duration, t.duration)"
    let finished = "(\(length) > 0 AND s.position >= \(length) - min(30.0, 0.02 * \(length)))"
    return try reader.value(
      """
      WITH per_collection AS (
        SELECT t.collection_id AS id, count(*) AS tracks, total(t.duration) AS seconds, total(s.position) AS listened,
          count(s.track_id) AS begun, count(CASE WHEN \(raw: finished) THEN 1 END) AS finished
        FROM tracks t LEFT JOIN playback_states s ON s.track_id = t.id GROUP BY t.collection_id)
      SELECT (SELECT count(*) FROM collections), coalesce(sum(tracks), 0), total(seconds), total(listened),
        coalesce(sum(finished), 0), coalesce(sum(begun - finished), 0), coalesce(sum(finished = tracks), 0),
        coalesce(sum(begun > 0 AND finished < tracks), 0), (SELECT count(*) FROM favorites)
      FROM per_collection
      """
    ) { row in
      LibraryStatistics(
        collections: try row.int(), tracks: try row.int(), totalSeconds: try row.double(), listenedSeconds: try row.double(),
        finishedTracks: try row.int(), tracksInProgress: try row.int(), finishedCollections: try row.int(),
        collectionsInProgress: try row.int(), favorites: try row.int())
    } ?? LibraryStatistics()
  }
}
