public import Holdfast

extension AudiobookLibrary {
  /// The tables of an audiobook library.
  ///
  /// `rowid` is declared because the full-text indexes point to rowids, and VACUUM renumbers undeclared rowids. `search_*`
  /// holds text cut into words, only for scripts that `unicode61` cannot cut; NULL means that the text itself is indexed.
  /// `original_id` is a track's id in its source, when another collection had a track with the same id.
  public static let schema = StoreSchema(
    "audiobooks",
    migrations: [
      Migration(
        "audiobooks/001-library",
        sql: """
          CREATE TABLE collections (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            author TEXT,
            description TEXT,
            cover_kind TEXT NOT NULL,
            cover_payload TEXT NOT NULL,
            cover_dominant_color TEXT,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            source_type TEXT NOT NULL,
            source_payload TEXT NOT NULL,
            last_played_track_id TEXT,
            search_title TEXT,
            search_author TEXT
          ) STRICT;
          CREATE INDEX collections_by_created_at ON collections (created_at, id);

          CREATE TABLE tracks (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            display_name TEXT NOT NULL,
            filename TEXT NOT NULL,
            location_type TEXT NOT NULL,
            location_payload TEXT NOT NULL,
            file_size INTEGER NOT NULL,
            duration REAL,
            track_number INTEGER NOT NULL,
            checksum TEXT,
            metadata TEXT NOT NULL,
            original_id TEXT,
            search_name TEXT
          ) STRICT;
          CREATE INDEX tracks_in_order ON tracks (collection_id, position, id);

          CREATE TABLE playback_states (
            rowid INTEGER PRIMARY KEY,
            track_id TEXT NOT NULL UNIQUE REFERENCES tracks (id) ON DELETE CASCADE,
            collection_id TEXT NOT NULL,
            position REAL NOT NULL,
            duration REAL,
            updated_at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX playback_states_by_collection ON playback_states (collection_id);

          CREATE TABLE favorites (
            rowid INTEGER PRIMARY KEY,
            track_id TEXT NOT NULL UNIQUE REFERENCES tracks (id) ON DELETE CASCADE,
            collection_id TEXT NOT NULL,
            favorited_at INTEGER
          ) STRICT;
          CREATE INDEX favorites_by_collection ON favorites (collection_id);
          CREATE INDEX favorites_by_time ON favorites (favorited_at, track_id);

          CREATE TABLE tags (
            rowid INTEGER PRIMARY KEY,
            collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
            tag TEXT NOT NULL,
            position INTEGER NOT NULL,
            UNIQUE (collection_id, tag)
          ) STRICT;
          CREATE INDEX tags_by_tag ON tags (tag, collection_id);
          """),
      // Declares what syncs. The tables stay as they are.
      Migration("audiobooks/002-sync", sql: ""),
    ],
    records: [CollectionRow.self, TrackRow.self, PlaybackRow.self, FavoriteRow.self, TagRow.self],
    invariants: [
      Invariant(
        "a playback state belongs to its track's collection", table: "playback_states",
        findings: """
          SELECT s.track_id FROM playback_states s LEFT JOIN tracks t ON t.id = s.track_id WHERE t.collection_id IS NOT s.collection_id
          """, repair: followTrack("playback_states")),
      Invariant(
        "a favourite belongs to its track's collection", table: "favorites",
        findings: """
          SELECT f.track_id FROM favorites f LEFT JOIN tracks t ON t.id = f.track_id WHERE t.collection_id IS NOT f.collection_id
          """, repair: followTrack("favorites")),
      Invariant(
        "the last played track is one of the collection", table: "collections",
        findings: """
          SELECT c.id FROM collections c WHERE c.last_played_track_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM tracks t WHERE t.id = c.last_played_track_id AND t.collection_id = c.id)
          """,
        repair: """
          UPDATE collections AS c SET last_played_track_id = NULL WHERE c.last_played_track_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM tracks t WHERE t.id = c.last_played_track_id AND t.collection_id = c.id)
          """),
      Invariant(
        "payloads of tracks are JSON objects", table: "tracks",
        findings: """
          SELECT id FROM tracks WHERE iif(json_valid(location_payload), json_type(location_payload), '') <> 'object'
          OR iif(json_valid(metadata), json_type(metadata), '') <> 'object'
          """),
      Invariant(
        "payloads of collections are JSON objects", table: "collections",
        findings: """
          SELECT id FROM collections WHERE iif(json_valid(source_payload), json_type(source_payload), '') <> 'object'
          OR iif(json_valid(cover_payload), json_type(cover_payload), '') <> 'object'
          """),
    ],
    declarations: [
      .fullText(
        "collections_search", of: "collections", ["title", "author"].map { FullTextColumn($0, segmented: "search_" + $0) }),
      .fullText("tracks_search", of: "tracks", [FullTextColumn("name", of: "display_name", segmented: "search_name")]),
      .synced(
        "collections", together: [["cover_kind", "cover_payload", "cover_dominant_color"], ["source_type", "source_payload"]],
        derived: ["search_title", "search_author"]),
      // Bookmarks and paths travel: an app shows what it does not find.
      .synced("tracks", together: [["location_type", "location_payload"]], derived: ["search_name"]),
      .synced("playback_states", key: ["track_id"], whole: true, time: "updated_at"),
      .synced("favorites", key: ["track_id"], whole: true),
      .synced("tags", key: ["collection_id", "tag"]),
    ])

  /// A track was moved on one device and heard on another: its row in `table` goes where the track is.
  private static func followTrack(_ table: String) -> BoundSQL {
    BoundSQL(
      raw: """
        UPDATE \(table) SET collection_id = t.collection_id FROM tracks t
        WHERE t.id = track_id AND t.collection_id IS NOT \(table).collection_id
        """)
  }
}
