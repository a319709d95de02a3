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
  private var waiting: [UUID: @Sendable () -> Void] = [:]
  private let lock = NSLock()

  var isRaised: Bool { lock.withLock { raised } }

  func raise() {
    let actions = lock.withLock {
      raised = true
      defer { waiting = [:] }
      return Array(waiting.values)
    }
    for action in actions { action() }
  }

  /// Runs `action` when the flag is raised, now if it is already. Returns what `forget` takes.
  func whenRaised(_ action: @escaping @Sendable () -> Void) -> UUID {
    let id = UUID()
    let isLate = lock.withLock {
      if !raised { waiting[id] = action }
      return raised
    }
    if isLate { action() }
    return id
  }

  func forget(_ id: UUID) { lock.withLock { waiting[id] = nil } }
}
