public import Foundation
public import Holdfast
public import HoldfastTransfer

/// An audiobook player's library: collections of tracks, and what the listener did with them.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// blocking or `async`, and as a static function that works inside a transaction of yours.
public struct AudiobookLibrary: Sendable {
  /// Whether the library can be changed, and if not, why.
  public typealias Access = LibraryAccess

  /// The store that holds the library, in a file or in memory; other tables may share it.
  public let store: Store
  /// What this library value can do; a screen can show its reason.
  public let access: Access
  /// The report of the import at opening; nil when there was nothing to import.
  public let importReport: ImportReport?
  /// Why the legacy file could not be imported at opening; nil when there was no such file, or the import succeeded.
  public let importFailure: StoreError?

  /// A library in a store that was opened with `AudiobookLibrary.schema`.
  public init(_ store: Store) { self.init(opened: OpenedStore(store)) }

  init(opened: OpenedStore) {
    store = opened.store
    access = opened.access
    importReport = opened.importReport
    importFailure = opened.importFailure
  }

  /// Opens the library at `url`, making or migrating the file where needed; see `Store.open(at:schemas:options:)`.
  public static func open(at url: URL, options: StoreOptions = .production) throws -> AudiobookLibrary {
    AudiobookLibrary(try Store.open(at: url, schemas: [schema], options: options))
  }

  /// Opens the library in the program's own place, `Store.defaultURL(named:)`.
  ///
  /// - Throws: what `open(at:options:)` and `Store.defaultURL(named:)` throw.
  public static func open(options: StoreOptions = .production) throws -> AudiobookLibrary {
    try open(at: Store.defaultURL(named: schema.name), options: options)
  }

  /// A library in memory, for previews and tests.
  public static func inMemory(options: StoreOptions = .testing) throws -> AudiobookLibrary {
    AudiobookLibrary(try Store.inMemory(schemas: [schema], options: options))
  }

  /// A change of one of these tables changes a collection.
  static let tables = ["collections", "tracks", "playback_states", "favorites", "tags"]
}
