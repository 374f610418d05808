// Where a domain keeps signals in (ABI 6), the launcher stays as the keeper of the command, in a domain around the one of the command, which can
// neither signal nor trace it. When the command ends, when the keeper gets PWR, and when what started it ends, it kills all processes of the
// domain at once: one that starts others faster than they can be listed ends too. It writes to a descriptor how many the ended command left.
// What started it may have ended before the keeper could hear of that: then there is another parent, and no command starts.

#include "keeper.h"
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// LANDLOCK_ACCESS_FS_REFER: a domain that says nothing about it denies it, so this one allows it everywhere.
static const uint64_t REFER = 1 << 13;
// They are for the command.
static const int QUIET[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE};

static volatile sig_atomic_t asked = 0;

static void kill_all(void) { (void)kill(-1, SIGKILL); }

static void on_asked(int signal) {
  (void)signal;
  const int before = errno;
  asked = 1;
  kill_all();
  errno = before;
}

static void quiet(void (*what)(int)) {
  for (size_t at = 0; at < sizeof QUIET / sizeof *QUIET; at++) signal(QUIET[at], what);
}

// A process outside of the domain, to see that it can be signaled before and not after: without that, the signal to all would reach all
// processes of the user. What started this is one, unless it has another user; then one is started, which ends with the pipe.
static pid_t someone_outside(int *end) {
  const pid_t parent = getppid();
  if (parent > 0 && kill(parent, 0) == 0) return parent;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const pid_t other = fork();
  if (other < 0) fail("fork");
  if (other == 0) {
    char none;
    close(ends[1]);
    _exit(read(ends[0], &none, 1) < 0);
  }
  close(ends[0]);
  *end = ends[1];
  return other;
}

// Enters a domain around that of the command; returns whether it keeps signals in.
static int enter_own_domain(void) {
  const int domain = create_domain(REFER, 0, SCOPE_SIGNALS);
  if (domain < 0) fail("ruleset");
  const int top = open_place("/");
  if (top < 0 || allow(domain, REFER, top) != 0) fail("rule");
  int end = -1;
  const pid_t outside = someone_outside(&end);
  const int before = kill(outside, 0) == 0;
  if (enter_domain(domain) != 0) fail("restrict");
  const int keeps = before && kill(outside, 0) != 0 && errno == EPERM;
  close(domain);
  close(top);
  if (end >= 0) {
    close(end);
    waitpid(outside, NULL, 0);
  }
  return keeps;
}

// Waits for the command and all that it left. Returns its status, and how many had to be killed.
static int wait_for_all(pid_t command, int *count) {
  int code = 0, has_ended = 0;
  for (;;) {
    if (asked) kill_all();
    int status;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0) {
      if (errno == EINTR) continue;
      // ECHILD: all have ended.
      return code;
    }
    if (ended == command) {
      code = status;
      has_ended = 1;
      kill_all();
    } else if (has_ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
      ++*count;
    }
  }
}

void keep(int left, pid_t parent) {
  if (!enter_own_domain()) return;
  quiet(SIG_IGN);
  // Without SA_RESTART: waitpid returns, and looks again.
  const struct sigaction action = {.sa_handler = on_asked};
  if (sigaction(SIGPWR, &action, NULL) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGPWR, 0, 0, 0) != 0)
    fail("keeper");
  // From here on, the kernel sends a signal when the parent ends.
  if (parent != 0 && getppid() != parent) exit(1);
  const pid_t command = fork();
  if (command < 0) fail("fork");
  if (command == 0) {
    quiet(SIG_DFL);
    signal(SIGPWR, SIG_DFL);
    return;
  }
  // Their ends are those of the command.
  for (int stream = 0; stream <= 2; stream++) close(stream);
  int count = 0;
  const int code = wait_for_all(command, &count);
  if (count > 0) {
    char text[16];
    const int length = snprintf(text, sizeof text, "%d", count);
    if (write(left, text, (size_t)length) < 0) { /* the number is not known then */ }
  }
  quiet(SIG_DFL);
  if (WIFSIGNALED(code)) kill(getpid(), WTERMSIG(code));
  exit(WEXITSTATUS(code));
}
