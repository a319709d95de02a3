public import Holdfast
public import HoldfastTransfer

/// An audiobook player's library: collections of tracks, and what the listener did with them.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// `async`, and as a static function that works inside a transaction of yours.
public struct AudiobookLibrary: LegacyLibrary {
  /// The store that holds the library, and the outcome of importing the legacy file beside it.
  public let opened: OpenedStore
  /// The store that holds the library, in a file or in memory; other tables may share it.
  public var store: Store { opened.store }

  /// A library in a store that was opened with `AudiobookLibrary.schema`.
  public init(_ store: Store) { self.init(opened: OpenedStore(store)) }

  init(opened: OpenedStore) { self.opened = opened }

  /// A change of one of these tables changes a collection.
  static let tables = ["collections", "tracks", "playback_states", "favorites", "tags"]
}
