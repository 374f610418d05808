import { keepAnonymous, openAnonymous, type ReadHandle } from '../run-files.ts';
import { filterProgram } from './filter-program.ts';
import {
  CALLS_WITHOUT_NAMED_SOCKETS,
  CALLS_WITHOUT_SET_ID,
  JUDGED_CALLS,
  SECCOMP_ARCHITECTURES,
  type JudgedCall,
  type SeccompArchitecture,
} from './system-calls.ts';

/** The calls that each filter refuses for some arguments. `live`: for a command whose changes reach the workspace at once. */
const JUDGED = {
  usual: JUDGED_CALLS,
  live: CALLS_WITHOUT_SET_ID,
  'without named sockets': CALLS_WITHOUT_NAMED_SOCKETS,
} satisfies Record<string, readonly JudgedCall[]>;
type Filter = keyof typeof JUDGED;

/** The filters in unlinked files. They never change, so one of each per process is enough. */
const held = new Map<readonly JudgedCall[], number>();

/** The architecture whose calls are filtered; undefined if its call numbers are unknown here. */
export function filteredArchitecture(name: string = process.arch): SeccompArchitecture | undefined {
  return SECCOMP_ARCHITECTURES.find((known) => known === name);
}

/** Returns the system call filter, to open for each run; undefined if there is none for this processor. */
export const keptCallFilter = (which: Filter = 'usual'): number | undefined => keptFilter(JUDGED[which]);

/** The same, of a filter that refuses further calls. */
export function keptFilter(judged: readonly JudgedCall[]): number | undefined {
  const architecture = filteredArchitecture();
  if (architecture === undefined) return undefined;
  const kept = held.get(judged) ?? keepAnonymous(filterProgram(architecture, judged));
  held.set(judged, kept);
  return kept;
}

/** Opens the system call filter for one run. */
export function openCallFilter(): ReadHandle | undefined {
  const kept = keptCallFilter();
  return kept === undefined ? undefined : openAnonymous(kept);
}
