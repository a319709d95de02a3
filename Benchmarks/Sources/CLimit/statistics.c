#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"
#include "workouts.h"

// A set that counts, and the exercise and workout that it is of; strings belong to the statement.
typedef struct {
  climit_id id;
  double weight, meters, volume;
  int64_t reps, seconds;
  bool has_weight, missed;
  int64_t exercise;
  bool is_first;
  climit_id workout;
  int64_t started_at;
} counted;

static double factor(const char *unit, double value) {
  if (!unit || !strcmp(unit, "lb") || !strcmp(unit, "bodyweight")) return value;
  return !strcmp(unit, "kg") ? value / 0.45359237 : 0;
}

static double meters(const char *unit, double value) {
  if (!unit || !strcmp(unit, "m")) return value;
  if (!strcmp(unit, "km")) return value * 1000;
  return !strcmp(unit, "mi") ? value * 1609.344 : 0;
}

// Reads the row; what all sets of an exercise have in common is kept from the last one.
static int read_counted(sqlite3_stmt *row, counted *set) {
  int failed = climit_read_id(row, 0, &set->id);
  int64_t exercise = sqlite3_column_int64(row, 7);
  set->is_first = exercise != set->exercise;
  if (set->is_first) {
    set->exercise = exercise;
    failed |= climit_read_id(row, 12, &set->workout);
    set->started_at = sqlite3_column_int64(row, 13);
  }
  set->has_weight = sqlite3_column_type(row, 3) != SQLITE_NULL;
  set->weight = 0;
  if (set->has_weight) {
    const char *unit = (const char *)sqlite3_column_text(row, 1);
    if (!unit) unit = (const char *)sqlite3_column_text(row, 11);
    set->weight = factor(unit, sqlite3_column_double(row, 3));
  }
  bool has_reps = sqlite3_column_type(row, 4) != SQLITE_NULL;
  set->reps = has_reps ? sqlite3_column_int64(row, 4) : 0;
  if (set->reps < 0) set->reps = 0;
  set->missed = has_reps && set->reps == 0;
  set->seconds = sqlite3_column_int64(row, 5);
  set->meters = sqlite3_column_type(row, 6) == SQLITE_NULL
                    ? 0
                    : meters((const char *)sqlite3_column_text(row, 2), sqlite3_column_double(row, 6));
  set->volume = set->weight * (double)set->reps;
  return failed;
}

static double estimate(const counted *set) {
  if (!set->has_weight || set->weight <= 0 || set->reps < 1 || set->reps > 12) return 0;
  return set->reps == 1 ? set->weight : set->weight * (1 + (double)set->reps / 30);
}

static double greater(double a, double b) { return a > b ? a : b; }

static cworkouts_records *owner(cworkouts_record_list *list, size_t *capacity, const char *key) {
  for (size_t i = 0; i < list->count; i++) {
    if (!strcmp(list->exercises[i].name.bytes, key)) return &list->exercises[i];
  }
  list->exercises = climit_room(list->exercises, list->count, capacity, 64, sizeof *list->exercises);
  if (!list->exercises) return NULL;
  cworkouts_records *records = &list->exercises[list->count++];
  memset(records, 0, sizeof *records);
  records->name = (climit_text){strdup(key), (int32_t)strlen(key)};
  return records;
}

static void see(cworkouts_records *records, const counted *set) {
  if (memcmp(records->workout.bytes, set->workout.bytes, 16)) {
    records->workout_volume = greater(records->workout_volume, records->workout_sum);
    records->workout_sum = 0;
    records->workout = set->workout;
  }
  records->workout_sum += set->volume;
  if (set->missed) return;
  if (set->has_weight && set->weight > records->heaviest) {
    records->heaviest = set->weight;
    records->heaviest_set = set->id;
  }
  size_t place = set->reps > 100 ? 100 : (size_t)set->reps;
  if (place && (!records->has_reps[place] || set->weight > records->by_reps[place])) {
    records->has_reps[place] = true;
    records->by_reps[place] = set->weight;
  }
  records->set_volume = greater(records->set_volume, set->volume);
  records->one_rep_max = greater(records->one_rep_max, estimate(set));
  records->longest = greater(records->longest, (double)set->seconds);
  records->farthest = greater(records->farthest, set->meters);
}

int cworkouts_find_records(cconnection *store, cworkouts_record_list *list) {
  memset(list, 0, sizeof *list);
  sqlite3_stmt *statement = store->statements[COUNTED];
  size_t capacity = 0;
  cworkouts_records *records = NULL;
  counted set = {.exercise = INT64_MIN};
  int code = SQLITE_DONE, failed = cconnection_run(store, BEGIN);
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    failed = read_counted(statement, &set);
    if (set.is_first) records = owner(list, &capacity, (const char *)sqlite3_column_text(statement, 8));
    if (!records) failed = SQLITE_NOMEM;
    if (!failed) see(records, &set);
  }
  for (size_t i = 0; i < list->count; i++) {
    list->exercises[i].workout_volume = greater(list->exercises[i].workout_volume, list->exercises[i].workout_sum);
  }
  failed = cconnection_finish(statement, code, failed);
  int committed = cconnection_run(store, COMMIT);
  return failed ? failed : committed;
}

void cworkouts_records_free(cworkouts_record_list *list) {
  for (size_t i = 0; i < list->count; i++) free(list->exercises[i].name.bytes);
  free(list->exercises);
}

static int64_t monday(int64_t milliseconds) {
  int64_t days = milliseconds / 86400000 - (milliseconds % 86400000 < 0);
  int64_t weeks = (days + 3) / 7 - ((days + 3) % 7 < 0);
  return weeks * 7 - 3;
}

int cworkouts_find_weeks(cconnection *store, cworkouts_week_list *list) {
  memset(list, 0, sizeof *list);
  sqlite3_stmt *statement = store->statements[STARTS];
  size_t capacity = 0;
  int code = SQLITE_DONE, failed = cconnection_run(store, BEGIN);
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    int64_t day = monday(sqlite3_column_int64(statement, 0));
    // Empty weeks are there, too.
    while (!list->count || list->weeks[list->count - 1].monday < day) {
      list->weeks = climit_room(list->weeks, list->count, &capacity, 1024, sizeof *list->weeks);
      if (!list->weeks) return cconnection_finish(statement, SQLITE_NOMEM, 0);
      list->weeks[list->count] = (cworkouts_week){.monday = list->count ? list->weeks[list->count - 1].monday + 7 : day};
      list->count++;
    }
    list->weeks[list->count - 1].workouts++;
  }
  failed = cconnection_finish(statement, code, failed);
  statement = store->statements[COUNTED];
  counted set = {.exercise = INT64_MIN};
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    failed = read_counted(statement, &set);
    cworkouts_week *week = &list->weeks[(monday(set.started_at) - list->weeks[0].monday) / 7];
    week->sets++;
    week->reps += set.reps;
    week->volume += set.volume;
  }
  failed = cconnection_finish(statement, code, failed);
  int committed = cconnection_run(store, COMMIT);
  return failed ? failed : committed;
}

int cworkouts_find_progress(cconnection *store, const char *key, cworkouts_point_list *list) {
  memset(list, 0, sizeof *list);
  sqlite3_stmt *statement = store->statements[COUNTED_OF];
  size_t capacity = 0;
  counted set = {.exercise = INT64_MIN};
  int code = SQLITE_DONE, failed = cconnection_run(store, BEGIN);
  sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
  while (!failed && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    failed = read_counted(statement, &set);
    if (!list->count || memcmp(list->points[list->count - 1].workout.bytes, set.workout.bytes, 16)) {
      list->points = climit_room(list->points, list->count, &capacity, 256, sizeof *list->points);
      if (!list->points) return cconnection_finish(statement, SQLITE_NOMEM, 0);
      list->points[list->count++] = (cworkouts_point){.workout = set.workout, .started_at = set.started_at};
    }
    cworkouts_point *point = &list->points[list->count - 1];
    point->sets++;
    point->reps += set.reps;
    point->volume += set.volume;
    if (!set.missed) point->top_weight = greater(point->top_weight, set.weight);
    point->one_rep_max = greater(point->one_rep_max, estimate(&set));
  }
  failed = cconnection_finish(statement, code, failed);
  int committed = cconnection_run(store, COMMIT);
  return failed ? failed : committed;
}
