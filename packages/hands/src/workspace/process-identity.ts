import { readFileSync } from 'node:fs';
import { errnoOf } from './file-error.ts';

/** Start time in clock ticks since boot (proc(5), field 22): tells a process from a later one with its number. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    // No such process, or no /proc: the process number alone must do.
    return '';
  }
}

let own: string | undefined;

/** This process, as `<number> <start time>`. */
export function processIdentity(): string {
  return (own ??= `${process.pid} ${startTime(process.pid)}`);
}

/** Whether the process of an identity still runs; undefined where the text names none. */
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
