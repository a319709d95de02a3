// Stands between a process and the file system, for everything under one folder.
//
// TORTURE_ROOT     the folder, with links resolved. Everything else passes untouched, and so do `-shm` files: SQLite rebuilds them.
// TORTURE_TRACE    append one record for each operation that changed something, with its bytes.
// TORTURE_ACKS     what is written to the file of this name is recorded as an acknowledgement, in the same order as the rest.
// TORTURE_KILL_AT  end the process with SIGKILL before the n-th operation that would change or flush something.
// TORTURE_FAULT    `<kind>,<n>,<errno or "short">,<once|for-good>`: the n-th operation of this kind fails, or all from there on.
// TORTURE_COUNTS   at the end, write how many operations of each kind there were.
// TORTURE_IGNORE   `folders`: flushes of folders are not recorded. `files`: those of files are not. `segments`: those of an archive's
//                  segments are not. For negative controls.
//
// One lock is held around each operation and its record, so the records stand in the order in which the kernel saw the operations.

#define _GNU_SOURCE
#include "TortureShim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

void torture_shim_is_loaded(void) {}

#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

// MARK: What is asked for

enum kind { CREATE, OPEN, READ, WRITE, SYNC, DIRSYNC, TRUNCATE, RENAME, LINK, UNLINK, MKDIR, RMDIR, KINDS };
static const char *const kind_names[KINDS] = {"create",   "open",   "read", "write",  "sync",  "dirsync",
                                              "truncate", "rename", "link", "unlink", "mkdir", "rmdir"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char root[PATH_MAX];
static size_t root_length;
static const char *acks;
static int trace = -1;
static long kill_at = -1, changes;
static long counts[KINDS];
static int fault_kind = -1, fault_error, fault_is_short, fault_stays;
static long fault_at;
static int ignores_folders, ignores_files, ignores_segments;

static ssize_t real_write(int fd, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  return real(fd, bytes, count);
}

static int real_open(const char *path, int flags, mode_t mode) {
  REAL(int, open64, const char *, int, ...);
  return real(path, flags, mode);
}

static void read_environment(void) {
  const char *text = getenv("TORTURE_ROOT");
  if (!text) return;
  snprintf(root, sizeof root, "%s", text);
  root_length = strlen(root);
  acks = getenv("TORTURE_ACKS");
  if ((text = getenv("TORTURE_TRACE"))) trace = real_open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if ((text = getenv("TORTURE_KILL_AT"))) kill_at = atol(text);
  if ((text = getenv("TORTURE_IGNORE"))) {
    ignores_folders = !strcmp(text, "folders");
    ignores_files = !strcmp(text, "files");
    ignores_segments = !strcmp(text, "segments");
  }
  if ((text = getenv("TORTURE_FAULT"))) {
    char kind[16] = "", error[16] = "", how[16] = "";
    if (sscanf(text, "%15[^,],%ld,%15[^,],%15s", kind, &fault_at, error, how) != 4) abort();
    for (int i = 0; i < KINDS; i++)
      if (!strcmp(kind, kind_names[i])) fault_kind = i;
    fault_is_short = !strcmp(error, "short");
    fault_error = atoi(error);
    fault_stays = !strcmp(how, "for-good");
  }
}

static int active(void) {
  pthread_once(&once, read_environment);
  return root_length > 0;
}

__attribute__((destructor)) static void write_counts(void) {
  const char *path = active() ? getenv("TORTURE_COUNTS") : 0;
  if (!path) return;
  int fd = real_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return;
  for (int i = 0; i < KINDS; i++) dprintf(fd, "%s %ld\n", kind_names[i], counts[i]);
  dprintf(fd, "changes %ld\n", changes);
  close(fd);
}

// MARK: Whose file it is

static int is_inside(const char *path) {
  if (strncmp(path, root, root_length) != 0) return 0;
  if (path[root_length] != '/' && path[root_length] != 0) return 0;
  size_t length = strlen(path);
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

/// Whether a descriptor is one of a file or folder that is watched; its path then.
static int inside(int fd, char *path) {
  if (!active() || fd < 0) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  char *gone = strstr(path, " (deleted)");
  if (gone) *gone = 0;
  return is_inside(path);
}

static int is_acks(int fd) {
  if (!active() || !acks || fd < 3) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return !strcmp(path, acks);
}

/// The absolute form of a path, with links in its folder resolved; whether it is watched.
static int named(int folder, const char *path, char *full) {
  if (!active() || !path) return 0;
  char joined[PATH_MAX * 2];
  if (path[0] == '/') {
    snprintf(joined, sizeof joined, "%s", path);
  } else {
    char base[PATH_MAX];
    if (folder == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) return 0;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      ssize_t length = readlink(link, base, sizeof base - 1);
      if (length <= 0) return 0;
      base[length] = 0;
    }
    snprintf(joined, sizeof joined, "%s/%s", base, path);
  }
  size_t length = strlen(joined);
  while (length > 1 && joined[length - 1] == '/') joined[--length] = 0;
  char *slash = strrchr(joined, '/');
  if (slash && slash != joined) {
    char parent[PATH_MAX];
    *slash = 0;
    char *found = realpath(joined, parent);
    *slash = '/';
    if (found) {
      if (snprintf(full, PATH_MAX, "%s%s", parent, slash) >= PATH_MAX) return 0;
      return is_inside(full);
    }
  }
  snprintf(full, PATH_MAX, "%.*s", PATH_MAX - 1, joined);
  return is_inside(full);
}

static uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

// MARK: What is recorded, and what fails. Called with the lock held.

struct record {
  uint8_t operation;
  uint8_t unused[3];
  uint32_t path_length, other_length, data_length;
  uint64_t inode;
  int64_t offset;
};

static void record(char operation, const char *path, const char *other, uint64_t inode, int64_t offset, const void *data, size_t count) {
  if (trace < 0) return;
  int error = errno;
  struct record head = {.operation = (uint8_t)operation,
                        .path_length = path ? (uint32_t)strlen(path) : 0,
                        .other_length = other ? (uint32_t)strlen(other) : 0,
                        .data_length = data ? (uint32_t)count : 0,
                        .inode = inode,
                        .offset = offset};
  struct iovec parts[4] = {{&head, sizeof head},
                           {(void *)path, head.path_length},
                           {(void *)other, head.other_length},
                           {(void *)data, head.data_length}};
  if (writev(trace, parts, 4) < 0) abort();
  errno = error;
}

enum outcome { GOES_ON, FAILS, IS_SHORT };

/// Counts one operation; kills or fails it where that is asked for.
static enum outcome meets(enum kind kind) {
  counts[kind]++;
  if (kind != READ && kind != OPEN && ++changes == kill_at) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  if ((int)kind != fault_kind) return GOES_ON;
  if (fault_stays ? counts[kind] < fault_at : counts[kind] != fault_at) return GOES_ON;
  if (fault_is_short) return IS_SHORT;
  errno = fault_error;
  return FAILS;
}

#define LOCKED pthread_mutex_lock(&lock)
#define UNLOCKED pthread_mutex_unlock(&lock)

// MARK: Opening

static int opened(int folder, const char *path, int flags, mode_t mode) {
  REAL(int, openat64, int, const char *, int, ...);
  char full[PATH_MAX];
  if (!named(folder, path, full)) return real(folder, path, flags, mode);
  LOCKED;
  struct stat before;
  int is_new = (flags & O_CREAT) && fstatat(folder, path, &before, 0) != 0;
  int cuts = !is_new && (flags & O_TRUNC) && fstatat(folder, path, &before, 0) == 0 && before.st_size > 0;
  enum outcome outcome = meets(is_new ? CREATE : cuts ? TRUNCATE : OPEN);
  int fd = outcome == FAILS ? -1 : real(folder, path, flags, mode);
  if (fd >= 0) {
    if (is_new) record('c', full, 0, inode_of(fd), 0, 0, 0);
    if (cuts) record('t', 0, 0, inode_of(fd), 0, 0, 0);
  }
  UNLOCKED;
  return fd;
}

#define MODE_OF(flags, last) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list list; \
    va_start(list, last); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return opened(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE_OF(flags, flags)
  return opened(folder, path, flags | O_LARGEFILE, mode);
}
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags | O_LARGEFILE, 0); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

static int temporary(int fd, const char *path) {
  char full[PATH_MAX];
  if (fd >= 0 && named(AT_FDCWD, path, full)) {
    LOCKED;
    record('c', full, 0, inode_of(fd), 0, 0, 0);
    UNLOCKED;
  }
  return fd;
}
int mkstemp(char *path) {
  REAL(int, mkstemp, char *);
  return temporary(real(path), path);
}
int mkstemp64(char *path) { return mkstemp(path); }
int mkostemp(char *path, int flags) {
  REAL(int, mkostemp, char *, int);
  return temporary(real(path, flags), path);
}
int mkstemps(char *path, int suffix) {
  REAL(int, mkstemps, char *, int);
  return temporary(real(path, suffix), path);
}

// MARK: Reading and writing

#define READS(name, parameters, ...) \
  { \
    char path[PATH_MAX]; \
    if (inside(fd, path)) { \
      LOCKED; \
      enum outcome outcome = meets(READ); \
      UNLOCKED; \
      if (outcome == FAILS) return -1; \
    } \
    return real(__VA_ARGS__); \
  }

ssize_t read(int fd, void *bytes, size_t count) {
  REAL(ssize_t, read, int, void *, size_t);
  READS(read, , fd, bytes, count)
}
ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
  REAL(ssize_t, pread, int, void *, size_t, off_t);
  READS(pread, , fd, bytes, count, offset)
}
ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
  REAL(ssize_t, pread64, int, void *, size_t, off64_t);
  READS(pread64, , fd, bytes, count, offset)
}

/// At `offset`, or where the descriptor stands when that is negative.
static ssize_t written(int fd, const void *bytes, size_t count, off64_t offset) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  char path[PATH_MAX];
  if (!inside(fd, path)) {
    if (offset >= 0) return real(fd, bytes, count, offset);
    if (!is_acks(fd)) return real_write(fd, bytes, count);
    LOCKED;
    ssize_t result = real_write(fd, bytes, count);
    if (result > 0) record('A', 0, 0, 0, 0, bytes, (size_t)result);
    UNLOCKED;
    return result;
  }
  LOCKED;
  enum outcome outcome = meets(WRITE);
  ssize_t result = -1;
  if (outcome != FAILS) {
    if (outcome == IS_SHORT && count > 1) count = count / 2;
    off64_t place = offset;
    if (place < 0) place = lseek64(fd, 0, (fcntl(fd, F_GETFL) & O_APPEND) ? SEEK_END : SEEK_CUR);
    result = offset >= 0 ? real(fd, bytes, count, offset) : real_write(fd, bytes, count);
    if (result > 0) record('w', 0, 0, inode_of(fd), place, bytes, (size_t)result);
  }
  UNLOCKED;
  return result;
}

ssize_t write(int fd, const void *bytes, size_t count) { return written(fd, bytes, count, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return written(fd, bytes, count, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) { return written(fd, bytes, count, offset); }

static ssize_t written_parts(int fd, const struct iovec *parts, int number, off64_t offset) {
  ssize_t total = 0;
  for (int i = 0; i < number; i++) {
    ssize_t result = written(fd, parts[i].iov_base, parts[i].iov_len, offset < 0 ? -1 : offset + total);
    if (result < 0) return total > 0 ? total : -1;
    total += result;
    if ((size_t)result < parts[i].iov_len) break;
  }
  return total;
}
ssize_t writev(int fd, const struct iovec *parts, int number) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  char path[PATH_MAX];
  return fd != trace && inside(fd, path) ? written_parts(fd, parts, number, -1) : real(fd, parts, number);
}
ssize_t pwritev(int fd, const struct iovec *parts, int number, off_t offset) {
  REAL(ssize_t, pwritev, int, const struct iovec *, int, off_t);
  char path[PATH_MAX];
  return inside(fd, path) ? written_parts(fd, parts, number, offset) : real(fd, parts, number, offset);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int number, off64_t offset) { return pwritev(fd, parts, number, offset); }

// Copies inside the kernel become reads and writes, so that they are seen as what they are.

static ssize_t copied(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count) {
  char *buffer = malloc(1 << 16);
  if (!buffer) return -1;
  size_t wanted = count < 1 << 16 ? count : 1 << 16;
  ssize_t found = from_offset ? pread64(from, buffer, wanted, *from_offset) : read(from, buffer, wanted);
  ssize_t result = found > 0 ? written(to, buffer, (size_t)found, to_offset ? *to_offset : -1) : found;
  int error = errno;
  free(buffer);
  errno = error;
  if (result > 0 && from_offset) *from_offset += result;
  if (result > 0 && !from_offset && result < found) lseek64(from, result - found, SEEK_CUR);
  if (result > 0 && to_offset) *to_offset += result;
  return result;
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  REAL(ssize_t, sendfile, int, int, off_t *, size_t);
  char path[PATH_MAX];
  return inside(to, path) ? copied(from, (off64_t *)offset, to, 0, count) : real(to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) { return sendfile(to, from, (off_t *)offset, count); }
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count, unsigned flags) {
  REAL(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned);
  char path[PATH_MAX];
  return inside(to, path) ? copied(from, from_offset, to, to_offset, count) : real(from, from_offset, to, to_offset, count, flags);
}
int ioctl(int fd, unsigned long request, ...) {
  REAL(int, ioctl, int, unsigned long, ...);
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  char path[PATH_MAX];
  enum { CLONE = 0x40049409 };
  if (request == CLONE && inside(fd, path)) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return real(fd, request, argument);
}

static int cut(int fd, off64_t length) {
  REAL(int, ftruncate64, int, off64_t);
  char path[PATH_MAX];
  if (!inside(fd, path)) return real(fd, length);
  LOCKED;
  int result = meets(TRUNCATE) == FAILS ? -1 : real(fd, length);
  if (result == 0) record('t', 0, 0, inode_of(fd), length, 0, 0);
  UNLOCKED;
  return result;
}
int ftruncate(int fd, off_t length) { return cut(fd, length); }
int ftruncate64(int fd, off64_t length) { return cut(fd, length); }
int truncate(const char *path, off_t length) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = cut(fd, length), error = errno;
  close(fd);
  errno = error;
  return result;
}
int truncate64(const char *path, off64_t length) { return truncate(path, length); }

int posix_fallocate(int fd, off_t offset, off_t length) {
  REAL(int, posix_fallocate, int, off_t, off_t);
  char path[PATH_MAX];
  // Callers fall back to writing.
  return inside(fd, path) ? EOPNOTSUPP : real(fd, offset, length);
}
int posix_fallocate64(int fd, off64_t offset, off64_t length) { return posix_fallocate(fd, offset, length); }
int fallocate(int fd, int mode, off_t offset, off_t length) {
  REAL(int, fallocate, int, int, off_t, off_t);
  char path[PATH_MAX];
  if (!inside(fd, path)) return real(fd, mode, offset, length);
  errno = EOPNOTSUPP;
  return -1;
}
int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return fallocate(fd, mode, offset, length); }

// MARK: Flushing

static int is_segment(const char *path) {
  static const char suffix[] = ".segment";
  size_t length = strlen(path);
  return length >= sizeof suffix && !strcmp(path + length - (sizeof suffix - 1), suffix);
}

static int flushed(int fd, int (*flush)(int)) {
  char path[PATH_MAX];
  if (!inside(fd, path)) return flush(fd);
  struct stat status;
  int is_folder = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  LOCKED;
  int result = meets(is_folder ? DIRSYNC : SYNC) == FAILS ? -1 : flush(fd);
  if (result == 0) {
    if (is_folder && !ignores_folders) record('d', path, 0, 0, 0, 0, 0);
    if (!is_folder && !ignores_files && !(ignores_segments && is_segment(path))) record('s', 0, 0, inode_of(fd), 0, 0, 0);
  }
  UNLOCKED;
  return result;
}
int fsync(int fd) {
  REAL(int, fsync, int);
  return flushed(fd, real);
}
int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  return flushed(fd, real);
}

// MARK: Names

static int renamed(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  REAL(int, renameat2, int, const char *, int, const char *, unsigned);
  char source[PATH_MAX], target[PATH_MAX];
  int watched = named(from_folder, from, source) | named(to_folder, to, target);
  if (!watched) return real(from_folder, from, to_folder, to, flags);
  LOCKED;
  int result = meets(RENAME) == FAILS ? -1 : real(from_folder, from, to_folder, to, flags);
  if (result == 0) record('r', source, target, 0, flags, 0, 0);
  UNLOCKED;
  return result;
}
int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char *from, int to_folder, const char *to) { return renamed(from_folder, from, to_folder, to, 0); }
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  return renamed(from_folder, from, to_folder, to, flags);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  REAL(int, linkat, int, const char *, int, const char *, int);
  char source[PATH_MAX], target[PATH_MAX];
  int watched = named(from_folder, from, source) | named(to_folder, to, target);
  if (!watched) return real(from_folder, from, to_folder, to, flags);
  LOCKED;
  int result = meets(LINK) == FAILS ? -1 : real(from_folder, from, to_folder, to, flags);
  if (result == 0) record('l', source, target, 0, 0, 0, 0);
  UNLOCKED;
  return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char *path, int flags) {
  REAL(int, unlinkat, int, const char *, int);
  char full[PATH_MAX];
  if (!named(folder, path, full)) return real(folder, path, flags);
  int is_folder = (flags & AT_REMOVEDIR) != 0;
  LOCKED;
  int result = meets(is_folder ? RMDIR : UNLINK) == FAILS ? -1 : real(folder, path, flags);
  if (result == 0) record(is_folder ? 'x' : 'u', full, 0, 0, 0, 0, 0);
  UNLOCKED;
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0) return -1;
  return unlinkat(AT_FDCWD, path, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  REAL(int, mkdirat, int, const char *, mode_t);
  char full[PATH_MAX];
  if (!named(folder, path, full)) return real(folder, path, mode);
  struct stat status;
  // Who makes a folder with all above it asks for those that are there, too.
  if (fstatat(folder, path, &status, 0) == 0) return real(folder, path, mode);
  LOCKED;
  int result = meets(MKDIR) == FAILS ? -1 : real(folder, path, mode);
  if (result == 0) record('m', full, 0, 0, 0, 0, 0);
  UNLOCKED;
  return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
