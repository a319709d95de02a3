import Foundation
import Holdfast

/// Asynchronous work for a command, which waits for it on its own thread.
enum Waiting {
  /// - Parameters:
  ///   - isInterrupted: once true, the work is cancelled.
  ///   - said: what an interruption means for the store.
  /// - Throws: what the work throws; `.cancelled` when it was interrupted.
  static func result<T: Sendable>(
    of work: @escaping @Sendable () async throws -> T, until isInterrupted: () -> Bool,
    saying said: String = "the rows that the server has confirmed are marked as sent, and the others still wait"
  ) throws -> T {
    let outcome = Outcome<T>()
    let task = Task.detached {
      do {
        outcome.set(.success(try await work()))
      } catch {
        outcome.set(.failure(error))
      }
    }
    while true {
      if let result = outcome.wait(milliseconds: 100) {
        guard case .failure(let error) = result, isInterrupted() else { return try result.get() }
        let cancelled = StoreError(.cancelled, "interrupted; \(said)")
        throw error is Unfinished ? Unfinished(error: cancelled) : cancelled
      }
      if isInterrupted() { task.cancel() }
    }
  }

  /// Reads one consistent view of a store until Ctrl-C, which also ends a long step, such as a count of a whole table.
  static func reading<T: Sendable>(_ store: Store, _ body: @escaping @Sendable (Reader) throws -> T) throws -> T {
    let interruption = Interruption()
    return try result(of: { try await store.read(body) }, until: { interruption.isRequested }, saying: "the store was only read")
  }
}

private final class Outcome<T: Sendable>: @unchecked Sendable {
  // Guarded by `lock`.
  private var result: Result<T, any Error>?
  private let lock = NSLock()
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ result: Result<T, any Error>) {
    lock.withLock { self.result = result }
    isThere.signal()
  }

  /// Nil when there is no result yet. Waits by uptime: dispatch cannot hold a wall-clock time after the year 2262.
  func wait(milliseconds: Int) -> Result<T, any Error>? {
    _ = isThere.wait(timeout: .now() + .milliseconds(milliseconds))
    return lock.withLock { result }
  }
}
