// The work of the workout log's workloads in plain C, by the rules of climit.h.
#ifndef CWORKOUTS_H
#define CWORKOUTS_H

#include "cconnection.h"
#include "climit.h"

typedef struct {
  int64_t value;
  bool present;
} cworkouts_integer;

typedef struct {
  double value;
  bool present;
} cworkouts_real;

typedef struct {
  climit_id id;
  climit_text type;
  climit_text weight_unit;
  climit_text distance_unit;
  cworkouts_real suggested_weight;
  cworkouts_integer suggested_reps, suggested_rep_range, suggested_duration;
  cworkouts_real suggested_rpe;
  cworkouts_integer suggested_rest;
  cworkouts_real actual_weight;
  cworkouts_integer actual_reps, actual_duration;
  cworkouts_real actual_distance, actual_rpe;
  cworkouts_integer actual_rest;
  bool is_completed;
  cworkouts_integer completed_at;
  climit_text note;
  int64_t position;
} cworkouts_set;

typedef struct {
  climit_id id;
  climit_text name, type, body_part, body_part_detailed, body_part_scientific;
  cworkouts_integer superset;
  climit_text weight_unit;
  // JSON, as it is stored.
  climit_text pinned_notes, notes;
  cworkouts_integer duration, warm_up_rest, rest;
  cworkouts_set *sets;
  size_t set_count, set_capacity;
  bool is_disordered;
  int64_t position;
} cworkouts_exercise;

typedef struct {
  climit_id id;
  climit_text name, note;
  int64_t started_at;
  cworkouts_integer ended_at, duration;
  cworkouts_exercise *exercises;
  size_t exercise_count, exercise_capacity;
  bool is_disordered;
} cworkouts_workout;

typedef struct {
  cworkouts_workout *workouts;
  size_t count;
} cworkouts_log;

// The best of one exercise. Zero is: none.
typedef struct {
  climit_text name;
  double heaviest, set_volume, workout_volume, one_rep_max, longest, farthest;
  // The heaviest of each number of repetitions; the last place is for more.
  double by_reps[101];
  bool has_reps[101];
  climit_id heaviest_set;
  climit_id workout;
  double workout_sum;
} cworkouts_records;

typedef struct {
  cworkouts_records *exercises;
  size_t count;
} cworkouts_record_list;

typedef struct {
  int64_t monday;
  int64_t workouts, sets, reps;
  double volume;
} cworkouts_week;

typedef struct {
  cworkouts_week *weeks;
  size_t count;
} cworkouts_week_list;

typedef struct {
  climit_id workout;
  int64_t started_at;
  int64_t sets, reps;
  double top_weight, one_rep_max, volume;
} cworkouts_point;

typedef struct {
  cworkouts_point *points;
  size_t count;
} cworkouts_point_list;

// Opens an existing file: WAL as it is, synchronous NORMAL.
int cworkouts_open(const char *path, cconnection **store);

// All finished workouts, the newest first. One read transaction, as the three below.
int cworkouts_load(cconnection *store, cworkouts_log *log);
void cworkouts_free(cworkouts_log *log);

// In pounds; weeks in UTC.
int cworkouts_find_records(cconnection *store, cworkouts_record_list *records);
int cworkouts_find_weeks(cconnection *store, cworkouts_week_list *weeks);
// `key` is the folded name.
int cworkouts_find_progress(cconnection *store, const char *key, cworkouts_point_list *points);
void cworkouts_records_free(cworkouts_record_list *records);

// Completes a set of the workout in progress. One write transaction.
int cworkouts_log_set(cconnection *store, const climit_id *set, double weight, int64_t reps, int64_t now);

#endif
