import type { Job } from './job.ts';
import type { LinePattern } from './line-pattern.ts';
import { listensOn } from './listening-port.ts';
import { logText } from './log-text.ts';

/** How often is looked at what tells nobody that it has changed, in milliseconds. */
const LOOK_MS = 100;
/** A program must be blocked so long before it counts as waiting: between two lines of a script it is, too. */
const BLOCKED_MS = 300;
/** And so many times in a row. */
const BLOCKED_LOOKS = 3;
/** Of what came while nobody waited, this much is searched. */
const SEARCH_BYTES = 256 * 1024;

/** What to wait for; the first that happens ends the wait, and so does the end of the job. */
export interface WaitFor {
  readonly pattern?: LinePattern | undefined;
  /** A TCP port that the job shall listen on. */
  readonly port?: number | undefined;
  /** Milliseconds without output. */
  readonly idleMs?: number | undefined;
  readonly timeoutMs: number;
}

/** What ended a wait. `input`: the job waits itself, for an answer. */
export type WaitEnd = 'exit' | 'pattern' | 'port' | 'idle' | 'input' | 'timeout';

/** Whether a line that was not searched before matches; what was searched is not searched again. */
function matches(job: Job, pattern: LinePattern): boolean {
  const { log } = job;
  const from = Math.max(job.searched, log.end - SEARCH_BYTES);
  if (from === log.end) return false;
  const { bytes } = log.read(from, SEARCH_BYTES);
  const { text, consumed } = logText(bytes, { begins: from === 0, ends: job.isOver });
  const found = pattern(text.split('\n')).length > 0;
  // A line without an end may still become one that matches.
  const lineEnd = bytes.subarray(0, consumed).lastIndexOf(0x0a) + 1;
  job.searched = from + (found ? consumed : lineEnd);
  return found;
}

function look(job: Job, { pattern, port, idleMs }: WaitFor): WaitEnd | undefined {
  if (pattern !== undefined && matches(job, pattern)) return 'pattern';
  if (job.isOver) return 'exit';
  if (port !== undefined && job.tree !== undefined && listensOn(job.tree.list(), port)) return 'port';
  if (idleMs !== undefined && job.idleMs >= idleMs) return 'idle';
  // A server that reads its input as well is no reason to end the wait for its port.
  if (port === undefined && idleMs === undefined && job.idleMs >= BLOCKED_MS && job.waitsForInput()) return 'input';
  return undefined;
}

/** Waits for something of a job. Rejects with the signal's reason where that is aborted first. */
export async function waitFor(job: Job, what: WaitFor, signal: AbortSignal): Promise<WaitEnd> {
  const deadline = performance.now() + what.timeoutMs;
  for (let blocked = 0; ;) {
    signal.throwIfAborted();
    const found = look(job, what);
    blocked = found === 'input' ? blocked + 1 : 0;
    // Its question may still be on its way, through a terminal.
    if (found !== undefined && (found !== 'input' || blocked >= BLOCKED_LOOKS)) return found;
    const left = deadline - performance.now();
    if (left <= 0) return 'timeout';
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const timer = setTimeout(wake, Math.min(left, LOOK_MS));
    const unsubscribe = job.subscribe(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    clearTimeout(timer);
    unsubscribe();
    signal.removeEventListener('abort', wake);
  }
}

/** How long an answer waits for what a job says. */
export interface Patience {
  /** Offset from which on output is new. */
  readonly since: number;
  readonly timeoutMs: number;
  /** Milliseconds of silence after which it has said what it had to say. */
  readonly settleMs: number;
}

/** Waits until a job has said something new or has ended, but not long: most that fail do it at once. */
export async function newOutput(job: Job, { since, timeoutMs, settleMs }: Patience): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = deadline - performance.now();
    const spoke = job.log.end > since;
    if (job.isOver || (spoke && job.idleMs >= settleMs) || left <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, spoke ? Math.min(left, settleMs) : left);
    const unsubscribe = job.subscribe(resolve);
    await promise;
    clearTimeout(timer);
    unsubscribe();
  }
}
