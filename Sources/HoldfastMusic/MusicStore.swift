public import Foundation
public import Holdfast
public import HoldfastTransfer

/// A music player's library: tracks, playlists and artwork; albums and artists are what the tracks say.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// blocking or `async`, and as a static function that works inside a transaction of yours.
public struct MusicStore: Sendable {
  /// The file, or the memory, that holds the library; other tables may share it.
  public let store: Store

  /// What can be done here; a screen can show its reason.
  public let access: LibraryAccess
  /// What was imported when the library was opened; nil when there was nothing to import.
  public let importReport: ImportReport?
  /// Why a legacy file could not be imported when the library was opened; nil when there was none, or it could.
  public let importFailure: StoreError?

  /// A library in a store that was opened with `MusicStore.schema`.
  public init(_ store: Store) { self.init(opened: OpenedStore(store)) }

  init(opened: OpenedStore) {
    store = opened.store
    access = opened.access
    importReport = opened.importReport
    importFailure = opened.importFailure
  }

  /// Opens the library at `url`, making or migrating the file where needed; see `Store.open(at:schemas:options:)`.
  public static func open(at url: URL, options: StoreOptions = .production) throws -> MusicStore {
    MusicStore(try Store.open(at: url, schemas: [schema], options: options))
  }

  /// A library in memory, for previews and tests.
  public static func inMemory(options: StoreOptions = .testing) throws -> MusicStore {
    MusicStore(try Store.inMemory(schemas: [schema], options: options))
  }
}
