CREATE TABLE workouts (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  note TEXT,
  state TEXT NOT NULL CHECK (state IN ('finished', 'active', 'template')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  duration_seconds INTEGER,
  search_name TEXT,
  search_note TEXT
) STRICT;
CREATE UNIQUE INDEX workouts_by_start ON workouts (state, started_at, id);
CREATE INDEX templates_by_name ON workouts (name_key, name, id) WHERE state = 'template';
CREATE TABLE exercises (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workout_id TEXT NOT NULL REFERENCES workouts (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  superset INTEGER CHECK (superset <> 0),
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  body_part TEXT,
  body_part_detailed TEXT,
  body_part_scientific TEXT,
  weight_unit TEXT,
  pinned_notes TEXT,
  notes TEXT,
  duration_seconds INTEGER,
  warm_up_rest_seconds INTEGER,
  rest_seconds INTEGER,
  name_key TEXT NOT NULL,
  search_name TEXT,
  search_notes TEXT
) STRICT;
CREATE UNIQUE INDEX exercises_in_order ON exercises (workout_id, position, id);
CREATE INDEX exercises_by_name ON exercises (name_key, workout_id, position, id);
CREATE TABLE exercise_sets (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  exercise_id TEXT NOT NULL REFERENCES exercises (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  type TEXT NOT NULL,
  weight_unit TEXT,
  distance_unit TEXT,
  suggested_weight REAL,
  suggested_reps INTEGER,
  suggested_rep_range INTEGER,
  suggested_duration_seconds INTEGER,
  suggested_rpe REAL,
  suggested_rest_seconds INTEGER,
  actual_weight REAL,
  actual_reps INTEGER,
  actual_duration_seconds INTEGER,
  actual_distance REAL,
  actual_rpe REAL,
  actual_rest_seconds INTEGER,
  is_completed INTEGER NOT NULL CHECK (is_completed IN (0, 1)),
  completed_at INTEGER,
  note TEXT
) STRICT;
CREATE UNIQUE INDEX exercise_sets_in_order ON exercise_sets (exercise_id, position, id);
CREATE TABLE active_workout (
  slot INTEGER PRIMARY KEY CHECK (slot = 1),
  workout_id TEXT NOT NULL UNIQUE REFERENCES workouts (id) ON DELETE CASCADE,
  trained_ms INTEGER NOT NULL CHECK (trained_ms >= 0),
  last_active_at INTEGER NOT NULL,
  is_paused INTEGER NOT NULL CHECK (is_paused IN (0, 1)),
  idle_limit_seconds INTEGER NOT NULL CHECK (idle_limit_seconds >= 0)
) STRICT;
CREATE TABLE custom_exercises (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  body_part TEXT,
  body_part_detailed TEXT,
  body_part_scientific TEXT,
  weight_unit TEXT,
  image_name TEXT,
  foreign_key TEXT,
  name_key TEXT NOT NULL UNIQUE
) STRICT;
