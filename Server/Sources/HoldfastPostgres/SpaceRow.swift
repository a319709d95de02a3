internal import Foundation
internal import HoldfastSyncServer

/// A row of `sync_space`, and what was true of the database in the same statement.
struct SpaceRow {
  var space: StoredSpace
  /// The version of the tables.
  let version: Int64
  /// The system's identifier and the timeline of the log. Another one: the database is a copy, or a replica took over.
  let timeline: String

  private static let columns = "space, lineage, head, digest, rows, bytes, min_schema, limits"
  private static let circumstances = """
    (SELECT version FROM sync_schema), \
    (SELECT system_identifier FROM pg_control_system()) || '-' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
    """

  /// Reads a space.
  ///
  /// - Parameter locks: the transaction keeps the row, and with it the turn to write to the space.
  static func select(_ name: String, locks: Bool = false) -> PostgresStatement {
    PostgresStatement("SELECT \(columns), \(circumstances) FROM sync_space WHERE space = $1\(locks ? " FOR UPDATE" : "")", .text(name))
  }

  /// Reads all spaces, by name.
  static func selectAll(locks: Bool = false) -> PostgresStatement {
    PostgresStatement("SELECT \(columns), \(circumstances) FROM sync_space ORDER BY space\(locks ? " FOR UPDATE" : "")")
  }

  /// Replaces all of a space but its name.
  static func update(_ space: StoredSpace) throws -> PostgresStatement {
    PostgresStatement(
      """
      UPDATE sync_space SET lineage = $2, head = $3, digest = $4, rows = $5, bytes = $6, min_schema = $7, limits = $8 WHERE space = $1
      """, try parameters(of: space))
  }

  /// Makes a space, unless there is one of its name. The result has a row if it was made.
  static func insert(_ space: StoredSpace) throws -> PostgresStatement {
    PostgresStatement(
      """
      INSERT INTO sync_space (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING head
      """, try parameters(of: space))
  }

  /// In the order of the columns.
  private static func parameters(of space: StoredSpace) throws -> [PostgresStatement.Parameter] {
    [
      .text(space.space), .text(try json(space.lineage)), .number(space.head), .number(space.digest), .number(space.rows),
      .number(space.bytes), .number(Int64(space.minSchema)), try space.limits.map { .text(try json($0)) } ?? .null,
    ]
  }

  /// The timeline, for a space that is yet to be made.
  static let timeline = PostgresStatement("SELECT \(circumstances)")

  init(_ row: PostgresResult.Row) throws {
    space = StoredSpace(
      space: try row.text(0), lineage: try JSONDecoder().decode([SyncEpoch].self, from: Data(row.text(1).utf8)), head: try row.number(2),
      digest: try row.number(3), rows: try row.number(4), bytes: try row.number(5), minSchema: Int(clamping: try row.number(6)),
      limits: try row.optionalText(7).map { try JSONDecoder().decode(SyncLimits.self, from: Data($0.utf8)) })
    (version, timeline) = (try row.number(8), try row.text(9))
  }

  /// Whether the present epoch is of this timeline.
  var isOfTimeline: Bool { space.epoch.hasPrefix(timeline + ".") }

  /// Begins an epoch of this timeline. Its name ends at random: two replicas may both take over, and a dump be loaded several times.
  mutating func beginEpoch() { space.beginEpoch(Self.epoch(of: timeline)) }

  static func epoch(of timeline: String) -> String { "\(timeline).\(UUID().uuidString.prefix(8).lowercased())" }

  /// - Throws: `PostgresError`, kind `.wrongSchema`, where another program has changed the tables meanwhile. Nothing may be written then.
  func checkVersion() throws {
    if version != PostgresSchema.version { throw PostgresSchema.wrong(version) }
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
