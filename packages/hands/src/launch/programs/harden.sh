# Starts a command hardened, and tagged by a limit that has no effect.
# usage: harden.sh TAG CGROUP_PROCS MEMORY_KIB CPU_SECONDS FILE_BLOCKS COMMAND…    (all but TAG can be empty)
#
# In this order: no core dumps, because they would contain secrets; the tag; that the kernel kills the command before
# Synapse if memory runs out; the control group; the limits. A setting that is not permitted is skipped: a limit that
# is already lower stays. Errors go to a closed stderr, because a redirection to /dev/null would skip all settings if
# it cannot be opened.

{
  ulimit -c 0
  ulimit -m "$1"
  echo 500 > /proc/self/oom_score_adj
  [ -z "$2" ] || echo 0 > "$2"
  [ -z "$3" ] || { ulimit -d "$3"; ulimit -t "$4"; ulimit -f "$5"; }
} 2>&-
shift 5
exec "$@"
