public import Foundation
import Holdfast

/// Sends HTTP requests to one server, with a key as a bearer token: by `URLSession`, on Linux by libcurl. An answer is limited in time and
/// size.
///
/// The key is loaded for each request and not kept; errors do not contain it, and only the header does. Redirects are not
/// followed. Unencrypted requests go only to this computer, without a proxy.
public struct HTTPClient: Sendable {
  private let address: URL
  private let server: String
  private let key: @Sendable () async throws -> String?
  let timeoutSeconds: Double
  let session: HTTPSession

  /// - Parameters:
  ///   - address: the server's address, such as `https://api.example.com`, to which each path is added. Without a query and a
  ///     fragment; see `isPrivate(_:)`.
  ///   - server: what errors call the server.
  ///   - timeoutSeconds: how long to wait for the complete answer; 0 ends each request at once. Default 30.
  ///   - key: loads the key; nil sends none, and the server will refuse. When it throws, `send` throws, and nothing is sent.
  public init(
    _ address: URL, of server: String = "the server", timeoutSeconds: Double = 30, key: @escaping @Sendable () async throws -> String?
  ) {
    self.address = Self.withPlainScheme(address)
    self.server = server
    self.key = key
    self.timeoutSeconds = timeoutSeconds
    session = HTTPSession(to: self.address, of: server, timeoutSeconds: timeoutSeconds)
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

  /// Throws where `send` would send nothing because of the address.
  ///
  /// - Throws: `.misuse` for an address that is not private, and for one with a query or a fragment.
  public func checkAddress() throws {
    guard Self.isPrivate(address) else {
      throw StoreError(
        .misuse, "requests to \(address.scheme ?? "")://\(address.host ?? "") would be readable on the way; nothing was sent",
        suggestion: "Use https; http is for this computer only.")
    }
    // The path would become part of the query or fragment. The error does not contain their text, which may be secret.
    guard address.query == nil, address.fragment == nil else {
      throw StoreError(
        .misuse, "the address of \(server) has a query or a fragment, so no path can be added to it; nothing was sent",
        suggestion: "Remove the part from ? or # on.")
    }
  }

  /// Sends one request and waits for its answer, of any status.
  ///
  /// - Parameters:
  ///   - method: such as `GET`.
  ///   - path: begins with `/`; with a query if needed.
  ///   - body: empty for none.
  ///   - type: the media type of the body, and of the answer that is asked for.
  ///   - zips: whether a body of more than 1 KB is sent as gzip, where that is shorter. For a server that is known to read it. Default
  ///     false. An answer may always be zipped.
  /// - Throws: `.misuse` for an address that is not private or has a query or a fragment, and for a path that makes no URL; the
  ///   key's `StoreError`, or `.permissionDenied` for another error of loading the key; `.wrongKey` for a key that a header
  ///   cannot hold; `URLError` when there is no answer; `.inputOutput` when there is none in time, and for an answer of more
  ///   than 16 MiB, decompressed.
  public func send(
    _ method: String, _ path: String, body: Data = Data(), type: String = "application/json", zips: Bool = false
  ) async throws -> HTTPAnswer {
    try checkAddress()
    let base = address.absoluteString
    guard let url = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + path) else {
      throw StoreError(.misuse, "\(path) cannot be added to the address of \(server)")
    }
    var message = HTTPMessage(method: method, url: url, headers: ["Accept": type], body: body)
    let key = try await checkedKey()
    if !body.isEmpty {
      let zipped = zips && body.count > 1_024 ? Gzip.compressed(body) : nil
      if zipped != nil { message.headers["Content-Encoding"] = "gzip" }
      message.body = zipped ?? body
      message.headers["Content-Type"] = type
    }
    if let key { message.headers["Authorization"] = "Bearer \(key)" }
    do {
      return try await session.answer(to: message)
    } catch {
      // The platform's error for no answer in time is only a number.
      let failure = error as NSError
      guard failure.domain == NSURLErrorDomain, failure.code == URLError.Code.timedOut.rawValue else { throw error }
      let seconds = Int(exactly: timeoutSeconds).map { "\($0)" } ?? "\(timeoutSeconds)"
      throw StoreError.noAnswer("the server gave no answer in \(seconds) s", of: server, cause: error)
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
      key = try await self.key()
    } catch let error where error is StoreError || error is CancellationError {
      throw error
    } catch {
      throw StoreError(
        .permissionDenied, "the key of \(server) cannot be loaded: \(error.localizedDescription.prefix(200))",
        suggestion: "Unlock the place that keeps it, and try again.", cause: error)
    }
    // A line break would begin another header.
    if let key, key.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw StoreError(.wrongKey, "the key of \(server) has a control character", suggestion: "Set the key again, without a line break.")
    }
    return key
  }
}

struct HTTPMessage: Sendable {
  let method: String
  let url: URL
  var headers: [String: String]
  /// Empty for none.
  var body: Data
}

extension StoreError {
  static func tooLarge(of server: String) -> StoreError {
    .noAnswer("the server's answer is larger than \(HTTPAnswer.greatestBytes >> 20) MiB", of: server)
  }

  /// The default suggestion of `.inputOutput` is about disks.
  static func noAnswer(_ message: String, of server: String, cause: (any Error)? = nil) -> StoreError {
    StoreError(
      .inputOutput, message,
      suggestion: "Check the network and the address of \(server), then try again; unconfirmed rows still wait.", cause: cause)
  }
}
