internal import Foundation

/// What a database says of itself, and of this program's part in it. Read by `holdfast-server doctor`, which judges it.
package struct PostgresFacts: Sendable {
  package struct Replica: Sendable {
    package var name: String
    /// Whether commits may wait for it: its `sync_state` is not `async`.
    package var isSynchronous: Bool
    /// The log that the primary has and the replica has not on its disk.
    package var lagBytes: Int64

    package init(_ name: String, isSynchronous: Bool, lagBytes: Int64) {
      (self.name, self.isSynchronous, self.lagBytes) = (name, isSynchronous, lagBytes)
    }
  }

  /// PostgreSQL's settings, as they are in a session of the server.
  package var settings: [String: String]
  /// Whether it is in recovery, and takes no pushes.
  package var isReplica: Bool
  /// The version of the server's tables; nil without tables, and where the role may not read it.
  package var tables: Int64?
  package var role: String
  package var isSuperuser: Bool
  /// Whether the role sees what the replicas do.
  package var seesReplicas: Bool
  /// Such as `DELETE on sync_row`.
  package var missingRights: [String]
  /// Whether nobody between both machines can read the connection.
  package var isPrivate: Bool
  /// Those that stream. Empty where the role does not see them.
  package var replicas: [Replica]
  /// How far the database's clock is ahead of this machine's.
  package var clockAheadMilliseconds: Int64

  /// Connects to a database, also to a replica, and reads.
  ///
  /// - Throws: `PostgresError`, as `PostgresSpaces.open(_:makes:connections:)`.
  package static func read(_ url: String) async throws -> PostgresFacts {
    let connection = try await connected(url)
    let facts: Result<PostgresFacts, any Error>
    do { facts = .success(try await read(connection)) } catch { facts = .failure(error) }
    await connection.close()
    return try facts.get()
  }

  private static func connected(_ url: String) async throws -> PostgresConnection {
    do {
      let connection = PostgresConnection()
      try await connection.connect(PostgresAddress(url))
      return connection
    } catch let error as PostgresError where error.kind == .unavailable {
      // Perhaps a replica, which lets nobody in who wants to write.
      let connection = PostgresConnection()
      try await connection.connect(PostgresAddress(url), session: "any")
      return connection
    }
  }

  private static func read(_ connection: PostgresConnection) async throws -> PostgresFacts {
    let before = Date()
    let answers = try await connection.run([session, settings, rights, replicas])
    let middle = (before.timeIntervalSince1970 + Date().timeIntervalSince1970) / 2
    guard answers.count == 4, let own = answers[0].rows.first else { throw PostgresError(.failed, "the database did not answer all") }
    return PostgresFacts(
      settings: Dictionary(try answers[1].rows.map { (try $0.text(0), try $0.text(1)) }) { $1 }, isReplica: try own.flag(0),
      tables: try? await PostgresSchema.present(connection), role: try own.text(1), isSuperuser: try own.flag(2),
      seesReplicas: try own.flag(3), missingRights: try answers[2].rows.map { try $0.text(0) }, isPrivate: try own.flag(4),
      replicas: try answers[3].rows.map {
        Replica(try $0.text(0), isSynchronous: try $0.text(1) != "async", lagBytes: try $0.number(2))
      }, clockAheadMilliseconds: try own.number(5) - Int64(middle * 1_000))
  }

  // The clock first: what follows takes time.
  private static let session = PostgresStatement(
    """
    SELECT pg_is_in_recovery(), current_user::text, coalesce((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), false),
      pg_has_role('pg_read_all_stats', 'USAGE'),
      coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) OR inet_server_addr() IS NULL
        OR host(inet_client_addr()) = host(inet_server_addr()),
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    """)

  private static let settings = PostgresStatement(
    "SELECT name, setting FROM pg_settings WHERE name = ANY ($1)",
    .texts([
      "server_version", "server_version_num", "server_encoding", "max_connections", "superuser_reserved_connections",
      "synchronous_standby_names", "synchronous_commit", "wal_level", "fsync", "full_page_writes",
    ]))

  private static let rights = PostgresStatement(
    """
    SELECT privilege || ' on ' || tbl FROM unnest(ARRAY['sync_schema', 'sync_space', 'sync_row', 'sync_token']) AS tbl,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
    WHERE (tbl <> 'sync_schema' OR privilege = 'SELECT') AND NOT has_table_privilege(to_regclass(tbl)::oid, privilege)
    UNION ALL
    SELECT 'EXECUTE on ' || name FROM unnest(ARRAY['pg_control_system()', 'pg_current_wal_lsn()', 'pg_walfile_name(pg_lsn)']) AS name
    WHERE NOT has_function_privilege(name, 'EXECUTE')
    """)

  private static let replicas = PostgresStatement(
    """
    SELECT application_name::text, sync_state::text,
      pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN flush_lsn ELSE pg_current_wal_lsn() END, flush_lsn)::bigint
    FROM pg_stat_replication WHERE state IN ('streaming', 'catchup') AND flush_lsn IS NOT NULL ORDER BY 1
    """)
}

extension PostgresResult.Row {
  fileprivate func flag(_ column: Int32) throws -> Bool { try bytes(column) { $0.first == 1 } }
}
