import Foundation

/// Wall time of each operation and processor time of all, in milliseconds.
final class Stopwatch {
  private(set) var operations: [Double] = []
  private(set) var processor = 0.0

  /// Times `work`. What it returns outlives the measurement, so its release is not timed.
  func time<Result>(_ work: () throws -> Result) rethrows -> Result {
    let processorStart = now(CLOCK_PROCESS_CPUTIME_ID)
    let start = now(CLOCK_MONOTONIC)
    let result = try work()
    let end = now(CLOCK_MONOTONIC)
    let processorEnd = now(CLOCK_PROCESS_CPUTIME_ID)
    operations.append(end - start)
    processor += processorEnd - processorStart
    return result
  }

  private func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}
