import Synchronization

/// Counts across threads.
final class Counter: Sendable {
  private let counted = Mutex(0)

  var value: Int { counted.withLock { $0 } }

  @discardableResult
  func next() -> Int {
    counted.withLock { counted in
      counted += 1
      return counted
    }
  }
}
