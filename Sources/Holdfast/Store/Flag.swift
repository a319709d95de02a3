import Foundation

/// Something that happens once and is seen on every thread.
final class Flag: @unchecked Sendable {
  // Guarded by `lock`.
  private var raised = false
  private var waiting: [Int: @Sendable () -> Void] = [:]
  private var made = 0
  private let lock = NSLock()

  var isRaised: Bool { lock.withLock { raised } }

  /// Returns whether it was this call that raised the flag.
  @discardableResult
  func raise() -> Bool {
    lock.withLock {
      guard !raised else { return false }
      raised = true
      for action in waiting.values { action() }
      waiting = [:]
      return true
    }
  }

  /// Runs `action` when the flag is raised, now if it is already; never after `forget`, which takes what this returns.
  /// The flag is locked meanwhile: `action` must not come back to it.
  func whenRaised(_ action: @escaping @Sendable () -> Void) -> Int {
    lock.withLock {
      made += 1
      if raised { action() } else { waiting[made] = action }
      return made
    }
  }

  func forget(_ id: Int) { lock.withLock { waiting[id] = nil } }
}
