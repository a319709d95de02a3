#include "cworkouts.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "store.h"
#include "workouts.h"

static const char *const texts[STATEMENTS] = {
    [WORKOUTS] = "SELECT id, name, note, state, started_at, ended_at, duration_seconds FROM workouts WHERE state = 'finished' "
                 "ORDER BY started_at DESC, id DESC",
    [EXERCISES] = "SELECT id, name, type, body_part, body_part_detailed, body_part_scientific, superset, weight_unit, pinned_notes, "
                  "notes, duration_seconds, warm_up_rest_seconds, rest_seconds, workout_id, position FROM exercises",
    [SETS] = "SELECT id, type, weight_unit, distance_unit, suggested_weight, suggested_reps, suggested_rep_range, "
             "suggested_duration_seconds, suggested_rpe, suggested_rest_seconds, actual_weight, actual_reps, actual_duration_seconds, "
             "actual_distance, actual_rpe, actual_rest_seconds, is_completed, completed_at, note, exercise_id, position FROM exercise_sets",
    [COUNTED] = COUNTED_SETS "ORDER BY w.started_at, w.id, e.position, e.id, s.position, s.id",
    [COUNTED_OF] = COUNTED_SETS "AND e.name_key = ?1 ORDER BY w.started_at, w.id, e.position, e.id, s.position, s.id",
    [STARTS] = "SELECT started_at FROM workouts WHERE state = 'finished' ORDER BY started_at, id",
    [TIME] = "UPDATE active_workout SET trained_ms = trained_ms + iif("
             "is_paused = 0 AND ?1 - last_active_at BETWEEN 0 AND idle_limit_seconds * 1000, ?1 - last_active_at, 0), "
             "last_active_at = ?1 WHERE workout_id = "
             "(SELECT e.workout_id FROM exercise_sets s JOIN exercises e ON e.id = s.exercise_id WHERE s.id = ?2)",
    [LOG_SET] = "UPDATE exercise_sets SET actual_weight = ?1, actual_reps = ?2, actual_duration_seconds = NULL, actual_distance = NULL, "
                "actual_rpe = NULL, actual_rest_seconds = NULL, completed_at = iif(is_completed, completed_at, ?3), is_completed = 1 "
                "WHERE id = ?4",
    [BEGIN] = "BEGIN",
    [BEGIN_IMMEDIATE] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
};

int cworkouts_open(const char *path, cconnection **out) { return cconnection_open(path, texts, STATEMENTS, out); }

static cworkouts_integer read_integer(sqlite3_stmt *row, int column) {
  cworkouts_integer read = {.present = sqlite3_column_type(row, column) != SQLITE_NULL};
  if (read.present) read.value = sqlite3_column_int64(row, column);
  return read;
}

static cworkouts_real read_real(sqlite3_stmt *row, int column) {
  cworkouts_real read = {.present = sqlite3_column_type(row, column) != SQLITE_NULL};
  if (read.present) read.value = sqlite3_column_double(row, column);
  return read;
}

static int read_set(sqlite3_stmt *row, cworkouts_set *set) {
  int failed = climit_read_id(row, 0, &set->id) | climit_read_text(row, 1, &set->type) | climit_read_text(row, 2, &set->weight_unit);
  failed |= climit_read_text(row, 3, &set->distance_unit);
  set->suggested_weight = read_real(row, 4);
  set->suggested_reps = read_integer(row, 5);
  set->suggested_rep_range = read_integer(row, 6);
  set->suggested_duration = read_integer(row, 7);
  set->suggested_rpe = read_real(row, 8);
  set->suggested_rest = read_integer(row, 9);
  set->actual_weight = read_real(row, 10);
  set->actual_reps = read_integer(row, 11);
  set->actual_duration = read_integer(row, 12);
  set->actual_distance = read_real(row, 13);
  set->actual_rpe = read_real(row, 14);
  set->actual_rest = read_integer(row, 15);
  set->is_completed = sqlite3_column_int64(row, 16) != 0;
  set->completed_at = read_integer(row, 17);
  return failed | climit_read_text(row, 18, &set->note);
}

static int read_exercise(sqlite3_stmt *row, cworkouts_exercise *exercise) {
  int failed = climit_read_id(row, 0, &exercise->id) | climit_read_text(row, 1, &exercise->name);
  failed |= climit_read_text(row, 2, &exercise->type) | climit_read_text(row, 3, &exercise->body_part);
  failed |= climit_read_text(row, 4, &exercise->body_part_detailed) | climit_read_text(row, 5, &exercise->body_part_scientific);
  exercise->superset = read_integer(row, 6);
  failed |= climit_read_text(row, 7, &exercise->weight_unit) | climit_read_text(row, 8, &exercise->pinned_notes);
  failed |= climit_read_text(row, 9, &exercise->notes);
  exercise->duration = read_integer(row, 10);
  exercise->warm_up_rest = read_integer(row, 11);
  exercise->rest = read_integer(row, 12);
  return failed;
}

// Where the element with an id is: open addressing, a slot holds the place plus one.
typedef struct {
  const climit_id **ids;
  uint32_t *slots;
  uint32_t mask;
} table;

static uint32_t hash(const climit_id *id) {
  uint64_t half;
  memcpy(&half, id->bytes + 8, 8);
  return (uint32_t)(half * 0x9E3779B97F4A7C15ull >> 32);
}

static int make_table(table *table, size_t count) {
  uint32_t size = 16;
  while (size < count * 2) size *= 2;
  table->mask = size - 1;
  table->slots = calloc(size, sizeof *table->slots);
  table->ids = malloc((count + 1) * sizeof *table->ids);
  return table->slots && table->ids ? SQLITE_OK : SQLITE_NOMEM;
}

static void put(table *table, const climit_id *id, size_t place) {
  uint32_t slot = hash(id) & table->mask;
  while (table->slots[slot]) slot = (slot + 1) & table->mask;
  table->slots[slot] = (uint32_t)place + 1;
  table->ids[place] = id;
}

// The place, or SIZE_MAX.
static size_t look(const table *table, const climit_id *id) {
  for (uint32_t slot = hash(id) & table->mask; table->slots[slot]; slot = (slot + 1) & table->mask) {
    size_t place = table->slots[slot] - 1;
    if (!memcmp(table->ids[place]->bytes, id->bytes, 16)) return place;
  }
  return SIZE_MAX;
}

static void free_table(table *table) {
  free(table->slots);
  free(table->ids);
}

static int load_workouts(sqlite3_stmt *statement, cworkouts_log *log) {
  size_t capacity = 0;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    log->workouts = climit_room(log->workouts, log->count, &capacity, 1024, sizeof *log->workouts);
    if (!log->workouts) return cconnection_finish(statement, SQLITE_NOMEM, 0);
    cworkouts_workout *workout = &log->workouts[log->count++];
    memset(workout, 0, sizeof *workout);
    failed = climit_read_id(statement, 0, &workout->id) | climit_read_text(statement, 1, &workout->name);
    failed |= climit_read_text(statement, 2, &workout->note);
    workout->started_at = sqlite3_column_int64(statement, 4);
    workout->ended_at = read_integer(statement, 5);
    workout->duration = read_integer(statement, 6);
  }
  return cconnection_finish(statement, code, failed);
}

static int load_exercises(sqlite3_stmt *statement, cworkouts_log *log, const table *workouts, size_t *total) {
  cworkouts_workout *workout = NULL;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    climit_id id;
    failed = climit_read_id(statement, 13, &id);
    if (failed) continue;
    if (!workout || memcmp(workout->id.bytes, id.bytes, 16)) {
      size_t place = look(workouts, &id);
      workout = place == SIZE_MAX ? NULL : &log->workouts[place];
    }
    if (!workout) continue;
    workout->exercises =
        climit_room(workout->exercises, workout->exercise_count, &workout->exercise_capacity, 8, sizeof *workout->exercises);
    if (!workout->exercises) return cconnection_finish(statement, SQLITE_NOMEM, 0);
    cworkouts_exercise *exercise = &workout->exercises[workout->exercise_count++];
    memset(exercise, 0, sizeof *exercise);
    failed = read_exercise(statement, exercise);
    exercise->position = sqlite3_column_int64(statement, 14);
    if (workout->exercise_count > 1 && exercise->position <= exercise[-1].position) workout->is_disordered = true;
    *total += 1;
  }
  return cconnection_finish(statement, code, failed);
}

static int load_sets(sqlite3_stmt *statement, cworkouts_exercise **all, const table *exercises) {
  cworkouts_exercise *exercise = NULL;
  int code = SQLITE_DONE, failed = 0;
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    climit_id id;
    failed = climit_read_id(statement, 19, &id);
    if (failed) continue;
    if (!exercise || memcmp(exercise->id.bytes, id.bytes, 16)) {
      size_t place = look(exercises, &id);
      exercise = place == SIZE_MAX ? NULL : all[place];
    }
    if (!exercise) continue;
    exercise->sets = climit_room(exercise->sets, exercise->set_count, &exercise->set_capacity, 4, sizeof *exercise->sets);
    if (!exercise->sets) return cconnection_finish(statement, SQLITE_NOMEM, 0);
    cworkouts_set *set = &exercise->sets[exercise->set_count++];
    failed = read_set(statement, set);
    set->position = sqlite3_column_int64(statement, 20);
    if (exercise->set_count > 1 && set->position <= set[-1].position) exercise->is_disordered = true;
  }
  return cconnection_finish(statement, code, failed);
}

static int compare(int64_t first, int64_t second) { return (first > second) - (first < second); }

static int sets_by_position(const void *a, const void *b) {
  return compare(((const cworkouts_set *)a)->position, ((const cworkouts_set *)b)->position);
}

static int exercises_by_position(const void *a, const void *b) {
  return compare(((const cworkouts_exercise *)a)->position, ((const cworkouts_exercise *)b)->position);
}

static int load_nested(cconnection *store, cworkouts_log *log) {
  table workouts = {0}, exercises = {0};
  size_t total = 0;
  int code = make_table(&workouts, log->count);
  for (size_t i = 0; !code && i < log->count; i++) put(&workouts, &log->workouts[i].id, i);
  if (!code) code = load_exercises(store->statements[EXERCISES], log, &workouts, &total);
  if (!code) code = make_table(&exercises, total);
  cworkouts_exercise **all = malloc((total + 1) * sizeof *all);
  if (!all) code = SQLITE_NOMEM;
  size_t place = 0;
  for (size_t i = 0; !code && i < log->count; i++) {
    cworkouts_workout *workout = &log->workouts[i];
    if (workout->is_disordered) qsort(workout->exercises, workout->exercise_count, sizeof *workout->exercises, exercises_by_position);
    for (size_t j = 0; j < log->workouts[i].exercise_count; j++, place++) {
      all[place] = &log->workouts[i].exercises[j];
      put(&exercises, &all[place]->id, place);
    }
  }
  if (!code) code = load_sets(store->statements[SETS], all, &exercises);
  for (size_t i = 0; !code && i < total; i++) {
    if (all[i]->is_disordered) qsort(all[i]->sets, all[i]->set_count, sizeof *all[i]->sets, sets_by_position);
  }
  free(all);
  free_table(&workouts);
  free_table(&exercises);
  return code;
}

int cworkouts_load(cconnection *store, cworkouts_log *log) {
  memset(log, 0, sizeof *log);
  int code = cconnection_run(store, BEGIN);
  if (!code) code = load_workouts(store->statements[WORKOUTS], log);
  if (!code) code = load_nested(store, log);
  int committed = cconnection_run(store, COMMIT);
  return code ? code : committed;
}

void cworkouts_free(cworkouts_log *log) {
  for (size_t i = 0; i < log->count; i++) {
    cworkouts_workout *workout = &log->workouts[i];
    for (size_t j = 0; j < workout->exercise_count; j++) {
      cworkouts_exercise *e = &workout->exercises[j];
      for (size_t k = 0; k < e->set_count; k++) {
        char *texts[] = {e->sets[k].type.bytes, e->sets[k].weight_unit.bytes, e->sets[k].distance_unit.bytes, e->sets[k].note.bytes};
        for (size_t t = 0; t < 4; t++) free(texts[t]);
      }
      char *texts[] = {e->name.bytes,        e->type.bytes,         e->body_part.bytes, e->body_part_detailed.bytes, e->body_part_scientific.bytes,
                       e->weight_unit.bytes, e->pinned_notes.bytes, e->notes.bytes};
      for (size_t t = 0; t < 8; t++) free(texts[t]);
      free(e->sets);
    }
    free(workout->exercises);
    free(workout->name.bytes);
    free(workout->note.bytes);
  }
  free(log->workouts);
  memset(log, 0, sizeof *log);
}

int cworkouts_log_set(cconnection *store, const climit_id *set, double weight, int64_t reps, int64_t now) {
  char id[37];
  climit_write_id(set, id);
  int code = cconnection_run(store, BEGIN_IMMEDIATE);
  if (code) return code;
  sqlite3_stmt *statement = store->statements[TIME];
  code = sqlite3_bind_int64(statement, 1, now) | sqlite3_bind_text(statement, 2, id, 36, SQLITE_STATIC);
  if (!code) code = cconnection_run(store, TIME);
  statement = store->statements[LOG_SET];
  if (!code) {
    code = sqlite3_bind_double(statement, 1, weight) | sqlite3_bind_int64(statement, 2, reps);
    code |= sqlite3_bind_int64(statement, 3, now) | sqlite3_bind_text(statement, 4, id, 36, SQLITE_STATIC);
  }
  if (!code) code = cconnection_run(store, LOG_SET);
  if (!code) return cconnection_run(store, COMMIT);
  cconnection_run(store, ROLLBACK);
  return code;
}
