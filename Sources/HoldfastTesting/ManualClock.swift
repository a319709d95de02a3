import Foundation

// Unchecked because a lock guards the state.
/// A clock for what waits, which only the test moves on, together with the store's own.
package final class ManualClock: Clock, @unchecked Sendable {
  package struct Instant: InstantProtocol {
    package var offset: Duration = .zero

    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
  }

  private let wall: TestClock
  // Guarded by `lock`.
  private var time = Instant()
  private var sleepers: [Int: (until: Instant, wake: CheckedContinuation<Void, any Error>)] = [:]
  private var number = 0
  private var cancelled: Set<Int> = []
  private let lock = NSLock()

  package init(with wall: TestClock) { self.wall = wall }

  package var now: Instant { lock.withLock { time } }
  package let minimumResolution: Swift.Duration = .zero

  package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    let own = lock.withLock {
      number += 1
      return number
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
        let isCancelled = lock.withLock {
          if !cancelled.contains(own) { sleepers[own] = (deadline, wake) }
          return cancelled.contains(own)
        }
        if isCancelled { wake.resume(throwing: CancellationError()) }
        advance(seconds: 0)
      }
    } onCancel: {
      let wake = lock.withLock {
        cancelled.insert(own)
        return sleepers.removeValue(forKey: own)?.wake
      }
      wake?.resume(throwing: CancellationError())
    }
  }

  /// Waits until somebody sleeps, and says how long that will last.
  package func secondsOfSleep() async -> Double {
    while true {
      if let rest = lock.withLock({ sleepers.values.map { time.duration(to: $0.until) }.min() }) { return rest / .seconds(1) }
      await Task.yield()
    }
  }

  /// Moves both clocks on, and wakes those whose time has come.
  package func advance(seconds: Double) {
    wall.advance(milliseconds: Int64(seconds * 1000))
    let due = lock.withLock {
      time = time.advanced(by: .seconds(seconds))
      let due = sleepers.filter { $0.value.until <= time }
      for own in due.keys { sleepers[own] = nil }
      return due.values.map(\.wake)
    }
    for wake in due { wake.resume() }
  }
}
