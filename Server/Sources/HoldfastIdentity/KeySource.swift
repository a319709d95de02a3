package import Foundation
internal import Holdfast
package import HoldfastHTTP

/// Where an identity provider's key set is.
package enum KeySource: Sendable {
  case file(URL)
  case address(HTTPClient, path: String)

  /// The greatest size of a key set in bytes.
  static let greatestBytes = 1 << 20

  /// - Parameters:
  ///   - text: the path of a file, or an address: https, or http to this computer. Redirects are not followed.
  ///   - timeoutSeconds: how long to wait for the set.
  /// - Throws: `.misuse` for an address that others could answer for.
  package init(_ text: String, timeoutSeconds: Double = 10) throws {
    guard let scheme = text.range(of: "://") else {
      self = .file(URL(fileURLWithPath: text))
      return
    }
    let slash = text[scheme.upperBound...].firstIndex(of: "/") ?? text.endIndex
    guard let server = URL(string: String(text[..<slash])) else { throw StoreError(.misuse, "the address of the key set is no URL") }
    let client = HTTPClient(server, of: "the identity provider", timeoutSeconds: timeoutSeconds) { nil }
    try client.checkAddress()
    self = .address(client, path: slash < text.endIndex ? String(text[slash...]) : "/")
  }

  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  /// - Throws: `.notFound`, `.inputOutput`, `.invalidSource`; `URLError`.
  func read() async throws -> Data {
    let text: Data
    switch self {
    case .file(let url):
      do {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        text = try file.read(upToCount: Self.greatestBytes + 1) ?? Data()
      } catch { throw StoreError(.notFound, "\(url.path) cannot be read", cause: error) }
    case .address(let client, let path):
      let answer = try await client.send("GET", path)
      guard answer.status == 200 else { throw StoreError(.inputOutput, "the identity provider answered with status \(answer.status)") }
      text = answer.body
    }
    guard text.count <= Self.greatestBytes else {
      throw StoreError(.invalidSource, "the key set has more than \(Self.greatestBytes) bytes")
    }
    return text
  }
}
