public import Foundation

/// Carries requests to the remote API of an SDK. `URLSessionClient` is the real one; a test may put its own in the place of it.
public protocol APIClient: Sendable {
  /// Sends one request and waits for its answer, of any status.
  ///
  /// - Throws: whatever says that there is no answer: no connection, one that was cut, no time left. The request may have arrived.
  func send(_ request: APIRequest) async throws -> APIResponse
}

/// A request to the remote API.
public struct APIRequest: Sendable, Hashable {
  /// `GET` or `POST`.
  public var method: String
  /// Below the address of the API, as `/v1/sync/telemetry`; with a query where there is one.
  public var path: String
  /// JSON; empty for none.
  public var body: Data

  /// A request.
  public init(_ method: String, _ path: String, body: Data = Data()) {
    self.method = method
    self.path = path
    self.body = body
  }
}

/// The answer of the remote API.
public struct APIResponse: Sendable, Hashable {
  /// As HTTP has it.
  public var status: Int
  /// How long the server asks to be left alone; nil when it does not ask.
  public var retryAfterSeconds: Double?
  /// JSON, as a rule.
  public var body: Data

  /// An answer.
  public init(status: Int, retryAfterSeconds: Double? = nil, body: Data = Data()) {
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.body = body
  }
}
