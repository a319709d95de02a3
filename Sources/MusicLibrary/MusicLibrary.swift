public import Foundation
public import Holdfast

/// A music player's library: tracks, playlists and artwork; albums and artists are what the tracks say.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// blocking or `async`, and as a static function that works inside a transaction of yours.
public struct MusicLibrary: Sendable {
  /// The file, or the memory, that holds the library; other tables may share it.
  public let store: Store

  /// A library in a store that was opened with `MusicLibrary.schema`.
  public init(_ store: Store) { self.store = store }

  /// Opens the library at `url`, making or migrating the file where needed; see `Store.open(at:schemas:options:)`.
  public static func open(at url: URL, options: StoreOptions = .production) throws -> MusicLibrary {
    MusicLibrary(try Store.open(at: url, schemas: [schema], options: options))
  }

  /// A library in memory, for previews and tests.
  public static func inMemory(options: StoreOptions = .testing) throws -> MusicLibrary {
    MusicLibrary(try Store.inMemory(schemas: [schema], options: options))
  }
}
