#ifndef CHOLDFAST_H
#define CHOLDFAST_H

// What Swift cannot call: variadic functions of SQLite, its file methods, and renames that never overwrite.

#include <stddef.h>
#include <stdint.h>

struct sqlite3;

/// Whether closing this connection moves the log into the file (SQLite's default) or leaves it alone. Returns SQLite's result code.
int holdfast_checkpoints_on_close(struct sqlite3 *connection, int on);

/// A statement's plan no longer depends on the values bound to it, so that SQLite compiles it anew only when the schema changes. Returns
/// SQLite's result code.
int holdfast_plans_ignore_values(struct sqlite3 *connection);

/// Whether statements of this connection may change the schema's table and the tables of full-text indexes: 0 for yes. Returns what it was.
int holdfast_defensive(struct sqlite3 *connection, int on);

/// Reads bytes of the file behind a connection through SQLite's own descriptor: an `open` and `close` beside it would drop every lock
/// that this process holds on the file. Returns SQLite's result code; bytes behind the end are zero (SQLITE_IOERR_SHORT_READ).
int holdfast_read(struct sqlite3 *connection, void *buffer, int count, int64_t offset);

/// Writes `count` bytes at `offset` into the database file of a connection as SQLite does: encrypted, where it has a key. Returns SQLite's
/// result code.
int holdfast_write(struct sqlite3 *connection, const void *buffer, int count, int64_t offset);

/// The size in bytes of the file behind a connection, whatever its name is called by now. Returns SQLite's result code.
int holdfast_size(struct sqlite3 *connection, int64_t *size);

/// Takes SQLite's exclusive lock on the file behind a connection, without reading or changing a byte: nobody else has the file open in
/// WAL mode, or is inside a transaction, while it is held. Returns SQLite's result code. Closing the connection gives the lock back.
int holdfast_lock_exclusively(struct sqlite3 *connection);

/// How many frames of a log are committed, how many of them are in the file, and the log's two salts as one number, as SQLite's index of the
/// log says (its format: sqlite.org/walformat.html). Frames behind them may be whole and have true checksums all the same: a process is writing them, or was killed
/// before its commit ended, and then the next commit writes over them. Some connection of this process must be inside a transaction, or
/// have the file open in WAL mode otherwise. Returns SQLite's result code; SQLITE_BUSY while the index is being written.
int holdfast_log_index(struct sqlite3 *connection, uint32_t *frames, uint32_t *moved, uint64_t *salts);

/// Gives a connection the key of its file, before its first read. Returns SQLite's result code; -1 where the SQLite of this process has no
/// such function.
int holdfast_key(struct sqlite3 *connection, const void *key, int count);

/// Encrypts the main database of a connection anew, in one transaction; zero bytes: writes it unencrypted. Returns as `holdfast_key`.
int holdfast_rekey(struct sqlite3 *connection, const void *key, int count);

struct sqlite3_stmt;

/// The table, or the column where `of_column` is not 0, from which a statement reads its column `column`. Null for an expression, and where the
/// SQLite of this process has no such function.
const char *holdfast_origin(struct sqlite3_stmt *statement, int column, int of_column);

/// Renames `from` to `to` where nothing has that name. Returns 0, or -1 with `errno`: EEXIST where the name is taken, and ENOTSUP,
/// EINVAL or ENOSYS where the file system cannot promise it.
int holdfast_rename_exclusively(const char *from, const char *to);

/// Exchanges two names. Returns 0, or -1 with `errno` as above.
int holdfast_exchange(const char *one, const char *other);

// The archive's checksums and compression, which must keep up with the writer. Format: Documentation/ArchiveFormat.md

/// The CRC-32 of zlib of `count` bytes, going on from `sum`; 0 at the beginning.
uint32_t holdfast_crc32(uint32_t sum, const void *bytes, size_t count);

/// The number that a page adds to the checksum of a state.
uint64_t holdfast_page_hash(uint32_t number, const void *page, size_t bytes);

/// SQLite's checksum of logs: adds `count` bytes, a multiple of 8, to both sums.
void holdfast_log_sum(int big_endian, const void *bytes, size_t count, uint32_t *one, uint32_t *two);

/// The exclusive or of two areas of memory, into the first.
void holdfast_exclusive_or(void *into, const void *with, size_t count);

/// Compresses into one zlib stream. `*deflater` is NULL at first, is kept for later calls, and is freed by `holdfast_deflater_free`.
/// Returns the length; -1 where it does not fit or memory is short.
long holdfast_deflate(void **deflater, const void *bytes, size_t count, void *out, size_t capacity);
void holdfast_deflater_free(void *deflater);

/// Compresses into one gzip stream. Returns the length; -1 where it does not fit or memory is short.
long holdfast_gzip(const void *bytes, size_t count, void *out, size_t capacity);

/// Expands one whole stream of zlib or gzip. Returns the length; -1 where the stream is damaged, not whole, or longer than `capacity`.
long holdfast_inflate(const void *bytes, size_t count, void *out, size_t capacity);

#endif
