internal import Foundation

/// Wakes one waiting task. What rings while nobody waits is heard by the next who does.
final class Bell: @unchecked Sendable {
  enum Ring: Int {
    /// A commit, which may have changed nothing that syncs.
    case commit
    /// Somebody wants a round now.
    case now
  }

  // Guarded by `lock`.
  private var rung: Ring?
  private var waiting: CheckedContinuation<Ring?, Never>?
  private let lock = NSLock()

  func ring(_ ring: Ring) {
    let waiting: CheckedContinuation<Ring?, Never>? = lock.withLock {
      defer { self.waiting = nil }
      if self.waiting == nil, rung != .now { rung = ring }
      return self.waiting
    }
    waiting?.resume(returning: ring)
  }

  /// Forgets the commits until now.
  func forgetCommits() { lock.withLock { if rung == .commit { rung = nil } } }

  /// The next ring; nil when the task was cancelled. One task at a time.
  func heard() async -> Ring? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ring: Ring?? = lock.withLock {
          if let rung {
            self.rung = nil
            return .some(rung)
          }
          if Task.isCancelled { return .some(nil) }
          waiting = continuation
          return nil
        }
        if let ring { continuation.resume(returning: ring) }
      }
    } onCancel: {
      let waiting = lock.withLock {
        defer { self.waiting = nil }
        return self.waiting
      }
      waiting?.resume(returning: nil)
    }
  }
}
