extension MusicStore {
  /// A play is a row, so that the plays of two devices add up. `play_count` is `base_plays` and their number, at least 0 and at most the
  /// largest Int64; triggers keep it so, whoever writes. A count that somebody sets, such as an app with the library in memory or an
  /// import, goes into `base_plays`, which may be negative: somebody counted fewer plays than there are rows. `base_plays` is NULL only for
  /// a row of a program that does not know it.
  static let playsMigration = """
    ALTER TABLE tracks ADD COLUMN base_plays INTEGER;
    UPDATE tracks SET base_plays = play_count;
    CREATE TABLE plays (
      rowid INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      track_id TEXT NOT NULL REFERENCES tracks (id) ON DELETE CASCADE,
      played_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX plays_by_track ON plays (track_id);

    CREATE TRIGGER plays_added AFTER INSERT ON plays BEGIN
      \(count("new.track_id"));
    END;
    CREATE TRIGGER plays_removed AFTER DELETE ON plays BEGIN
      \(count("old.track_id"));
    END;
    CREATE TRIGGER plays_moved AFTER UPDATE OF track_id ON plays BEGIN
      \(count("old.track_id"));
      \(count("new.track_id"));
    END;
    CREATE TRIGGER tracks_added AFTER INSERT ON tracks WHEN new.play_count <> \(counted("new.base_plays", of: "new.id")) BEGIN
      UPDATE tracks SET base_plays = new.play_count - \(rows(of: "new.id")) WHERE id = new.id AND base_plays IS NULL;
      \(count("new.id"));
    END;
    CREATE TRIGGER tracks_counted AFTER UPDATE OF play_count ON tracks
    WHEN new.play_count <> old.play_count AND new.base_plays IS old.base_plays
      AND new.play_count <> \(counted("new.base_plays", of: "new.id")) BEGIN
      UPDATE tracks SET base_plays = new.play_count - \(rows(of: "new.id")) WHERE id = new.id;
    END;
    CREATE TRIGGER tracks_based AFTER UPDATE OF base_plays ON tracks
    WHEN new.play_count <> \(counted("new.base_plays", of: "new.id")) BEGIN
      \(count("new.id"));
    END;
    """

  /// What `play_count` should be, as SQL.
  static func counted(_ base: String, of id: String) -> String {
    "max(0, min(coalesce(\(base), 0), 9223372036854775807 - \(rows(of: id))) + \(rows(of: id)))"
  }

  private static func rows(of id: String) -> String { "(SELECT count(*) FROM plays WHERE track_id = \(id))" }

  private static func count(_ id: String) -> String {
    "UPDATE tracks SET play_count = \(counted("base_plays", of: id)) WHERE id = \(id)"
  }
}
