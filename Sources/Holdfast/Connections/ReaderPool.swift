import Foundation
internal import GRDB

/// The connections that read a file while its writer writes: made when they are needed, kept, and never more than a limit.
///
/// GRDB's own pool asks, each time it lends a connection, which version the schema has, in a transaction of its own, and passes
/// three queues on the way: more than what reading one row takes. Why not: Documentation/Decisions/own-reader-pool.md
final class ReaderPool: @unchecked Sendable {
  private let factory: ConnectionFactory
  private let limit: Int
  /// Of the file that the writer has open.
  private let fileNumber: UInt64
  /// Asynchronous reads that find no free connection wait here, on one thread.
  private let line = DispatchQueue(label: "holdfast.readers")
  // Guarded by `state`, which is told of every change of them.
  private var idle: [DatabaseQueue] = []
  private var lent = 0
  private var isPaused = false
  private var isClosed = false
  private let state = NSCondition()
  /// The threads of tasks on which async reads of all stores may run: one is left to those who do not read.
  private static let threadsOfTasks = DispatchSemaphore(value: ProcessInfo.processInfo.activeProcessorCount - 1)

  init(_ factory: ConnectionFactory, limit: Int) {
    self.factory = factory
    self.limit = max(1, limit)
    fileNumber = DurableFile.number(factory.path)
  }

  /// Lends a connection, and waits for one where all are lent.
  func read(_ body: (Database) throws -> Void) throws {
    let queue = try take()
    defer { give(queue) }
    try queue.unsafeRead(body)
  }

  /// Lends a free connection to a task, on the thread where the task runs: another thread would cost more than reading a row does.
  ///
  /// - Returns: false where none is free, or where as many threads read this way as may: `body` was not called, ask `asyncRead`.
  func readOnTasksThread(_ body: (Database) throws -> Void) throws -> Bool {
    guard Self.threadsOfTasks.wait(timeout: .now()) == .success else { return false }
    defer { Self.threadsOfTasks.signal() }
    guard let queue = takeIdle() else { return false }
    defer { give(queue) }
    try queue.unsafeRead(body)
    return true
  }

  /// Lends a connection without blocking the caller. `body` is called exactly once, with the reason where there is none to be had.
  func asyncRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    if let queue = takeIdle() { return run(body, on: queue) }
    line.async { [self] in
      do {
        run(body, on: try take())
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Runs `body` while nobody reads; who wants to read meanwhile waits.
  func paused<T>(_ body: () throws -> T) rethrows -> T {
    state.withLock {
      while isPaused { state.wait() }
      isPaused = true
      while lent > 0 { state.wait() }
    }
    defer {
      state.withLock {
        isPaused = false
        state.broadcast()
      }
    }
    return try body()
  }

  /// Waits for those who read, and refuses everybody after them.
  func drain() {
    state.withLock {
      isClosed = true
      state.broadcast()
      while lent > 0 { state.wait() }
    }
  }

  /// Closes the connections that nobody has: after `drain()`, all.
  func closeIdle() throws {
    let queues = state.withLock {
      defer { idle = [] }
      return idle
    }
    for queue in queues { try queue.close() }
  }

  private func run(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void, on queue: DatabaseQueue) {
    queue.asyncUnsafeRead { [self] result in
      body(result)
      give(queue)
    }
  }

  private func take() throws -> DatabaseQueue {
    let kept: DatabaseQueue? = try state.withLock {
      while !isClosed, isPaused || lent == limit { state.wait() }
      guard !isClosed else { throw StoreError(.closed, "\(factory.path) is closed") }
      lent += 1
      return idle.popLast()
    }
    if let kept { return kept }
    do {
      let queue = try factory.reader()
      guard DurableFile.number(factory.path) == fileNumber else { throw ConnectionFactory.replaced(factory.path) }
      return queue
    } catch {
      state.withLock {
        lent -= 1
        state.broadcast()
      }
      throw error
    }
  }

  private func takeIdle() -> DatabaseQueue? {
    state.withLock {
      guard !isClosed, !isPaused, lent < limit, let queue = idle.popLast() else { return nil }
      lent += 1
      return queue
    }
  }

  private func give(_ queue: DatabaseQueue) {
    state.withLock {
      lent -= 1
      idle.append(queue)
      state.broadcast()
    }
  }
}
