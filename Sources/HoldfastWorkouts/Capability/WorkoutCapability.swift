import Dispatch
public import Foundation
import Holdfast

/// The log for an app whose core sends operations and gets responses, as JSON or as Swift values.
///
/// ```swift
/// let capability = WorkoutCapability(log)
/// for effect in core.update(event) {
///   capability.handle(effect.request) { response in core.resolve(effect.id, response) }
/// }
/// ```
///
/// Requests are answered in the order in which `handle` was called, one after the other, whichever tasks and threads they come from,
/// and each exactly once: one that cannot be read, or fails, by `error`, after which everything is as it was before that request.
/// Nothing is thrown. Cancelling a task does not undo its request. `saveWorkout` never stores a time that
/// the request does not have.
///
/// Copies share one order; two capabilities on one log do not.
public struct WorkoutCapability: Sendable {
  private let log: WorkoutLog
  /// An actor would let a later request pass one that waits.
  private let queue = DispatchQueue(label: "holdfast.workouts", qos: .userInitiated)

  /// A capability that does what it is asked in `log`.
  public init(_ log: WorkoutLog) { self.log = log }

  /// Answers a request as JSON, on a thread of the capability. Returns at once; the order is that of these calls.
  ///
  /// - Parameters:
  ///   - request: a `WorkoutOperation`.
  ///   - answer: gets a `WorkoutResponse`, in this one call. The next request waits until it returns.
  public func handle(_ request: Data, answer: @escaping @Sendable (Data) -> Void) {
    queue.async { answer(respond(to: request).json) }
  }
  /// The same for values.
  public func handle(_ operation: WorkoutOperation, answer: @escaping @Sendable (WorkoutResponse) -> Void) {
    queue.async { answer(respond(to: operation)) }
  }

  /// Answers a request as JSON.
  ///
  /// Tasks that you start one after the other may get here in another order: where that matters, wait for each answer, or call
  /// `handle(_:answer:)`, which takes its place in the order at once.
  public func handle(_ request: Data, isolation: isolated (any Actor)? = #isolation) async -> Data {
    await withCheckedContinuation { continuation in handle(request) { continuation.resume(returning: $0) } }
  }
  /// The same for values.
  public func handle(_ operation: WorkoutOperation, isolation: isolated (any Actor)? = #isolation) async -> WorkoutResponse {
    await withCheckedContinuation { continuation in handle(operation) { continuation.resume(returning: $0) } }
  }

  private func respond(to request: Data) -> WorkoutResponse {
    do { return respond(to: try WorkoutOperation(json: request)) } catch {
      var failure = WorkoutResponse.Failure(error)
      if StoreError(error).suggestion == nil { failure.suggestion = "Correct the request; nothing was changed." }
      return .error(failure)
    }
  }

  private func respond(to operation: WorkoutOperation) -> WorkoutResponse {
    do { return try log.perform(operation) } catch { return .error(WorkoutResponse.Failure(error)) }
  }
}
