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
