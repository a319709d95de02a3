#include "CSteps.h"

#include <sqlite3.h>
#include <stdatomic.h>

enum { GRAIN = 1000 };

static atomic_long taken;
static long most;

static int count(void *unused) {
  (void)unused;
  return atomic_fetch_add(&taken, GRAIN) > most;
}

static int watch(sqlite3 *database, char **message, const struct sqlite3_api_routines *routines) {
  (void)message;
  (void)routines;
  sqlite3_progress_handler(database, GRAIN, count, 0);
  return SQLITE_OK;
}

void steps_count(long limit) {
  most = limit;
  sqlite3_auto_extension((void (*)(void))watch);
}

void steps_reset(void) { atomic_store(&taken, 0); }

long steps_taken(void) { return atomic_load(&taken); }

void memory_limit(long long bytes) { sqlite3_hard_heap_limit64(bytes); }

// Older headers lack the name.
#ifndef SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
  #define SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE 1006
#endif

void steps_keep_log(struct sqlite3 *database) { sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0); }
