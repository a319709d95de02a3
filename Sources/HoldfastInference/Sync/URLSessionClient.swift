public import Foundation
import Holdfast

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests to the remote API by `URLSession`, with the API's key as a bearer token.
///
/// The key is loaded for each request and not kept; errors do not contain it, and only the header does. Redirects are not
/// followed. Unencrypted requests go only to this computer, without a proxy if the platform lets a client say so; on Linux, set
/// `no_proxy` in the environment.
public struct URLSessionClient: APIClient {
  private let address: URL
  private let apiKey: @Sendable () async throws -> String?
  let timeoutSeconds: Double
  let session: HTTPSession

  /// - Parameters:
  ///   - address: the API's address, such as `https://api.example.com`, to which each path is added. Without a query and a
  ///     fragment; see `isPrivate(_:)`.
  ///   - timeoutSeconds: how long to wait for the complete answer; 0 ends each request at once. Default 30.
  ///   - apiKey: loads the key; nil sends none, and the server will refuse. When it throws, `send(_:)` throws, and nothing is sent.
  public init(_ address: URL, timeoutSeconds: Double = 30, apiKey: @escaping @Sendable () async throws -> String?) {
    self.address = Self.withPlainScheme(address)
    self.apiKey = apiKey
    self.timeoutSeconds = timeoutSeconds
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeoutSeconds
    configuration.timeoutIntervalForResource = timeoutSeconds
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    // A proxy may be another computer.
    if address.scheme?.lowercased() == "http" { configuration.connectionProxyDictionary = [:] }
    session = HTTPSession(configuration)
  }

  /// Whether no other computer can read requests to this address: https, or http to this computer, for tests.
  public static func isPrivate(_ address: URL) -> Bool {
    guard let host = address.host?.lowercased(), !host.isEmpty else { return false }
    if address.scheme?.lowercased() == "https" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let isOfThisComputer =
      ["localhost", "::1", "[::1]"].contains(host) || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    return address.scheme?.lowercased() == "http" && isOfThisComputer
  }

  /// - Throws: `.misuse` for an address that is not private or has a query or a fragment, and for a path that makes no URL; the
  ///   key's `StoreError`, or `.permissionDenied` for another error of loading the key; `.wrongKey` for a key that a header
  ///   cannot hold; `URLError` when there is no answer; `.inputOutput` when there is none in time, and for an answer of more
  ///   than 16 MiB, decompressed.
  public func send(_ request: APIRequest) async throws -> APIResponse {
    guard Self.isPrivate(address) else {
      throw StoreError(
        .misuse, "requests to \(address.scheme ?? "")://\(address.host ?? "") would be readable on the way; nothing was sent",
        suggestion: "Use https; http is for this computer only.")
    }
    // The path would become part of the query or fragment. The error does not contain their text, which may be secret.
    guard address.query == nil, address.fragment == nil else {
      throw StoreError(
        .misuse, "the address of the API has a query or a fragment, so no path can be added to it; nothing was sent",
        suggestion: "Remove the part from ? or # on.")
    }
    guard let url = URL(string: address.absoluteString.trimmingSuffix("/") + request.path) else {
      throw StoreError(.misuse, "\(request.path) cannot be added to the address of the API")
    }
    var message = URLRequest(url: url)
    message.httpMethod = request.method
    message.setValue("application/json", forHTTPHeaderField: "Accept")
    let key = try await checkedKey()
    if !request.body.isEmpty {
      message.httpBody = request.body
      message.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    if let key { message.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
    let (body, answer) = try await inTime(message)
    guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let pause = answer.value(forHTTPHeaderField: "Retry-After").flatMap { RetryAfter.seconds($0, from: Date()) }
    return APIResponse(status: answer.statusCode, retryAfterSeconds: pause, body: body)
  }

  /// - Throws: `.inputOutput` when there is no answer in time, because the platform's error is only a number; otherwise as
  ///   `HTTPExchanges`.
  private func inTime(_ message: URLRequest) async throws -> (Data, URLResponse) {
    do {
      return try await session.answer(to: message, within: timeoutSeconds)
    } catch {
      let failure = error as NSError
      guard failure.domain == NSURLErrorDomain, failure.code == URLError.Code.timedOut.rawValue else { throw error }
      let seconds = Int(exactly: timeoutSeconds).map { "\($0)" } ?? "\(timeoutSeconds)"
      throw StoreError.server("the server gave no answer in \(seconds) s", cause: error)
    }
  }

  /// `https` in lower case: some platforms' sessions accept no other spelling.
  private static func withPlainScheme(_ address: URL) -> URL {
    let text = address.absoluteString
    guard let colon = text.firstIndex(of: ":") else { return address }
    return URL(string: text[..<colon].lowercased() + String(text[colon...])) ?? address
  }

  private func checkedKey() async throws -> String? {
    let key: String?
    do {
      key = try await apiKey()
    } catch let error where error is StoreError || error is CancellationError {
      throw error
    } catch {
      throw StoreError(
        .permissionDenied, "the key of the API cannot be loaded: \(error.localizedDescription.prefix(200))",
        suggestion: "Unlock the place that keeps it, and try again.", cause: error)
    }
    // A line break would begin another header.
    if let key, key.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw StoreError(.wrongKey, "the key of the API has a control character", suggestion: "Set the key again, without a line break.")
    }
    return key
  }
}

/// The header `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
enum RetryAfter {
  static func seconds(_ text: String, from now: Date) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? seconds : nil }
    // `Sun, 06 Nov 1994 08:49:37 GMT`, the form in use since 1999.
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    let date = DateCodec.parseISO8601("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z").flatMap(DateCodec.date(milliseconds:))
    return date.map { max(0, $0.timeIntervalSince(now)) }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
