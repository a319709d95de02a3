public import Holdfast
public import HoldfastTransfer

/// A training log: workouts with their exercises and sets, the workout in progress, templates, and statistics.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// `async`, and as a static function that works inside a transaction of yours.
public struct WorkoutLog: LegacyLibrary {
  /// The store that holds the log, and the outcome of importing the legacy file beside it.
  public let opened: OpenedStore
  /// The store that holds the log, in a file or in memory; other tables may share it.
  public var store: Store { opened.store }

  /// A log in a store that was opened with `WorkoutLog.schema`.
  public init(_ store: Store) { self.init(opened: OpenedStore(store)) }

  init(opened: OpenedStore) { self.opened = opened }
}
