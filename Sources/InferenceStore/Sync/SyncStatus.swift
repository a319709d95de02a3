public import Foundation
public import Holdfast

/// What waits to be sent, and how sending goes: derived from the rows themselves.
public struct SyncStatus: Sendable, Hashable {
  /// Rows that wait, by kind; kinds without any are not named.
  public var pending: [String: Int]
  /// Since when the one that waits longest does; nil when none waits.
  public var oldestPending: Date?
  /// Rows that the server refused again and again, by kind; a change of a row makes it pending again.
  public var setAside: [SetAside]
  /// When the server last took something; nil before that.
  public var lastAcknowledged: Date?
  /// Why the last attempt failed; nil when it did not.
  public var lastError: String?
  /// Until when nothing is sent by itself; nil: at the next occasion.
  public var retryAt: Date?

  /// A row that the server refused again and again.
  public struct SetAside: Sendable, Hashable {
    /// As in `pending`.
    public var kind: String
    /// Of the row.
    public var id: String
    /// What the server said.
    public var reason: String
    /// When it said so last.
    public var triedAt: Date
  }
}

extension InferenceStore {
  /// What waits to be sent, and how sending goes.
  public func syncStatus() throws -> SyncStatus { try store.read { try Self.syncStatus(in: $0) } }
  public func syncStatus() async throws -> SyncStatus { try await store.read { try Self.syncStatus(in: $0) } }

  /// The same now, and after each change.
  public func syncStatusUpdates() -> Updates<SyncStatus> {
    store.updates(of: Self.sentTables.map(\.table) + ["sync_state", "sync_tries"]) { try Self.syncStatus(in: $0) }
  }

  /// The tables whose rows are sent, and since when a row of them waits.
  static let sentTables = [
    (table: TelemetryEvent.table, since: "created_at"), (table: ModelMetadata.table, since: "updated_at"),
    (table: ConfigurationRow.table, since: "updated_at"), (table: GenerationSession.table, since: "updated_at"),
    (table: Generation.table, since: "created_at"), (table: UserPreference.table, since: "updated_at"),
  ]

  public static func syncStatus(in reader: Reader) throws -> SyncStatus {
    var status = SyncStatus(pending: [:], setAside: [])
    for (table, since) in sentTables {
      try reader.rows("SELECT count(*), min(\(raw: since)) FROM \(raw: table) WHERE \(sql: SyncKind.isPending)", of: table) { row in
        let (count, oldest) = (try row.int(), try row.dateOrNil())
        if count > 0 { status.pending[table] = count }
        if let oldest { status.oldestPending = min(status.oldestPending ?? oldest, oldest) }
      }
    }
    status.setAside = try reader.values(
      """
      SELECT kind, row_id, reason, tried_at FROM sync_tries AS t WHERE kind = 'telemetry' AND EXISTS (
        SELECT 1 FROM telemetry WHERE id = t.row_id AND revision <= set_aside_revision AND revision > acknowledged_revision
      ) ORDER BY kind, row_id
      """
    ) { row in .init(kind: try row.text(), id: try row.text(), reason: try row.text(), triedAt: try row.date()) }
    try reader.rows("SELECT last_acknowledged_at, last_error, retry_at FROM sync_state", of: "sync_state") { row in
      status.lastAcknowledged = try row.dateOrNil()
      status.lastError = try row.textOrNil()
      status.retryAt = try row.dateOrNil()
    }
    return status
  }
}
