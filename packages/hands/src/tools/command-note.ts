import type { ProcessOutcome, QuarantinedFile } from '../process/processes.ts';
import { count } from '../text/amounts.ts';

/** Milliseconds for people. */
export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(milliseconds < 9_950 ? 1 : 0)} s`;

/** Nobody has to guess where a file went. */
const KEPT = 'a person can look at it and put it back: synapse quarantine';
/** For whom such files are wanted, as `npm init` or an editor's own command makes them. */
const PERMIT = 'where such a file is wanted, a person permits it: --allow protected (CLI, MCP server), allow: ["protected"] (library)';

/** What is left to do once not everything could be looked at. */
const LOCKED = 'not everything that it left could be looked at, so commands are locked until a person has looked and run: synapse quarantine unlock';

const DONE = {
  moved: 'taken away was',
  deleted: 'deleted was',
  reported: 'look at',
  found: 'an earlier command was cut off, so look at',
} as const satisfies Record<QuarantinedFile['action'], string>;

/** What became of the files that a command left for other programs to execute. */
export function quarantineNotes(files: readonly QuarantinedFile[]): string[] {
  return [
    ...files.map(({ path, reason, action }) => `${DONE[action]} ${path}: ${reason}`),
    ...(files.some(({ action }) => action === 'moved') ? [KEPT] : []),
    ...(files.some(({ reason, action }) => reason === 'protected' && (action === 'moved' || action === 'deleted')) ? [PERMIT] : []),
    ...(files.some(({ reason }) => reason === 'not-searched') ? [LOCKED] : []),
  ];
}

/** What a command left behind that ended with it. */
export function leftBehindNotes({ leftRunning, survivors }: Pick<ProcessOutcome, 'leftRunning' | 'survivors'>): string[] {
  return [
    ...(leftRunning > 0
      ? [`${count(leftRunning, 'process', 'processes')} left in the background ended with it; run_command with "background" keeps a command running`]
      : []),
    ...(survivors > 0 ? [`${count(survivors, 'process', 'processes')} could not be ended`] : []),
  ];
}
