// Steps of the launcher, as in ../launch-steps.ts. Each takes its own words, and returns what follows them: the command.
#ifndef SYNAPSE_LAUNCHER_H
#define SYNAPSE_LAUNCHER_H

#include <stdint.h>

char **harden(char **words);
char **copy(char **words);
char **sockets(char **words);
char **landlock(char **words);

// The ABI of Landlock; a negative error number if there is none.
int landlock_abi(void);

// A domain of Landlock with these rights and scopes (linux/landlock.h): a descriptor that is closed on exec, or -1.
int create_domain(uint64_t files, uint64_t network, uint64_t scopes);
// Enters a domain for good: 0, or -1.
int enter_domain(int domain);

#endif
