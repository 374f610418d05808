import { release } from 'node:os';

/** From Linux 6.14 on, each pid namespace has a `pid_max` of its own; before, writing it would change the machine. */
export function hasOwnPidMax(version = release()): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return major > 6 || (major === 6 && minor >= 14);
}
