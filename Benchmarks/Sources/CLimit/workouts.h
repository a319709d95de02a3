#ifndef CLIMIT_WORKOUTS_H
#define CLIMIT_WORKOUTS_H

#include "connection.h"
#include "cworkouts.h"

// The sets that statistics count, as the product reads them.
#define COUNTED_SETS                                                                                                             \
  "SELECT s.id, s.weight_unit, s.distance_unit, s.actual_weight, s.actual_reps, s.actual_duration_seconds, s.actual_distance, "   \
  "e.rowid, e.name_key, e.name, e.body_part, e.weight_unit, w.id, w.started_at "                                                  \
  "FROM workouts w JOIN exercises e ON e.workout_id = w.id JOIN exercise_sets s ON s.exercise_id = e.id "                         \
  "WHERE w.state = 'finished' AND s.is_completed = 1 AND s.type <> 'warmUp' "

enum cworkouts_statement {
  WORKOUTS,
  EXERCISES,
  SETS,
  COUNTED,
  COUNTED_OF,
  STARTS,
  TIME,
  LOG_SET,
  BEGIN,
  BEGIN_IMMEDIATE,
  COMMIT,
  ROLLBACK,
  STATEMENTS
};

_Static_assert(STATEMENTS <= CONNECTION_STATEMENTS, "a connection has room for all statements");

#endif
