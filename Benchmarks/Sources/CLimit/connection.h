#ifndef CLIMIT_CONNECTION_H
#define CLIMIT_CONNECTION_H

#include <sqlite3.h>
#include <stddef.h>

#include "cconnection.h"

#define CONNECTION_STATEMENTS 12

struct cconnection {
  sqlite3 *database;
  sqlite3_stmt *statements[CONNECTION_STATEMENTS];
};

// Opens an existing file: WAL as it is, synchronous NORMAL. Prepares the statements that have a text. What is opened is the caller's to
// close, also after a failure.
int cconnection_open(const char *path, const char *const *texts, size_t count, cconnection **connection);

int cconnection_prepare(cconnection *connection, size_t which, const char *text);

// Steps a statement that gives no rows, then resets it.
int cconnection_run(cconnection *connection, size_t which);

// Resets the statement; the first of two failures, or SQLITE_OK.
int cconnection_finish(sqlite3_stmt *statement, int code, int failed);

#endif
