/// The tables of a synced store: the state of its space, and what is known of each row. A file that has `holdfast_sync` is connected; see
/// `SchemaDeclaration.synced`.
package enum SyncTables {
  /// The table whose presence makes capture begin.
  package static let state = "holdfast_sync"
  /// The names of all, in the order in which they can be dropped.
  package static let all = [
    "holdfast_sync_forgotten", "holdfast_sync_lost", "holdfast_sync_extra", "holdfast_sync_aside", "holdfast_sync_parked",
    "holdfast_sync_cell", "holdfast_sync_row", state,
  ]

  /// Finds the names of the triggers that note changes, whichever schema declares them.
  static let triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND instr(sql, 'holdfast_sync_row') > 0"

  package static func isOne(_ table: String) -> Bool { table.lowercased().hasPrefix(state) }

  /// Makes the tables, without a row in `holdfast_sync`.
  ///
  /// - `holdfast_sync`: one row. `applying` is 1 only inside a transaction that writes what arrived: capture is off then. `clock` is NULL, or
  ///   milliseconds since 1970 that capture takes for the time. `offset` is the server's clock less this one's, in milliseconds. `node` is
  ///   that of the present opening, or 0 after the open store was healed. `cursor` belongs to `epoch`, and is stored only when all up to it was
  ///   applied. `is_resync` is 1 from the beginning of a full resync to its end, or 2 where the server's rows replace those of before
  ///   connecting, or 3 where there were none, or -1 where rows that the server has no more are removed; otherwise 0. `seal` tells the key of a
  ///   sealed space from others, and is empty for a plain space; NULL until a pull was whole.
  /// - `holdfast_sync_row`: of each row that is or was there. `hlc` and `node` are the stamp of its birth, `generation` counts insertions and deletions.
  ///   `sequence` is the server's push that changed it last, 0 for a row that the server may not have; where `is_resync` is -1 or 2, it is
  ///   negative for a row that the server had and that has not come again. `dirty` is 1 for a row that the server should get, 2 for one that it
  ///   refused, 0 for one that it has.
  /// - `holdfast_sync_cell`: the stamps of groups of columns that were changed after the birth. `sent` is 1 for a change that the server had when it
  ///   told of the row last.
  /// - `holdfast_sync_parked`: the content of rows that cannot stand in their table now. `body` is the row as it travels, unless its register has another
  ///   generation or birth: a rewind has brought the body back, and that stamp counts for all its values.
  /// - `holdfast_sync_aside`: rows and values of tables that do not sync, which went with a parked row, of `tbl` and `key`, and come back with it.
  /// - `holdfast_sync_extra`: values for tables and columns that this version does not know.
  /// - `holdfast_sync_lost`: values of this device that lost against others, until somebody removes them.
  /// - `holdfast_sync_forgotten`: the deleted rows that were purged, here or on another device. It holds only while the register has the same
  ///   `generation`: a key that is used again is not forgotten. `is_done` is 0 while this device's snapshots and archive may have the row.
  package static let making = [
    """
    CREATE TABLE holdfast_sync (
      place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
      applying INTEGER NOT NULL DEFAULT 0,
      clock INTEGER,
      offset INTEGER NOT NULL DEFAULT 0,
      node INTEGER NOT NULL,
      space TEXT NOT NULL,
      epoch TEXT,
      cursor INTEGER NOT NULL DEFAULT 0,
      is_resync INTEGER NOT NULL DEFAULT 0,
      refused_at INTEGER NOT NULL DEFAULT 0,
      synced_at INTEGER,
      seal TEXT
    ) STRICT
    """,
    """
    CREATE TABLE holdfast_sync_row (
      tbl INTEGER NOT NULL, key TEXT NOT NULL, generation INTEGER NOT NULL, hlc INTEGER NOT NULL, node INTEGER NOT NULL,
      sequence INTEGER NOT NULL, dirty INTEGER NOT NULL, PRIMARY KEY (tbl, key)) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX holdfast_sync_dirty ON holdfast_sync_row (dirty) WHERE dirty",
    """
    CREATE TABLE holdfast_sync_cell (
      tbl INTEGER NOT NULL, key TEXT NOT NULL, grp INTEGER NOT NULL, hlc INTEGER NOT NULL, node INTEGER NOT NULL, sent INTEGER NOT NULL,
      PRIMARY KEY (tbl, key, grp)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE holdfast_sync_parked (
      tbl INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (tbl, key)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE holdfast_sync_aside (
      id INTEGER PRIMARY KEY, tbl INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL) STRICT
    """,
    """
    CREATE TABLE holdfast_sync_extra (
      tbl TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, sequence INTEGER NOT NULL, dirty INTEGER NOT NULL,
      PRIMARY KEY (tbl, key)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE holdfast_sync_lost (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, tbl TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, winner TEXT NOT NULL) STRICT
    """,
    """
    CREATE TABLE holdfast_sync_forgotten (
      tbl INTEGER NOT NULL, key TEXT NOT NULL, generation INTEGER NOT NULL, is_done INTEGER NOT NULL, PRIMARY KEY (tbl, key)
    ) STRICT, WITHOUT ROWID
    """,
  ]
}
