#include "store.h"

#include <stdlib.h>
#include <string.h>

#define COLLECTION_COLUMNS                                                                                                \
  "id, title, author, description, cover_kind, cover_payload, cover_dominant_color, created_at, updated_at, source_type, " \
  "source_payload, last_played_track_id"
#define TRACK_COLUMNS                                                                                                    \
  "id, collection_id, position, display_name, filename, location_type, location_payload, file_size, duration, "          \
  "track_number, checksum, metadata, original_id"
#define STATE_COLUMNS "track_id, collection_id, position, duration, updated_at"
#define FAVORITE_COLUMNS "track_id, collection_id, favorited_at"

static const struct {
  const char *name;
  const char *sql;
} texts[CLIMIT_STATEMENTS] = {
    [CLIMIT_COLLECTIONS] = {"collections", "SELECT " COLLECTION_COLUMNS " FROM collections ORDER BY created_at, id"},
    [CLIMIT_TAGS] = {"tags", "SELECT collection_id, tag FROM tags ORDER BY collection_id, position, tag"},
    [CLIMIT_TRACKS] = {"tracks", "SELECT " TRACK_COLUMNS " FROM tracks ORDER BY collection_id, position, id"},
    [CLIMIT_STATES] = {"states", "SELECT " STATE_COLUMNS " FROM playback_states"},
    [CLIMIT_FAVORITES] = {"favorites", "SELECT " FAVORITE_COLUMNS " FROM favorites"},
    [CLIMIT_COLLECTION] = {"collection", "SELECT " COLLECTION_COLUMNS " FROM collections WHERE id = ?1"},
    [CLIMIT_TAGS_OF] = {"tags of one",
                        "SELECT collection_id, tag FROM tags WHERE collection_id = ?1 ORDER BY position, tag"},
    [CLIMIT_TRACKS_OF] = {"tracks of one",
                          "SELECT " TRACK_COLUMNS " FROM tracks WHERE collection_id = ?1 ORDER BY position, id"},
    [CLIMIT_STATES_OF] = {"states of one", "SELECT " STATE_COLUMNS " FROM playback_states WHERE collection_id = ?1"},
    [CLIMIT_FAVORITES_OF] = {"favorites of one", "SELECT " FAVORITE_COLUMNS " FROM favorites WHERE collection_id = ?1"},
    [CLIMIT_TRACK] = {"track", "SELECT " TRACK_COLUMNS " FROM tracks WHERE id = ?1"},
    [CLIMIT_LAST_POSITION] = {"last position", "SELECT max(position) FROM tracks WHERE collection_id = ?1"},
    [CLIMIT_BEGIN] = {"begin", "BEGIN"},
    [CLIMIT_BEGIN_IMMEDIATE] = {"begin immediate", "BEGIN IMMEDIATE"},
    [CLIMIT_COMMIT] = {"commit", "COMMIT"},
    [CLIMIT_ROLLBACK] = {"rollback", "ROLLBACK"},
    [CLIMIT_SAVE_STATE] = {"save state",
                           "INSERT INTO playback_states (" STATE_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5) "
                           "ON CONFLICT (track_id) DO UPDATE SET position = excluded.position, duration = excluded.duration, "
                           "updated_at = excluded.updated_at"},
    [CLIMIT_SET_LAST_PLAYED] = {"set last played",
                                "UPDATE collections SET last_played_track_id = ?2, updated_at = ?3 WHERE id = ?1"},
    [CLIMIT_TOUCH] = {"touch", "UPDATE collections SET updated_at = ?2 WHERE id = ?1"},
    [CLIMIT_INSERT_COLLECTION] = {"insert collection",
                                  "INSERT INTO collections (" COLLECTION_COLUMNS
                                  ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"},
    [CLIMIT_INSERT_TAG] = {"insert tag", "INSERT INTO tags (collection_id, tag, position) VALUES (?1, ?2, ?3)"},
    [CLIMIT_INSERT_TRACK] = {"insert track",
                             "INSERT INTO tracks (" TRACK_COLUMNS
                             ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"},
    [CLIMIT_INSERT_STATE] = {"insert state", "INSERT INTO playback_states (" STATE_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5)"},
    [CLIMIT_INSERT_FAVORITE] = {"insert favorite", "INSERT INTO favorites (" FAVORITE_COLUMNS ") VALUES (?1, ?2, ?3)"},
    [CLIMIT_DELETE_COLLECTION] = {"delete collection", "DELETE FROM collections WHERE id = ?1"},
};

const char *climit_query_name(size_t index) { return index < CLIMIT_READS ? texts[index].name : NULL; }
const char *climit_query_sql(size_t index) { return index < CLIMIT_READS ? texts[index].sql : NULL; }
const char *climit_sqlite_version(void) { return sqlite3_libversion(); }
const char *climit_message(climit_store *store) { return store ? sqlite3_errmsg(store->database) : "out of memory"; }

static int execute(climit_store *store, const char *sql) { return sqlite3_exec(store->database, sql, NULL, NULL, NULL); }

static bool has_tables(climit_store *store) {
  return sqlite3_table_column_metadata(store->database, "main", "collections", "id", NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

static int prepare_batch(climit_store *store) {
  static const char row[] = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?), ";
  char sql[256 + CLIMIT_BATCH * sizeof row] = "INSERT INTO tracks (" TRACK_COLUMNS ") VALUES ";
  for (int i = 0; i < CLIMIT_BATCH; i++) strcat(sql, row);
  sql[strlen(sql) - 2] = 0;
  return sqlite3_prepare_v3(store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &store->insert_tracks, NULL);
}

int climit_open(const char *path, bool durable, bool row_by_row, climit_store **out) {
  climit_store *store = calloc(1, sizeof *store);
  *out = store;
  if (!store) return SQLITE_NOMEM;
  int code = sqlite3_open_v2(path, &store->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_busy_timeout(store->database, 5000);
  code = execute(store, "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON");
  if (code != SQLITE_OK) return code;
  code = execute(store, durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (code != SQLITE_OK || !has_tables(store)) return code;
  for (int i = 0; i < CLIMIT_STATEMENTS; i++) {
    code = sqlite3_prepare_v3(store->database, texts[i].sql, -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i], NULL);
    if (code != SQLITE_OK) return code;
  }
  return row_by_row ? SQLITE_OK : prepare_batch(store);
}

void climit_close(climit_store *store) {
  if (!store) return;
  for (int i = 0; i < CLIMIT_STATEMENTS; i++) sqlite3_finalize(store->statements[i]);
  sqlite3_finalize(store->insert_tracks);
  sqlite3_close(store->database);
  free(store);
}

int climit_run(climit_store *store, enum climit_statement which) {
  sqlite3_stmt *statement = store->statements[which];
  int code = sqlite3_step(statement);
  int reset = sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : reset != SQLITE_OK ? reset : SQLITE_ERROR;
}

int climit_rows(climit_store *store, const char *sql, void *context, void (*row)(void *context, const char *text)) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    // The text of EXPLAIN QUERY PLAN is the last column; a one-column query has no other.
    const char *text = (const char *)sqlite3_column_text(statement, sqlite3_column_count(statement) - 1);
    row(context, text ? text : "");
  }
  sqlite3_finalize(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int climit_checkpoint(climit_store *store) {
  return sqlite3_wal_checkpoint_v2(store->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}
