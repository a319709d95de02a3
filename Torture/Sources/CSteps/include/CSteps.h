#pragma once

// Counts the steps of SQLite's virtual machine over every connection of this process, whoever opens it.

/// Connections that are opened from now on are counted. Past `limit` steps in all since `steps_reset`, statements are interrupted.
void steps_count(long limit);
void steps_reset(void);
long steps_taken(void);

/// SQLite of this process fails with SQLITE_NOMEM rather than use more.
void memory_limit(long long bytes);

/// Closing this connection leaves the log, as a killed process does.
struct sqlite3;
void steps_keep_log(struct sqlite3 *database);
