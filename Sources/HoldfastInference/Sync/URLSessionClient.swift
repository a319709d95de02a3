public import Foundation
import Holdfast

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Carries requests to the remote API by `URLSession`, with the key of the API as a bearer.
///
/// The key is asked for at each request and kept nowhere; it is in no error, and stands in the header alone. It goes to nobody else: redirects are not followed, and what is not encrypted is sent to this computer only, through no proxy
/// where the platform lets a client say so: on Linux it is `no_proxy` in the environment that says it.
public struct URLSessionClient: APIClient {
  private let address: URL
  private let apiKey: @Sendable () throws -> String?
  let timeoutSeconds: Double
  let session: HTTPSession

  /// - Parameters:
  ///   - address: of the API, such as `https://api.example.com`, to which each path is added: without a question and a fragment; see
  ///     `isPrivate(_:)`.
  ///   - timeoutSeconds: until a request is given up whose answer is not there whole; 0 gives each up at once. Default 30.
  ///   - apiKey: nil sends none, and the server will say so. When it throws, so does `send(_:)`, and nothing is sent.
  public init(_ address: URL, timeoutSeconds: Double = 30, apiKey: @escaping @Sendable () throws -> String?) {
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

  /// Whether nobody can read on the way what goes to this address: https, or http on this computer, for tests.
  public static func isPrivate(_ address: URL) -> Bool {
    guard let host = address.host?.lowercased(), !host.isEmpty else { return false }
    if address.scheme?.lowercased() == "https" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let isOfThisComputer =
      ["localhost", "::1", "[::1]"].contains(host) || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    return address.scheme?.lowercased() == "http" && isOfThisComputer
  }

  /// - Throws: `.misuse` for an address that is not private or has a question or a fragment, and for a path that makes none; a `StoreError`
  ///   of the key's source, or `.permissionDenied` for any other that it throws; `.wrongKey` for a key that no header can have; `URLError`
  ///   when there is no answer, but `.inputOutput` when there is none in time, and for an answer of more than 16 MiB, unpacked.
  public func send(_ request: APIRequest) async throws -> APIResponse {
    guard Self.isPrivate(address) else {
      throw StoreError(
        .misuse, "anybody on the way could read what goes to \(address.scheme ?? "")://\(address.host ?? ""); nothing was sent",
        suggestion: "Use https; http is for this computer only.")
    }
    // The path would be part of either. Without their text, which may be secret.
    guard address.query == nil, address.fragment == nil else {
      throw StoreError(
        .misuse, "the address of the API has a question or a fragment, and the paths are to be added to it; nothing was sent",
        suggestion: "Leave out what stands from ? or # on.")
    }
    guard let url = URL(string: address.absoluteString.trimmingSuffix("/") + request.path) else {
      throw StoreError(.misuse, "\(request.path) is no path below the address of the API")
    }
    var message = URLRequest(url: url)
    message.httpMethod = request.method
    message.setValue("application/json", forHTTPHeaderField: "Accept")
    let key = try checkedKey()
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

  /// - Throws: `.inputOutput` for no answer in time, of which the platform says a number; as `HTTPExchanges`.
  private func inTime(_ message: URLRequest) async throws -> (Data, URLResponse) {
    do {
      return try await session.answer(to: message, within: timeoutSeconds)
    } catch {
      let failure = error as NSError
      guard failure.domain == NSURLErrorDomain, failure.code == URLError.Code.timedOut.rawValue else { throw error }
      let seconds = Int(exactly: timeoutSeconds).map { "\($0)" } ?? "\(timeoutSeconds)"
      throw StoreError(.inputOutput, "the server gave no answer in \(seconds) s", suggestion: "Try again later.", cause: error)
    }
  }

  /// `https` however it is written: some platforms' sessions know it in small letters only.
  private static func withPlainScheme(_ address: URL) -> URL {
    let text = address.absoluteString
    guard let colon = text.firstIndex(of: ":") else { return address }
    return URL(string: text[..<colon].lowercased() + String(text[colon...])) ?? address
  }

  private func checkedKey() throws -> String? {
    let key: String?
    do {
      key = try apiKey()
    } catch let error where error is StoreError || error is CancellationError {
      throw error
    } catch {
      throw StoreError(
        .permissionDenied, "the key of the API cannot be had: \(error.localizedDescription.prefix(200))",
        suggestion: "Unlock what keeps it, and try again.", cause: error)
    }
    // A line's end would begin another header.
    if let key, key.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw StoreError(.wrongKey, "the key of the API has a control character", suggestion: "Set the key again, without a line's end.")
    }
    return key
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

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
