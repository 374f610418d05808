// Prepares a process and starts a command in it: several steps of the launcher in one program, without a shell or perl.
// usage: launcher STEP WORD… COMMAND…    A command that is this program again is the next step, in the same process.
//        launcher version
//        launcher landlock-abi
//
// Each step does what the program of its name in ../programs does, where there is no build of this for a machine.

#include "launcher.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  char **(*run)(char **words);
  int least; // words before the command
} steps[] = {
    {"harden", harden, 5},
    {"copy", copy, 1},
    {"sockets", sockets, 0},
    {"landlock", landlock, 4},
};

static int usage(void) {
  fputs("synapse-launcher: usage: launcher STEP WORD... COMMAND...\n", stderr);
  return 2;
}

// Runs one step; NULL if its words do not go with it.
static char **run_step(char **words) {
  int count = 0;
  while (words[count] != NULL) count++;
  for (size_t at = 0; count > 0 && at < sizeof steps / sizeof *steps; at++)
    if (strcmp(words[0], steps[at].name) == 0) return count > 1 + steps[at].least ? steps[at].run(words + 1) : NULL;
  return NULL;
}

int main(int count, char **words) {
  if (count < 2) return usage();
  if (strcmp(words[1], "version") == 0) return puts(LAUNCHER_VERSION) < 0;
  if (strcmp(words[1], "landlock-abi") == 0) return printf("%d\n", landlock_abi()) < 0;
  const char *self = words[0];
  do {
    words = run_step(words + 1);
    if (words == NULL) return usage();
  } while (strcmp(words[0], self) == 0);
  execvp(words[0], words);
  // The exit codes of a shell (POSIX).
  const int missing = errno == ENOENT;
  fprintf(stderr, "synapse-launcher: execvp %s: %s\n", words[0], strerror(errno));
  return missing ? 127 : 126;
}
