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

  init(_ response: SyncResponse, rows: Int = 0) {
    (status, body, self.rows) = (response.status, response.body, rows)
    if case .page(let page, _, _) = response.outcome { self.rows = page.count }
  }

  /// The answer to a request for which the store failed. Whose fault it was, the status says: not the device's.
  init(failure error: any Error, now: Int64) {
    let problem = error as? StoreError ?? StoreError(.inputOutput, "the request failed", cause: error)
    let passes: [StoreError.Code] = [.diskFull, .busy]
    self.init(SyncResponse(.failed(StoreError(passes.contains(problem.code) ? problem.code : .inputOutput, "")), now: now, epoch: ""))
    self.problem = problem
  }

  init(head: Int64, epoch: String, now: Int64) {
    status = 200
    let members: JSONValue = .object(["epoch": .string(epoch), "head": .integer(head), "now": .integer(now)])
    (body, self.head) = (Data((members.canonicalText() + "\n").utf8), head)
  }
}

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

  /// Answers the request with this body. An error of the store is the answer 503.
  ///
  /// Pushes that wait at the same time share one transaction; each has its own answer, and one that fails undoes nothing of the others. The
  /// answer comes after the commit. Cancelling the task does not stop a push that waits for its transaction.
  /// - Parameters:
  ///   - body: unzipped. Devices send bodies above 1 KB as gzip, with `Content-Encoding`; expand no more than `greatestBytes`.
  ///   - token: the token that the device presented, nil for none. It is looked up in the store each time.
  ///   - now: the server's time in milliseconds since 1970.
  public func answer(_ verb: Verb, _ body: Data, in space: String, token: String?, now: Int64) async -> SyncAnswer {
    do {
      let refused = try await store.read(as: "token") { reader in try Self.refusal(of: verb, in: space, token, now, reader) }
      if let refused { return SyncAnswer(refused) }
      let request: SyncRequest
      do { request = try SyncRequest(body: body) } catch let error as StoreError {
        return SyncAnswer(SyncResponse(.failed(error), now: now, epoch: ""))
      }
      switch (verb, request.verb) {
      case (.pull, .pull): return SyncAnswer(try await store.read(as: "pull") { reader in try pull(request, in: space, now: now, reader) })
      case (.push, .push(let rows)):
        let response = try await pushes.run(in: store) { tx in try push(rows, of: request, in: space, now: now, tx) }
        return SyncAnswer(response, rows: rows.count)
      case (.pull, .push), (.push, .pull):
        let message = verb == .pull ? "only a push has \"rows\"" : "\"rows\" is missing"
        return SyncAnswer(SyncResponse(.failed(StoreError(.invalidSource, "line 1: \(message)")), now: now, epoch: ""))
      }
    } catch {
      return SyncAnswer(failure: error, now: now)
    }
  }

  /// Answers the head of a space: the number of its last push. The body is `{"epoch":"…","head":7,"now":1764000000000}`.
  ///
  /// - Parameters: as of `answer(_:_:in:token:now:)`.
  public func head(of space: String, token: String?, now: Int64) async -> SyncAnswer {
    do {
      return try await store.read(as: "head") { reader in
        if let refused = try Self.refusal(of: .pull, in: space, token, now, reader) { return SyncAnswer(refused) }
        let found = try Space.find(space, reader)
        return SyncAnswer(head: found.head, epoch: found.epoch, now: now)
      }
    } catch {
      return SyncAnswer(failure: error, now: now)
    }
  }

  /// Nil for a token that may do this. Without a valid token the answer does not tell whether there is such a space.
  private static func refusal(
    of verb: Verb, in space: String, _ token: String?, _ now: Int64, _ reader: Reader
  ) throws -> SyncResponse? {
    func refused(_ code: StoreError.Code, _ message: String) -> SyncResponse {
      SyncResponse(.failed(StoreError(code, message)), now: now, epoch: "")
    }
    guard let token, let found = try StoredToken.find(token, reader) else { return refused(.permissionDenied, "the token is not valid") }
    guard found.space == space else { return refused(.notFound, "the token is of another space") }
    return verb == .push && found.role == .reads ? refused(.readOnly, "the token only reads") : nil
  }
}
