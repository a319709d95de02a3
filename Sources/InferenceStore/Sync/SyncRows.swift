import Foundation
import Holdfast

// What an answer changes in the store, in one transaction each. A kill between the request and its answer leaves the rows pending: they
// are sent again, and the server knows them by their ids.

extension SyncKind {
  /// How often a row is refused before it is set aside.
  static let mostTries = 5

  /// Notes what the server has taken, at the revisions that it was sent.
  func acknowledge(_ rows: [Row], in tx: Transaction) throws {
    for row in rows {
      try tx.execute(
        """
        UPDATE \(raw: table) SET acknowledged_revision = max(acknowledged_revision, \(row.revision))
        WHERE rowid = \(row.rowID) AND \(raw: key) = \(row.id)
        """)
      try tx.execute("DELETE FROM sync_tries WHERE kind = \(table) AND row_id = \(row.id)")
    }
    try tx.execute(
      """
      INSERT INTO sync_state (slot, last_acknowledged_at) VALUES (1, \(tx.currentDate()))
      ON CONFLICT (slot) DO UPDATE SET last_acknowledged_at = excluded.last_acknowledged_at
      """)
  }

  /// Counts that the server refused a row; after `mostTries` of one revision it is set aside with the reason. Returns whether it was.
  /// One that was deleted meanwhile is forgotten.
  @discardableResult
  func refuse(_ row: Row, because reason: String, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at)
      SELECT \(table), \(row.id), \(row.revision), 1, \(reason), \(tx.currentDate())
      WHERE EXISTS (SELECT 1 FROM \(raw: table) WHERE rowid = \(row.rowID) AND \(raw: key) = \(row.id))
      ON CONFLICT (kind, row_id) DO UPDATE SET tries = iif(revision = excluded.revision, tries + 1, 1), revision = excluded.revision,
        reason = excluded.reason, tried_at = excluded.tried_at
      """)
    let tries = try tx.count("SELECT tries FROM sync_tries WHERE kind = \(table) AND row_id = \(row.id)")
    guard tries >= Self.mostTries else { return false }
    try tx.execute(
      """
      UPDATE \(raw: table) SET set_aside_revision = max(set_aside_revision, \(row.revision))
      WHERE rowid = \(row.rowID) AND \(raw: key) = \(row.id)
      """)
    return true
  }
}
