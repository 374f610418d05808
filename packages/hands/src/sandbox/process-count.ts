import { release } from 'node:os';
import { FIRST_HANDLE } from '../process/processes.ts';
import { bubblewrapArguments, type SandboxPlan } from './bubblewrap-arguments.ts';
import { programState } from './find-bubblewrap.ts';
import { keepAnonymous, openAnonymous } from './run-files.ts';
import { tryRun, type TryRunResult } from './try-run.ts';
import { machineMounts } from './view/machine-view.ts';

/** The smallest `pid_max` that the kernel allows (RESERVED_PIDS + 1). */
export const MIN_PID_MAX = 301;

/** Whether each PID namespace has a separate `pid_max`: since Linux 6.14. On older kernels, writing it would change the machine. */
export function hasOwnPidMax(version = release()): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return major > 6 || (major === 6 && minor >= 14);
}

/** Unlinked files that contain a number each. They never change, so this process keeps one of each. */
const held = new Map<number, number>();

/** Returns a file with the `pid_max` for a maximum number of processes, to open for each run, where bubblewrap writes it. */
export function keptPidMax(processes: number): number {
  const count = Math.max(MIN_PID_MAX, Math.ceil(processes));
  const file = held.get(count) ?? keepAnonymous(`${count}\n`);
  held.set(count, file);
  return file;
}

// Not with `read`, which reads single bytes: the kernel only returns such a file in one piece.
const SHOWS_IT = `test "$(cat /proc/sys/kernel/pid_max)" = ${MIN_PID_MAX}`;

/** The programs that could, as they were: the kernel stays the same while this process runs. */
const could = new Set<string>();

/** Tests whether a PID namespace can limit the number of processes: RLIMIT_NPROC does not apply to root. */
export async function tryPidMax(program: string): Promise<TryRunResult> {
  if (!hasOwnPidMax()) return { worked: false, message: 'that takes Linux 6.14' };
  const state = programState(program);
  if (could.has(state)) return { worked: true, message: '' };
  using file = openAnonymous(keptPidMax(MIN_PID_MAX));
  const plan: SandboxPlan = { mounts: machineMounts(), network: 'host', temporaryBytes: 1_024, environment: {}, pidMax: FIRST_HANDLE };
  const result = await tryRun(program, [...bubblewrapArguments(plan), '--', '/bin/sh', '-c', SHOWS_IT], '/', [file.descriptor]);
  if (result.worked) could.add(state);
  return result;
}
