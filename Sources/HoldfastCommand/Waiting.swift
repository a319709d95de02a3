import Foundation
import Holdfast

/// Asynchronous work for a command, which waits for it on its own thread.
enum Waiting {
  /// - Parameter isInterrupted: once true, the work is cancelled.
  /// - Throws: what the work throws; `.cancelled` when it was interrupted.
  static func result<T: Sendable>(
    of work: @escaping @Sendable () async throws -> T, until isInterrupted: () -> Bool
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
        guard case .failure = result, isInterrupted() else { return try result.get() }
        throw StoreError(.cancelled, "interrupted; the rows that the server has confirmed are marked as sent, and the others still wait")
      }
      if isInterrupted() { task.cancel() }
    }
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
