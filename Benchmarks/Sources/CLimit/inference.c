#include "cinference.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "reading.h"

#define ROWS 50
#define COLUMNS 11
#define NUMBERS "latency_ms, prompt_tokens, completion_tokens, time_to_first_token_ms, tokens_per_second, cost, error_code"
#define PERCENTILE(percent) "min(iif(place * 100 >= " #percent " * n, latency_ms, NULL))"
// `more` is nothing, or the day and a comma in front of it.
#define RANKED(beginning, more) \
  "WITH ranked AS (SELECT model_id, execution_target, " beginning NUMBERS ", row_number() OVER pair AS place, " \
  "count(*) OVER (PARTITION BY model_id, execution_target" more ") AS n FROM generations WHERE model_id IS NOT NULL " \
  "WINDOW pair AS (PARTITION BY model_id, execution_target" more " ORDER BY latency_ms)) "
#define WINDOWED(more) \
  "SELECT model_id, execution_target, count(*), count(error_code), sum(prompt_tokens), sum(completion_tokens), sum(cost), " \
  "avg(latency_ms), " PERCENTILE(50) ", " PERCENTILE(95) ", " PERCENTILE(99) ", avg(time_to_first_token_ms), " \
  "avg(tokens_per_second) FROM ranked GROUP BY model_id, execution_target" more " ORDER BY model_id, execution_target" more
#define MILLISECONDS_OF_DAY 86400000

enum statement { SCAN, SCAN_DAYS, WINDOWS, WINDOWS_DAYS, RECORD, RECORD_MANY, BEGIN, BEGIN_IMMEDIATE, COMMIT, ROLLBACK, STATEMENTS };

static const char *const texts[STATEMENTS] = {
    [SCAN] = "SELECT model_id, execution_target, " NUMBERS " FROM generations WHERE model_id IS NOT NULL "
             "ORDER BY model_id, execution_target",
    [SCAN_DAYS] = "SELECT model_id, execution_target, " NUMBERS ", created_at FROM generations WHERE model_id IS NOT NULL "
                  "ORDER BY model_id, execution_target, created_at",
    [WINDOWS] = RANKED("", "") WINDOWED(""),
    [WINDOWS_DAYS] = RANKED("created_at / 86400000 AS day, ", ", created_at / 86400000") WINDOWED(", day"),
    [BEGIN] = "BEGIN",
    [BEGIN_IMMEDIATE] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
};

_Static_assert(STATEMENTS <= CONNECTION_STATEMENTS, "a connection has room for all statements");

static int prepare_record(cconnection *store, enum statement which, int rows) {
  char text[4096] = "INSERT INTO telemetry (id, type, name, properties, occurred_at, user_id, session_id, device_info, sdk_version, "
                    "created_at, updated_at) VALUES ";
  for (int i = 0; i < rows; i++) strcat(text, i ? ", (?,?,?,?,?,?,?,?,?,?,?)" : "(?,?,?,?,?,?,?,?,?,?,?)");
  return cconnection_prepare(store, which, text);
}

int cinference_open(const char *path, cconnection **out) {
  int code = cconnection_open(path, texts, STATEMENTS, out);
  if (code == SQLITE_OK) code = prepare_record(*out, RECORD, 1);
  return code == SQLITE_OK ? prepare_record(*out, RECORD_MANY, ROWS) : code;
}

static int bind_text(sqlite3_stmt *statement, int place, climit_text text) {
  return text.bytes ? sqlite3_bind_text(statement, place, text.bytes, text.count, SQLITE_STATIC) : sqlite3_bind_null(statement, place);
}

static int bind_event(sqlite3_stmt *statement, int row, const cinference_event *event) {
  int at = row * COLUMNS;
  int failed = bind_text(statement, at + 1, event->id) | bind_text(statement, at + 2, event->type);
  failed |= bind_text(statement, at + 3, event->name) | bind_text(statement, at + 4, event->properties);
  failed |= sqlite3_bind_int64(statement, at + 5, event->occurred_at) | sqlite3_bind_null(statement, at + 6);
  failed |= bind_text(statement, at + 7, event->session_id) | sqlite3_bind_null(statement, at + 8);
  failed |= bind_text(statement, at + 9, event->sdk_version) | sqlite3_bind_int64(statement, at + 10, event->occurred_at);
  return failed | sqlite3_bind_int64(statement, at + 11, event->occurred_at);
}

int cinference_record(cconnection *store, const cinference_event *events, size_t count) {
  int code = cconnection_run(store, BEGIN_IMMEDIATE);
  for (size_t i = 0; code == SQLITE_OK && i < count;) {
    int rows = count - i >= ROWS ? ROWS : 1;
    enum statement which = rows == ROWS ? RECORD_MANY : RECORD;
    for (int row = 0; code == SQLITE_OK && row < rows; row++) code = bind_event(store->statements[which], row, &events[i + (size_t)row]);
    if (code == SQLITE_OK) code = cconnection_run(store, which);
    i += (size_t)rows;
  }
  if (code == SQLITE_OK) return cconnection_run(store, COMMIT);
  cconnection_run(store, ROLLBACK);
  return code;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct {
  double *latencies;
  size_t count, capacity;
  double latency, first_token, token_rate;
  int64_t first_tokens, token_rates;
} sums;

static void finish_group(cinference_group *group, sums *of) {
  qsort(of->latencies, of->count, sizeof *of->latencies, compare);
  group->count = (int64_t)of->count;
  group->mean_latency = of->latency / (double)of->count;
  group->p50 = of->latencies[(of->count * 50 + 99) / 100 - 1];
  group->p95 = of->latencies[(of->count * 95 + 99) / 100 - 1];
  group->p99 = of->latencies[(of->count * 99 + 99) / 100 - 1];
  group->mean_first_token = of->first_tokens ? of->first_token / (double)of->first_tokens : 0;
  group->mean_token_rate = of->token_rates ? of->token_rate / (double)of->token_rates : 0;
  double *latencies = of->latencies;
  size_t capacity = of->capacity;
  *of = (sums){.latencies = latencies, .capacity = capacity};
}

static cinference_group *new_group(cinference_groups *found, sqlite3_stmt *row) {
  found->groups = climit_room(found->groups, found->count, &found->capacity, 64, sizeof *found->groups);
  if (!found->groups) return NULL;
  cinference_group *group = &found->groups[found->count++];
  memset(group, 0, sizeof *group);
  return climit_read_text(row, 0, &group->model_id) | climit_read_text(row, 1, &group->target) ? NULL : group;
}

static bool is_text(sqlite3_stmt *row, int column, climit_text text) {
  const unsigned char *bytes = sqlite3_column_text(row, column);
  return bytes && sqlite3_column_bytes(row, column) == text.count && !memcmp(bytes, text.bytes, (size_t)text.count);
}

static int end(cconnection *store, sqlite3_stmt *statement, int code) {
  sqlite3_reset(statement);
  int committed = cconnection_run(store, COMMIT);
  return code == SQLITE_DONE ? committed : code;
}

// Floored, also before 1970.
static int64_t day_of(int64_t milliseconds) {
  return milliseconds / MILLISECONDS_OF_DAY - (milliseconds % MILLISECONDS_OF_DAY < 0);
}

static int scan(cconnection *store, enum statement which, cinference_groups *found) {
  memset(found, 0, sizeof *found);
  sqlite3_stmt *row = store->statements[which];
  cinference_group *group = NULL;
  bool is_by_day = which == SCAN_DAYS;
  int64_t day = 0, group_day = 0;
  sums of = {0};
  int code = cconnection_run(store, BEGIN);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(row)) == SQLITE_ROW) {
    if (is_by_day) day = day_of(sqlite3_column_int64(row, 9));
    if (!group || day != group_day || !is_text(row, 1, group->target) || !is_text(row, 0, group->model_id)) {
      if (group) finish_group(group, &of);
      group = new_group(found, row);
      group_day = day;
      if (!group) {
        code = SQLITE_NOMEM;
        break;
      }
    }
    of.latencies = climit_room(of.latencies, of.count, &of.capacity, 1024, sizeof *of.latencies);
    if (!of.latencies) {
      code = SQLITE_NOMEM;
      break;
    }
    double latency = sqlite3_column_double(row, 2);
    of.latencies[of.count++] = latency;
    of.latency += latency;
    group->prompt_tokens += sqlite3_column_int64(row, 3);
    group->completion_tokens += sqlite3_column_int64(row, 4);
    if (sqlite3_column_type(row, 5) != SQLITE_NULL) {
      of.first_token += sqlite3_column_double(row, 5);
      of.first_tokens++;
    }
    if (sqlite3_column_type(row, 6) != SQLITE_NULL) {
      of.token_rate += sqlite3_column_double(row, 6);
      of.token_rates++;
    }
    group->cost += sqlite3_column_double(row, 7);
    group->errors += sqlite3_column_type(row, 8) != SQLITE_NULL;
  }
  if (group && code == SQLITE_DONE) finish_group(group, &of);
  free(of.latencies);
  return end(store, row, code);
}

int cinference_statistics(cconnection *store, cinference_groups *found) { return scan(store, SCAN, found); }
int cinference_statistics_by_day(cconnection *store, cinference_groups *found) { return scan(store, SCAN_DAYS, found); }

static int windows(cconnection *store, enum statement which, cinference_groups *found) {
  memset(found, 0, sizeof *found);
  sqlite3_stmt *row = store->statements[which];
  int code = cconnection_run(store, BEGIN);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(row)) == SQLITE_ROW) {
    cinference_group *group = new_group(found, row);
    if (!group) {
      code = SQLITE_NOMEM;
      break;
    }
    group->count = sqlite3_column_int64(row, 2);
    group->errors = sqlite3_column_int64(row, 3);
    group->prompt_tokens = sqlite3_column_int64(row, 4);
    group->completion_tokens = sqlite3_column_int64(row, 5);
    group->cost = sqlite3_column_double(row, 6);
    group->mean_latency = sqlite3_column_double(row, 7);
    group->p50 = sqlite3_column_double(row, 8);
    group->p95 = sqlite3_column_double(row, 9);
    group->p99 = sqlite3_column_double(row, 10);
    group->mean_first_token = sqlite3_column_double(row, 11);
    group->mean_token_rate = sqlite3_column_double(row, 12);
  }
  return end(store, row, code);
}

int cinference_windows(cconnection *store, cinference_groups *found) { return windows(store, WINDOWS, found); }
int cinference_windows_by_day(cconnection *store, cinference_groups *found) { return windows(store, WINDOWS_DAYS, found); }

void cinference_free(cinference_groups *groups) {
  for (size_t i = 0; i < groups->count; i++) {
    free(groups->groups[i].model_id.bytes);
    free(groups->groups[i].target.bytes);
  }
  free(groups->groups);
  memset(groups, 0, sizeof *groups);
}
