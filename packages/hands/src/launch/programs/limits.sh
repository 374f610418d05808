# Limits how many processes a command can have.
# usage: limits.sh COUNT COMMAND…
#
# Runs inside the sandbox: there RLIMIT_NPROC only counts the processes of the sandbox, not all processes of the user.
# The limit is -p in dash and busybox, -u in bash. A closed stderr discards the error of the other option: with
# /dev/null, the limit would be skipped if /dev/null cannot be opened.

{ ulimit -p "$1" || ulimit -u "$1"; } 2>&-
shift
exec "$@"
