#ifndef CSYSTEMCALLS_H
#define CSYSTEMCALLS_H

// The file system's calls of the present thread, as they come: a line each ("flush /a/b", "name /a /b", "exchange /a /b",
// "remove /a", "folder /a"). Linux only. Takes the place of the C library's functions of the same names in the test's executable.

/// From now on the calls of this thread are written down. The flush with the number `failing`, counted from 1, fails with EIO; 0: none.
void calls_begin(int failing);

/// The lines until now; nothing is written down any more. Belongs to the thread, until its next `calls_begin`.
const char *calls_end(void);

#endif
