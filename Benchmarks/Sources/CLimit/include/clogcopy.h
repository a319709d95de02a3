// A second process that keeps a copy of SQLite's log, in the way of Litestream 0.5 with its defaults: it looks at the log now and then,
// holds a read transaction so that the log cannot begin anew, appends the frames of new commits to a file, and flushes that file. It moves
// the log into the database itself: PASSIVE from 1,000 frames, TRUNCATE from 121,359. Meanwhile it gives up its read transaction, and the
// copy may lose commits that come then. Litestream also compresses, makes a snapshot after such a loss, and sends the copy elsewhere; this
// does not.
#ifndef CLOGCOPY_H
#define CLOGCOPY_H

#include <stdint.h>

typedef struct {
  int64_t bytes;    // of the copied frames
  int64_t commits;  // copied ones, its own included
  int64_t own;      // commits that it made itself, as Litestream does after each checkpoint
} clogcopy_result;

// Runs until the descriptor `stop` has a byte, or its other end is closed. Writes "ready\n" to `ready` when it holds its read transaction
// and has copied what there was. Returns SQLITE_OK or SQLite's result code.
int clogcopy_run(const char *database, const char *copy, int milliseconds, int ready, int stop, clogcopy_result *result);

#endif
