internal import Foundation
package import Holdfast
package import HoldfastHTTP

/// How a `StoreSync` reaches its space on a server. Tests have their own.
package struct SyncTransport: Sendable {
  /// What came back: the answer, or the reason why there is none that counts.
  package struct Reply: Sendable {
    package var result: Result<SyncResponse, StoreError>
    /// How long the server asks the device to wait; nil when it does not ask.
    package var retryAfterSeconds: Double?
    /// The device's milliseconds since 1970 when it came; nil before `SyncEngine` has noted it.
    var arrived: Int64?

    package init(_ result: Result<SyncResponse, StoreError>, retryAfterSeconds: Double? = nil) {
      (self.result, self.retryAfterSeconds) = (result, retryAfterSeconds)
    }
  }

  /// Throws where there is no answer at all.
  package var ask: @Sendable (SyncRequest) async throws -> Reply
  /// Waits until the space may have something behind the push with this number, 25 seconds at most.
  package var wait: @Sendable (_ cursor: Int64) async throws -> Void
  /// Throws where nothing can be asked, whatever the server says.
  package var check: @Sendable () throws -> Void

  package init(
    ask: @escaping @Sendable (SyncRequest) async throws -> Reply, wait: @escaping @Sendable (_ cursor: Int64) async throws -> Void,
    check: @escaping @Sendable () throws -> Void = {}
  ) { (self.ask, self.wait, self.check) = (ask, wait, check) }

  /// Reaches no server: for what is done on this device alone.
  package static let none = SyncTransport(
    ask: { _ in throw StoreError(.misuse, "no server was named") }, wait: { _ in throw StoreError(.misuse, "no server was named") })

  /// The server's HTTP: `POST …/v1/spaces/SPACE/pull` and `…/push`, `GET …/v1/spaces/SPACE/wait?after=CURSOR`.
  package static func http(_ client: HTTPClient, space: String) -> SyncTransport {
    // Also a slash is escaped.
    let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    let path = "/v1/spaces/" + (space.addingPercentEncoding(withAllowedCharacters: plain) ?? "")
    return SyncTransport(
      ask: { request in
        let verb = if case .pull = request.verb { "pull" } else { "push" }
        let answer = try await client.send("POST", "\(path)/\(verb)", body: request.body, type: "application/x-ndjson", zips: true)
        return Reply(Result { try read(answer) }.mapError { StoreError($0) }, retryAfterSeconds: answer.retryAfterSeconds)
      },
      wait: { cursor in
        let answer = try await client.send("GET", "\(path)/wait?after=\(cursor)")
        guard 200..<300 ~= answer.status else { throw StoreError(.inputOutput, "the server does not tell news (\(answer.status))") }
      },
      check: { try client.checkAddress() })
  }

  /// - Throws: `.permissionDenied` and `.busy` for what a proxy says with the status alone; otherwise as `SyncResponse`.
  private static func read(_ answer: HTTPAnswer) throws -> SyncResponse {
    do {
      return try SyncResponse(body: answer.body, status: answer.status)
    } catch {
      switch answer.status {
      case 401, 403: throw StoreError.refusedToken(cause: error)
      case 429, 502, 503, 504:
        throw StoreError(.busy, "the server cannot answer now (\(answer.status))", suggestion: StoreError.later, recoveryOptions: [.retry])
      default: throw error
      }
    }
  }
}

extension StoreError {
  static let later = "Nothing was changed; it is tried again by itself."

  fileprivate static func refusedToken(cause: (any Error)?) -> StoreError {
    StoreError(
      .permissionDenied, "the server does not accept this device's token", suggestion: "Give the device another token.", cause: cause)
  }

  /// An error that the server told, for people on this device: the server's disk is not theirs.
  var ofServer: StoreError {
    switch code {
    case .permissionDenied: .refusedToken(cause: self)
    case .readOnly:
      StoreError(
        .permissionDenied, "the server takes no changes from this device: \(message)",
        suggestion: "Give the device a token that writes. What others change still arrives.", cause: self)
    case .notFound: StoreError(.notFound, message, suggestion: "Check the name of the space and the address of the server.", cause: self)
    case .invalidValue: self
    default: StoreError(.inputOutput, "the server failed: \(message)", suggestion: Self.later, recoveryOptions: [.retry], cause: self)
    }
  }

  /// For an error of a request.
  static func noAnswer(_ error: any Error) -> StoreError {
    if let error = error as? StoreError { return error }
    return StoreError(
      .inputOutput, "the server gave no answer: \(error.localizedDescription.prefix(200))",
      suggestion: "Check the network and the address of the server. \(later)", recoveryOptions: [.retry], cause: error)
  }
}
