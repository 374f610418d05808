# Stays the parent of a command that outlives its call, because bubblewrap ends with its parent.
# usage: hold.sh LIFE EXIT_FILE COMMAND…
#
# A second shell reads a named pipe (LIFE) that the owners of the command keep open: when the last of them has ended,
# for any reason, it kills the command. The exit code goes to a file for an owner that is not the parent.

trap : HUP INT QUIT TERM USR1 USR2
life=$1 file=$2
shift 2
{
  trap '' HUP INT QUIT TERM USR1 USR2
  while read -r _; do :; done < "$life"
  kill -KILL -$$
} <&- >&- 2>&- &
watch=$!
"$@"
code=$?
{
  kill -KILL "$watch"
  wait "$watch"
  printf %s "$code" > "$file"
} 2>&-
exit "$code"
