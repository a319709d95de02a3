/// Where a server listens: `127.0.0.1:8377`, `[::1]:8377` or `localhost:8377`.
package struct Address: Sendable, Equatable, CustomStringConvertible {
  package let host: String
  package let port: Int

  /// Nil for a text that is no host and port.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), 0...65_535 ~= port else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() } else if host.contains(":") { return nil }
    guard !host.isEmpty else { return nil }
    (self.host, self.port) = (String(host), port)
  }

  /// Whether only programs on this machine reach it.
  package var isLoopback: Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return host == "localhost" || host == "::1" || parts.count == 4 && parts.first == 127 && !parts.contains(nil)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
