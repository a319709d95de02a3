import Foundation

/// A clock for measuring: it never goes back.
enum SteadyTime {
  /// Nanoseconds since a moment that stays the same while the program runs. Every call of a store takes two such times, so this is one call
  /// of the system and one number.
  static var nanoseconds: UInt64 { read(CLOCK_MONOTONIC) }

  /// The same as `nanoseconds` at the last tick of the system: up to 4 milliseconds ago on most systems, at most 10. Costs a quarter.
  static var ticks: UInt64 {
    // Platform: each system has its own cheap clock.
    #if canImport(Darwin)
      read(CLOCK_MONOTONIC_RAW_APPROX)
    #else
      read(CLOCK_MONOTONIC_COARSE)
    #endif
  }

  @inline(__always)
  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }
}
