// Creates user and mount namespaces, makes mounts private, and mounts the copy of the workspace.
// words: AREA

#include "launcher.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

// The user keeps its files, and is root in the namespace.
static int enter_namespaces(void) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "0 %u 1", getuid());
  snprintf(groups, sizeof groups, "0 %u 1", getgid());
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && put("/proc/self/setgroups", "deny") && put("/proc/self/uid_map", users) &&
         put("/proc/self/gid_map", groups) && mount("none", "/", "none", MS_REC | MS_PRIVATE, "") == 0;
}

static int is_folder(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int mount_overlay(const char *lower, const char *upper, const char *work, const char *merged) {
  char options[256];
  const int length = snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s,userxattr,volatile", lower, upper, work);
  return length > 0 && (size_t)length < sizeof options && mount("overlay", merged, "overlay", 0, options) == 0;
}

static int prepare(const char *area) {
  const int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (here < 0 || chdir(area) != 0 || !enter_namespaces()) return 0;
  char lower[64];
  snprintf(lower, sizeof lower, "%s%s%slower", is_folder("hidden") ? "hidden:" : "", is_folder("outputs/.") ? "outputs:" : "",
           is_folder("pinned/.") ? "pinned:" : "");
  if (!mount_overlay(lower, "upper", "work", "merged")) return 0;
  if (is_folder("upper-git") && !mount_overlay("lower-git", "upper-git", "work-git", "merged-git")) return 0;
  return fchdir(here) == 0 && close(here) == 0;
}

char **copy(char **words) {
  if (prepare(words[0])) return words + 1;
  // A failed mount must not look like a result of the command, which shares the output.
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s/failed", words[0]);
  if (length > 0 && (size_t)length < sizeof path) close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  exit(1);
}
