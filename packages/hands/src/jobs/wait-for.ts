import type { Job } from './job.ts';
import type { LinePattern } from './line-pattern.ts';
import { logText } from './log-text.ts';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessEntry } from '../process/process-table.ts';

/** The state of a listening socket (proc_net(5)). */
const LISTENING = '0A';

/** Returns the inodes of sockets that listen on a port, from a table such as `/proc/PID/net/tcp`. */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/u);
    const [, local = '', , state] = fields;
    return state === LISTENING && local.endsWith(`:${wanted}`) ? [fields[9] ?? ''] : [];
  });
}

function tableOf(pid: number): string {
  return ['tcp', 'tcp6']
    .map((name) => {
      try {
        return readFileSync(`/proc/${pid}/net/${name}`, 'latin1');
      } catch {
        // The process has ended, or this kernel has no IPv6.
        return '';
      }
    })
    .join('\n');
}

function holds(pid: number, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
      } catch {
        // Closed since it was listed.
        return false;
      }
    });
  } catch {
    // The process has ended.
    return false;
  }
}

/** Returns one process for each network namespace of these processes; a sandbox has a separate one. */
function oneOfEachNetwork(processes: readonly ProcessEntry[]): number[] {
  const byNetwork = new Map<string, number>();
  for (const { pid } of processes) {
    try {
      byNetwork.set(readlinkSync(`/proc/${pid}/ns/net`), pid);
    } catch {
      // The process has ended.
    }
  }
  return [...byNetwork.values()];
}

/** Whether one of these processes listens on a TCP port. Checks the owner, because other processes may share the network. */
function listensOn(processes: readonly ProcessEntry[], port: number): boolean {
  const inodes = oneOfEachNetwork(processes).flatMap((pid) => listeningInodes(tableOf(pid), port));
  const sockets = new Set(inodes.map((inode) => `socket:[${inode}]`));
  return sockets.size > 0 && processes.some(({ pid }) => holds(pid, sockets));
}

/** Polling interval for what has no change events, in milliseconds. */
const LOOK_MS = 100;
/** Milliseconds without output before a blocked program counts as waiting. A script is blocked briefly between two lines too. */
const BLOCKED_MS = 300;
/** Number of consecutive checks that must find it blocked. */
const BLOCKED_LOOKS = 3;
/** Milliseconds without new output after which a line that was shown before counts. A watcher reports a changed file sooner. */
const SHOWN_MS = 1_000;
/** Maximum number of bytes of earlier output to search. */
const SEARCH_BYTES = 256 * 1024;

/** The events to wait for. The first one ends the wait; so does the end of the job. */
interface WaitFor {
  readonly pattern?: LinePattern | undefined;
  /** A TCP port on which the job should listen. */
  readonly port?: number | undefined;
  /** Milliseconds without output. */
  readonly idleMs?: number | undefined;
  readonly timeoutMs: number;
}

/** The event that ended a wait. `input`: the job waits for input; `shown`: a line that an answer had shown before matches. */
export type WaitEnd = 'exit' | 'pattern' | 'shown' | 'port' | 'idle' | 'input' | 'timeout';

/** Searches lines of a job's output for a pattern, each once. */
class LineSearch {
  readonly #job: Job;
  readonly #pattern: LinePattern;
  #at: number;

  constructor(job: Job, pattern: LinePattern, from: number) {
    this.#job = job;
    this.#pattern = pattern;
    this.#at = from;
  }

  /** The first line that matches and was not searched before. */
  next(): string | undefined {
    const { log, isOver } = this.#job;
    const from = Math.max(this.#at, log.end - SEARCH_BYTES);
    if (from >= log.end) return undefined;
    const { bytes } = log.read(from, SEARCH_BYTES);
    const { text, consumed } = logText(bytes, { begins: from === 0, ends: isOver });
    // An incomplete line may match later.
    this.#at = from + bytes.subarray(0, consumed).lastIndexOf(0x0a) + 1;
    return this.#pattern(text.split('\n'))[0];
  }
}

/**
 * The search of a wait for a line. Output that no answer has shown counts at once. Lines that the start of the job, its input or a
 * look at its output has shown count once nothing new has come for a while: after an edit, a watcher's old line is not meant, but
 * a server that was ready at its start says nothing more. Lines that an earlier wait has shown never count.
 */
class PatternWait {
  readonly #job: Job;
  readonly #fresh: LineSearch;
  readonly #pattern: LinePattern;
  readonly #end: number;
  readonly #until = performance.now() + SHOWN_MS;
  #isShownSearched = false;

  constructor(job: Job, pattern: LinePattern) {
    this.#job = job;
    this.#pattern = pattern;
    this.#end = job.log.end;
    this.#fresh = new LineSearch(job, pattern, Math.max(job.searched, job.cursor));
  }

  isMet(): 'pattern' | 'shown' | undefined {
    if (this.#fresh.next() !== undefined) return 'pattern';
    const isQuiet = this.#job.log.end === this.#end && performance.now() >= this.#until;
    return (isQuiet || this.#job.isOver) && this.wasShown() ? 'shown' : undefined;
  }

  /** Whether a line matches that was shown since the last wait, input or signal. */
  wasShown(): boolean {
    const { searched, cursor } = this.#job;
    if (this.#isShownSearched || searched >= cursor) return false;
    this.#isShownSearched = true;
    return new LineSearch(this.#job, this.#pattern, searched).next() !== undefined;
  }
}

function look(job: Job, { port, idleMs }: WaitFor, line: PatternWait | undefined): WaitEnd | undefined {
  const met = line?.isMet();
  if (met !== undefined) return met;
  if (job.isOver) return 'exit';
  if (port !== undefined && job.tree !== undefined && listensOn(job.tree.list(), port)) return 'port';
  if (idleMs !== undefined && job.idleMs >= idleMs) return 'idle';
  // Some servers also read their input. This must not end the wait for their port.
  if (port === undefined && idleMs === undefined && job.idleMs >= BLOCKED_MS && job.waitsForInput()) return 'input';
  return undefined;
}

/** Waits for an event of a job. Rejects with the signal's reason if the signal is aborted first. */
export async function waitFor(job: Job, what: WaitFor, signal: AbortSignal): Promise<WaitEnd> {
  const deadline = performance.now() + what.timeoutMs;
  const line = what.pattern === undefined ? undefined : new PatternWait(job, what.pattern);
  for (let blocked = 0; ;) {
    signal.throwIfAborted();
    const found = look(job, what, line);
    blocked = found === 'input' ? blocked + 1 : 0;
    // The program's question may still be on its way through a terminal.
    if (found === 'input' && blocked >= BLOCKED_LOOKS && line?.wasShown() === true) return 'shown';
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

/** How long to wait for output of a job. */
interface Patience {
  /** Offset from which output counts as new. */
  readonly since: number;
  readonly timeoutMs: number;
  /** Milliseconds without output after which the output counts as complete. */
  readonly settleMs: number;
}

/** Waits until a job has new output or has ended. The wait is short: most jobs that fail do so immediately. */
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
