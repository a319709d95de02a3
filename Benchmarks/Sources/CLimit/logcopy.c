#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clogcopy.h"

enum { HEADER_BYTES = 32, FRAME_HEADER_BYTES = 24, PASSIVE_FRAMES = 1000, TRUNCATE_FRAMES = 121359, BUSY_MILLISECONDS = 1000 };

typedef struct {
  sqlite3 *reader;    // holds the read transaction
  sqlite3 *database;  // checkpoints, and writes after that
  int log, copy;
  uint8_t header[HEADER_BYTES];  // of the log that is being copied
  bool has_header, is_big_endian;
  uint32_t sums[2];  // after the last copied commit
  int64_t offset;    // behind the last copied commit
  uint8_t *frame;
  size_t frame_bytes;
  clogcopy_result *result;
} copier;

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

// SQLite's checksum of a log: https://sqlite.org/fileformat2.html#checksum_algorithm
static void add_sums(uint32_t sums[2], const uint8_t *bytes, size_t count, bool is_big_endian) {
  for (size_t i = 0; i < count; i += 8) {
    sums[0] += (is_big_endian ? big_endian(bytes + i) : little_endian(bytes + i)) + sums[1];
    sums[1] += (is_big_endian ? big_endian(bytes + i + 4) : little_endian(bytes + i + 4)) + sums[0];
  }
}

static int execute(sqlite3 *database, const char *sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL); }

static int begin_reading(copier *self) { return execute(self->reader, "BEGIN; SELECT count(*) FROM log_copies"); }

static int open_database(const char *path, sqlite3 **database) {
  int code = sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE, NULL);
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(*database, BUSY_MILLISECONDS);
  if (code == SQLITE_OK) code = execute(*database, "PRAGMA wal_autocheckpoint = 0");
  return code;
}

// Appends the commits of the present log that are not copied yet. Frames of a commit that is being written fail their checksum, or have no
// frame that ends a commit: they are written over by the next call.
static int copy_commits(copier *self, bool *has_copied) {
  if (!self->has_header) return SQLITE_OK;
  uint32_t sums[2] = {self->sums[0], self->sums[1]};
  int64_t offset = self->offset;
  while (pread(self->log, self->frame, self->frame_bytes, offset) == (ssize_t)self->frame_bytes) {
    if (memcmp(self->frame + 8, self->header + 16, 8)) break;  // the salts of an earlier log
    add_sums(sums, self->frame, 8, self->is_big_endian);
    add_sums(sums, self->frame + FRAME_HEADER_BYTES, self->frame_bytes - FRAME_HEADER_BYTES, self->is_big_endian);
    if (sums[0] != big_endian(self->frame + 16) || sums[1] != big_endian(self->frame + 20)) break;
    int64_t place = self->result->bytes + offset - self->offset;
    if (pwrite(self->copy, self->frame, self->frame_bytes, place) != (ssize_t)self->frame_bytes) return SQLITE_IOERR_WRITE;
    offset += (int64_t)self->frame_bytes;
    if (!big_endian(self->frame + 4)) continue;  // the frame ends no commit
    self->result->bytes += offset - self->offset;
    self->result->commits++;
    self->offset = offset;
    memcpy(self->sums, sums, sizeof sums);
    *has_copied = true;
  }
  return SQLITE_OK;
}

// Goes over to a log that was begun anew.
static int take_header(copier *self) {
  uint8_t header[HEADER_BYTES];
  if (pread(self->log, header, sizeof header, 0) != sizeof header) return SQLITE_OK;  // a log that was cut
  if (self->has_header && !memcmp(header, self->header, sizeof header)) return SQLITE_OK;
  bool is_big_endian = header[3] & 1;
  uint32_t sums[2] = {0, 0};
  add_sums(sums, header, 24, is_big_endian);
  if (sums[0] != big_endian(header + 24) || sums[1] != big_endian(header + 28)) return SQLITE_OK;  // is being written
  if (!self->frame) {
    self->frame_bytes = FRAME_HEADER_BYTES + big_endian(header + 8);
    self->frame = malloc(self->frame_bytes);
    if (!self->frame) return SQLITE_NOMEM;
  }
  memcpy(self->header, header, sizeof header);
  memcpy(self->sums, sums, sizeof sums);
  self->is_big_endian = is_big_endian;
  self->has_header = true;
  self->offset = HEADER_BYTES;
  return SQLITE_OK;
}

static int copy_log(copier *self) {
  bool has_copied = false;
  // What is left of the log before, where it was not written over.
  int code = copy_commits(self, &has_copied);
  if (code == SQLITE_OK) code = take_header(self);
  if (code == SQLITE_OK) code = copy_commits(self, &has_copied);
  if (code == SQLITE_OK && has_copied && fsync(self->copy)) code = SQLITE_IOERR_FSYNC;
  return code;
}

static int checkpoint(copier *self) {
  if (!self->has_header) return SQLITE_OK;
  int64_t frames = (self->offset - HEADER_BYTES) / (int64_t)self->frame_bytes;
  if (frames < PASSIVE_FRAMES) return SQLITE_OK;
  int code = execute(self->reader, "ROLLBACK");
  if (code != SQLITE_OK) return code;
  int mode = frames < TRUNCATE_FRAMES ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE;
  code = sqlite3_wal_checkpoint_v2(self->database, "main", mode, NULL, NULL);
  if (code != SQLITE_OK && code != SQLITE_BUSY) return code;
  code = begin_reading(self);
  if (code != SQLITE_OK) return code;
  // So that a moved log begins anew, and has a frame.
  code = execute(self->database, "INSERT INTO log_copies VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET checkpoints = checkpoints + 1");
  if (code == SQLITE_OK) self->result->own++;
  return code == SQLITE_BUSY ? SQLITE_OK : code;
}

static int run(copier *self, const char *path, const char *copy, int milliseconds, int ready, int stop) {
  int code = open_database(path, &self->reader);
  if (code == SQLITE_OK) code = open_database(path, &self->database);
  if (code == SQLITE_OK) code = execute(self->database, "CREATE TABLE log_copies (id INTEGER PRIMARY KEY, checkpoints INTEGER)");
  if (code == SQLITE_OK) self->result->own++;
  if (code == SQLITE_OK) code = begin_reading(self);
  if (code != SQLITE_OK) return code;
  char *log = sqlite3_mprintf("%s-wal", path);
  self->log = log ? open(log, O_RDONLY | O_CLOEXEC) : -1;
  sqlite3_free(log);
  self->copy = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (self->log < 0 || self->copy < 0) return SQLITE_CANTOPEN;
  code = copy_log(self);
  if (code == SQLITE_OK && write(ready, "ready\n", 6) != 6) code = SQLITE_IOERR_WRITE;
  for (bool has_ended = false; code == SQLITE_OK && !has_ended;) {
    struct pollfd wait = {.fd = stop, .events = POLLIN};
    has_ended = poll(&wait, 1, milliseconds) != 0;
    code = copy_log(self);
    if (code == SQLITE_OK && !has_ended) code = checkpoint(self);
  }
  return code;
}

int clogcopy_run(const char *database, const char *copy, int milliseconds, int ready, int stop, clogcopy_result *result) {
  memset(result, 0, sizeof *result);
  copier self = {.log = -1, .copy = -1, .result = result};
  int code = run(&self, database, copy, milliseconds, ready, stop);
  sqlite3_close(self.reader);
  sqlite3_close(self.database);
  if (self.log >= 0) close(self.log);
  if (self.copy >= 0) close(self.copy);
  free(self.frame);
  return code;
}
