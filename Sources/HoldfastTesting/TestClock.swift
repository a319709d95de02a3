public import Foundation

// Unchecked because a lock guards the state.
/// A clock that only the test moves; it begins at 2026-01-01T00:00:00Z.
public final class TestClock: @unchecked Sendable {
  private let lock = NSLock()
  private var milliseconds: Int64 = 1_767_225_600_000

  /// Makes a clock of its own.
  public init() {}

  /// The time of the clock, for `StoreOptions.now`.
  public var now: Date {
    lock.withLock { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  }

  /// Moves the clock forward, and returns the new time.
  @discardableResult
  public func advance(milliseconds step: Int64 = 1000) -> Date {
    lock.withLock { milliseconds += step }
    return now
  }
}
