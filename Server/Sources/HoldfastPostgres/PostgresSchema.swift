/// The tables of a server in a database.
///
/// They are those of `SyncServer.schema`, with two differences: keys are bytes, because PostgreSQL's text cannot have NUL; and the number of
/// pushes is the sum of the spaces' heads, because a row that every push changes would let pushes of different spaces wait for each other.
/// `sync_row` has no foreign key: a push holds the lock of its space, and the check of a key for each row would double its cost.
enum PostgresSchema {
  /// One for each version. One that has shipped is never edited: add the next one.
  ///
  /// Each later one must begin with `lock`.
  static let migrations = [
    [
      """
      CREATE TABLE sync_space (
        space text COLLATE "C" NOT NULL PRIMARY KEY,
        lineage text NOT NULL,
        head bigint NOT NULL,
        digest bigint NOT NULL,
        rows bigint NOT NULL,
        bytes bigint NOT NULL,
        min_schema bigint NOT NULL DEFAULT 0,
        limits text
      ) WITH (fillfactor = 50)
      """,
      """
      CREATE TABLE sync_row (
        space text COLLATE "C" NOT NULL,
        tbl text COLLATE "C" NOT NULL,
        key bytea NOT NULL,
        sequence bigint NOT NULL,
        body text NOT NULL,
        PRIMARY KEY (space, tbl, key)
      )
      """,
      "CREATE INDEX sync_row_by_push ON sync_row (space, sequence)",
      """
      CREATE TABLE sync_token (
        hash text COLLATE "C" NOT NULL PRIMARY KEY,
        name text COLLATE "C" NOT NULL UNIQUE,
        space text COLLATE "C" NOT NULL REFERENCES sync_space (space),
        role text NOT NULL CHECK (role IN ('reads', 'writes')),
        created_at bigint NOT NULL
      )
      """,
    ]
  ]

  /// So that a push reads the version either before a change of the tables, and is committed before it, or after it.
  static let lock = "LOCK TABLE sync_space IN ACCESS EXCLUSIVE MODE"

  /// The version that this program needs.
  static let version = Int64(migrations.count)

  /// Makes the tables, or brings those of an older version up to this one, in one transaction.
  ///
  /// - Throws: `PostgresError`, kind `.wrongSchema` for a newer version.
  static func migrate(_ connection: PostgresConnection) async throws {
    let begin = [
      // An index over many rows takes longer than a request, and so does the wait for it.
      PostgresStatement("BEGIN"), PostgresStatement("SET LOCAL statement_timeout = 0"),
      // Two servers may start at one time. The number is this program's own.
      PostgresStatement("SELECT pg_advisory_xact_lock(7453012366218471425)"),
      PostgresStatement("CREATE TABLE IF NOT EXISTS sync_schema (place bigint PRIMARY KEY CHECK (place = 1), version bigint NOT NULL)"),
      PostgresStatement("INSERT INTO sync_schema (place, version) VALUES (1, 0) ON CONFLICT DO NOTHING"),
      PostgresStatement("SELECT version FROM sync_schema"),
    ]
    let present = try await connection.run(begin, seconds: 3_600).last?.rows.first?.number(0) ?? 0
    if present > version { throw wrong(present) }
    let missing = migrations.dropFirst(Int(clamping: present)).flatMap(\.self).map { PostgresStatement($0) }
    _ = try await connection.run(
      missing + [PostgresStatement("UPDATE sync_schema SET version = $1", .number(version)), .commit], seconds: 3_600)
  }

  /// The version in the database; nil where the tables were never made.
  ///
  /// - Throws: `PostgresError`, kind `.wrongSchema` for a database whose texts are not UTF-8.
  static func present(_ connection: PostgresConnection) async throws -> Int64? {
    let row = try await connection.run(
      PostgresStatement("SELECT to_regclass('sync_schema') IS NULL, current_setting('server_encoding')")
    ).rows.first
    guard let row, try row.text(1) == "UTF8" else {
      throw PostgresError(
        .wrongSchema, "the database does not keep its texts in UTF-8",
        suggestion: "Make another one: CREATE DATABASE holdfast ENCODING 'UTF8' TEMPLATE template0.")
    }
    guard try row.bytes(0, { $0.first == 0 }) else { return nil }
    return try await connection.run(PostgresStatement("SELECT version FROM sync_schema")).rows.first?.number(0)
  }

  /// The error for another version than this program's.
  static func wrong(_ present: Int64?) -> PostgresError {
    guard let present else {
      return PostgresError(
        .wrongSchema, "the database has no tables of holdfast-server",
        suggestion: "Run holdfast-server serve, or space create, which make them; or correct the name of the database.")
    }
    return PostgresError(
      .wrongSchema, "the database has the tables of version \(present), and this holdfast-server needs version \(version)",
      suggestion: present > version
        ? "Use the newer holdfast-server."
        : "Run holdfast-server migrate with this store. Servers of the older version then refuse pushes until they are replaced.")
  }
}
