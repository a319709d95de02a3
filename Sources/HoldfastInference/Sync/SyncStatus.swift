public import Foundation
public import Holdfast

/// The state of sending, derived from the rows themselves.
public struct SyncStatus: Sendable, Hashable {
  /// Waiting rows, by table; tables without any are left out. Rows that the consent does not allow to send are included.
  public var pending: [String: Int]
  /// The time of the row that waits longest: when it happened, began or was changed. Nil when no row waits.
  public var oldestPending: Date?
  /// Rows that the server refused again and again, by table. A change of a row makes it pending again, and so does `retrySetAside()`.
  public var setAside: [SetAside]
  /// When the server last accepted a row; nil before that.
  public var lastAcknowledged: Date?
  /// Why the last attempt failed; nil when it succeeded.
  public var lastError: String?
  /// Until when nothing is sent automatically; nil for no pause.
  public var retryAt: Date?

  /// A row that the server refused again and again.
  public struct SetAside: Sendable, Hashable {
    /// The table, as in `pending`.
    public var kind: String
    /// The row's id.
    public var id: String
    /// The server's reason.
    public var reason: String
    /// When the server last refused it.
    public var triedAt: Date
  }
}

extension InferenceStore {
  /// The state of sending.
  public func syncStatus() async throws -> SyncStatus { try await store.read { try Self.syncStatus(in: $0) } }

  /// The state of sending now, and after each change.
  public func syncStatusUpdates() -> Updates<SyncStatus> {
    store.updates { try Self.syncStatus(in: $0) }
  }

  /// Reads the state of sending inside your transaction; as `syncStatus()`.
  public static func syncStatus(in reader: Reader) throws -> SyncStatus {
    var status = SyncStatus(pending: [:], setAside: [])
    for outbox in Outbox.allCases {
      let table = outbox.table
      try reader.rows("SELECT count(*), min(\(raw: outbox.since)) FROM \(raw: table) WHERE \(sql: Outbox.isPending)", of: table) { row in
        let (count, oldest) = (try row.int(), try row.int64OrNil().flatMap(DateCodec.date(milliseconds:)))
        if count > 0 { status.pending[table] = count }
        if let oldest { status.oldestPending = min(status.oldestPending ?? oldest, oldest) }
      }
      // Only refused rows that have not changed since; they are few.
      status.setAside += try reader.values(
        """
        SELECT CAST(row_id AS BLOB), reason, tried_at FROM sync_tries WHERE kind = \(table) AND EXISTS (
          SELECT 1 FROM \(raw: table) WHERE \(raw: outbox.key) = row_id AND \(sql: Outbox.isSetAside)) ORDER BY row_id
        """
      ) { row in
        // In a damaged store an id may not be UTF-8, which may be why the row was refused.
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
