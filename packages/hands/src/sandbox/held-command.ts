import { readProcessFile, type ProcessEntry } from '../process/process-table.ts';
import type { Holding } from '../process/processes.ts';

/**
 * Runs a command line and stays its parent, because bubblewrap ends with its parent. A second shell reads a named pipe that
 * the owners of the command keep open: when the last of them has ended, for any reason, it kills the command. The exit
 * code goes to a file for an owner that is not the parent.
 */
const HOLD = `trap : HUP INT QUIT TERM USR1 USR2
life=$1 file=$2; shift 2
{ trap '' HUP INT QUIT TERM USR1 USR2; while read -r _; do :; done < "$life"; kill -KILL -$$; } <&- >&- 2>&- &
watch=$!
"$@"
code=$?
{ kill -KILL "$watch"; wait "$watch"; printf %s "$code" > "$file"; } 2>&-
exit "$code"`;

/** Builds the command line that holds another one. */
export function heldArgv(argv: readonly string[], { life, exitFile }: Holding): [string, ...string[]] {
  return ['/bin/sh', '-c', HOLD, 'sh', life, exitFile, ...argv];
}

/** Removes the two shells that only hold a command from its processes. */
export function withoutHolder(entries: readonly ProcessEntry[], root: number): readonly ProcessEntry[] {
  const holds = ({ pid, parent }: ProcessEntry): boolean =>
    (pid === root || parent === root) && readProcessFile(pid, 'cmdline')?.startsWith(`/bin/sh\0-c\0${HOLD}\0`) === true;
  return entries.filter((entry) => !holds(entry));
}
