import Foundation
public import Holdfast

/// How much telemetry is kept.
public struct TelemetryRetention: Sendable, Hashable {
  /// Events that happened longer ago go; nil keeps all, and 0 or less none.
  public var maxAgeSeconds: Double?
  /// When there are more events, the oldest go; nil keeps all, and 0 or less none.
  public var maxCount: Int?
  /// Whether events that were not sent may go, too. Default false: whatever the limits say, they stay.
  public var removesUnsent: Bool

  /// Keeps everything unless told otherwise.
  public init(maxAgeSeconds: Double? = nil, maxCount: Int? = nil, removesUnsent: Bool = false) {
    self.maxAgeSeconds = maxAgeSeconds
    self.maxCount = maxCount
    self.removesUnsent = removesUnsent
  }
}

extension InferenceStore {
  /// Removes the telemetry that need not be kept, by the store's clock. Returns how many events went.
  ///
  /// What was not sent stays, that which was set aside too, unless `removesUnsent` says otherwise: then there may be more events than
  /// `maxCount`.
  @discardableResult
  public func removeTelemetry(beyond retention: TelemetryRetention) throws -> Int {
    try store.write { try Self.removeTelemetry(beyond: retention, in: $0) }
  }
  @discardableResult
  public func removeTelemetry(beyond retention: TelemetryRetention) async throws -> Int {
    try await store.write { try Self.removeTelemetry(beyond: retention, in: $0) }
  }

  /// Deletes every event that was not sent, those that were set aside too: for somebody who takes their consent back. Returns how
  /// many went.
  @discardableResult
  public func deletePendingTelemetry() throws -> Int { try store.write { try Self.deletePendingTelemetry(in: $0) } }
  @discardableResult
  public func deletePendingTelemetry() async throws -> Int { try await store.write { try Self.deletePendingTelemetry(in: $0) } }

  public static func removeTelemetry(beyond retention: TelemetryRetention, in tx: Writer) throws -> Int {
    // The plus leaves the order to the index by time, whatever other index knows of what was sent.
    let mayGo: BoundSQL = retention.removesUnsent ? "true" : "+revision <= acknowledged_revision"
    var removed = 0
    // Not a number is no limit, and a limit from before all dates keeps everything.
    if let age = retention.maxAgeSeconds, !age.isNaN {
      let limit = tx.currentDate().addingTimeInterval(-max(0, age))
      if let milliseconds = DateCodec.milliseconds(limit) {
        removed += try tx.execute("DELETE FROM telemetry WHERE occurred_at < \(milliseconds) AND \(sql: mayGo)")
      }
    }
    if let count = retention.maxCount {
      let excess = try tx.count("SELECT count(*) FROM telemetry") - max(0, count)
      guard excess > 0 else { return removed }
      removed += try tx.execute(
        """
        DELETE FROM telemetry WHERE rowid IN (
          SELECT rowid FROM telemetry WHERE \(sql: mayGo) ORDER BY occurred_at, id LIMIT \(excess))
        """)
    }
    return removed
  }

  public static func deletePendingTelemetry(in tx: Writer) throws -> Int {
    try tx.execute("DELETE FROM telemetry WHERE \(sql: Outbox.isPending)")
      + tx.execute("DELETE FROM telemetry WHERE \(sql: Outbox.isSetAside)")
  }
}
