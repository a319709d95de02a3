public import Foundation
public import Holdfast
internal import HoldfastHTTP

extension StoreSync {
  /// A space on a server of the person's.
  public struct Server: Sendable {
    /// The name of the space.
    public let space: String
    package let key: StoreKey?
    package let transport: SyncTransport

    /// The space with this name on the server at this address.
    ///
    /// - Parameters:
    ///   - address: such as `https://sync.example.com`; http only for this computer. Without a query and a fragment.
    ///   - key: of a sealed space: the server gets every row sealed with this key, and cannot read it. The same on all devices of the space. The
    ///     first rows of a space decide whether it is sealed. Keep a copy of the key: nobody can read the server's rows without it. Nil, the
    ///     default, for a space that is not sealed.
    ///   - timeoutSeconds: how long to wait for a complete answer. Default 30. News come at once only where it is more than 25.
    ///   - token: loads the device's token, for each request. Nil sends none, and the server will refuse.
    public init(
      _ address: URL, space: String, key: StoreKey? = nil, timeoutSeconds: Double = 30,
      token: @escaping @Sendable () async throws -> String?
    ) {
      let client = HTTPClient(address, of: "the sync server", timeoutSeconds: timeoutSeconds, key: token)
      self.init(space: space, key: key, .http(client, space: space))
    }

    package init(space: String, key: StoreKey? = nil, _ transport: SyncTransport) {
      (self.space, self.key, self.transport) = (space, key, transport)
    }
  }

  /// What becomes of the rows that are in a store when it is connected.
  public enum FirstConnection: Sendable {
    /// They are merged with the server's, and sent. A value of a row is as old as the row's own time (`time` of `.synced`); without one it is
    /// older than every other.
    case merge
    /// They are replaced by the server's; values that differ are kept in `lost()`. Rows that the server does not have are deleted at the end of the
    /// first pull, which no other device notices, and kept in `lost()`; so are the rows that were written since and refer to them. With them go
    /// the rows of tables that do not sync and that refer to them; these are kept nowhere.
    case takeTheServers
  }

  /// What waits, and what went wrong.
  public struct Status: Sendable {
    /// Rows that have yet to be sent.
    public var pending = 0
    /// The time of the oldest change among them. Deletions, and rows from before connecting without a time of their own, have none.
    public var oldestPending: Date?
    /// When the device had everything that the server had; nil: never.
    public var lastSynced: Date?
    /// Rows that the server has refused, for their size or because the space is full. They stay here, and are sent again when they change,
    /// when the limits of the space change, and daily.
    public var refused = 0
    /// Rows that a constraint keeps out of their table, such as the second one of a UNIQUE value. They come back by themselves when they can.
    public var parked = 0
    /// Values in `lost()`.
    public var lost = 0
    /// Rows that were purged, mostly on another device, and that this device's snapshots and archive may still have: see `forget()`. Also rows of
    /// which this device knows nothing, because it may have lost what it knew; but not those that were purged before its first round, where it
    /// was connected without a row, with `.merge`.
    public var forgetting = 0
    /// Why the last round ended early; nil after one that did not. What waits is sent by a later round.
    public var problem: StoreError?

    /// A status with nothing that waits.
    public init() {}
  }

  /// A value of this device that lost against a later one of another, or a row that another device has deleted; or what a table that does not sync
  /// could not take back when a row that it refers to was parked no more.
  public struct Lost: Sendable, Hashable, Identifiable {
    /// The number of the entry.
    public let id: Int64
    /// When it lost, by this device's clock.
    public let at: Date
    /// The table of the row.
    public let table: String
    /// The row's key as text; several columns are joined by `/`.
    public let key: String
    /// The values that lost, by column. With the key's own columns for a whole row.
    public let values: [String: SQLValue]

    init(_ lost: LostRow) {
      id = lost.id
      at = DateCodec.date(milliseconds: lost.at) ?? Date(timeIntervalSince1970: 0)
      (table, key) = (lost.row.name.table.text, lost.row.name.key.text)
      values = lost.row.current.reduce(into: [:]) { $0[$1.key.text] = SyncValue.value(of: $1.value) }
    }
  }
}

extension StoreSync.Status {
  init(problem: StoreError) { self.problem = problem }

  /// Zeros for a file that is not connected.
  init(in reader: Reader) throws {
    guard try SpaceState.space(in: reader) != nil else { return }
    let counts = try SyncDevice.Status(in: reader)
    (pending, refused, parked, lost) = (counts.pending, counts.refused, counts.parked, counts.lost)
    forgetting = try reader.unforgotten().count
    let times = try reader.value(
      """
      SELECT synced_at, (
          SELECT min(max(r.hlc, ifnull((SELECT max(c.hlc) FROM holdfast_sync_cell c WHERE c.tbl = r.tbl AND c.key = r.key), 0)) >> 15)
          FROM holdfast_sync_row r WHERE r.dirty AND r.dirty = 1 AND r.generation & 1 = 1 AND r.hlc > 0) - offset
        FROM holdfast_sync
      """
    ) { row in (synced: try row.int64OrNil(), oldest: try row.int64OrNil()) }
    lastSynced = times?.synced.flatMap { DateCodec.date(milliseconds: $0) }
    oldestPending = times?.oldest.flatMap { DateCodec.date(milliseconds: $0) }
  }
}
