import { release } from 'node:os';
import { FIRST_HANDLE } from '../process/processes.ts';
import { bubblewrapArguments, type SandboxPlan } from './bubblewrap-arguments.ts';
import { keepNameless, openNameless, type ReadHandle } from './nameless-file.ts';
import { attempt, type Attempt } from './attempt.ts';

/** The kernel allows no smaller table of processes (RESERVED_PIDS + 1). */
export const MIN_PID_MAX = 301;

/** From Linux 6.14 on, each pid namespace has a `pid_max` of its own; before, writing it would change the machine. */
export function hasOwnPidMax(version = release()): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return major > 6 || (major === 6 && minor >= 14);
}

/** Files without a name that hold a number each. They never change, so this process holds one of each. */
const held = new Map<number, number>();

/** The `pid_max` that holds a sandbox to a number of processes, for bubblewrap to write. */
export function openPidMax(processes: number): ReadHandle {
  const count = Math.max(MIN_PID_MAX, Math.ceil(processes));
  const file = held.get(count) ?? keepNameless(`${count}\n`);
  held.set(count, file);
  return openNameless(file);
}

const PLAN: SandboxPlan = { mounts: [], network: 'host', temporaryBytes: 1_024, environment: {}, pidMax: FIRST_HANDLE };
// Not with `read`, which takes a byte at a time: the kernel gives such a file in one piece or not at all.
const SHOWS_IT = `test "$(cat /proc/sys/kernel/pid_max)" = ${MIN_PID_MAX}`;

/** Whether a sandbox can be held to a number of processes by a table of its own: RLIMIT_NPROC does not bind root. */
export async function tryPidMax(program: string): Promise<Attempt> {
  if (!hasOwnPidMax()) return { worked: false, message: 'that takes Linux 6.14' };
  using file = openPidMax(MIN_PID_MAX);
  return await attempt(program, [...bubblewrapArguments(PLAN), '--', '/bin/sh', '-c', SHOWS_IT], '/', [file.descriptor]);
}
