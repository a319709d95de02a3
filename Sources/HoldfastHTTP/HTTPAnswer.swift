public import Foundation

/// The answer of a server, of any status.
public struct HTTPAnswer: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// How long the server asks the client to wait, by `Retry-After`; nil when it does not ask.
  public var retryAfterSeconds: Double?
  /// Decompressed.
  public var body: Data

  /// Far more than a page of a catalogue has.
  static let greatestBytes = 16 << 20

  /// An answer with these values.
  public init(status: Int, retryAfterSeconds: Double? = nil, body: Data = Data()) {
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.body = body
  }

  init(status: Int, retryAfter: String?, body: Data) {
    self.init(status: status, retryAfterSeconds: retryAfter.flatMap { RetryAfter.seconds($0, from: Date()) }, body: body)
  }
}
