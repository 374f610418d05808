import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import {
  isNamespaceInit,
  lastPid,
  listProcesses,
  mayHaveLapped,
  readProcess,
  readProcessFile,
  type PidMark,
  type ProcessEntry,
} from './process-table.ts';
import { isTagged, type ProcessTag } from './hardening.ts';

/** Maximum milliseconds between two checks of a dying tree. */
const POLL_MS = 10;
/** Milliseconds during which each turn of the event loop checks. Most processes end by then, and a timer takes longer. */
const BUSY_MS = 1;
/** Milliseconds to wait after KILL. Then only a process in the kernel or of another user is left; waiting longer does not help. */
const KILL_WAIT_MS = 2_000;
/** Least number of tries, for a machine that stood still for all of that time. */
const LEAST_TRIES = 20;
/** For the kernel to tear down what ended processes had: a million files of a mount take seconds. */
const TEARDOWN_MS = 30_000;

/** The first process of a command, which identifies all processes that it started. */
export interface TreeRoot {
  readonly pid: number;
  /** Undefined without `/proc`, or if it ended before it could be read. */
  readonly startTime: number | undefined;
  readonly tag: ProcessTag;
  /** The signal by which it ends all others at once, also those that start faster than they can be listed. Default: there is none. */
  readonly endsAllBy?: NodeJS.Signals | undefined;
}

/**
 * Returns the processes of a tree: the root, its descendants, its session and group, and all processes with its tag,
 * which finds daemons that left the other three.
 *
 * @param tagged checks one process; called only for those that started after the root
 */
export function treeOf(root: TreeRoot, table: readonly ProcessEntry[], tagged: (pid: number) => boolean): ProcessEntry[] {
  const since = root.startTime ?? 0;
  const byPid = new Map(table.map((entry) => [entry.pid, entry]));
  const holder = byPid.get(root.pid);
  // The kernel does not reuse the number of a live session, so another process with that number means the session is gone.
  const reused = holder !== undefined && root.startTime !== undefined && holder.startTime !== root.startTime;
  const known = new Map<number, boolean>();
  const belongs = (entry: ProcessEntry): boolean => {
    const answer = known.get(entry.pid);
    if (answer !== undefined) return answer;
    known.set(entry.pid, false);
    // No process of the tree is older than its root, whatever its id.
    if (entry.startTime < since || entry.pid === process.pid) return false;
    const parent = byPid.get(entry.parent);
    const related =
      (!reused && (entry.pid === root.pid || entry.session === root.pid || entry.group === root.pid)) ||
      (parent !== undefined && belongs(parent)) ||
      tagged(entry.pid);
    known.set(entry.pid, related);
    return related;
  };
  return table.filter(belongs);
}

/**
 * Returns the running processes of a tree.
 *
 * @param before a mark from before the root started; if no pid can have been reached again, only higher pids are searched
 */
export function runningTree(root: TreeRoot, before?: PidMark): ProcessEntry[] {
  const later = before === undefined || mayHaveLapped(before) ? undefined : listProcesses(root.pid);
  // Checked after the list, because pids may start over while it is made.
  const table = later !== undefined && lastPid() >= root.pid ? later : listProcesses();
  return treeOf(root, table, (pid) => isTagged(pid, root.tag));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended (ESRCH), or belongs to another user (EPERM) and then counts as a survivor.
  }
}

function kill(root: TreeRoot, entries: readonly ProcessEntry[]): void {
  // Kill the whole group at once while a listed process still holds its number: between single kills it could fork.
  if (entries.some((entry) => entry.group === root.pid)) send(-root.pid, 'SIGKILL');
  sendEach(entries, 'SIGKILL');
}

function sendEach(entries: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  for (const { pid, startTime } of entries) {
    if (readProcess(pid)?.startTime === startTime) send(pid, signal);
  }
}

/**
 * Selects the processes that can be asked to end. The end of the first process of a pid namespace ends all others in it,
 * and the end of the process that created the namespace ends the first. TERM to either would leave a sandbox no time.
 *
 * @param isInit whether a process is the first of a namespace
 */
export function askable(entries: readonly ProcessEntry[], isInit: (pid: number) => boolean): ProcessEntry[] {
  const holders = new Set(entries.flatMap(({ pid, parent }) => (isInit(pid) ? [pid, parent] : [])));
  return entries.filter(({ pid }) => !holders.has(pid));
}

function isInit(pid: number): boolean {
  const status = readProcessFile(pid, 'status');
  return status !== undefined && isNamespaceInit(status);
}

/** Sends a signal to the processes of a command, except those that only hold their namespace. Returns how many got it. */
export function signalTree(entries: readonly ProcessEntry[], signal: NodeJS.Signals): number {
  const asked = askable(entries, isInit);
  sendEach(asked, signal);
  return asked.length;
}

/**
 * Waits until these processes are gone. Checking them is a hundred times cheaper than listing all processes.
 *
 * @returns whether they are gone within the time
 */
export async function ended(entries: readonly ProcessEntry[], milliseconds: number): Promise<boolean> {
  const startedAt = performance.now();
  for (let wait = 1; ;) {
    if (!entries.some(({ pid, startTime }) => readProcess(pid)?.startTime === startTime)) return true;
    const passed = performance.now() - startedAt;
    if (passed >= milliseconds) return false;
    if (passed < BUSY_MS) {
      await turn();
      continue;
    }
    await delay(wait);
    wait = Math.min(2 * wait, POLL_MS);
  }
}

/** Waits until a tree has ended; returns the processes left after the time-out. */
async function gone(root: TreeRoot, entries: readonly ProcessEntry[], milliseconds: number): Promise<readonly ProcessEntry[]> {
  const deadline = performance.now() + milliseconds;
  let left = entries;
  // Processes that they started in the meantime belong to the tree.
  while (left.length > 0 && performance.now() < deadline && (await ended(left, deadline - performance.now()))) left = runningTree(root);
  return left.length === 0 ? left : runningTree(root);
}

/**
 * Ends a tree: TERM, some time to clean up, then KILL until nothing is left.
 *
 * @param graceMs milliseconds between TERM and KILL; 0 skips TERM
 * @param found the running processes of the tree, if already known
 * @returns the number of processes that could not be ended
 */
export async function endTree(root: TreeRoot, graceMs: number, found: readonly ProcessEntry[] = runningTree(root)): Promise<number> {
  if (found.length === 0 && root.startTime === undefined) return endGroup(root.pid, graceMs);
  const asked = graceMs === 0 ? [] : askable(found, isInit);
  sendEach(asked, 'SIGTERM');
  let left = asked.length === 0 ? found : await gone(root, found, graceMs);
  left = await askedToEndAll(root, left);
  const deadline = performance.now() + KILL_WAIT_MS;
  for (let tries = 0; left.length > 0 && (tries < LEAST_TRIES || performance.now() < deadline); tries += 1) {
    kill(root, left);
    left = await gone(root, left, POLL_MS);
  }
  const leaving = left.filter(({ isExiting }) => isExiting);
  await ended(leaving, TEARDOWN_MS);
  return left.length - leaving.length;
}

/** Lets the first process end all others, if it does that. Returns what is left: it may be stopped, or busy. */
async function askedToEndAll(root: TreeRoot, found: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
  const { endsAllBy } = root;
  const first = found.filter(({ pid }) => pid === root.pid);
  if (endsAllBy === undefined || first.length === 0) return found;
  const deadline = performance.now() + KILL_WAIT_MS;
  for (let tries = 0; tries < LEAST_TRIES || performance.now() < deadline; tries += 1) {
    // Again and again: it waits for its children between two signals.
    sendEach(first, 'SIGCONT');
    sendEach(first, endsAllBy);
    if (await ended(first, POLL_MS)) break;
  }
  return runningTree(root);
}

/** Ends the process group, which is all that is known without `/proc`. */
async function endGroup(pid: number, graceMs: number): Promise<number> {
  send(-pid, 'SIGTERM');
  await delay(graceMs);
  send(-pid, 'SIGKILL');
  return 0;
}
