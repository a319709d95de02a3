#ifndef CLIMIT_STORE_H
#define CLIMIT_STORE_H

#include <sqlite3.h>

#include "climit.h"

enum climit_statement {
  // The reads come first: climit_query_sql counts on it.
  CLIMIT_COLLECTIONS,
  CLIMIT_TAGS,
  CLIMIT_TRACKS,
  CLIMIT_STATES,
  CLIMIT_FAVORITES,
  CLIMIT_COLLECTION,
  CLIMIT_TAGS_OF,
  CLIMIT_TRACKS_OF,
  CLIMIT_STATES_OF,
  CLIMIT_FAVORITES_OF,
  CLIMIT_TRACK,
  CLIMIT_LAST_POSITION,
  CLIMIT_READS,
  CLIMIT_BEGIN = CLIMIT_READS,
  CLIMIT_BEGIN_IMMEDIATE,
  CLIMIT_COMMIT,
  CLIMIT_ROLLBACK,
  CLIMIT_SAVE_STATE,
  CLIMIT_SET_LAST_PLAYED,
  CLIMIT_TOUCH,
  CLIMIT_INSERT_COLLECTION,
  CLIMIT_INSERT_TAG,
  CLIMIT_INSERT_TRACK,
  CLIMIT_INSERT_STATE,
  CLIMIT_INSERT_FAVORITE,
  CLIMIT_DELETE_COLLECTION,
  CLIMIT_STATEMENTS
};

// Rows to an INSERT: SQLite binds at most 999 values in its oldest configurations, and a track has 13.
enum { CLIMIT_BATCH = 50 };

struct climit_store {
  sqlite3 *database;
  sqlite3_stmt *insert_tracks;  // a whole batch; NULL if tracks go in row by row
  sqlite3_stmt *statements[CLIMIT_STATEMENTS];
};

// Steps a statement that gives no rows, then resets it.
int climit_run(climit_store *store, enum climit_statement which);

// Writes 36 lowercase characters and a closing zero.
void climit_write_id(const climit_id *id, char text[37]);

#endif
