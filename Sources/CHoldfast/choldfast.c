#define _GNU_SOURCE
#include "choldfast.h"

#include <dlfcn.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#if defined(__GLIBC__)
  #include <fcntl.h>
#endif

#ifndef SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
  #define SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE 1006
#endif
#ifndef SQLITE_DBCONFIG_ENABLE_QPSG
  #define SQLITE_DBCONFIG_ENABLE_QPSG 1007
#endif
#ifndef SQLITE_DBCONFIG_DEFENSIVE
  #define SQLITE_DBCONFIG_DEFENSIVE 1010
#endif

int holdfast_checkpoints_on_close(struct sqlite3 *connection, int on) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, (int *)0);
}

int holdfast_plans_ignore_values(struct sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_QPSG, 1, (int *)0);
}

int holdfast_defensive(struct sqlite3 *connection, int on) {
  int was = 0;
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, -1, &was);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, on, (int *)0);
  return was;
}

static sqlite3_file *file_behind(struct sqlite3 *connection) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  return file && file->pMethods ? file : 0;
}

int holdfast_read(struct sqlite3 *connection, void *buffer, int count, int64_t offset) {
  sqlite3_file *file = file_behind(connection);
  return file ? file->pMethods->xRead(file, buffer, count, offset) : SQLITE_MISUSE;
}

int holdfast_write(struct sqlite3 *connection, const void *buffer, int count, int64_t offset) {
  sqlite3_file *file = file_behind(connection);
  return file ? file->pMethods->xWrite(file, buffer, count, offset) : SQLITE_MISUSE;
}

int holdfast_size(struct sqlite3 *connection, int64_t *size) {
  sqlite3_file *file = file_behind(connection);
  sqlite3_int64 found = 0;
  int code = file ? file->pMethods->xFileSize(file, &found) : SQLITE_MISUSE;
  *size = found;
  return code;
}

int holdfast_lock_exclusively(struct sqlite3 *connection) {
  // SQLite's file locks go up in steps: shared, then exclusive.
  const int shared = 1, exclusive = 4;
  sqlite3_file *file = file_behind(connection);
  if (!file) return SQLITE_MISUSE;
  int code = file->pMethods->xLock(file, shared);
  if (code != SQLITE_OK) return code;
  code = file->pMethods->xLock(file, exclusive);
  if (code != SQLITE_OK) file->pMethods->xUnlock(file, 0);
  return code;
}

int holdfast_log_index(struct sqlite3 *connection, uint32_t *frames, uint32_t *moved, uint64_t *salts) {
  enum { region_bytes = 32768, header_bytes = 48, is_init = 12, frames_at = 16, salts_at = 32, moved_at = 96 };
  sqlite3_file *file = file_behind(connection);
  if (!file || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return SQLITE_MISUSE;
  void volatile *region = 0;
  int code = file->pMethods->xShmMap(file, 0, region_bytes, 0, &region);
  unsigned char one[header_bytes], two[header_bytes];
  if (region) {
    // SQLite writes the second copy first.
    memcpy(one, (const void *)region, header_bytes);
    file->pMethods->xShmBarrier(file);
    memcpy(two, (const unsigned char *)region + header_bytes, header_bytes);
    memcpy(moved, (const unsigned char *)region + moved_at, sizeof *moved);
  }
  file->pMethods->xShmUnmap(file, 0);
  if (!region) return code == SQLITE_OK ? SQLITE_BUSY : code;
  if (!one[is_init] || memcmp(one, two, header_bytes) != 0) return SQLITE_BUSY;
  memcpy(frames, one + frames_at, sizeof *frames);
  *salts = 0;
  // As in the log's header: the most significant byte first.
  for (int index = 0; index < 8; index++) *salts = *salts << 8 | one[salts_at + index];
  return SQLITE_OK;
}

// Looked up at run time: a SQLite that cannot encrypt lacks them, and nothing of ours links one that can.
typedef int (*key_function)(struct sqlite3 *, const char *, const void *, int);

int holdfast_key(struct sqlite3 *connection, const void *key, int count) {
  key_function give = (key_function)dlsym(RTLD_DEFAULT, "sqlite3_key_v2");
  return give ? give(connection, "main", key, count) : -1;
}

int holdfast_rekey(struct sqlite3 *connection, const void *key, int count) {
  key_function change = (key_function)dlsym(RTLD_DEFAULT, "sqlite3_rekey_v2");
  return change ? change(connection, "main", key, count) : -1;
}

typedef const char *(*origin_function)(sqlite3_stmt *, int);

const char *holdfast_origin(struct sqlite3_stmt *statement, int column, int of_column) {
  origin_function origin = (origin_function)dlsym(RTLD_DEFAULT, of_column ? "sqlite3_column_origin_name" : "sqlite3_column_table_name");
  return origin ? origin(statement, column) : 0;
}

int holdfast_rename_exclusively(const char *from, const char *to) {
#if defined(__APPLE__)
  return renamex_np(from, to, RENAME_EXCL);
#elif defined(__GLIBC__)
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 1u /* RENAME_NOREPLACE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}

int holdfast_exchange(const char *one, const char *other) {
#if defined(__APPLE__)
  return renamex_np(one, other, RENAME_SWAP);
#elif defined(__GLIBC__)
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, 2u /* RENAME_EXCHANGE */);
#else
  errno = ENOSYS;
  return -1;
#endif
}
