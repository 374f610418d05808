// Confines a command with Landlock (linux/landlock.h) and a filter of system calls (linux/seccomp.h), where there are no namespaces.
// words: PLAN FILTER LEFT CWD    (numbers of three descriptors)
//
// The plan has fields that end with NUL: `handled FILES NETWORK SCOPES`, `processes COUNT` for the limit of the user, which stays where it is
// lower, `parent PID` for what starts this, `variable NAME=VALUE`, and `rule FOLDER FILE PATH`: what is allowed beneath a folder, or for a file.
// Each path is opened without following a link, so none that is replaced meanwhile leads elsewhere; what is gone is left out. Anything else that
// fails ends this before the command starts.

#include "launcher.h"
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// These have one number everywhere. Older headers lack them.
enum { OPENAT2 = 437, LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };
// linux/seccomp.h, linux/filter.h
enum { MODE_FILTER = 2, CALL_BYTES = 8 };
struct call_filter {
  unsigned short count;
  const void *calls;
};
enum { OF_VERSION = 1, BENEATH_PATH = 1 };
// RESOLVE_NO_MAGICLINKS and RESOLVE_NO_SYMLINKS (linux/openat2.h).
enum { WITHOUT_LINKS = 0x02 | 0x04 };

int landlock_abi(void) {
  const long abi = syscall(LANDLOCK_CREATE, NULL, 0, OF_VERSION);
  return abi >= 0 ? (int)abi : -errno;
}

int create_domain(uint64_t files, uint64_t network, uint64_t scopes) {
  const uint64_t rules[] = {files, network, scopes};
  // A kernel without a field refuses the size unless the field is zero.
  return (int)syscall(LANDLOCK_CREATE, rules, sizeof rules, 0);
}

int enter_domain(int domain) { return domain < 0 ? -1 : (int)syscall(LANDLOCK_RESTRICT, domain, 0); }

int open_place(const char *path) {
  const struct { uint64_t flags, mode, resolve; } how = {O_PATH | O_CLOEXEC, 0, WITHOUT_LINKS};
  return (int)syscall(OPENAT2, AT_FDCWD, path, &how, sizeof how);
}

int allow(int domain, uint64_t rights, int place) {
  const struct __attribute__((packed)) { uint64_t rights; int32_t place; } rule = {rights, place};
  return (int)syscall(LANDLOCK_ADD, domain, BENEATH_PATH, &rule, 0);
}

void fail(const char *what) {
  fprintf(stderr, "synapse-landlock: %s: %s\n", what, strerror(errno));
  exit(1);
}

// What can be read of a descriptor, which is closed then, with a NUL after it.
static char *content(const char *number, size_t *length) {
  const int file = atoi(number);
  struct stat found;
  if (fstat(file, &found) != 0) fail("descriptor");
  char *text = malloc((size_t)found.st_size + 1);
  if (text == NULL) fail("descriptor");
  ssize_t got = 0;
  for (*length = 0; *length < (size_t)found.st_size; *length += (size_t)got) {
    got = read(file, text + *length, (size_t)found.st_size - *length);
    if (got < 0) fail("descriptor");
    if (got == 0) break;
  }
  text[*length] = '\0';
  close(file);
  return text;
}

static void add_rule(int domain, char *field) {
  char *rest;
  const uint64_t folder = strtoull(field, &rest, 10), file = strtoull(rest, &rest, 10);
  const int place = open_place(rest + 1);
  if (place < 0) {
    if (errno != ENOENT && errno != EACCES && errno != ENOTDIR && errno != ELOOP) fail("openat2");
    return;
  }
  // EINVAL: a file may have no rights of folders.
  if (folder != 0 && allow(domain, folder, place) != 0 && (errno != EINVAL || (file != 0 && allow(domain, file, place) != 0))) fail("rule");
  close(place);
}

static void add_variable(char *field) {
  char *value = strchr(field, '=');
  if (value == NULL) return;
  *value = '\0';
  if (setenv(field, value + 1, 1) != 0) fail("variable");
}

static int domain_of(char *numbers, uint64_t *scopes) {
  const uint64_t files = strtoull(numbers, &numbers, 10), network = strtoull(numbers, &numbers, 10);
  *scopes = strtoull(numbers, NULL, 10);
  const int domain = create_domain(files, network, *scopes);
  if (domain < 0) fail("ruleset");
  return domain;
}

// Carries out the plan; returns its domain, what that keeps in, and what started this.
static int carry_out(char *plan, size_t length, uint64_t *scopes, pid_t *parent) {
  int domain = -1;
  for (char *field = plan, *next; field < plan + length; field = next) {
    next = field + strlen(field) + 1;
    char *rest = strchr(field, ' ');
    if (rest == NULL) fail("plan");
    *rest++ = '\0';
    if (strcmp(field, "variable") == 0) add_variable(rest);
    else if (strcmp(field, "processes") == 0) limit(RLIMIT_NPROC, rest, 1);
    else if (strcmp(field, "parent") == 0) *parent = (pid_t)atoi(rest);
    else if (strcmp(field, "rule") == 0) add_rule(domain, rest);
    else if (strcmp(field, "handled") == 0) domain = domain_of(rest, scopes);
    else fail("plan");
  }
  return domain;
}

// No program regains what is given up here. Then root is a user like any other.
static void give_up_privileges(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("privileges");
  // Of all capabilities that the kernel knows, which only root may.
  for (int capability = 0; capability < 64 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; capability++) {}
  // _LINUX_CAPABILITY_VERSION_3 (linux/capability.h).
  const uint32_t header[] = {0x20080522, 0}, none[6] = {0};
  if (syscall(SYS_capset, header, none) != 0) fail("capabilities");
}

static void filter_calls(const char *calls, size_t length) {
  const struct call_filter filter = {(unsigned short)(length / CALL_BYTES), calls};
  if (prctl(PR_SET_SECCOMP, MODE_FILTER, &filter, 0, 0) != 0) fail("filter");
}

char **landlock(char **words) {
  size_t planned, filtered;
  char *const plan = content(words[0], &planned), *const calls = content(words[1], &filtered);
  if (chdir(words[3]) != 0) fail("working directory");
  uint64_t scopes = 0;
  pid_t parent = 0;
  const int domain = carry_out(plan, planned, &scopes, &parent);
  give_up_privileges();
  const int left = atoi(words[2]);
  if (scopes & SCOPE_SIGNALS) keep(left, parent);
  // The command must not write there.
  close(left);
  if (enter_domain(domain) != 0) fail("restrict");
  filter_calls(calls, filtered);
  return words + 4;
}
