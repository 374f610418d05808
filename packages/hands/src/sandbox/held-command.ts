import type { Argv } from '../launch/launch-steps.ts';
import { PROGRAMS } from '../launch/programs.ts';
import { readProcessFile, type ProcessEntry } from '../process/process-table.ts';
import type { Holding } from '../process/processes.ts';

/** Builds the command line that holds another one: see `hold.sh`. */
export const heldArgv = (argv: Argv, { life, exitFile }: Holding): Argv => ['/bin/sh', '-c', PROGRAMS['hold.sh'], 'sh', life, exitFile, ...argv];

/** Removes the two shells that only hold a command from its processes. */
export function withoutHolder(entries: readonly ProcessEntry[], root: number): readonly ProcessEntry[] {
  const holds = ({ pid, parent }: ProcessEntry): boolean =>
    (pid === root || parent === root) && readProcessFile(pid, 'cmdline')?.startsWith(`/bin/sh\0-c\0${PROGRAMS['hold.sh']}\0`) === true;
  return entries.filter((entry) => !holds(entry));
}
