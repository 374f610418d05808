import type { Writable } from 'node:stream';

/** Milliseconds within which an attempt ends its calls and keeps its session. */
const ENDING_MS = 30_000;

/** A process whose stdin is open as long as it should run. */
interface Ending {
  readonly stdin: Writable;
  kill(signal: 'SIGKILL'): unknown;
}

/** Asks a process to end: closes its stdin. One that does not, such as a stopped one, is killed, unless this is disposed before. */
export function endProcess(ending: Ending, within = ENDING_MS): Disposable {
  ending.stdin.end();
  const timer = setTimeout(() => ending.kill('SIGKILL'), within);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
