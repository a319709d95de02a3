internal import Foundation
package import HoldfastSyncServer

/// What `serve` lets choose, and what tests shorten.
package struct ServingOptions: Sendable {
  /// The hosts that requests may name, without port. Another one gets 421: a page in a browser must not reach a server on this machine by a
  /// name of its own that leads here. Default: the names of this machine itself.
  package var hosts: Set<String> = ["127.0.0.1", "localhost", "::1"]
  /// The requests of one token in a second, in the long run. Default 20.
  package var requestsPerSecond = 20.0
  /// The requests of one token at once. Default 100.
  package var burst = 100.0
  /// The longest time that a poll waits; it may end a twenty-fifth earlier. Default 25 seconds: proxies end a request after 30 or 60.
  package var patience: Duration = .seconds(25)
  /// The server's time in milliseconds since 1970. Default: the system's.
  package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
  /// Verifies a JSON Web Token: nil for one that is not valid; an error when that cannot be told now. Default: no token of this form is.
  package var verify: (@Sendable (_ token: String, _ now: Int64) async throws -> SyncToken?)?

  package init() {}
}
