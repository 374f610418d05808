import { closeSync, openSync, readFileSync, readSync, readdirSync, statfsSync } from 'node:fs';
import { cpus } from 'node:os';

/** A process, as in `/proc/PID/stat`. */
export interface ProcessEntry {
  readonly pid: number;
  /** A letter: `R`, `S`, `D`, `Z`… */
  readonly state: string;
  /** It runs nothing any more: the kernel tears down what it had, which for mounts with many files takes a while. */
  readonly isExiting: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. Together with the pid it identifies a process, because pids are reused. */
  readonly startTime: number;
}

/** PF_EXITING (include/linux/sched.h). */
const EXITING = 0x4;

/** Parses a `stat` line. The process name can contain anything, even `) S 1 1 1`, so fields count from the last parenthesis. */
export function parseStat(line: string): ProcessEntry | undefined {
  const close = line.lastIndexOf(')');
  const pid = Number.parseInt(line, 10);
  if (close === -1 || Number.isNaN(pid)) return undefined;
  // proc_pid_stat(5): state is field 3, flags is field 9, starttime field 22.
  const fields = line.slice(close + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return undefined;
  return {
    pid,
    state,
    isExiting: (Number(fields[6]) & EXITING) !== 0,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: Number(startTime),
  };
}

/** Reusable read buffer, so that listing all processes allocates nothing. Grows to fit the longest environment. */
let room = Buffer.allocUnsafe(16 * 1024);

function readAll(descriptor: number): string {
  let length = 0;
  for (;;) {
    const got = readSync(descriptor, room, length, room.byteLength - length, null);
    if (got === 0) return room.toString('latin1', 0, length);
    length += got;
    if (length === room.byteLength) room = Buffer.concat([room], 2 * length);
  }
}

/** Reads a file of `/proc/PID` as latin1; undefined if the process ended or belongs to another user. */
export function readProcessFile(pid: number, name: 'stat' | 'status' | 'environ' | 'limits' | 'cmdline'): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`/proc/${pid}/${name}`, 'r');
    return readAll(descriptor);
  } catch {
    // The process ended after it was listed, or belongs to another user.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns a running process; undefined if it does not exist or is a zombie. */
export function readProcess(pid: number): ProcessEntry | undefined {
  const line = readProcessFile(pid, 'stat');
  const entry = line === undefined ? undefined : parseStat(line);
  return entry === undefined || entry.state === 'Z' || entry.state === 'X' ? undefined : entry;
}

/** PROC_SUPER_MAGIC (include/uapi/linux/magic.h). In containers, lxcfs puts files of its own over some of `/proc`. */
const PROC_MAGIC = 0x9fa0;
const LAST_PID = '/proc/loadavg';
const PID_MAX = '/proc/sys/kernel/pid_max';
const COUNTS = '/proc/stat';
/** Milliseconds that a processor needs at least to start a process or thread; a tenth of what is measured. */
const START_MS = 0.001;

/** Whether a `/proc/self/status` file counts pids as its reader does, and is not from the `/proc` of an outer namespace. */
export function isOwnNamespace(status: string): boolean {
  return /^NSpid:[ \t]+\d+$/mu.test(status);
}

let pids: number | undefined;
/** Number of pids of this system. */
const pidLimit = (): number => (pids ??= Number(readFileSync(PID_MAX, 'latin1')));

let lapMs: number | undefined;

/** Milliseconds in which no machine can use up all pids and reach a pid again; 0 if {@link lastPid} may be of other processes. */
export function shortestLapMs(): number {
  return (lapMs ??= readLapMs());
}

function readLapMs(): number {
  try {
    const isKernels = ['/proc/self/status', LAST_PID, PID_MAX].every((path) => statfsSync(path).type === PROC_MAGIC);
    const processors = cpus().length;
    if (!isKernels || processors === 0 || !isOwnNamespace(readFileSync('/proc/self/status', 'latin1'))) return 0;
    return (pidLimit() * START_MS) / processors || 0;
  } catch {
    // The files do not exist on this system.
    return 0;
  }
}

/** Returns how many processes and threads the kernel has ever started, in all namespaces; undefined if it is unknown. */
function startedEver(): number | undefined {
  try {
    if (shortestLapMs() === 0 || statfsSync(COUNTS).type !== PROC_MAGIC) return undefined;
    return Number(/^processes (\d+)$/mu.exec(readFileSync(COUNTS, 'latin1'))?.[1]) || undefined;
  } catch {
    // The file does not exist on this system.
    return undefined;
  }
}

/** A moment before a process starts. */
export interface PidMark {
  readonly at: number;
  readonly started: number | undefined;
}

export function markPids(): PidMark {
  return { at: performance.now(), started: startedEver() };
}

/**
 * Whether pids may have reached one again since a mark. At least one process must have started since.
 *
 * @param passedMs milliseconds since the mark; before the shortest lap is over, nothing is read
 */
export function mayHaveLapped(
  { at, started }: PidMark,
  { passedMs = performance.now() - at, count: read = startedEver, lapMs = shortestLapMs() } = {},
): boolean {
  if (passedMs < lapMs) return false;
  const now = started === undefined ? undefined : read();
  if (started === undefined || now === undefined) return true;
  const count = now - started;
  // Systems that only imitate Linux count none. Half of all pids leaves room for those that the kernel skips.
  return count < 1 || count > pidLimit() / 2;
}

/** Returns the pid of the process that started last; 0 if it is unknown. */
export function lastPid(): number {
  try {
    return Number(readFileSync(LAST_PID, 'latin1').trim().split(' ').at(-1)) || 0;
  } catch {
    // The file does not exist on this system.
    return 0;
  }
}

/**
 * Lists all running processes; empty without `/proc`. Takes about 0.5 ms for 100 processes.
 *
 * @param from the lowest pid to include
 */
export function listProcesses(from = 0): ProcessEntry[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    // Not Linux: without a list, only the process group is handled.
    return [];
  }
  const entries: ProcessEntry[] = [];
  for (const name of names) {
    const first = name.codePointAt(0) ?? 0;
    if (first < 0x30 || first > 0x39 || Number(name) < from) continue;
    const entry = readProcess(Number(name));
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Whether a `status` file is of the first process of a nested pid namespace. Its last number is the pid in that namespace. */
export function isNamespaceInit(status: string): boolean {
  return /^NSpid:\s.*\s1$/mu.test(status);
}
