import Dispatch
public import Foundation
import Holdfast

/// The log for an app with a core that sends operations and gets responses, as JSON or as Swift values.
///
/// ```swift
/// let capability = WorkoutCapability(log)
/// for effect in core.update(event) {
///   capability.handle(effect.request) { response in core.resolve(effect.id, response) }
/// }
/// ```
///
/// Requests are answered one after the other in the order in which `handle` was called, from any task or thread, each exactly
/// once. A request that cannot be read or that fails is answered by `error`, and changes nothing. Nothing is thrown. Cancelling
/// a task does not undo its request. `saveWorkout` stores no time that is not in the request.
///
/// Copies share one order; two capabilities on one log do not.
public struct WorkoutCapability: Sendable {
  private let log: WorkoutLog
  /// An actor would let a later request overtake a waiting one.
  private let queue = DispatchQueue(label: "holdfast.workouts", qos: .userInitiated)

  /// A capability that works on `log`.
  public init(_ log: WorkoutLog) { self.log = log }

  /// Answers a request as JSON, on a thread of the capability. Returns at once; requests are handled in the order of the calls.
  ///
  /// - Parameters:
  ///   - request: a `WorkoutOperation`.
  ///   - answer: called once with a `WorkoutResponse`. The next request waits until it returns.
  public func handle(_ request: Data, answer: @escaping @Sendable (Data) -> Void) {
    queue.async { answer(respond(to: request).json) }
  }
  /// Answers a request as a Swift value.
  public func handle(_ operation: WorkoutOperation, answer: @escaping @Sendable (WorkoutResponse) -> Void) {
    queue.async { answer(respond(to: operation)) }
  }

  /// Answers a request as JSON.
  ///
  /// Tasks that you start one after the other may call this in another order. If the order matters, wait for each answer, or
  /// call `handle(_:answer:)`, which fixes the order at the call.
  public func handle(_ request: Data, isolation: isolated (any Actor)? = #isolation) async -> Data {
    await withCheckedContinuation { continuation in handle(request) { continuation.resume(returning: $0) } }
  }
  /// Answers a request as a Swift value.
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
