import { keepNameless, openNameless, type ReadHandle } from '../nameless-file.ts';
import { filterProgram } from './filter-program.ts';
import { SECCOMP_ARCHITECTURES, type SeccompArchitecture } from './system-calls.ts';

/** The filter in a file without a name. It never changes, so this process holds one of it. */
let held: number | undefined;

/** The processor that calls are filtered for; undefined for one whose calls are not known here. */
export function filteredArchitecture(name: string = process.arch): SeccompArchitecture | undefined {
  return SECCOMP_ARCHITECTURES.find((known) => known === name);
}

/** Opens the filter of system calls, for one run. */
export function openCallFilter(): ReadHandle | undefined {
  const architecture = filteredArchitecture();
  if (architecture === undefined) return undefined;
  held ??= keepNameless(filterProgram(architecture));
  return openNameless(held);
}
