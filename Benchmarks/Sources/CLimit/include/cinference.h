// The work of the inference store's workloads in plain C, by the rules of climit.h.
#ifndef CINFERENCE_H
#define CINFERENCE_H

#include "cconnection.h"
#include "climit.h"

typedef struct {
  climit_text id, type, name, properties, session_id, sdk_version;
  int64_t occurred_at;
} cinference_event;

// What generations of one model and target took, or those of one day.
typedef struct {
  climit_text model_id, target;
  int64_t count, errors, prompt_tokens, completion_tokens;
  double cost, mean_latency, p50, p95, p99, mean_first_token, mean_token_rate;
} cinference_group;

typedef struct {
  cinference_group *groups;
  size_t count, capacity;
} cinference_groups;

int cinference_open(const char *path, cconnection **store);

// All in one transaction, 50 rows to a statement.
int cinference_record(cconnection *store, const cinference_event *events, size_t count);

// One scan in the order of the index; percentiles by nearest rank after a sort of each group's latencies.
int cinference_statistics(cconnection *store, cinference_groups *found);
// By the day in UTC, too.
int cinference_statistics_by_day(cconnection *store, cinference_groups *found);

// The same numbers from one statement with window functions.
int cinference_windows(cconnection *store, cinference_groups *found);
int cinference_windows_by_day(cconnection *store, cinference_groups *found);

void cinference_free(cinference_groups *groups);

#endif
