public import Foundation
public import Holdfast

extension MusicStore {
  /// All tracks in the order of their rows, usually the order in which they were added.
  ///
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func tracks() async throws -> [LibraryTrack] { try await store.read { try Self.tracks(in: $0) } }

  /// One track; nil when there is none with this id.
  public func track(_ id: UUID) async throws -> LibraryTrack? { try await store.read { try Self.track(id, in: $0) } }

  /// All playlists and folders in their order, each with its tracks in order.
  ///
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func playlists() async throws -> [MusicPlaylist] { try await store.read { try Self.playlists(in: $0) } }

  /// One playlist with its tracks; nil when there is none with this id.
  public func playlist(_ id: UUID) async throws -> MusicPlaylist? { try await store.read { try Self.playlist(id, in: $0) } }

  /// All tracks now, and after each change of one.
  ///
  /// - Parameter ignoringPlays: as for `trackUpdates(_:limit:ignoringPlays:)`.
  public func trackUpdates(ignoringPlays: Bool = false) -> Updates<[LibraryTrack]> {
    store.updates(ignoring: Self.plays(ignoringPlays: ignoringPlays)) { try Self.tracks(in: $0) }
  }

  /// The columns whose changes an updating list does not follow.
  static func plays(ignoringPlays: Bool) -> [String: Set<String>] {
    ignoringPlays ? ["tracks": ["play_count", "base_plays", "last_played_at"]] : [:]
  }

  /// One track now, and after each change of the tracks; nil while it does not exist.
  public func trackUpdates(_ id: UUID) -> Updates<LibraryTrack?> { store.updates { try Self.track(id, in: $0) } }

  /// All playlists now, and after each change of one.
  public func playlistUpdates() -> Updates<[MusicPlaylist]> {
    store.updates { try Self.playlists(in: $0) }
  }

  /// One playlist now, and after each change of the playlists; nil while it does not exist.
  public func playlistUpdates(_ id: UUID) -> Updates<MusicPlaylist?> {
    store.updates { try Self.playlist(id, in: $0) }
  }

  /// Reads all tracks inside your transaction; as `tracks()`.
  public static func tracks(in reader: Reader) throws -> [LibraryTrack] {
    var tracks: [LibraryTrack] = []
    tracks.reserveCapacity(try reader.count("SELECT count(*) FROM tracks"))
    try reader.rows("SELECT \(raw: LibraryTrack.loadedColumns.joined(separator: ", ")) FROM tracks ORDER BY rowid", of: "tracks") { row in
      tracks.append(try LibraryTrack(loading: &row))
    }
    return tracks
  }

  /// Reads one track inside your transaction; as `track(_:)`.
  public static func track(_ id: UUID, in reader: Reader) throws -> LibraryTrack? { try reader.find(TrackRow.self, id: id)?.track }

  /// Reads all playlists and folders with their tracks inside your transaction; as `playlists()`.
  public static func playlists(in reader: Reader) throws -> [MusicPlaylist] {
    var playlists = try reader.all(PlaylistRow.self, "ORDER BY position, id").map(\.playlist)
    let places = Dictionary(playlists.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    var current: UUID?
    var trackIDs: [UUID] = []
    func handOver() { if let current, let place = places[current] { swap(&playlists[place].trackIDs, &trackIDs) } }
    // The entries of one list follow each other, so they are collected here and assigned together.
    try reader.rows(
      "SELECT collection_id, track_id FROM collection_tracks ORDER BY collection_id, position, id", of: "collection_tracks"
    ) { row in
      let id = try row.id()
      if id != current {
        handOver()
        trackIDs = []
        current = id
      }
      trackIDs.append(try row.id())
    }
    handOver()
    return playlists
  }

  /// Reads one playlist with its tracks inside your transaction; as `playlist(_:)`.
  public static func playlist(_ id: UUID, in reader: Reader) throws -> MusicPlaylist? {
    guard var playlist = try reader.find(PlaylistRow.self, id: id)?.playlist else { return nil }
    playlist.trackIDs = try reader.values(
      "SELECT track_id FROM collection_tracks WHERE collection_id = \(id) ORDER BY position, id"
    ) { row in try row.id() }
    return playlist
  }
}
