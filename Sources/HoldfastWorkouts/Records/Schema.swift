public import Holdfast

extension WorkoutLog {
  /// The tables of a training log.
  ///
  /// A workout in progress and a template are rows of `workouts` with another `state`, so the same verbs edit all three.
  /// `active_workout` holds the clock of the workout in progress; its one slot allows only one such workout. `rowid` is
  /// declared because the full-text indexes point to rowids, and VACUUM renumbers undeclared rowids. `name_key` is
  /// `SortText.folded` of the name: exercises with the same key are one in statistics, and templates are sorted by it. Ordered
  /// indexes that end with an id are declared unique, although the id alone makes them unique: only then does SQLite see that a
  /// join in this order needs no sorting. `search_*` holds text cut into words, only for scripts that `unicode61` cannot cut;
  /// NULL means that the text itself is indexed. `search_notes` is never NULL, because the notes are JSON.
  public static let schema = StoreSchema(
    "workouts",
    migrations: [
      Migration(
        "workouts/001-log",
        sql: """
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
          """),
      // Declares what syncs. The tables stay as they are.
      Migration("workouts/002-sync", sql: ""),
    ],
    records: [WorkoutRow.self, ExerciseRow.self, SetRow.self, CustomExerciseRow.self, ActiveRow.self],
    invariants: [
      // Two devices began a workout each: the slot keeps the later one, and the other one is finished.
      Invariant(
        "a workout in progress is in the slot", table: "workouts",
        findings: "SELECT id FROM workouts WHERE state = 'active' AND id NOT IN (SELECT workout_id FROM active_workout)",
        repair: """
          UPDATE workouts SET state = 'finished' WHERE state = 'active' AND id NOT IN (SELECT workout_id FROM active_workout)
          """),
      Invariant(
        "the slot names a workout in progress", table: "active_workout",
        findings: "SELECT workout_id FROM active_workout WHERE workout_id NOT IN (SELECT id FROM workouts WHERE state = 'active')",
        repair: "DELETE FROM active_workout WHERE workout_id NOT IN (SELECT id FROM workouts WHERE state = 'active')"),
      .lists(["pinned_notes", "notes", "body_part_detailed", "body_part_scientific"], of: "exercises"),
      .lists(["body_part_detailed", "body_part_scientific"], of: "custom_exercises"),
    ],
    declarations: [
      .fullText(
        "workouts_search", of: "workouts",
        [FullTextColumn("name", segmented: "search_name"), FullTextColumn("note", segmented: "search_note")], prefixes: [1, 2, 3]),
      .fullText(
        "exercises_search", of: "exercises",
        [FullTextColumn("name", segmented: "search_name"), FullTextColumn("notes", of: "search_notes")], prefixes: [1, 2, 3]),
      .synced(
        "workouts", together: [["state", "ended_at", "duration_seconds"]], derived: ["name_key", "search_name", "search_note"]),
      .synced("exercises", together: [bodyPart], derived: ["name_key", "search_name", "search_notes"]),
      // What was done in a set is one value.
      .synced(
        "exercise_sets",
        together: [
          [
            "actual_weight", "actual_reps", "actual_duration_seconds", "actual_distance", "actual_rpe", "actual_rest_seconds",
            "is_completed", "completed_at",
          ]
        ]),
      .synced("active_workout", key: ["slot"], whole: true),
      .synced("custom_exercises", together: [bodyPart], derived: ["name_key"]),
    ])

  private static let bodyPart = ["body_part", "body_part_detailed", "body_part_scientific"]

  /// A change of one of these tables changes a workout.
  static let tables = ["workouts", "exercises", "exercise_sets"]
}
