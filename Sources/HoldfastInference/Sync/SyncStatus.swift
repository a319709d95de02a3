public import Foundation
public import Holdfast

/// What waits to be sent, and how sending goes: derived from the rows themselves.
public struct SyncStatus: Sendable, Hashable {
  /// Rows that wait, by table; tables without any are not named. What consent does not let go waits, too.
  public var pending: [String: Int]
  /// Since when the one that waits longest does, by its own time: when it happened, began or was changed. Nil when none waits.
  public var oldestPending: Date?
  /// Rows that the server refused again and again, by table; a change of a row makes it pending again, and so does `retrySetAside()`.
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
    store.updates(of: Outbox.allCases.map(\.table) + ["sync_state", "sync_tries"]) { try Self.syncStatus(in: $0) }
  }

  /// Whether anything may be sent, by what the configuration says now.
  package static func maySend(in reader: Reader) throws -> Bool { try TelemetryFilter(.standard, in: reader) != nil }

  public static func syncStatus(in reader: Reader) throws -> SyncStatus {
    var status = SyncStatus(pending: [:], setAside: [])
    for outbox in Outbox.allCases {
      let table = outbox.table
      try reader.rows("SELECT count(*), min(\(raw: outbox.since)) FROM \(raw: table) WHERE \(sql: Outbox.isPending)", of: table) { row in
        let (count, oldest) = (try row.int(), try row.int64OrNil().flatMap(DateCodec.date(milliseconds:)))
        if count > 0 { status.pending[table] = count }
        if let oldest { status.oldestPending = min(status.oldestPending ?? oldest, oldest) }
      }
      // Of what was refused only that which has not changed since: those that were tried are few.
      status.setAside += try reader.values(
        """
        SELECT CAST(row_id AS BLOB), reason, tried_at FROM sync_tries WHERE kind = \(table) AND EXISTS (
          SELECT 1 FROM \(raw: table) WHERE \(raw: outbox.key) = row_id AND \(sql: Outbox.isSetAside)) ORDER BY row_id
        """
      ) { row in
        // Damage may have left an id that is not UTF-8, and may be why it was refused.
        let id = String(decoding: try row.data(), as: UTF8.self)
        return SyncStatus.SetAside(kind: table, id: id, reason: try row.text(), triedAt: try row.date())
      }
    }
    try reader.rows("SELECT last_acknowledged_at, last_error, retry_at FROM sync_state", of: "sync_state") { row in
      status.lastAcknowledged = try row.dateOrNil()
      status.lastError = try row.textOrNil()
      status.retryAt = try row.dateOrNil()
    }
    return status
  }
}
