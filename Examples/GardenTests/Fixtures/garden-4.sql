CREATE TABLE beds (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;
CREATE TABLE plants (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  bed_id TEXT NOT NULL REFERENCES beds (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  sown_at INTEGER
, variety TEXT, tags TEXT NOT NULL DEFAULT '[]') STRICT;
CREATE INDEX plants_by_position ON plants (bed_id, position, id);
CREATE TABLE waterings (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  plant_id TEXT NOT NULL REFERENCES plants (id) ON DELETE CASCADE,
  watered_at INTEGER NOT NULL,
  litres REAL NOT NULL CHECK (litres > 0)
) STRICT;
CREATE INDEX waterings_by_plant ON waterings (plant_id, watered_at, id);
CREATE INDEX waterings_by_time ON waterings (watered_at, litres);
CREATE TABLE photos (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  plant_id TEXT NOT NULL REFERENCES plants (id) ON DELETE CASCADE,
  taken_at INTEGER NOT NULL,
  jpeg BLOB NOT NULL
) STRICT;
CREATE INDEX photos_by_plant ON photos (plant_id, taken_at, id);
