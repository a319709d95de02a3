import Foundation
public import Holdfast

// The changes that an answer makes in the store, one transaction each. If the process is killed between the request and its
// answer, the rows stay pending: they are sent again, and the server knows them by their ids.

extension Outbox {
  /// The result of an answer for the rows that were sent. Contains only refusals that count.
  struct Verdict: Sendable {
    var taken: [Row] = []
    /// Each with its `problem`.
    var refused: [Row] = []
    /// Values that lost on the server, of the single row that was sent.
    var lost: [LostField] = []
    var lostOf = ""
  }

  func write(_ verdict: Verdict, in tx: Writer) throws {
    if !verdict.taken.isEmpty { try acknowledge(verdict.taken, in: tx) }
    for row in verdict.refused { try refuse(row, in: tx) }
    try InferenceStore.note(verdict.lost, of: table, verdict.lostOf, in: tx)
  }

  private func acknowledge(_ rows: [Row], in tx: Writer) throws {
    for row in rows {
      try tx.execute(
        """
        UPDATE \(raw: table) SET acknowledged_revision = max(acknowledged_revision, \(row.revision)) WHERE rowid = \(row.rowID)
        """)
      try tx.execute("DELETE FROM sync_tries WHERE kind = \(table) AND row_id = \(row.id)")
    }
    try tx.execute(
      """
      INSERT INTO sync_state (slot, last_acknowledged_at) VALUES (1, \(tx.currentDate()))
      ON CONFLICT (slot) DO UPDATE SET last_acknowledged_at = excluded.last_acknowledged_at
      """)
  }

  /// Counts a refusal. After `mostTries` refusals of one revision the row is set aside with the reason. A row that was deleted
  /// meanwhile is ignored.
  private func refuse(_ row: Row, in tx: Writer) throws {
    try tx.execute(
      """
      INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at)
      SELECT \(table), \(raw: key), \(row.revision), 1, \(row.problem ?? ""), \(tx.currentDate())
      FROM \(raw: table) WHERE rowid = \(row.rowID)
      ON CONFLICT (kind, row_id) DO UPDATE SET tries = iif(revision = excluded.revision, tries + 1, 1), revision = excluded.revision,
        reason = excluded.reason, tried_at = excluded.tried_at
      """)
    try tx.execute(
      """
      UPDATE \(raw: table) SET set_aside_revision = max(set_aside_revision, \(row.revision))
      WHERE rowid = \(row.rowID) AND EXISTS (
        SELECT 1 FROM sync_tries WHERE kind = \(table) AND row_id = \(raw: key) AND tries >= \(DataSyncService.mostTries))
      """)
  }
}

extension InferenceStore {
  /// Makes rows that were set aside pending again, with no counted refusals. Returns how many there were.
  ///
  /// For a server that wrongly refused rows, and accepts them now.
  /// - Parameter table: only rows of this table, as `SyncStatus.SetAside.kind` names it; nil for all.
  @discardableResult
  public func retrySetAside(of table: String? = nil) async throws -> Int {
    try await store.write { try Self.retrySetAside(of: table, in: $0) }
  }

  /// Makes set-aside rows pending again inside your transaction; as `retrySetAside(of:)`.
  public static func retrySetAside(of table: String? = nil, in tx: Writer) throws -> Int {
    var count = 0
    for outbox in Outbox.allCases where table == nil || table == outbox.table {
      count += try tx.execute(
        """
        UPDATE \(raw: outbox.table) SET set_aside_revision = 0
        WHERE \(raw: outbox.key) IN (SELECT row_id FROM sync_tries WHERE kind = \(outbox.table)) AND \(sql: Outbox.isSetAside)
          AND set_aside_revision < \(InferenceStore.neverSent)
        """)
      try tx.execute("DELETE FROM sync_tries WHERE kind = \(outbox.table) AND tries >= \(DataSyncService.mostTries)")
    }
    return count
  }
}
