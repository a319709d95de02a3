import Foundation

/// A clock for measuring: it never goes back.
enum SteadyTime {
  /// Nanoseconds since a moment that stays the same while the program runs. Every call of a store takes two such times, so this is one call
  /// of the system and one number.
  static var nanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }
}
