import Foundation
public import Holdfast

// What an answer changes in the store, in one transaction each. A kill between the request and its answer leaves the rows pending: they
// are sent again, and the server knows them by their ids.

extension SyncKind {
  /// How often a row is refused before it is set aside.
  static let mostTries = 5

  /// Notes what the server has taken, at the revisions that it was sent.
  func acknowledge(_ rows: [Row], in tx: Writer) throws {
    for row in rows {
      try tx.execute(
        """
        UPDATE \(raw: table.name) SET acknowledged_revision = max(acknowledged_revision, \(row.revision))
        WHERE rowid = \(row.rowID)
        """)
      try tx.execute("DELETE FROM sync_tries WHERE kind = \(table.name) AND row_id = \(row.id)")
    }
    try tx.execute(
      """
      INSERT INTO sync_state (slot, last_acknowledged_at) VALUES (1, \(tx.currentDate()))
      ON CONFLICT (slot) DO UPDATE SET last_acknowledged_at = excluded.last_acknowledged_at
      """)
  }

  /// Counts that the server refused a row; after `mostTries` of one revision it is set aside with the reason. One that was deleted
  /// meanwhile is forgotten.
  func refuse(_ row: Row, because reason: String, in tx: Writer) throws {
    try tx.execute(
      """
      INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at)
      SELECT \(table.name), \(raw: table.key), \(row.revision), 1, \(reason), \(tx.currentDate())
      FROM \(raw: table.name) WHERE rowid = \(row.rowID)
      ON CONFLICT (kind, row_id) DO UPDATE SET tries = iif(revision = excluded.revision, tries + 1, 1), revision = excluded.revision,
        reason = excluded.reason, tried_at = excluded.tried_at
      """)
    try tx.execute(
      """
      UPDATE \(raw: table.name) SET set_aside_revision = max(set_aside_revision, \(row.revision))
      WHERE rowid = \(row.rowID) AND EXISTS (
        SELECT 1 FROM sync_tries WHERE kind = \(table.name) AND row_id = \(raw: table.key) AND tries >= \(Self.mostTries))
      """)
  }

  /// Whether a row other than this one was set aside. What then is refused without anything being taken may be the server's fault.
  func hasSetAside(besides row: Row, in reader: Reader) throws -> Bool {
    try reader.count(
      """
      SELECT count(*) FROM sync_tries WHERE kind = \(table.name) AND tries >= \(Self.mostTries)
        AND row_id IS NOT (SELECT \(raw: table.key) FROM \(raw: table.name) WHERE rowid = \(row.rowID))
      """) > 0
  }
}

extension InferenceStore {
  /// Makes the rows that were set aside wait again, with all their tries. Returns how many there are.
  ///
  /// For a server that refused what was right, and takes it now.
  /// - Parameter table: of these rows only, as `SyncStatus.SetAside.kind` names it; nil is all.
  @discardableResult
  public func retrySetAside(of table: String? = nil) throws -> Int { try store.write { try Self.retrySetAside(of: table, in: $0) } }
  @discardableResult
  public func retrySetAside(of table: String? = nil) async throws -> Int {
    try await store.write { try Self.retrySetAside(of: table, in: $0) }
  }

  public static func retrySetAside(of table: String? = nil, in tx: Writer) throws -> Int {
    var count = 0
    for sent in SentTable.all where table == nil || table == sent.name {
      count += try tx.execute(
        """
        UPDATE \(raw: sent.name) SET set_aside_revision = 0
        WHERE \(raw: sent.key) IN (SELECT row_id FROM sync_tries WHERE kind = \(sent.name)) AND \(sql: SentTable.isSetAside)
          AND set_aside_revision < \(InferenceStore.neverSent)
        """)
      try tx.execute("DELETE FROM sync_tries WHERE kind = \(sent.name) AND tries >= \(SyncKind.mostTries)")
    }
    return count
  }
}
