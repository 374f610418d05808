// Steps of the launcher, as in ../launch-steps.ts. Each takes its own words, and returns what follows them: the command.
#ifndef SYNAPSE_LAUNCHER_H
#define SYNAPSE_LAUNCHER_H

#include <stdint.h>

char **harden(char **words);
char **copy(char **words);
char **sockets(char **words);
char **landlock(char **words);

// Sets a limit of the process, as a decimal number of units. One that is lower already stays.
void limit(int which, const char *number, uint64_t unit);
// Writes to a file that exists; returns whether all was written.
int put(const char *path, const char *text);

// The ABI of Landlock; a negative error number if there is none.
int landlock_abi(void);

// A domain of Landlock with these rights and scopes (linux/landlock.h): a descriptor that is closed on exec, or -1.
int create_domain(uint64_t files, uint64_t network, uint64_t scopes);
// Enters a domain for good: 0, or -1.
int enter_domain(int domain);

#endif
