import Foundation

/// The archive's times: microseconds since 1970.
enum ArchiveTime {
  /// Within ±2^60; 0 for what is not a number.
  static func microseconds(_ date: Date) -> Int64 {
    let time = (date.timeIntervalSince1970 * 1e6).rounded()
    return time.isNaN ? 0 : Int64(min(max(time, -0x1p60), 0x1p60))
  }

  static func date(_ microseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }
}

/// Notices when the machine's clock is set: compares it with a monotonic clock.
struct ClockWatch {
  private let start = ContinuousClock.now
  private var offset: Int64?

  /// By how many microseconds, if more than two seconds, the clock was set since the last call; at first, since `last`, if it was set back.
  mutating func jump(_ now: Int64, last: Int64) -> Int64? {
    let passed = Int64((ContinuousClock.now - start).inSeconds * 1e6)
    defer { offset = now - passed }
    let jump = offset.map { now - passed - $0 } ?? min(now - last, 0)
    return abs(jump) > 2_000_000 ? jump : nil
  }
}
