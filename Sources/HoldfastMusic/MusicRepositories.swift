import Foundation

/// What an app needs of a store for tracks; `MusicStore` is the real one, and a test may put its own in the place of it.
public protocol TrackRepository: Sendable {
  /// All tracks.
  func loadTracks() async throws -> [LibraryTrack]
  /// Inserts or updates tracks; removes the others only when `replacingAll` is true.
  func saveTracks(_ tracks: [LibraryTrack], replacingAll: Bool) async throws
}

extension TrackRepository {
  /// Inserts or updates tracks, and removes none.
  public func saveTracks(_ tracks: [LibraryTrack]) async throws { try await saveTracks(tracks, replacingAll: false) }
}

/// What an app needs of a store for playlists, which it calls collections.
public protocol CollectionRepository: Sendable {
  /// All playlists in their order, each with its tracks in theirs.
  func loadCollections() async throws -> [MusicPlaylist]
  /// Inserts or updates playlists; puts them in this order among themselves, and removes the others only when `replacingAll` is
  /// true. Entries whose tracks are not stored are left out, and nothing else is.
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
  /// See `savePlaylists(_:replacingAll:)`, which says what was left out.
  public func saveCollections(_ collections: [MusicPlaylist], replacingAll: Bool) async throws {
    try await savePlaylists(collections, replacingAll: replacingAll)
  }
}
