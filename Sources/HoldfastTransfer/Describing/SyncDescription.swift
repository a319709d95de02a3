public import Foundation
public import Holdfast

/// How a library syncs with a server, for a program that knows no library.
public struct SyncDescription: Sendable {
  /// What is exchanged, by which rules and with which keys; for a help text.
  public let about: String
  /// Whether this may be the address of a server: requests must not be readable on the way.
  public let accepts: @Sendable (URL) -> Bool
  /// Syncs as requested, and shows what waits afterwards. A request without an address only shows it. Cancelling the task ends the sync;
  /// rows that the server had confirmed are then recorded as sent.
  public let run: @Sendable (SyncRequest, Store) async throws -> ShownSync

  /// Makes a description. The errors of `run` carry the suggestion for the person.
  public init(
    _ about: String, accepts: @escaping @Sendable (URL) -> Bool, run: @escaping @Sendable (SyncRequest, Store) async throws -> ShownSync
  ) {
    (self.about, self.accepts, self.run) = (about, accepts, run)
  }
}

/// One sync, as a person requests it.
public struct SyncRequest: Sendable {
  /// The address of the server; nil sends and takes nothing.
  public var address: URL?
  /// The name by which the server knows this device.
  public var device: String
  /// Whether rows that were set aside are queued again first. Default false.
  public var retries = false
  /// Values that must not be options on a command line, such as keys.
  public var environment: [String: String] = [:]

  /// A request without retries.
  public init(address: URL?, device: String) { (self.address, self.device) = (address, device) }
}

/// What waits to be sent, and the result of a sync.
public struct ShownSync: Sendable {
  /// For a document and for people.
  public var shown: Shown
  /// Remarks for people.
  public var notes: [String]
  /// Whether the server refused rows, now or before.
  public var hasRefusals: Bool

  /// Makes an answer.
  public init(_ shown: Shown, notes: [String], hasRefusals: Bool) {
    (self.shown, self.notes, self.hasRefusals) = (shown, notes, hasRefusals)
  }
}
