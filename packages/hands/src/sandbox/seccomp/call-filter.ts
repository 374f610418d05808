import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filterProgram } from './filter-program.ts';
import { SECCOMP_ARCHITECTURES, type SeccompArchitecture } from './system-calls.ts';

/** A handle on the filter, for one process to inherit. */
export interface FilterHandle extends Disposable {
  readonly descriptor: number;
}

/** The filter in a file without a name. It never changes, so this process holds one of it. */
let held: number | undefined;

function keep(architecture: SeccompArchitecture): number {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-filter-'));
  try {
    const path = join(folder, 'program');
    writeFileSync(path, filterProgram(architecture), { mode: 0o600, flag: 'wx' });
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The processor that calls are filtered for; undefined for one whose calls are not known here. */
export function filteredArchitecture(name: string = process.arch): SeccompArchitecture | undefined {
  return SECCOMP_ARCHITECTURES.find((known) => known === name);
}

/** Opens the filter of system calls: bubblewrap reads a handle to its end, so each run takes one of its own. */
export function openCallFilter(): FilterHandle | undefined {
  const architecture = filteredArchitecture();
  if (architecture === undefined) return undefined;
  held ??= keep(architecture);
  const descriptor = openSync(`/proc/self/fd/${held}`, 'r');
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}
