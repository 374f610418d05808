import { readFileSync } from 'node:fs';

/**
 * The limit of RLIMIT_NPROC for a command. Without a namespace it counts all threads of the user, so those that there are now come on top: of the
 * whole machine, which is one read (proc(5), loadavg). It does not bind root. Undefined where that is not known.
 */
export function processRoom(processes: number, file = '/proc/loadavg'): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Not shown here. Memory is watched all the same.
    return undefined;
  }
  const threads = /^\S+ \S+ \S+ \d+\/(?<threads>\d+) /u.exec(text)?.groups?.['threads'];
  return threads === undefined ? undefined : Math.ceil(processes) + Number(threads);
}
