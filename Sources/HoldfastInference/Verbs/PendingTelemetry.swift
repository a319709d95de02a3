public import Holdfast

extension InferenceStore {
  /// Deletes every unsent event, also those that were set aside: for a person who withdraws the consent. Returns how many were deleted.
  @discardableResult
  public func deletePendingTelemetry() async throws -> Int { try await store.write { try Self.deletePendingTelemetry(in: $0) } }

  /// Deletes every unsent event inside your transaction; as `deletePendingTelemetry()`.
  public static func deletePendingTelemetry(in tx: Writer) throws -> Int {
    try tx.execute("DELETE FROM telemetry WHERE \(sql: Outbox.isPending)")
      + tx.execute("DELETE FROM telemetry WHERE \(sql: Outbox.isSetAside)")
  }
}
