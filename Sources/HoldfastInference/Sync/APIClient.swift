public import Foundation

/// Sends requests to an SDK's remote API. `URLSessionClient` implements it; a test may use its own.
public protocol APIClient: Sendable {
  /// Sends one request and waits for its answer, of any status.
  ///
  /// - Throws: any error that means that there is no answer: no connection, a broken one, a time-out. The request may have arrived.
  func send(_ request: APIRequest) async throws -> APIResponse
}

/// A request to the remote API.
public struct APIRequest: Sendable, Hashable {
  /// `GET` or `POST`.
  public var method: String
  /// The path below the API's address, such as `/v1/sync/telemetry`, with a query if needed.
  public var path: String
  /// JSON; empty for no body.
  public var body: Data

  /// A request with these values.
  public init(_ method: String, _ path: String, body: Data = Data()) {
    self.method = method
    self.path = path
    self.body = body
  }
}

/// The answer of the remote API.
public struct APIResponse: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// How long the server asks the client to wait; nil when it does not ask.
  public var retryAfterSeconds: Double?
  /// Usually JSON.
  public var body: Data

  /// An answer with these values.
  public init(status: Int, retryAfterSeconds: Double? = nil, body: Data = Data()) {
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.body = body
  }
}
