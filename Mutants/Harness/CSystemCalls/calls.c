#define _GNU_SOURCE
#include "CSystemCalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread char lines[1 << 16];
static __thread size_t used;
static __thread int recording, countdown;

void calls_begin(int failing) {
  used = 0;
  lines[0] = 0;
  recording = 1;
  countdown = failing;
}

const char *calls_end(void) {
  recording = 0;
  return lines;
}

static void note(const char *verb, const char *one, const char *other) {
  if (!recording) return;
  int code = errno;
  int length = snprintf(lines + used, sizeof lines - used, "%s %s%s%s\n", verb, one, other ? " " : "", other ? other : "");
  if (length > 0 && used + (size_t)length < sizeof lines) used += (size_t)length;
  errno = code;
}

static int flush(int descriptor, long number) {
  if (recording) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    if (countdown > 0 && --countdown == 0) {
      note("failed flush", path, 0);
      errno = EIO;
      return -1;
    }
    note("flush", path, 0);
  }
  return (int)syscall(number, descriptor);
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync); }

int renameat2(int from, const char *one, int to, const char *other, unsigned int flags) {
  int code = (int)syscall(SYS_renameat2, from, one, to, other, flags);
  if (code == 0) note(flags == 2 ? "exchange" : "name", one, other);
  return code;
}

int rename(const char *one, const char *other) { return renameat2(AT_FDCWD, one, AT_FDCWD, other, 0); }

int unlink(const char *path) {
  int code = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (code == 0) note("remove", path, 0);
  return code;
}

int mkdir(const char *path, mode_t mode) {
  int code = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (code == 0) note("folder", path, 0);
  return code;
}
