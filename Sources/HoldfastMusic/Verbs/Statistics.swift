public import Foundation
public import Holdfast

/// How many records of each kind a library has.
public struct MusicCounts: Sendable, Hashable, Codable {
  /// All tracks, also those with offline files.
  public var tracks = 0
  /// As `albums` lists them: an artist's tracks without an album count as one album.
  public var albums = 0
  /// Artists with albums, as `artists` lists them.
  public var artists = 0
  /// Playlists, without folders.
  public var playlists = 0
  /// Folders of playlists.
  public var folders = 0
}

/// The library in numbers.
public struct MusicStatistics: Sendable, Hashable, Codable {
  /// A genre or an artist, with a number.
  public struct Named: Sendable, Hashable, Codable {
    /// As the tracks write it.
    public var name: String
    /// How many tracks or plays.
    public var count: Int
  }

  /// A number of tracks for a year, or for the decade that begins with it.
  public struct Year: Sendable, Hashable, Codable {
    /// 1 to 9999 for a year; 0 to 9990 for a decade.
    public var year: Int
    /// How many tracks.
    public var tracks: Int
  }

  /// A track that was played.
  public struct Played: Sendable, Hashable, Codable, Identifiable {
    /// The track's id.
    public var id: UUID
    /// Its title, to be shown.
    public var title: String
    /// Its artist, to be shown.
    public var artist: String
    /// At least 1.
    public var plays: Int
  }

  /// How many records of each kind.
  public var counts = MusicCounts()
  /// The sum of all lengths. A track of unknown length counts as 0.
  public var totalSeconds = 0.0
  /// The sum of all file sizes. A file of unknown size counts as 0.
  public var totalBytes: Int64 = 0
  /// The plays of all tracks together; at most `Int.max`.
  public var plays = 0
  /// Tracks that were played at least once.
  public var playedTracks = 0
  /// The ten genres with the most tracks, the most first; equal ones by name.
  public var genres: [Named] = []
  /// Tracks without a genre, or with an empty one.
  public var tracksWithoutGenre = 0
  /// Decades by their first year, the earliest first; decades without tracks are left out.
  public var decades: [Year] = []
  /// Tracks without a year, or with one outside 1 to 9999.
  public var tracksWithoutYear = 0
  /// Years (UTC) in which tracks were added, the earliest first; years without tracks, and tracks without a date, are left out.
  public var yearsAdded: [Year] = []
  /// How many tracks have 0 to 5 stars; the index is the number of stars. A star is 20 points of a rating, rounded down.
  public var stars = [0, 0, 0, 0, 0, 0]
  /// Tracks without a rating.
  public var tracksWithoutRating = 0
  /// The ten artists whose tracks have the most plays, the most first; equal ones by name. The track's artist counts, not the album's.
  public var mostPlayedArtists: [Named] = []
  /// The ten tracks that were played most, the most first.
  public var mostPlayedTracks: [Played] = []

  /// All numbers zero.
  public init() {}
}

extension MusicStore {
  /// How many records of each kind the library has.
  public func counts() async throws -> MusicCounts { try await store.read { try Self.counts(in: $0) } }

  /// The numbers of the whole library at one commit. Reads every track, several times.
  public func statistics() async throws -> MusicStatistics { try await store.read { try Self.statistics(in: $0) } }

  /// The numbers now, and after each change.
  public func statisticsUpdates() -> Updates<MusicStatistics> {
    store.updates { try Self.statistics(in: $0) }
  }

  /// Counts the records of each kind inside your transaction; as `counts()`.
  public static func counts(in reader: Reader) throws -> MusicCounts {
    try reader.value(
      """
      WITH of_album AS (SELECT 1 FROM tracks WHERE sort_album < \(LibraryTrack.behindMusic) GROUP BY sort_album, group_album, group_artist),
        of_artist AS (SELECT 1 FROM tracks WHERE sort_artist < \(LibraryTrack.behindMusic) GROUP BY sort_artist, group_artist)
      SELECT (SELECT count(*) FROM tracks), (SELECT count(*) FROM of_album), (SELECT count(*) FROM of_artist),
        (SELECT count(*) FROM collections WHERE is_folder = 0), (SELECT count(*) FROM collections WHERE is_folder = 1)
      """
    ) { row in
      MusicCounts(tracks: try row.int(), albums: try row.int(), artists: try row.int(), playlists: try row.int(), folders: try row.int())
    } ?? MusicCounts()
  }

  /// Computes the numbers of the whole library inside your transaction; as `statistics()`.
  public static func statistics(in reader: Reader) throws -> MusicStatistics {
    var numbers = MusicStatistics()
    numbers.counts = try counts(in: reader)
    // sum() fails if the sum exceeds an INTEGER. total() is REAL, and the cast then takes the greatest INTEGER.
    try reader.rows(
      """
      SELECT total(duration), CAST(total(file_size) AS INTEGER), CAST(total(play_count) AS INTEGER),
        count(CASE WHEN play_count > 0 THEN 1 END), count(CASE WHEN genre IS NULL OR genre = '' THEN 1 END),
        count(CASE WHEN year IS NULL OR year NOT BETWEEN 1 AND 9999 THEN 1 END), count(CASE WHEN rating IS NULL THEN 1 END)
      FROM tracks
      """, of: "tracks"
    ) { row in
      numbers.totalSeconds = try row.double()
      numbers.totalBytes = try row.int64()
      numbers.plays = try row.int()
      numbers.playedTracks = try row.int()
      numbers.tracksWithoutGenre = try row.int()
      numbers.tracksWithoutYear = try row.int()
      numbers.tracksWithoutRating = try row.int()
    }
    numbers.genres = try named(
      "SELECT genre, count(*) AS tracks FROM tracks WHERE genre <> '' GROUP BY genre ORDER BY tracks DESC, genre LIMIT 10", reader)
    numbers.decades = try years(
      "SELECT year / 10 * 10 AS decade, count(*) FROM tracks WHERE year BETWEEN 1 AND 9999 GROUP BY decade ORDER BY decade", reader)
    numbers.yearsAdded = try years(
      """
      SELECT CAST(strftime('%Y', added_at / 1000.0, 'unixepoch') AS INTEGER) AS year_added, count(*) FROM tracks
      GROUP BY year_added HAVING year_added IS NOT NULL ORDER BY year_added
      """, reader)
    try reader.rows("SELECT rating / 20, count(*) FROM tracks WHERE rating IS NOT NULL GROUP BY 1", of: "tracks") { row in
      let stars = try row.int()
      let tracks = try row.int()
      if numbers.stars.indices.contains(stars) { numbers.stars[stars] = tracks }
    }
    numbers.mostPlayedArtists = try named(
      """
      SELECT artist, CAST(total(play_count) AS INTEGER) AS plays FROM tracks WHERE play_count > 0
      GROUP BY artist ORDER BY plays DESC, artist LIMIT 10
      """, reader)
    numbers.mostPlayedTracks = try reader.values(
      "SELECT id, title, artist, play_count FROM tracks WHERE play_count > 0 ORDER BY play_count DESC, id DESC LIMIT 10"
    ) { row in
      MusicStatistics.Played(id: try row.id(), title: try row.text(), artist: try row.text(), plays: try row.int())
    }
    return numbers
  }

  private static func named(_ sql: BoundSQL, _ reader: Reader) throws -> [MusicStatistics.Named] {
    try reader.values(sql) { row in MusicStatistics.Named(name: try row.text(), count: try row.int()) }
  }

  private static func years(_ sql: BoundSQL, _ reader: Reader) throws -> [MusicStatistics.Year] {
    try reader.values(sql) { row in MusicStatistics.Year(year: try row.int(), tracks: try row.int()) }
  }
}
