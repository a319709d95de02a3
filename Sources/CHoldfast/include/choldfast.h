#ifndef CHOLDFAST_H
#define CHOLDFAST_H

// What Swift cannot call: variadic functions of SQLite, its file methods, and renames that never overwrite.

#include <stdint.h>

struct sqlite3;

/// Whether closing this connection moves the log into the file (SQLite's default) or leaves it alone. Returns SQLite's result code.
int holdfast_checkpoints_on_close(struct sqlite3 *connection, int on);

/// Reads bytes of the file behind a connection through SQLite's own descriptor: an `open` and `close` beside it would drop every lock
/// that this process holds on the file. Returns SQLite's result code; bytes behind the end are zero (SQLITE_IOERR_SHORT_READ).
int holdfast_read(struct sqlite3 *connection, void *buffer, int count, int64_t offset);

/// The size in bytes of the file behind a connection, whatever its name is called by now. Returns SQLite's result code.
int holdfast_size(struct sqlite3 *connection, int64_t *size);

/// Takes SQLite's exclusive lock on the file behind a connection, without reading or changing a byte: nobody else has the file open in
/// WAL mode, or is inside a transaction, while it is held. Returns SQLite's result code. Closing the connection gives the lock back.
int holdfast_lock_exclusively(struct sqlite3 *connection);

/// Renames `from` to `to` where nothing has that name. Returns 0, or -1 with `errno`: EEXIST where the name is taken, and ENOTSUP,
/// EINVAL or ENOSYS where the file system cannot promise it.
int holdfast_rename_exclusively(const char *from, const char *to);

/// Exchanges two names. Returns 0, or -1 with `errno` as above.
int holdfast_exchange(const char *one, const char *other);

#endif
