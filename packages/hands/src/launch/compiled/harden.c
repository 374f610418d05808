// Tags the process by a limit that has no effect, and sets limits and the control group.
// words: TAG CGROUP_PROCS MEMORY_KIB CPU_SECONDS FILE_BLOCKS    (all but TAG can be empty)
//
// A setting that is not permitted is skipped: a limit that is already lower stays.

#include "launcher.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void limit(int which, const char *number, uint64_t unit) {
  const rlim_t most = strtoull(number, NULL, 10) * unit;
  const struct rlimit both = {most, most};
  (void)setrlimit(which, &both);
}

int put(const char *path, const char *text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const int whole = write(file, text, strlen(text)) == (ssize_t)strlen(text);
  return close(file) == 0 && whole;
}

char **harden(char **words) {
  // A core dump would contain secrets.
  limit(RLIMIT_CORE, "0", 1);
  limit(RLIMIT_RSS, words[0], 1024);
  // If memory runs out, the kernel kills the command before Synapse.
  (void)put("/proc/self/oom_score_adj", "500");
  if (*words[1] != '\0') (void)put(words[1], "0");
  if (*words[2] != '\0') {
    limit(RLIMIT_DATA, words[2], 1024);
    limit(RLIMIT_CPU, words[3], 1);
    limit(RLIMIT_FSIZE, words[4], 512);
  }
  return words + 5;
}
