# Runs a command inside the sandbox and reports what only its parent sees there: lines of a file that it inherits.
# usage: count.sh DESCRIPTOR SHARED ENDS MOST HOME PLACES PLACE… COMMAND…
#   SHARED   yes: others used the network before; no: its counters are zero
#   ENDS     the ends after which it is counted what the network refused: all, failures or none
#   MOST     the number of names to report
#   PLACES   the number of places that follow: a folder, with a slash at its end, in which each name counts, or one path that counts itself.
#            HOME is one of the folders, or empty: programs keep hidden files there, which do not count
# lines: network before, network after (or -), number of processes left, names that the command made in the places
#
# - Processes that are left: the kernel kills them in the next moment, and they are not visible from outside. Excludes
#   PID 1, this shell, its parent, and ended processes.
# - What the network refused: without a route out, attempts to resolve and to reach other machines. A shell reads the
#   counters byte by byte, which takes longer than many a command: it reads them only where they tell something.
# - Signals are for the command: if it survives one, so does this shell. The shell has no stderr, so it prints nothing
#   that the command did not; the next descriptor keeps it. Both are closed in the command.
# - Names begin with synapse_ until the command has ended: a variable of its environment must not change.

synapse_to=$1 synapse_err=$(($1 + 1)) synapse_shared=$2 synapse_ends=$3 synapse_most=$4 synapse_home=$5 synapse_places=$6
shift 6
eval "exec $synapse_err>&2 2>&-"
trap : INT TERM HUP QUIT

# Calls a function for each name in the places, until it fails.
synapse_each() {
  synapse_do=$1 synapse_rest=$synapse_places
  shift
  while [ "$synapse_rest" -gt 0 ]; do
    case $1 in
      */)
        for synapse_f in "$1"*; do "$synapse_do" || return; done
        if [ "$1" != "$synapse_home" ]; then
          for synapse_f in "$1".[!.]*; do "$synapse_do" || return; done
        fi
        ;;
      *) synapse_f=$1 && "$synapse_do" || return ;;
    esac
    shift
    synapse_rest=$((synapse_rest - 1))
  done
}
synapse_there=
synapse_remember() {
  if [ -e "$synapse_f" ] || [ -h "$synapse_f" ]; then synapse_there="$synapse_there//$synapse_f//"; fi
}
synapse_report() {
  case $synapse_there in *"//$synapse_f//"*) return 0 ;; esac
  if [ -e "$synapse_f" ] || [ -h "$synapse_f" ]; then
    echo "$synapse_f" >&"$synapse_to"
    synapse_most=$((synapse_most - 1))
  fi
  [ "$synapse_most" -gt 0 ]
}

# OutNoRoutes of IP and NoPorts of UDP (RFC 4293, RFC 4113).
synapse_refused() {
  synapse_n=0
  while read -r synapse_kind synapse_x synapse_2 synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_x synapse_12 synapse_x; do
    case $synapse_kind$synapse_2 in
      Ip:[0-9]*) synapse_n=$((synapse_n + synapse_12)) ;;
      Udp:[0-9]*) synapse_n=$((synapse_n + synapse_2)) ;;
    esac
  done < /proc/net/snmp
  echo "$synapse_n" >&"$synapse_to"
}

synapse_each synapse_remember "$@"
if [ "$synapse_shared" = yes ]; then synapse_refused; else echo 0 >&"$synapse_to"; fi
(
  shift "$synapse_places"
  eval "exec 2>&$synapse_err $synapse_err>&- $synapse_to>&-"
  exec "$@"
)
code=$?

case $synapse_ends$code in
  all* | failures[!0]*) synapse_refused ;;
  *) echo - >&"$synapse_to" ;;
esac
left=0
for process in /proc/[0-9]*; do
  case ${process#/proc/} in 1 | $$ | $PPID) continue ;; esac
  { read -r stat < "$process/stat"; } 2>&- || continue
  case ${stat##*) } in [ZX]*) ;; *) left=$((left + 1)) ;; esac
done
echo "$left" >&"$synapse_to"
synapse_each synapse_report "$@"
exit "$code"
