public import Foundation
import HoldfastHTTP

/// Sends requests to the remote API by an `HTTPClient`, with the API's key as a bearer token.
///
/// The key is loaded for each request and not kept; errors do not contain it, and only the header does. Redirects are not
/// followed. Unencrypted requests go only to this computer, without a proxy.
public struct URLSessionClient: APIClient {
  private let client: HTTPClient

  /// A client of the API at an address.
  ///
  /// - Parameters:
  ///   - address: the API's address, such as `https://api.example.com`, to which each path is added. Without a query and a
  ///     fragment; see `isPrivate(_:)`.
  ///   - timeoutSeconds: how long to wait for the complete answer; 0 ends each request at once. Default 30.
  ///   - apiKey: loads the key; nil sends none, and the server will refuse. When it throws, `send(_:)` throws, and nothing is sent.
  public init(_ address: URL, timeoutSeconds: Double = 30, apiKey: @escaping @Sendable () async throws -> String?) {
    client = HTTPClient(address, of: "the API", timeoutSeconds: timeoutSeconds, key: apiKey)
  }

  /// Whether no other computer can read requests to this address: https, or http to this computer, for tests.
  public static func isPrivate(_ address: URL) -> Bool { HTTPClient.isPrivate(address) }

  /// - Throws: what `HTTPClient.send(_:_:body:type:zips:)` throws.
  public func send(_ request: APIRequest) async throws -> APIResponse {
    let answer = try await client.send(request.method, request.path, body: request.body)
    return APIResponse(status: answer.status, retryAfterSeconds: answer.retryAfterSeconds, body: answer.body)
  }
}
