public import Foundation
internal import Holdfast
internal import HoldfastSync

/// Where a sync server keeps its spaces: a store of Holdfast (`SyncServer`), or a database.
///
/// A conformer stores and finds. What a request means is the same for all; see `answer(_:_:in:token:now:)`.
public protocol SyncSpaces: Sendable {
  /// The limits of each space that has none of its own.
  var limits: SyncLimits { get }

  // MARK: Requests

  /// The token with this text, looked up each time: nil for one that was revoked or never made.
  func token(_ text: String) async throws -> SyncToken?
  /// Merges a push into a space, and answers after the commit. An error: perhaps nothing was applied.
  func push(_ push: SyncPush, in space: String, now: Int64) async throws -> SyncAnswer
  /// The rows behind the cursor.
  func pull(_ pull: SyncPull, in space: String, now: Int64) async throws -> SyncAnswer
  /// Answers the head of a space: the number of its last push. The body is `{"epoch":"…","head":7,"now":1764000000000}`. An error is the
  /// answer 503.
  func head(of space: String, token: String?, now: Int64) async -> SyncAnswer
  /// How many epochs requests have begun since this program opened the store, because another database had taken over. Zero for a file.
  var epochsBegun: Int { get }
  /// Throws when requests cannot be answered now.
  func look() async throws
  /// The names of spaces in which other processes have pushed, and nil when any may have one. Ends at once where nobody tells.
  func pushesElsewhere() -> AsyncStream<String?>

  // MARK: Administration

  /// Makes an empty space; see `SyncServer.makeSpace(_:)`.
  func makeSpace(_ name: String) async throws
  /// The spaces, by name.
  func spaces() async throws -> [SyncSpace]
  /// The space of this name; `.notFound` without one.
  func space(_ name: String) async throws -> SyncSpace
  /// Removes a space with its rows and tokens; with `unchanged` only a space that is still the same, with the same tokens.
  ///
  /// - Throws: `.notFound`; `.busy` for a space that has changed.
  func removeSpace(_ name: String, unchanged: SpaceCopy?) async throws
  /// Begins a new epoch in a space; nil: in all.
  func beginEpoch(in name: String?) async throws
  /// Gives a space limits of its own; nil gives those of the server. Where this changes them, a new epoch begins.
  func setLimits(_ limits: SyncLimits?, of name: String) async throws
  /// Refuses devices with a schema below `version` from now on.
  func requireSchema(_ version: Int, in name: String) async throws
  /// How many pushes have changed a row, in all spaces together.
  func pushCount() async throws -> Int64
  /// Makes a token, and returns it; see `SyncServer.makeToken(for:_:name:)`.
  func makeToken(for space: String, _ role: SyncToken.Role, name: String?) async throws -> String
  /// The tokens of all spaces, by name.
  func tokens() async throws -> [SyncToken]
  /// Revokes a token.
  func revokeToken(named name: String) async throws

  // MARK: Copies

  /// Calls `body` with all of a space, and returns what it returns.
  ///
  /// - Throws: `.notFound`; the error of `body`.
  func copying<T: Sendable>(_ name: String, _ body: @Sendable (SpaceCopy) async throws -> T) async throws -> T
  /// Takes a space with its rows and tokens, and begins a new epoch in it.
  ///
  /// - Throws: `.constraint` when there is a space of this name, or a token; `.busy` when the space changed while it was copied. Then
  ///   nothing was taken.
  func take(_ copy: SpaceCopy) async throws

  /// Closes the store. No other call may follow.
  func close() async throws
}

extension SyncSpaces {
  /// Zero: no other database takes a file's place while it is open.
  public var epochsBegun: Int { 0 }

  /// Answers the request with this body. An error of the store is the answer 503.
  ///
  /// Pushes that wait at the same time may share one transaction; each has its own answer, and one that fails undoes nothing of the others.
  /// The answer comes after the commit. Cancelling the task does not stop a push that waits for its transaction.
  /// - Parameters:
  ///   - body: unzipped. Devices send bodies above 1 KB as gzip, with `Content-Encoding`; expand no more than `SyncServer.greatestBytes`.
  ///   - token: the token that the device presented, nil for none. It is looked up in the store each time.
  ///   - now: the server's time in milliseconds since 1970.
  public func answer(_ verb: SyncServer.Verb, _ body: Data, in space: String, token: String?, now: Int64) async -> SyncAnswer {
    do {
      let found = if let token { try await self.token(token) } else { nil as SyncToken? }
      return await answer(verb, body, in: space, by: found, now: now)
    } catch {
      return SyncAnswer(failure: error, now: now)
    }
  }

  /// Answers the request with this body, as `answer(_:_:in:token:now:)` does.
  ///
  /// - Parameter found: the token that the program around the server has found for the request; nil for none, and for one that is not valid.
  public func answer(_ verb: SyncServer.Verb, _ body: Data, in space: String, by found: SyncToken?, now: Int64) async -> SyncAnswer {
    do {
      if let refused = SyncAnswer.refusal(of: verb, in: space, by: found, now: now) { return refused }
      let request: SyncRequest
      do { request = try SyncRequest(body: body) } catch let error as StoreError { return SyncAnswer(error, now: now) }
      switch (verb, request.verb) {
      case (.pull, .pull): return try await pull(SyncPull(request), in: space, now: now)
      case (.push, .push(let rows)): return try await push(SyncPush(rows, of: request), in: space, now: now)
      case (.pull, .push), (.push, .pull):
        let message = verb == .pull ? "only a push has \"rows\"" : "\"rows\" is missing"
        return SyncAnswer(StoreError(.invalidSource, "line 1: \(message)"), now: now)
      }
    } catch {
      return SyncAnswer(failure: error, now: now)
    }
  }
}
