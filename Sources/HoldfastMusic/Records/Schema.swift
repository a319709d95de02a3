public import Holdfast

extension MusicStore {
  /// The tables of a music library.
  ///
  /// `rowid` is declared because the full-text index points to rowids, and VACUUM renumbers undeclared rowids. `search_*` holds
  /// text cut into words, only for scripts that `unicode61` cannot cut; NULL means that the text itself is indexed. `sort_*` is
  /// `SortText.folded` of the column with that name, `sort_artist` of `group_artist`. For a track that is not music, `sort_album` and
  /// `sort_artist` begin with `LibraryTrack.behindMusic`, and lists of albums and artists end before that. `file_key` is
  /// `FileLocation.key` of `file_url`. `group_album` and `group_artist` name the track's album; `guest_artist` is its artist when the
  /// album is another artist's. They have composed accents, because SQLite takes two spellings of one accent for two texts. `disc_place`
  /// and `track_place` are numbers for page keys: no disc number is the first disc, no track number comes last.
  public static let schema = StoreSchema(
    "music",
    migrations: [
      Migration(
        "music/001-library",
        sql: """
          CREATE TABLE artwork (
            rowid INTEGER PRIMARY KEY,
            hash TEXT NOT NULL UNIQUE,
            media_type TEXT NOT NULL,
            width INTEGER,
            height INTEGER,
            bytes INTEGER NOT NULL,
            data BLOB NOT NULL
          ) STRICT;

          CREATE TABLE tracks (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            artist TEXT NOT NULL,
            album TEXT NOT NULL,
            album_artist TEXT,
            is_compilation INTEGER NOT NULL CHECK (is_compilation IN (0, 1)),
            genre TEXT,
            year INTEGER,
            track_number INTEGER,
            disc_number INTEGER,
            duration REAL CHECK (duration >= 0),
            file_url TEXT,
            availability TEXT NOT NULL,
            file_size INTEGER,
            file_modified_at INTEGER,
            content_hash TEXT,
            artwork_url TEXT,
            artwork_hash TEXT REFERENCES artwork (hash),
            play_count INTEGER NOT NULL CHECK (play_count >= 0),
            last_played_at INTEGER,
            rating INTEGER CHECK (rating BETWEEN 0 AND 100),
            added_at INTEGER,
            persistent_id TEXT,
            metadata TEXT NOT NULL,
            file_key TEXT,
            sort_title TEXT NOT NULL,
            sort_album TEXT NOT NULL,
            sort_artist TEXT NOT NULL,
            group_album TEXT NOT NULL,
            group_artist TEXT NOT NULL,
            guest_artist TEXT,
            search_title TEXT,
            search_artist TEXT,
            search_album TEXT,
            search_album_artist TEXT,
            search_genre TEXT,
            disc_place INTEGER GENERATED ALWAYS AS (coalesce(disc_number, 1)) VIRTUAL,
            track_place INTEGER GENERATED ALWAYS AS (coalesce(track_number, 9223372036854775807)) VIRTUAL
          ) STRICT;
          CREATE INDEX tracks_by_title ON tracks (sort_title, id);
          CREATE INDEX tracks_by_album ON tracks (sort_album, group_album, group_artist, disc_place, track_place, sort_title, id);
          CREATE INDEX tracks_by_artist ON tracks (
            sort_artist, group_artist, sort_album, group_album, disc_place, track_place, sort_title, id);
          CREATE INDEX tracks_by_guest ON tracks (guest_artist, sort_album, group_album, disc_place, track_place, sort_title, id)
            WHERE guest_artist IS NOT NULL;
          CREATE INDEX tracks_by_added_at ON tracks (added_at, id);
          CREATE INDEX tracks_by_plays ON tracks (play_count, id) WHERE play_count > 0;
          CREATE INDEX tracks_by_rating ON tracks (rating, id) WHERE rating IS NOT NULL;
          CREATE INDEX tracks_by_file ON tracks (file_key) WHERE file_key IS NOT NULL;
          CREATE INDEX tracks_by_artwork ON tracks (artwork_hash) WHERE artwork_hash IS NOT NULL;

          CREATE TABLE collections (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            parent_id TEXT REFERENCES collections (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
            is_folder INTEGER NOT NULL CHECK (is_folder IN (0, 1)),
            position INTEGER NOT NULL,
            persistent_id TEXT
          ) STRICT;
          CREATE INDEX collections_in_order ON collections (position, id);
          CREATE INDEX collections_in_folder ON collections (parent_id, position, id);

          CREATE TABLE collection_tracks (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
            track_id TEXT NOT NULL REFERENCES tracks (id) ON DELETE CASCADE,
            position INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX collection_tracks_in_order ON collection_tracks (collection_id, position, id, track_id);
          CREATE INDEX collection_tracks_by_track ON collection_tracks (track_id);
          """),
      Migration("music/002-plays", sql: playsMigration),
    ],
    records: [TrackRow.self, PlayRow.self, PlaylistRow.self, EntryRow.self, ArtworkRow.self],
    invariants: [
      Invariant(
        "a playlist's parent is a folder, and not one inside the playlist", table: "collections",
        findings: """
          SELECT id FROM collections c WHERE parent_id IS NOT NULL AND (
            NOT EXISTS (SELECT 1 FROM collections p WHERE p.id = c.parent_id AND p.is_folder)
            OR id NOT IN (
              WITH RECURSIVE reached (id) AS (
                SELECT id FROM collections WHERE parent_id IS NULL
                UNION ALL SELECT inner_list.id FROM reached JOIN collections inner_list ON inner_list.parent_id = reached.id)
              SELECT id FROM reached))
          """,
        // Of a circle of folders, the one with the smallest id becomes a folder of the first level.
        repair: """
          UPDATE collections AS c SET parent_id = NULL WHERE parent_id IS NOT NULL AND (
            NOT EXISTS (SELECT 1 FROM collections p WHERE p.id = c.parent_id AND p.is_folder)
            OR id IN (
              WITH RECURSIVE above (id, folder) AS (
                SELECT id, parent_id FROM collections WHERE parent_id IS NOT NULL
                UNION SELECT above.id, p.parent_id FROM above JOIN collections p ON p.id = above.folder WHERE p.parent_id IS NOT NULL)
              SELECT id FROM above GROUP BY id HAVING max(id = folder) AND id = min(folder)))
          """),
      Invariant(
        "an artwork's size is the length of its content", table: "artwork",
        findings: "SELECT hash FROM artwork WHERE bytes <> length(data)"),
      Invariant(
        "a track's metadata is a JSON object", table: "tracks",
        findings: "SELECT id FROM tracks WHERE iif(json_valid(metadata), json_type(metadata), '') <> 'object'"),
      Invariant(
        "a track's count is that of its plays and of those from elsewhere", table: "tracks",
        findings: BoundSQL(raw: "SELECT id FROM tracks WHERE play_count <> \(counted("base_plays", of: "tracks.id"))")),
      // SQLite cannot compose accents, so only rows with three ASCII texts are checked: their lengths in characters and bytes are equal.
      Invariant(
        "a track counts to the album that its own fields name", table: "tracks",
        findings: """
          SELECT id FROM (
            SELECT id, album, artist, group_album, group_artist, guest_artist,
              iif(album_artist <> '', album_artist, iif(is_compilation, 'Various Artists', artist)) AS owner FROM tracks)
          WHERE length(album || artist || owner) = length(CAST(album || artist || owner AS BLOB))
            AND (group_album, group_artist, guest_artist) IS NOT (album, owner, nullif(artist, owner))
          """),
    ],
    declarations: [
      .fullText(
        "tracks_search", of: "tracks",
        ["title", "artist", "album", "album_artist", "genre"].map { FullTextColumn($0, segmented: "search_" + $0) }, prefixes: [1, 2, 3]),
      // A device knows its own files and pictures. On another one a track has no file until a rescan finds it.
      .synced(
        "tracks",
        here: [
          "file_url": .null, "file_modified_at": .null, "availability": .text(FileAvailability.offline.rawValue), "artwork_hash": .null,
          "play_count": .integer(0),
        ],
        derived: [
          "file_key", "sort_title", "sort_album", "sort_artist", "group_album", "group_artist", "guest_artist", "search_title",
          "search_artist", "search_album", "search_album_artist", "search_genre",
        ]),
      .synced("plays"), .synced("collections"), .synced("collection_tracks"),
    ])
}
