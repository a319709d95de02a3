public import Foundation
public import Holdfast
internal import HoldfastSync

/// The answer to a request, as an HTTP response needs it.
public struct SyncAnswer: Sendable {
  /// The HTTP status. 200; 400 for a body that is no request; 401 without a valid token; 403 for a push with a token that only reads; 404 for
  /// another space than the token's; 409 for a device of another epoch; 413 for a body above 1 MB or 1,000 rows, and
  /// for a push of several rows that are more than 8 MB together with what the server has of them; 422 for a stamp from the
  /// future; 426 for a device with an old schema; 503 when the store cannot answer. With each but 200 nothing was applied.
  public private(set) var status: Int
  /// The body: lines of JSON in UTF-8.
  public let body: Data
  /// The rows in the request's body, or for a pull in the answer's.
  public private(set) var rows = 0
  /// The space's head in the answer of `head(of:token:now:)`.
  public private(set) var head: Int64?
  private var epoch = ""
  /// The error of the store behind a 503, for the server's own log.
  public private(set) var problem: StoreError?

  /// The answer to a request that the program around the server refuses itself.
  ///
  /// - Parameters:
  ///   - refusal: `.invalidSource` becomes 400, `.invalidValue` 413, and another code 503. Its message is sent.
  ///   - status: another status, such as 429.
  ///   - now: the server's time in milliseconds since 1970.
  public init(_ refusal: StoreError, status: Int? = nil, now: Int64) {
    self.init(SyncResponse(.failed(refusal), now: now, epoch: ""))
    self.status = status ?? self.status
  }

  /// - Parameter lines: of a page, the lines of its rows.
  init(_ response: SyncResponse, rows: Int = 0, lines: [String]? = nil) {
    (status, body, self.rows) = (response.status, response.body(lines: lines), lines?.count ?? rows)
  }

  /// The answer to a request for which the store failed. Whose fault it was, the status says: not the device's.
  public init(failure error: any Error, now: Int64) {
    let problem = error as? StoreError ?? StoreError(.inputOutput, "the request failed", cause: error)
    let passes: [StoreError.Code] = [.diskFull, .busy]
    self.init(SyncResponse(.failed(StoreError(passes.contains(problem.code) ? problem.code : .inputOutput, "")), now: now, epoch: ""))
    self.problem = problem
  }

  /// The answer to the question for a space's head.
  public init(head: Int64, epoch: String, now: Int64) {
    status = 200
    let members: JSONValue = .object(["epoch": .string(epoch), "head": .integer(head), "now": .integer(now)])
    (body, self.head, self.epoch) = (Data((members.canonicalText() + "\n").utf8), head, epoch)
  }

  /// The same head, told at another time. Any other answer stays as it is. Nothing is looked up again: a token that was revoked meanwhile is
  /// refused from its next request on.
  public func told(now: Int64) -> SyncAnswer { head.map { SyncAnswer(head: $0, epoch: epoch, now: now) } ?? self }
}

/// An error whose description a server may log: it has no name, key or value of a row.
public protocol LoggableError: Error, CustomStringConvertible {}

extension SyncServer {
  /// What a device asks for.
  public enum Verb: String, Sendable, CaseIterable {
    /// Merges the body's rows into the space.
    case push
    /// The rows behind the cursor in the body.
    case pull
  }

  /// The greatest size of a request's body in bytes, unzipped: 1 MB.
  public static let greatestBytes = SyncRequest.greatestBytes

  /// Answers the head of a space: the number of its last push. The body is `{"epoch":"…","head":7,"now":1764000000000}`. An error of the
  /// store is the answer 503.
  ///
  /// - Parameters: as of `answer(_:_:in:token:now:)`.
  public func head(of space: String, token: String?, now: Int64) async -> SyncAnswer {
    do {
      return try await store.read(as: "head") { reader in
        let token = try token.flatMap { try StoredToken.find($0, reader)?.shown }
        if let refused = SyncAnswer.refusal(of: .pull, in: space, by: token, now: now) { return refused }
        let found = try StoredSpace.find(space, reader)
        return SyncAnswer(head: found.head, epoch: found.epoch, now: now)
      }
    } catch {
      return SyncAnswer(failure: error, now: now)
    }
  }

  /// The token with this text; nil for one that was revoked or never made.
  public func token(_ text: String) async throws -> SyncToken? {
    try await store.read(as: "token") { reader in try StoredToken.find(text, reader)?.shown }
  }

  /// Merges a push into a space. Pushes that wait at the same time share one transaction. Cancelling the task stops none that waits.
  ///
  /// - Throws: the errors of the store. Then nothing was applied.
  public func push(_ push: SyncPush, in space: String, now: Int64) async throws -> SyncAnswer {
    let response = try await pushes.run(in: store) { tx in try apply(push, in: space, now: now, tx) }
    return SyncAnswer(response, rows: push.sent)
  }

  /// The rows behind the cursor.
  ///
  /// - Throws: the errors of a read; `.decoding` for a line that is not its row's.
  public func pull(_ pull: SyncPull, in space: String, now: Int64) async throws -> SyncAnswer {
    try await store.read(as: "pull") { reader in
      let (found, page) = try page(for: pull.request, in: space, reader)
      return try found.map { try pull.answer(from: $0, page, now: now) } ?? SyncAnswer(StoredSpace.notFound(space), now: now)
    }
  }

  /// Throws when the store cannot be read.
  public func look() async throws {
    _ = try await store.read(as: "healthz") { reader in try reader.count("SELECT count(*) FROM sync_pushes") }
  }

  /// Ends at once: other processes tell nothing. Their pushes are in every later answer.
  public func pushesElsewhere() -> AsyncStream<String?> { AsyncStream { $0.finish() } }

  /// Closes the store.
  ///
  /// - Throws: what `Store.close()` throws.
  public func close() async throws { try store.close() }
}

extension SyncAnswer {
  /// The answer to a request that its token does not allow; nil for one that it allows. Without a valid token the answer does not tell
  /// whether there is such a space.
  public static func refusal(of verb: SyncServer.Verb, in space: String, by found: SyncToken?, now: Int64) -> SyncAnswer? {
    func refused(_ code: StoreError.Code, _ message: String) -> SyncAnswer { SyncAnswer(StoreError(code, message), now: now) }
    guard let found else { return refused(.permissionDenied, "the token is not valid") }
    guard found.space == space else { return refused(.notFound, "the token is of another space") }
    return verb == .push && found.role == .reads ? refused(.readOnly, "the token only reads") : nil
  }
}
