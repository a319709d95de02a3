public import Foundation
import Holdfast

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries requests to the remote API by `URLSession`, with the key of the API as a bearer.
///
/// The key is asked for at each request and kept nowhere; it is in no error. Redirects are not followed: the key goes to nobody else.
public struct URLSessionClient: APIClient {
  private let address: URL
  private let apiKey: @Sendable () throws -> String?
  private let session: URLSession

  /// - Parameters:
  ///   - address: of the API, such as `https://api.example.com`.
  ///   - timeoutSeconds: until a request is given up; default 30.
  ///   - apiKey: nil sends none, and the server will say so. What it throws is thrown by `send(_:)`, and nothing is sent.
  public init(_ address: URL, timeoutSeconds: Double = 30, apiKey: @escaping @Sendable () throws -> String?) {
    self.address = address
    self.apiKey = apiKey
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeoutSeconds
    configuration.timeoutIntervalForResource = timeoutSeconds
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpShouldSetCookies = false
    session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
  }

  /// - Throws: `.misuse` for a path that makes no address; `.wrongKey` and others of the key; `URLError` when there is no answer.
  public func send(_ request: APIRequest) async throws -> APIResponse {
    guard let url = URL(string: address.absoluteString.trimmingSuffix("/") + request.path) else {
      throw StoreError(.misuse, "\(request.path) is no path below the address of the API")
    }
    var message = URLRequest(url: url)
    message.httpMethod = request.method
    message.setValue("application/json", forHTTPHeaderField: "Accept")
    if !request.body.isEmpty {
      message.httpBody = request.body
      message.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    if let key = try apiKey() { message.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
    let (body, answer) = try await session.data(for: message)
    guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let pause = answer.value(forHTTPHeaderField: "Retry-After").flatMap { RetryAfter.seconds($0, from: Date()) }
    return APIResponse(status: answer.statusCode, retryAfterSeconds: pause, body: body)
  }
}

/// The header `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
enum RetryAfter {
  static func seconds(_ text: String, from now: Date) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? seconds : nil }
    // `Sun, 06 Nov 1994 08:49:37 GMT`, the form that is sent since 1999.
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    let date = DateCodec.parseISO8601("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z").flatMap(DateCodec.date(milliseconds:))
    return date.map { max(0, $0.timeIntervalSince(now)) }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
