import Foundation
internal import GRDB

/// The writer's connection, which one caller uses at a time, in the order of their calls.
///
/// Counts who is at work or waits, so that a task finds out whether it can write at once, on its own thread: a switch to another thread costs
/// as much as saving a row.
final class WriterQueue: @unchecked Sendable {
  private let queue: DatabaseQueue
  // Guarded by `lock`.
  private var users = 0
  /// How many of the next writes of tasks go to the queue although it is free. Where many tasks write, its thread goes from one write to the
  /// next, and would fall asleep in between.
  private var crowd = 0
  private let lock = NSLock()

  init(_ queue: DatabaseQueue) { self.queue = queue }

  /// Runs `body` outside a transaction; blocks the caller.
  @inline(__always)
  func run<T>(_ body: (Database) throws -> T) throws -> T {
    count(1)
    defer { count(-1) }
    return try queue.writeWithoutTransaction(body)
  }

  /// Runs `body` later, on another thread.
  func runLater(_ body: @escaping @Sendable (Database) -> Void) {
    count(1)
    queue.asyncWriteWithoutTransaction { [self] db in
      defer { count(-1) }
      body(db)
    }
  }

  /// Runs `body` on the task's own thread.
  ///
  /// - Returns: false, and `body` was not called, when another caller is at work or waits, or no task thread is free. Then use `runLater`.
  func runOnTasksThread(_ body: (Database) throws -> Void) throws -> Bool {
    try TaskThreads.run {
      let isFree = lock.withLock {
        guard users == 0 else {
          crowd = 16
          return false
        }
        guard crowd == 0 else {
          crowd -= 1
          return false
        }
        users = 1
        return true
      }
      guard isFree else { return false }
      defer { count(-1) }
      try queue.writeWithoutTransaction(body)
      return true
    }
  }

  /// For a store without readers of its own.
  func read<T>(_ body: (Database) throws -> T) throws -> T {
    count(1)
    defer { count(-1) }
    return try queue.unsafeRead(body)
  }

  func readLater(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    count(1)
    queue.asyncUnsafeRead { [self] result in
      defer { count(-1) }
      body(result)
    }
  }

  func close() throws { try queue.close() }

  private func count(_ change: Int) { lock.withLock { users += change } }
}

/// The threads of tasks that reads and writes of all stores may block at the same time. One stays free for other tasks.
enum TaskThreads {
  private static let free = DispatchSemaphore(value: ProcessInfo.processInfo.activeProcessorCount - 1)

  /// Runs `body`; false without running it, when too many threads are blocked.
  static func run(_ body: () throws -> Bool) rethrows -> Bool {
    guard free.wait(timeout: .now()) == .success else { return false }
    defer { free.signal() }
    return try body()
  }
}
