extension InferenceStore {
  /// Events, preferences, and sealed secrets. The indexes of pending rows contain all columns that counting reads.
  static let telemetryTables = """
    CREATE TABLE telemetry (
      rowid INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (id <> ''),
      type TEXT NOT NULL,
      name TEXT,
      properties TEXT NOT NULL,
      occurred_at INTEGER NOT NULL,
      user_id TEXT,
      session_id TEXT,
      device_info TEXT,
      sdk_version TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      revision INTEGER NOT NULL DEFAULT 1,
      acknowledged_revision INTEGER NOT NULL DEFAULT 0,
      set_aside_revision INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX telemetry_by_time ON telemetry (occurred_at, id);
    CREATE INDEX telemetry_pending ON telemetry (occurred_at, id, revision, acknowledged_revision, set_aside_revision)
      WHERE revision > acknowledged_revision AND revision > set_aside_revision;
    CREATE INDEX telemetry_set_aside ON telemetry (occurred_at, id, revision, acknowledged_revision, set_aside_revision)
      WHERE revision > acknowledged_revision AND revision <= set_aside_revision;

    CREATE TABLE user_preferences (
      rowid INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE CHECK (name <> ''),
      value TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      revision INTEGER NOT NULL DEFAULT 1,
      acknowledged_revision INTEGER NOT NULL DEFAULT 0,
      set_aside_revision INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX user_preferences_pending ON user_preferences (updated_at, name)
      WHERE revision > acknowledged_revision AND revision > set_aside_revision;

    CREATE TABLE secrets (
      rowid INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE CHECK (name <> ''),
      sealed BLOB NOT NULL,
      key_check BLOB NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    """

  /// The state of sending, outside the rows themselves. The number of tries is deleted with its row. A value that lost against
  /// a server stays until it is cleared.
  static let syncTables = """
    CREATE TABLE sync_state (
      slot INTEGER PRIMARY KEY CHECK (slot = 1),
      last_acknowledged_at INTEGER,
      last_error TEXT,
      retry_at INTEGER
    ) STRICT;
    CREATE TABLE sync_tries (
      rowid INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      row_id TEXT NOT NULL,
      revision INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      reason TEXT NOT NULL,
      tried_at INTEGER NOT NULL,
      UNIQUE (kind, row_id)
    ) STRICT;
    CREATE TABLE sync_cursors (
      rowid INTEGER PRIMARY KEY,
      kind TEXT NOT NULL UNIQUE,
      since INTEGER NOT NULL,
      row_key BLOB NOT NULL
    ) STRICT;
    CREATE TABLE sync_conflicts (
      rowid INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      row_id TEXT NOT NULL,
      field TEXT NOT NULL,
      lost_value TEXT,
      kept TEXT NOT NULL CHECK (kept IN ('ours', 'theirs')),
      noticed_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sync_conflicts_by_time ON sync_conflicts (noticed_at, rowid);
    CREATE INDEX sync_conflicts_by_row ON sync_conflicts (kind, row_id, field);
    \(forgetting)
    """

  private static var forgetting: String {
    let keys = ["telemetry", "model_metadata", "configuration", "generation_sessions", "generations"].map { ($0, "id") }
    return (keys + [("user_preferences", "name")]).map { table, key in
      """
      CREATE TRIGGER \(table)_forgotten AFTER DELETE ON \(table) BEGIN
        DELETE FROM sync_tries WHERE kind = '\(table)' AND row_id = old.\(key);
      END;
      """
    }.joined(separator: "\n")
  }
}
