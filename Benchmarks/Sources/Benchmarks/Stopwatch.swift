import Foundation

/// Wall time of each operation and processor time of all, in milliseconds.
///
/// Used by one thread or task at a time.
final class Stopwatch: @unchecked Sendable {
  private(set) var operations: [Double] = []
  private(set) var processor = 0.0

  /// Times `work`. What it returns outlives the measurement, so its release is not timed.
  func time<Result>(_ work: () throws -> Result) rethrows -> Result {
    let processorStart = Self.now(CLOCK_PROCESS_CPUTIME_ID)
    let start = Self.now(CLOCK_MONOTONIC)
    let result = try work()
    let end = Self.now(CLOCK_MONOTONIC)
    add(end - start, Self.now(CLOCK_PROCESS_CPUTIME_ID) - processorStart)
    return result
  }

  func time<Result: Sendable>(_ work: @Sendable () async throws -> Result) async rethrows -> Result {
    let processorStart = Self.now(CLOCK_PROCESS_CPUTIME_ID)
    let start = Self.now(CLOCK_MONOTONIC)
    let result = try await work()
    let end = Self.now(CLOCK_MONOTONIC)
    add(end - start, Self.now(CLOCK_PROCESS_CPUTIME_ID) - processorStart)
    return result
  }

  private func add(_ wall: Double, _ processor: Double) {
    operations.append(wall)
    self.processor += processor
  }

  /// Milliseconds.
  static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}

/// Runs asynchronous work from a thread that may wait.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
  let done = DispatchSemaphore(value: 0)
  let outcome = Box<Swift.Result<Result, any Error>?>(nil)
  Task.detached {
    do { outcome.value = .success(try await work()) } catch { outcome.value = .failure(error) }
    done.signal()
  }
  done.wait()
  guard let found = outcome.value else { throw Failure("asynchronous work ended without a result") }
  return try found.get()
}

/// Written before a semaphore is raised, read after it was waited for.
private final class Box<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
