import { keepAnonymous, openAnonymous, type ReadHandle } from '../copied-files.ts';
import { filterProgram } from './filter-program.ts';
import { SECCOMP_ARCHITECTURES, type SeccompArchitecture } from './system-calls.ts';

/** The filter in an unlinked file. It never changes, so one per process is enough. */
let held: number | undefined;

/** The architecture whose calls are filtered; undefined if its call numbers are unknown here. */
export function filteredArchitecture(name: string = process.arch): SeccompArchitecture | undefined {
  return SECCOMP_ARCHITECTURES.find((known) => known === name);
}

/** Returns the system call filter, to open for each run; undefined if there is none for this processor. */
export function keptCallFilter(): number | undefined {
  const architecture = filteredArchitecture();
  if (architecture === undefined) return undefined;
  return (held ??= keepAnonymous(filterProgram(architecture)));
}

/** Opens the system call filter for one run. */
export function openCallFilter(): ReadHandle | undefined {
  const kept = keptCallFilter();
  return kept === undefined ? undefined : openAnonymous(kept);
}
