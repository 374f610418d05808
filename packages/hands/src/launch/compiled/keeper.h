// What the parts of landlock.c share.
#ifndef SYNAPSE_KEEPER_H
#define SYNAPSE_KEEPER_H

#include <stdint.h>
#include <sys/types.h>

// LANDLOCK_SCOPE_SIGNAL
#define SCOPE_SIGNALS 2

// Prints what failed and why, and ends.
_Noreturn void fail(const char *what);
// Opens a place without following a link, only to name it: a descriptor, or -1.
int open_place(const char *path);
// Allows rights beneath a place: 0, or -1.
int allow(int domain, uint64_t rights, int place);
// Returns in the process of the command, or where signals are not kept in. A parent of 0 is not known.
void keep(int left, pid_t parent);

#endif
