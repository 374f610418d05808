# Ends the commands of Synapse when Synapse itself ends, for any reason: then its input ends.
# usage: reap.sh VARIABLE_PREFIX LIMIT_PATTERN
#
# Kills all processes with a tag until none are left, in at most ten passes. Each line of the input is part of a tag
# whose processes are spared.

spared=
while read -r one; do spared="$spared -e $one"; done
for _ in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ; grep -lsE -e "$2" /proc/[0-9]*/limits); do
    pid=${file#/proc/}; pid=${pid%%/*}
    [ -z "$spared" ] || ! grep -qsF $spared "/proc/$pid/environ" "/proc/$pid/limits" || continue
    # A process that has ended already stays in the table until its parent has looked, which may be never.
    kill -KILL "$pid" 2>/dev/null && ! grep -qs '^State:.Z' "/proc/$pid/status" && found=1
  done
  [ -n "$found" ] || break
done
