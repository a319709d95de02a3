internal import Foundation
internal import Holdfast
internal import HoldfastHTTP

/// Runs the rounds of a `StoreSync`, one at a time, and tells the status. `SyncEngine+Loop.swift` says when a round runs.
///
/// The decisions of a round are `SyncDevice`'s. What blocks, which is the store, runs on threads of its own.
final class SyncEngine: Sendable {
  /// A round that ended early, and how long the server asks to be left alone.
  struct Failure: Error {
    let error: StoreError
    var retryAfterSeconds: Double?
    /// Whether the server is there and does not take what this device sends, for a reason of its own. The pull before it went well.
    var isOfPush = false
  }

  let store: Store
  let server: StoreSync.Server
  let pauses: HTTPPauses
  let clock: any Clock<Duration>
  let session: SyncSession
  let bell = Bell()
  let listeners: SyncListeners
  private let turns = Turns()

  init(_ store: Store, server: StoreSync.Server, pauses: HTTPPauses, clock: any Clock<Duration>) {
    (self.store, self.server, self.pauses, self.clock) = (store, server, pauses, clock)
    session = SyncSession(store, space: server.space, key: server.key)
    listeners = SyncListeners(store)
    store.afterCommit { [bell] in bell.ring(.commit) }
  }

  /// Runs `body` when every earlier call has ended, with this task's cancellation.
  func inTurn<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
    let task = turns.add(body)
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// A whole round: pulls, and pushes while something has to be sent. Call in a turn.
  ///
  /// - Throws: `Failure`; `CancellationError`. Then what was not confirmed is as before.
  func round() async throws {
    do {
      try await offTask { [session] _ in
        try session.with { device in
          try device.retryRefusedDaily()
          device.beginRound()
        }
      }
      var repairs = 0
      var ahead: (request: SyncRequest, reply: SyncTransport.Reply)?
      // A commit of this round is before the read that finds nothing left to send; a commit after that read rings.
      while let request = try await offTask({ [session, bell] _ in
        bell.forgetCommits()
        return try session.with { try $0.next() }
      }) {
        let reply = if let ahead, ahead.request == request { ahead.reply } else { try await answer(to: request) }
        var told = try reply.result.mapError { Failure(error: $0, retryAfterSeconds: reply.retryAfterSeconds) }.get()
        switch told.outcome {
        case .failed(let error): told.outcome = .failed(error.ofServer)
        case .branched, .future:
          repairs += 1
          guard repairs <= Self.mostRepairs else {
            throw StoreError(.inputOutput, "the server's answers contradict each other", suggestion: StoreError.later)
          }
        default: break
        }
        let response = told
        async let following = following(response, to: request)
        let error = try await offTask { [session] _ in
          try session.with { device in
            try device.receive(response, to: request, arrived: reply.arrived)
            return device.lastError
          }
        }
        // A round that ends cancels the question for the page behind, and does not wait for its answer.
        if let error {
          let isPush = if case .push = request.verb { true } else { false }
          throw Failure(
            error: error, retryAfterSeconds: reply.retryAfterSeconds, isOfPush: isPush && reply.retryAfterSeconds == nil)
        }
        ahead = try? await following
      }
      listeners.note(try await offTask { [session] _ in try session.with { $0.note } })
    } catch {
      if Task.isCancelled || error is CancellationError { throw CancellationError() }
      let failure = error as? Failure ?? Failure(error: StoreError(error))
      listeners.note(failure.error)
      throw failure
    }
  }

  /// How many forks and corrections of the time one round follows.
  private static let mostRepairs = 10

  /// Asks for the page behind this one, while this one is written. Nil where there is none; an answer that does not come is asked for again.
  private func following(
    _ response: SyncResponse, to request: SyncRequest
  ) async throws -> (request: SyncRequest, reply: SyncTransport.Reply)? {
    guard case .page(_, let cursor, more: true) = response.outcome else { return nil }
    let next = SyncRequest(.pull, epoch: response.epoch, cursor: cursor, schema: request.schema)
    return (next, try await answer(to: next))
  }

  private func answer(to request: SyncRequest) async throws -> SyncTransport.Reply {
    do {
      var reply = try await server.transport.ask(request)
      reply.arrived = store.milliseconds
      return reply
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw StoreError.noAnswer(error)
    }
  }

  /// Where the store is in its space.
  func cursor() async throws -> Int64 {
    try await offTask { [store] _ in try store.read(as: "sync.cursor") { reader in try SpaceState(reader).cursor } }
  }

  func hasUnsent() async throws -> Bool {
    try await offTask { [store] _ in try store.read(as: "sync.look") { reader in try SpaceState.hasUnsent(in: reader) } }
  }
}

/// Work that runs one after the other, in the order of the calls.
private final class Turns: @unchecked Sendable {
  // Guarded by `lock`.
  private var last: Task<Void, Never>?
  private let lock = NSLock()

  func add<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) -> Task<T, any Error> {
    lock.withLock {
      let before = last
      let task = Task {
        await before?.value
        try Task.checkCancellation()
        return try await body()
      }
      last = Task { _ = try? await task.value }
      return task
    }
  }
}
