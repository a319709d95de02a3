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
