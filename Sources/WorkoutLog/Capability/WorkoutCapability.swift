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
/// Nothing is thrown. Cancelling a task does not undo its request. A workout is never stored with a time that the request does not have.
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
      var failure = Self.failure(error)
      if StoreError(error).suggestion == nil { failure.suggestion = "Correct the request; nothing was changed." }
      return .error(failure)
    }
  }

  private func respond(to operation: WorkoutOperation) -> WorkoutResponse {
    do { return try perform(operation) } catch { return .error(Self.failure(error)) }
  }

  private func perform(_ operation: WorkoutOperation) throws -> WorkoutResponse {
    switch operation {
    case .saveWorkout(let sent):
      try log.store.write { tx in try WorkoutLog.save(sent.completed(in: tx), in: tx) }
      return .workoutSaved(sent.workout.id)
    case .loadAllWorkouts: return .workoutsLoaded(try log.workouts())
    case .loadWorkoutById(let id): return .workoutLoaded(try log.workout(id))
    case .deleteWorkout(let id): return .workoutDeleted(id, existed: try log.deleteWorkout(id))
    case .loadCurrentWorkout: return .currentWorkoutLoaded(try log.currentWorkout())
    case .startWorkout(let name): return .currentWorkoutLoaded(try log.startWorkout(named: name))
    case .startFromTemplate(let id): return .currentWorkoutLoaded(try log.startWorkout(from: id))
    case .repeatWorkout(let id): return .currentWorkoutLoaded(try log.startWorkout(repeating: id))
    case .addExercise(let exercise):
      return try changed { tx in
        guard let current = try WorkoutLog.currentWorkout(in: tx) else { throw StoreError(.notFound, "no workout is in progress") }
        try WorkoutLog.addExercise(exercise, to: current.id, in: tx)
      }
    case .moveExercise(let id, let before): return try changed { try WorkoutLog.moveExercise(id, before: before, in: $0) }
    case .logSet(let id, let actual): return try changed { try WorkoutLog.logSet(id, actual, in: $0) }
    case .pauseWorkout: return try changed(WorkoutLog.pauseWorkout(in:))
    case .resumeWorkout: return try changed(WorkoutLog.resumeWorkout(in:))
    case .finishWorkout: return .workoutLoaded(try log.finishWorkout())
    case .discardWorkout: return try changed { _ = try WorkoutLog.discardWorkout(in: $0) }
    case .loadTemplates: return .templatesLoaded(try log.templates())
    case .saveTemplate(let id, let name): return try templates { _ = try WorkoutLog.saveTemplate(from: id, named: name, in: $0) }
    case .deleteTemplate(let id): return try templates { _ = try WorkoutLog.deleteTemplate(id, in: $0) }
    case .searchWorkouts(let text, let limit): return .workoutsLoaded(try log.search(text, limit: limit).items)
    case .loadHistory(let name, let limit): return .historyLoaded(try log.history(of: name, limit: limit).items)
    }
  }

  private func changed(_ body: (Transaction) throws -> Void) throws -> WorkoutResponse {
    try log.store.write { tx in
      try body(tx)
      return .currentWorkoutLoaded(try WorkoutLog.currentWorkout(in: tx))
    }
  }

  private func templates(_ body: (Transaction) throws -> Void) throws -> WorkoutResponse {
    try log.store.write { tx in
      try body(tx)
      return .templatesLoaded(try WorkoutLog.templates(in: tx))
    }
  }

  private static func failure(_ error: any Error) -> WorkoutResponse.Failure {
    let error = StoreError(error)
    return WorkoutResponse.Failure(code: error.code.rawValue, message: error.message, suggestion: error.recoverySuggestion)
  }
}
