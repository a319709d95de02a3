public import Foundation
public import Holdfast

/// A value that lost when the server's data and this device's data were merged.
public struct SyncConflict: Sendable, Hashable {
  /// The side whose value was kept.
  public enum Side: String, Sendable, Hashable, Codable {
    /// This device's value.
    case ours
    /// The server's value.
    case theirs
  }

  /// The table of the row.
  public var kind: String
  /// The row's id.
  public var id: String
  /// The field in the API's spelling: `routing.policy`.
  public var field: String
  /// JSON; nil when there was no value, and when a server's value had more than 4 KiB.
  public var lostValue: String?
  /// The side that won.
  public var kept: Side
  /// When the conflict was first noticed.
  public var noticedAt: Date
}

extension InferenceStore {
  /// A page of the values that lost, the newest first.
  ///
  /// A value that loses repeatedly is listed once.
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func syncConflicts(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<SyncConflict> {
    try await store.read { try Self.syncConflicts(after: key, limit: limit, in: $0) }
  }

  /// Deletes the list of values that lost. Returns how many there were.
  ///
  /// A value that loses again is listed again.
  /// - Parameter date: only values that were noticed by then; nil for all.
  @discardableResult
  public func clearSyncConflicts(until date: Date? = nil) async throws -> Int {
    try await store.write { try Self.clearSyncConflicts(until: date, in: $0) }
  }

  /// The newest values that lost now, and after each change.
  public func syncConflictUpdates(limit: Int = 100) -> Updates<[SyncConflict]> {
    store.updates { try Self.syncConflicts(limit: limit, in: $0).items }
  }

  /// Reads a page of the lost values inside your transaction; as `syncConflicts(after:limit:)`.
  public static func syncConflicts(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<SyncConflict> {
    try reader.page(
      "kind, row_id, field, lost_value, kept, noticed_at", from: "sync_conflicts",
      Listing(columns: [("noticed_at", .number), ("rowid", .number)], isDescending: true), after: key, limit: limit, of: "sync_conflicts"
    ) { row in
      SyncConflict(
        kind: try row.text(), id: try row.text(), field: try row.text(), lostValue: try row.textOrNil(),
        kept: SyncConflict.Side(rawValue: try row.text()) ?? .ours, noticedAt: try row.date())
    }
  }

  /// Deletes the list of lost values inside your transaction; as `clearSyncConflicts(until:)`.
  public static func clearSyncConflicts(until date: Date? = nil, in tx: Writer) throws -> Int {
    guard let date else { return try tx.execute("DELETE FROM sync_conflicts") }
    return try tx.execute("DELETE FROM sync_conflicts WHERE noticed_at <= \(date)")
  }

  /// Stores the values that a row has lost. All of this device's values are stored in full. A server's values are limited, so
  /// that no server can fill the store: the newest of its own values, and the first of those that it calls this device's, which
  /// never replace real ones.
  static func note(_ lost: [LostField], of kind: String, _ id: String, in tx: Writer) throws {
    for field in lost {
      var value: String? = field.value == .null ? nil : field.value.canonicalText()
      if field.isFromServer, let text = value, text.utf8.count > LostField.mostBytes { value = nil }
      let most = field.isFromServer && field.kept == .theirs ? LostField.mostKept : Int.max
      let same: BoundSQL = "kind = \(kind) AND row_id = \(id) AND field = \(field.name) AND kept = \(field.kept.rawValue)"
      try tx.execute(
        """
        INSERT INTO sync_conflicts (kind, row_id, field, lost_value, kept, noticed_at)
        SELECT \(kind), \(id), \(field.name), \(value), \(field.kept.rawValue), \(tx.currentDate())
        WHERE NOT EXISTS (SELECT 1 FROM sync_conflicts WHERE \(sql: same) AND lost_value IS \(value))
          AND (SELECT count(*) FROM sync_conflicts WHERE \(sql: same)) < \(most)
        """)
      guard field.kept == .ours else { continue }
      try tx.execute(
        """
        DELETE FROM sync_conflicts WHERE \(sql: same) AND rowid NOT IN (
          SELECT rowid FROM sync_conflicts WHERE \(sql: same) ORDER BY rowid DESC LIMIT \(LostField.mostKept))
        """)
    }
  }
}

struct LostField: Sendable, Hashable {
  /// The greatest size of a value that a server names.
  static let mostBytes = 4_096
  /// The greatest number of a server's values for one field of a row.
  static let mostKept = 10

  var name: String
  var value: JSONValue
  var kept: SyncConflict.Side
  /// Whether the value was named by a server, which may name anything.
  var isFromServer: Bool
}
