import Foundation

/// The store of tracks that an app needs. `MusicStore` implements it; a test may use its own.
public protocol TrackRepository: Sendable {
  /// All tracks.
  func loadTracks() async throws -> [LibraryTrack]
  /// Inserts or updates tracks. Removes all other tracks only when `replacingAll` is true.
  func saveTracks(_ tracks: [LibraryTrack], replacingAll: Bool) async throws
}

extension TrackRepository {
  /// Inserts or updates tracks, and removes none.
  public func saveTracks(_ tracks: [LibraryTrack]) async throws { try await saveTracks(tracks, replacingAll: false) }
}

/// The store of playlists that an app needs. The app calls playlists collections.
public protocol CollectionRepository: Sendable {
  /// All playlists in their order, each with its tracks in order.
  func loadCollections() async throws -> [MusicPlaylist]
  /// Inserts or updates playlists, and gives them this order among themselves. Removes all other playlists only when
  /// `replacingAll` is true. Only entries whose tracks are not stored are left out.
  func saveCollections(_ collections: [MusicPlaylist], replacingAll: Bool) async throws
}

extension CollectionRepository {
  /// Inserts or updates playlists, and removes none.
  public func saveCollections(_ collections: [MusicPlaylist]) async throws { try await saveCollections(collections, replacingAll: false) }
}

extension MusicStore: TrackRepository, CollectionRepository {
  /// See `tracks()`.
  public func loadTracks() async throws -> [LibraryTrack] { try await tracks() }
  /// See `playlists()`.
  public func loadCollections() async throws -> [MusicPlaylist] { try await playlists() }
  /// See `savePlaylists(_:replacingAll:)`, which returns the entries that were left out.
  public func saveCollections(_ collections: [MusicPlaylist], replacingAll: Bool) async throws {
    try await savePlaylists(collections, replacingAll: replacingAll)
  }
}
