import Foundation

/// Knows which stores the present thread is inside. A call of a store inside another call of the same store would wait for itself for ever,
/// or not see the outer call's changes. So it is refused.
///
/// Kept by thread and not by task: a closure runs on one thread from its beginning to its end, and a task that starts inside it runs
/// outside it.
enum OpenDoor {
  private struct Frame {
    /// The store's connections. A read-only view of the store shares them.
    var store: ObjectIdentifier
    var outer: UnsafeMutableRawPointer?
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// - Throws: `.misuse` when this thread is inside a call of `store`.
  static func check(_ store: Store) throws {
    var next = pthread_getspecific(key)
    while let frame = next?.assumingMemoryBound(to: Frame.self).pointee {
      guard frame.store != ObjectIdentifier(store.writer) else {
        throw StoreError(
          .misuse, "`read` or `write` was called inside another call on \(store.path)",
          suggestion: "Use the reader or writer of the closure.")
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
