import { release } from 'node:os';
import { systemProgram } from './find-bubblewrap.ts';

/** From Linux 6.14 on, each pid namespace has a `pid_max` of its own; before, writing it would change the machine. */
export function hasOwnPidMax(version = release()): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return major > 6 || (major === 6 && minor >= 14);
}

/** Whether the number of processes must, and can, be bounded by a namespace: RLIMIT_NPROC does not bind root. */
export function countsByNamespace(asRoot: boolean): boolean {
  return asRoot && hasOwnPidMax() && systemProgram('setpriv') !== undefined && systemProgram('unshare') !== undefined;
}
