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
, base_plays INTEGER) STRICT;
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
CREATE TABLE plays (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  track_id TEXT NOT NULL REFERENCES tracks (id) ON DELETE CASCADE,
  played_at INTEGER NOT NULL
) STRICT;
CREATE INDEX plays_by_track ON plays (track_id);
CREATE TRIGGER plays_added AFTER INSERT ON plays BEGIN
  UPDATE tracks SET play_count = max(0, min(coalesce(base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = new.track_id)) + (SELECT count(*) FROM plays WHERE track_id = new.track_id)) WHERE id = new.track_id;
END;
CREATE TRIGGER plays_removed AFTER DELETE ON plays BEGIN
  UPDATE tracks SET play_count = max(0, min(coalesce(base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = old.track_id)) + (SELECT count(*) FROM plays WHERE track_id = old.track_id)) WHERE id = old.track_id;
END;
CREATE TRIGGER plays_moved AFTER UPDATE OF track_id ON plays BEGIN
  UPDATE tracks SET play_count = max(0, min(coalesce(base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = old.track_id)) + (SELECT count(*) FROM plays WHERE track_id = old.track_id)) WHERE id = old.track_id;
  UPDATE tracks SET play_count = max(0, min(coalesce(base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = new.track_id)) + (SELECT count(*) FROM plays WHERE track_id = new.track_id)) WHERE id = new.track_id;
END;
CREATE TRIGGER tracks_added AFTER INSERT ON tracks WHEN new.play_count <> max(0, min(coalesce(new.base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = new.id)) + (SELECT count(*) FROM plays WHERE track_id = new.id)) BEGIN
  UPDATE tracks SET base_plays = new.play_count - (SELECT count(*) FROM plays WHERE track_id = new.id) WHERE id = new.id AND base_plays IS NULL;
  UPDATE tracks SET play_count = max(0, min(coalesce(base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = new.id)) + (SELECT count(*) FROM plays WHERE track_id = new.id)) WHERE id = new.id;
END;
CREATE TRIGGER tracks_counted AFTER UPDATE OF play_count ON tracks
WHEN new.play_count <> old.play_count AND new.base_plays IS old.base_plays
  AND new.play_count <> max(0, min(coalesce(new.base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = new.id)) + (SELECT count(*) FROM plays WHERE track_id = new.id)) BEGIN
  UPDATE tracks SET base_plays = new.play_count - (SELECT count(*) FROM plays WHERE track_id = new.id) WHERE id = new.id;
END;
CREATE TRIGGER tracks_based AFTER UPDATE OF base_plays ON tracks
WHEN new.play_count <> max(0, min(coalesce(new.base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = new.id)) + (SELECT count(*) FROM plays WHERE track_id = new.id)) BEGIN
  UPDATE tracks SET play_count = max(0, min(coalesce(base_plays, 0), 9223372036854775807 - (SELECT count(*) FROM plays WHERE track_id = new.id)) + (SELECT count(*) FROM plays WHERE track_id = new.id)) WHERE id = new.id;
END;
