public import Holdfast
internal import HoldfastSync

extension SyncServer {
  /// The tables of a server.
  ///
  /// - `sync_space`: `lineage` is a JSON list of `[epoch, head at its beginning]`, the present epoch last; `[]` marks a space of which only a
  ///   part is here, and which counts nothing. `digest` is the sum of the rows' digests as a signed number. `limits` is NULL for those of the
  ///   server.
  /// - `sync_row`: `body` is the row's line; see `SyncRow.line`.
  /// - `sync_token`: `hash` is the SHA-256 of the token, in lowercase hexadecimal. The token itself is nowhere.
  /// - `sync_pushes`: how many pushes have changed a row, in all spaces together; see `pushCount()`.
  public static let schema = StoreSchema(
    "holdfast-server",
    migrations: [
      Migration(
        "holdfast-server/001-spaces",
        sql: """
          CREATE TABLE sync_space (
            space TEXT NOT NULL PRIMARY KEY,
            lineage TEXT NOT NULL,
            head INTEGER NOT NULL,
            digest INTEGER NOT NULL,
            rows INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            min_schema INTEGER NOT NULL DEFAULT 0,
            limits TEXT
          ) STRICT;
          CREATE TABLE sync_row (
            space TEXT NOT NULL REFERENCES sync_space (space),
            tbl TEXT NOT NULL,
            key TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (space, tbl, key)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX sync_row_by_push ON sync_row (space, sequence);
          CREATE TABLE sync_token (
            hash TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            space TEXT NOT NULL REFERENCES sync_space (space),
            role TEXT NOT NULL CHECK (role IN ('reads', 'writes')),
            created_at INTEGER NOT NULL
          ) STRICT;
          CREATE TABLE sync_pushes (
            place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
            number INTEGER NOT NULL
          ) STRICT;
          INSERT INTO sync_pushes (place, number) VALUES (1, 0);
          """)
    ],
    records: [StoredSpace.self, StoredLine.self, StoredToken.self],
    invariants: [
      Invariant(
        "the head of a space is at least the number of each push", table: "sync_space",
        findings: """
          SELECT space FROM sync_space WHERE head < (SELECT ifnull(max(sequence), 0) FROM sync_row WHERE sync_row.space = sync_space.space)
          """),
      Invariant(
        "a space counts its rows and their bytes", table: "sync_space",
        findings: """
          SELECT space FROM sync_space WHERE lineage <> '[]' AND (rows, bytes) IS NOT
            (SELECT count(*), ifnull(sum(length(CAST(body AS BLOB))), 0) FROM sync_row WHERE sync_row.space = sync_space.space)
          """),
    ])
}
