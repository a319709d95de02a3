import Foundation

/// Runs the blocking work of an async call, and returns its result. When the task is cancelled before the work begins, throws `.cancelled`;
/// later `isCancelled` is true, and the work may end itself.
///
/// Each call has a serial queue of its own: Dispatch gives such a queue a thread of its own. A concurrent queue shares a few threads, which
/// on Linux also run tasks, and work that waits for a lock or a disk would hold them.
package func offTask<T: Sendable>(
  _ work: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> T
) async throws -> T {
  let cancellation = Flag()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "holdfast.work").async {
        continuation.resume(
          with: Result {
            if cancellation.isRaised { throw StoreError(.cancelled, "the task was cancelled before the work began") }
            return try work { cancellation.isRaised }
          })
      }
    }
  } onCancel: {
    cancellation.raise()
  }
}
