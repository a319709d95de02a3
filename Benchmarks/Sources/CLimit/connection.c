#include "connection.h"

#include <stdlib.h>

int cconnection_prepare(cconnection *connection, size_t which, const char *text) {
  return sqlite3_prepare_v3(connection->database, text, -1, SQLITE_PREPARE_PERSISTENT, &connection->statements[which], NULL);
}

int cconnection_open(const char *path, const char *const *texts, size_t count, cconnection **out) {
  cconnection *connection = calloc(1, sizeof *connection);
  *out = connection;
  if (!connection) return SQLITE_NOMEM;
  int code = sqlite3_open_v2(path, &connection->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(connection->database, 5000);
  const char *pragmas = "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; PRAGMA synchronous = NORMAL";
  if (code == SQLITE_OK) code = sqlite3_exec(connection->database, pragmas, NULL, NULL, NULL);
  for (size_t i = 0; code == SQLITE_OK && i < count; i++) {
    if (texts[i]) code = cconnection_prepare(connection, i, texts[i]);
  }
  return code;
}

void cconnection_close(cconnection *connection) {
  if (!connection) return;
  for (int i = 0; i < CONNECTION_STATEMENTS; i++) sqlite3_finalize(connection->statements[i]);
  sqlite3_close(connection->database);
  free(connection);
}

const char *cconnection_message(cconnection *connection) { return connection ? sqlite3_errmsg(connection->database) : "out of memory"; }

int cconnection_checkpoint(cconnection *connection) {
  return sqlite3_wal_checkpoint_v2(connection->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

int cconnection_run(cconnection *connection, size_t which) {
  int code = sqlite3_step(connection->statements[which]);
  sqlite3_reset(connection->statements[which]);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int cconnection_finish(sqlite3_stmt *statement, int code, int failed) {
  sqlite3_reset(statement);
  return failed ? failed : code == SQLITE_DONE ? SQLITE_OK : code;
}
