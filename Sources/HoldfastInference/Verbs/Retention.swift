import Foundation
public import Holdfast

/// How much telemetry is kept.
public struct TelemetryRetention: Sendable, Hashable {
  /// Older events are removed; nil keeps all ages, 0 or less keeps no event.
  public var maxAgeSeconds: Double?
  /// Beyond this number, the oldest events are removed; nil keeps all, 0 or less keeps no event.
  public var maxCount: Int?
  /// Whether unsent events may be removed, too. Default false: they stay, whatever the limits are.
  public var removesUnsent: Bool

  /// Keeps everything by default.
  public init(maxAgeSeconds: Double? = nil, maxCount: Int? = nil, removesUnsent: Bool = false) {
    self.maxAgeSeconds = maxAgeSeconds
    self.maxCount = maxCount
    self.removesUnsent = removesUnsent
  }
}

extension InferenceStore {
  /// Removes telemetry beyond the retention, by the store's clock. Returns how many events were removed.
  ///
  /// Unsent events stay, also those that were set aside, unless `removesUnsent` is true. So there may be more events than `maxCount`.
  @discardableResult
  public func removeTelemetry(beyond retention: TelemetryRetention) throws -> Int {
    try store.write { try Self.removeTelemetry(beyond: retention, in: $0) }
  }
  @discardableResult
  public func removeTelemetry(beyond retention: TelemetryRetention) async throws -> Int {
    try await store.write { try Self.removeTelemetry(beyond: retention, in: $0) }
  }

  /// Deletes every unsent event, also those that were set aside: for a person who withdraws the consent. Returns how many were deleted.
  @discardableResult
  public func deletePendingTelemetry() throws -> Int { try store.write { try Self.deletePendingTelemetry(in: $0) } }
  @discardableResult
  public func deletePendingTelemetry() async throws -> Int { try await store.write { try Self.deletePendingTelemetry(in: $0) } }

  public static func removeTelemetry(beyond retention: TelemetryRetention, in tx: Writer) throws -> Int {
    // The plus makes SQLite use the index by time, not an index of sent rows.
    let mayGo: BoundSQL = retention.removesUnsent ? "true" : "+revision <= acknowledged_revision"
    var removed = 0
    // NaN is no limit; a limit before all dates keeps everything.
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
