public import Foundation
public import Holdfast
public import HoldfastTransfer

/// An audiobook player's library: collections of tracks, and what the listener did with them.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// blocking or `async`, and as a static function that works inside a transaction of yours.
public struct AudiobookLibrary: Sendable {
  /// What the library allows, and why not more.
  public typealias Access = LibraryAccess

  /// The file, or the memory, that holds the library; other tables may share it.
  public let store: Store
  /// What can be done here; a screen can show its reason.
  public let access: Access
  /// What was imported when the library was opened; nil when there was nothing to import.
  public let importReport: ImportReport?
  /// Why a legacy file could not be imported when the library was opened; nil when there was none, or it could.
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

  /// A library in memory, for previews and tests.
  public static func inMemory(options: StoreOptions = .testing) throws -> AudiobookLibrary {
    AudiobookLibrary(try Store.inMemory(schemas: [schema], options: options))
  }

  /// The tables whose changes a collection is made of.
  static let tables = ["collections", "tracks", "playback_states", "favorites", "tags"]
}
