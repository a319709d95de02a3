public import Foundation
public import Holdfast
public import HoldfastTransfer

/// A music player's library: tracks, playlists and artwork. Albums and artists come from the tracks' fields.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// blocking or `async`, and as a static function that works inside a transaction of yours.
public struct MusicStore: Sendable {
  /// The store that holds the library, in a file or in memory; other tables may share it.
  public let store: Store

  /// What this library value can do; a screen can show its reason.
  public let access: LibraryAccess
  /// The report of the import at opening; nil when there was nothing to import.
  public let importReport: ImportReport?
  /// Why the legacy file could not be imported at opening; nil when there was no such file, or the import succeeded.
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

  /// Opens the library in the program's own place, `Store.defaultURL(named:)`.
  ///
  /// - Throws: what `open(at:options:)` and `Store.defaultURL(named:)` throw.
  public static func open(options: StoreOptions = .production) throws -> MusicStore {
    try open(at: Store.defaultURL(named: schema.name), options: options)
  }

  /// A library in memory, for previews and tests.
  public static func inMemory(options: StoreOptions = .testing) throws -> MusicStore {
    MusicStore(try Store.inMemory(schemas: [schema], options: options))
  }
}
