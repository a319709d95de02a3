public import HoldfastSyncServer
public import Logging
internal import Synchronization

// Invariants:
// - A push locks the row of its space until its commit. So the order of sequence numbers is the order of commits, and every snapshot of the
//   database, also a replica's, has all pushes up to some number and none behind it.
// - The epoch begins with the system's identifier and its timeline, which are read under that lock. A replica that takes over has another
//   timeline, so the first push or pull of a space begins an epoch where the replica ends. A dump that is loaded into the same system, and a
//   snapshot of its volume, have the same timeline: a person begins the epochs then.
// - A push is acknowledged after its COMMIT, unless PostgreSQL warned that a replica may not have it.

/// The spaces of a sync server in a PostgreSQL database, which any number of servers may use at one time.
///
/// A value around connections: copy it freely, use it from any task. Servers share nothing but the database. A database that goes away makes
/// every call throw `PostgresError`, kind `.unavailable`, until it is back.
public struct PostgresSpaces: SyncSpaces {
  /// The limits of each space that has none of its own.
  public var limits = SyncLimits()
  /// Gets a warning for each space in which another database, such as a replica that took over, began an epoch.
  public var logger = Logger(label: "holdfast-server")
  let pool: PostgresPool
  let pushes = SpaceQueues()
  let live: PostgresLive
  private let takeovers = Takeovers()

  /// How many epochs began since this program opened the database, because another one, such as a replica, had taken over: one for each space.
  public var epochsBegun: Int { takeovers.count.withLock { $0 } }

  /// The version of the tables that this program needs.
  package static var version: Int64 { PostgresSchema.version }

  /// Connects to a database, and checks its tables.
  ///
  /// - Parameters:
  ///   - url: `postgres://user@host/database`, with all that libpq understands: several hosts, `sslmode`, `sslrootcert`. What it leaves out,
  ///     such as a password, libpq takes from the environment, as `PGPASSWORD`, and from `~/.pgpass`.
  ///   - makes: makes the tables where there are none.
  ///   - connections: the most connections at one time. One more waits for the pushes of other servers.
  /// - Throws: `PostgresError`: `.unavailable` without such a database; `.refused` for a wrong user or password; `.wrongSchema` for the
  ///   tables of another version, or none.
  public static func open(_ url: String, makes: Bool = false, connections: Int = 8) async throws -> PostgresSpaces {
    let spaces = PostgresSpaces(pool: PostgresPool(url, size: connections), live: PostgresLive(url))
    do {
      try await spaces.pool.with { connection in
        let present = try await PostgresSchema.present(connection)
        if present == nil, makes { return try await PostgresSchema.migrate(connection) }
        guard present == PostgresSchema.version else { throw PostgresSchema.wrong(present) }
      }
    } catch {
      await spaces.pool.close()
      throw error
    }
    return spaces
  }

  /// Brings the tables of an older version up to this program's. Servers of the older version refuse pushes from then on.
  ///
  /// - Throws: `PostgresError`, as `open(_:makes:connections:)`.
  public static func migrate(_ url: String) async throws {
    let connection = PostgresConnection()
    try await connection.connect(url)
    do {
      _ = try await PostgresSchema.present(connection)
      try await PostgresSchema.migrate(connection)
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
  }

  /// The address of a database without what is secret in it: user, hosts, ports and database.
  public static func shown(_ url: String) -> String { PostgresAddress.shown(url) }

  private init(pool: PostgresPool, live: PostgresLive) { (self.pool, self.live) = (pool, live) }

  /// Throws when the database cannot be written to.
  public func look() async throws {
    try await pool.with { connection in
      guard let row = try await connection.run(SpaceRow.timeline).rows.first else { throw PostgresError.noRow }
      let version = try row.number(0)
      if version != PostgresSchema.version { throw PostgresSchema.wrong(version) }
    }
  }

  /// The first column of a query that may read everything, and so may take long.
  package func texts(_ sql: String) async throws -> [String] {
    let batch = [
      PostgresStatement("BEGIN READ ONLY"), PostgresStatement("SET LOCAL statement_timeout = 0"), PostgresStatement(sql), .commit,
    ]
    return try await pool.with { connection in
      let answers = try await connection.run(batch, seconds: 3_600)
      return try answers.dropFirst(2).first?.rows.map { try $0.text(0) } ?? []
    }
  }

  /// The names of the spaces in which other servers have pushed. Nil, after the connection was made again: any may have one.
  ///
  /// Opens one connection, until the task that reads the names ends. Call it once.
  public func pushesElsewhere() -> AsyncStream<String?> { live.listen() }

  /// Closes the connections. Calls under way fail.
  public func close() async throws {
    await live.close()
    await pool.close()
  }

  /// After the commit. Without the space's name: the log has none.
  func logFailover(to row: SpaceRow) {
    takeovers.count.withLock { $0 += 1 }
    logger.warning(
      "another database has taken over: a new epoch begins in a space, and devices send again what is behind its head",
      metadata: ["head": "\(row.space.lineage.last?.head ?? 0)", "timeline": "\(row.timeline)", "epochs": "\(row.space.lineage.count)"])
  }

  // MARK: Changing one space

  /// Changes a space under its lock, in a transaction; returns what `change` returns, which may run further statements.
  func changing<T: Sendable>(
    _ name: String, _ change: @Sendable (inout SpaceRow, PostgresConnection) async throws -> T
  ) async throws -> T {
    try await pool.with { connection in
      let found = try await connection.run([PostgresStatement("BEGIN"), SpaceRow.select(name, locks: true)]).last?.rows.first
      guard let found else { throw StoredSpace.notFound(name) }
      var row = try SpaceRow(found)
      try row.checkVersion()
      let begins = !row.isOfTimeline
      if begins { row.beginEpoch() }
      let value = try await change(&row, connection)
      _ = try await connection.run([try SpaceRow.update(row.space), .commit])
      if begins { logFailover(to: row) }
      return value
    }
  }
}

/// Shared by the copies of a `PostgresSpaces`.
private final class Takeovers: Sendable {
  let count = Mutex(0)
}
