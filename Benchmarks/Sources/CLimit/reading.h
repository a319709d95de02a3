#ifndef CLIMIT_READING_H
#define CLIMIT_READING_H

#include <sqlite3.h>

#include "climit.h"

// SQLITE_OK, or SQLITE_MISMATCH for what is not 36 characters of a UUID.
int climit_read_id(sqlite3_stmt *row, int column, climit_id *id);

// A copy in memory of its own.
int climit_read_text(sqlite3_stmt *row, int column, climit_text *text);

// Makes room for one more element; doubles from `first`.
void *climit_room(void *elements, size_t count, size_t *capacity, size_t first, size_t size);

#endif
