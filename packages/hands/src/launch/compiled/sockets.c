// Enters a Landlock domain that only keeps abstract sockets apart: a command reaches its own, and none of others.
// words: none

#include "launcher.h"

#include <stdlib.h>
#include <sys/prctl.h>

#define SCOPE_ABSTRACT_SOCKETS 1

char **sockets(char **words) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || enter_domain(create_domain(0, 0, SCOPE_ABSTRACT_SOCKETS)) != 0) exit(1);
  return words;
}
