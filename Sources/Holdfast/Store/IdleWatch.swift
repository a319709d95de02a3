import Foundation

/// Runs work on a queue when no commit was made for a while after one.
final class IdleWatch: @unchecked Sendable {
  private let queue: DispatchQueue
  private let idle: Duration
  private let work: @Sendable () -> Void
  // Guarded by `lock`.
  private var lastCommit = ContinuousClock.now
  private var isWaiting = false
  private let lock = NSLock()

  init(on queue: DispatchQueue, after idle: Duration, _ work: @escaping @Sendable () -> Void) {
    (self.queue, self.idle, self.work) = (queue, idle, work)
  }

  /// Call after each commit.
  func committed() {
    let arms = lock.withLock {
      defer { (lastCommit, isWaiting) = (.now, true) }
      return !isWaiting
    }
    if arms { look(after: idle) }
  }

  private func look(after time: Duration) {
    queue.asyncAfter(deadline: .now() + time.inSeconds) { [weak self] in
      guard let self else { return }
      let left = lock.withLock {
        let left = idle - (ContinuousClock.now - lastCommit)
        if left <= .zero { isWaiting = false }
        return left
      }
      if left > .zero { look(after: left) } else { work() }
    }
  }
}
