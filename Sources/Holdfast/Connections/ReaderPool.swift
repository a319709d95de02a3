import Foundation
internal import GRDB

/// The connections that read a file while its writer writes. They are opened when needed, kept open, and never more than `limit`.
///
/// Each time GRDB's own pool lends a connection, it reads the schema's version in a transaction and passes three queues. That costs more
/// than reading one row: Documentation/Decisions/own-reader-pool.md
final class ReaderPool: @unchecked Sendable {
  private let factory: ConnectionFactory
  private let retries: Retries
  private let limit: Int
  /// The number of the file that the writer has open.
  private let fileNumber: UInt64
  /// Counts the waits for a connection. Set before the first read; nil: nothing is counted.
  var recorder: MetricsRecorder?
  /// Asynchronous reads wait here, on one thread, when all connections are lent.
  private let line = DispatchQueue(label: "holdfast.readers")
  // Guarded by `state`, which is signalled at every change.
  private var idle: [DatabaseQueue] = []
  private var lent = 0
  private var isPaused = false
  private var isClosed = false
  private let state = NSCondition()

  init(_ factory: ConnectionFactory, limit: Int, _ retries: Retries) {
    self.factory = factory
    self.retries = retries
    self.limit = max(1, limit)
    fileNumber = DurableFile.number(factory.path)
  }

  /// Lends a connection. Waits while all are lent.
  func read(_ body: (Database) throws -> Void) throws {
    let queue = try takeIdle() ?? take(asked: SteadyTime.nanoseconds)
    defer { give(queue) }
    try queue.unsafeRead(body)
  }

  /// Lends a free connection to a task, on the task's own thread: a switch to another thread costs more than reading a row.
  ///
  /// - Returns: false, and `body` was not called, when no connection or no task thread is free. Then use `asyncRead`.
  func readOnTasksThread(_ body: (Database) throws -> Void) throws -> Bool {
    try TaskThreads.run {
      guard let queue = takeIdle() else { return false }
      defer { give(queue) }
      try queue.unsafeRead(body)
      return true
    }
  }

  /// Lends a connection without blocking the caller. Calls `body` exactly once, with the error when no connection can be had.
  func asyncRead(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    if let queue = takeIdle() { return run(body, on: queue) }
    let asked = SteadyTime.nanoseconds
    line.async { [self] in
      do {
        run(body, on: try take(asked: asked))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Waits for the reads under way, then runs `body`. Reads that come meanwhile wait.
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

  /// Refuses new reads, and waits for the reads under way.
  func drain() {
    state.withLock {
      isClosed = true
      state.broadcast()
      while lent > 0 { state.wait() }
    }
  }

  /// Closes the connections that are not lent. After `drain()`, these are all.
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

  private func take(asked: UInt64) throws -> DatabaseQueue {
    let queue = try take()
    recorder?.countReaderWait(since: asked)
    return queue
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
      let queue = try retries.run("opening a connection") { try factory.reader() }
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
