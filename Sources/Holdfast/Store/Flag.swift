import Foundation

/// A signal that is raised once and seen on every thread.
final class Flag: @unchecked Sendable {
  // Guarded by `lock`.
  private var raised = false
  private var waiting: [Int: @Sendable () -> Void] = [:]
  private var made = 0
  private let lock = NSLock()

  var isRaised: Bool { lock.withLock { raised } }

  /// Raises the flag. Returns whether this call raised it.
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

  /// Runs `action` when the flag is raised, or at once if it is raised already. Returns an id for `forget`, after which `action` does not
  /// run. The flag is locked while `action` runs: `action` must not use it.
  func whenRaised(_ action: @escaping @Sendable () -> Void) -> Int {
    lock.withLock {
      made += 1
      if raised { action() } else { waiting[made] = action }
      return made
    }
  }

  func forget(_ id: Int) { lock.withLock { waiting[id] = nil } }
}
