import { readFileSync } from 'node:fs';
import { errnoOf } from './file-error.ts';
import { randomBytes } from 'node:crypto';
import type { Name } from './byte-name.ts';

/** Start time in clock ticks since boot (proc(5), field 22): distinguishes a process from a later one with the same id. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // What has ended stays in the table until its parent has looked, which may be never.
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : (fields[19] ?? '');
  } catch {
    // No such process, or no /proc: only the process number is compared.
    return '';
  }
}

let own: string | undefined;

/** Identifies this process, as `<number> <start time>`. */
export function processIdentity(): string {
  return (own ??= `${process.pid} ${startTime(process.pid)}`);
}

/** Whether the process of an identity still runs; undefined if the text is not an identity. */
export function isRunning(identity: string): boolean | undefined {
  const [pid = '', started = ''] = identity.trimEnd().split(' ');
  if (!/^[1-9]\d{0,9}$/u.test(pid)) return undefined;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
  }
  return started === '' || startTime(Number(pid)) === started;
}

/** The user and group of this process. */
export const userOfProcess = (): { uid: number; gid: number } => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });

const PATTERN = /^\.synapse-(\d+)-[A-Za-z0-9_-]{12}\.tmp$/u;

/** Creates a name for a temporary file beside its target. It includes the process, for the cleanup after a kill. */
export function temporaryName(): string {
  // Random and not derived from the target: a name such as "<root>.tmp" would be outside the root.
  return `.synapse-${process.pid}-${randomBytes(9).toString('base64url')}.tmp`;
}

/** Returns the process of a name from {@link temporaryName}; undefined for any other name. */
export function temporaryOwner(name: Name): string | undefined {
  return PATTERN.exec(name.toString())?.[1];
}
