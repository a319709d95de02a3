import Foundation

/// Which stores the present thread is inside of. A door inside a door of the same store would wait for itself for ever,
/// or not see what the outer one wrote: it is refused instead.
///
/// Kept by thread and not by task, because a closure runs on one thread from its beginning to its end, and a task that is
/// started inside it is outside of it.
enum OpenDoor {
  private struct Frame {
    /// The store's connections, which a read-only view of it shares.
    var store: ObjectIdentifier
    var outer: UnsafeMutableRawPointer?
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// - Throws: `.misuse` when this thread is inside a door of `store`.
  static func check(_ store: Store) throws {
    var next = pthread_getspecific(key)
    while let frame = next?.assumingMemoryBound(to: Frame.self).pointee {
      guard frame.store != ObjectIdentifier(store.writer) else {
        throw StoreError(
          .misuse, "a door of \(store.path) was opened inside another one", suggestion: "Use the transaction or reader that is open.")
      }
      next = frame.outer
    }
  }

  static func within<T>(_ store: Store, _ body: () throws -> T) rethrows -> T {
    let outer = pthread_getspecific(key)
    var frame = Frame(store: ObjectIdentifier(store.writer), outer: outer)
    return try withUnsafeMutablePointer(to: &frame) { pointer in
      pthread_setspecific(key, pointer)
      defer { pthread_setspecific(key, outer) }
      return try body()
    }
  }
}

/// Something that happens once and is seen on every thread.
final class Flag: @unchecked Sendable {
  // Guarded by `lock`.
  private var raised = false
  private var waiting: [Int: @Sendable () -> Void] = [:]
  private var made = 0
  private let lock = NSLock()

  var isRaised: Bool { lock.withLock { raised } }

  func raise() {
    lock.withLock {
      raised = true
      for action in waiting.values { action() }
      waiting = [:]
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
