import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { isNamespaceInit, listProcesses, readProcess, readProcessFile, type ProcessEntry } from './process-table.ts';
import { isMarked, type TreeMark } from './tree-mark.ts';

/** How often a dying tree is looked at, in milliseconds. */
const POLL_MS = 10;
/** At first at each turn of the event loop, for so many milliseconds: most are gone then, and a timer takes longer. */
const BUSY_MS = 1;
/** After KILL only a process inside the kernel or of another user is left; waiting longer helps nobody. */
const KILL_WAIT_MS = 2_000;

/** A command's first process, by which all that it started is found. */
export interface TreeRoot {
  readonly pid: number;
  /** Undefined where there is no `/proc`, or it ended before it could be asked. */
  readonly startTime: number | undefined;
  readonly mark: TreeMark;
}

/**
 * The processes of a tree: the root, its descendants, its session and group, and whatever carries its mark,
 * which finds daemons that left all three.
 *
 * @param marked judges one process; asked only about those that started after the root
 */
export function treeOf(root: TreeRoot, table: readonly ProcessEntry[], marked: (pid: number) => boolean): ProcessEntry[] {
  const since = root.startTime ?? 0;
  const byPid = new Map(table.map((entry) => [entry.pid, entry]));
  const holder = byPid.get(root.pid);
  // While anything of a session lives, its number is not given away: another process of that number means it is gone.
  const reused = holder !== undefined && root.startTime !== undefined && holder.startTime !== root.startTime;
  const known = new Map<number, boolean>();
  const belongs = (entry: ProcessEntry): boolean => {
    const answer = known.get(entry.pid);
    if (answer !== undefined) return answer;
    known.set(entry.pid, false);
    // Nothing of the tree is older than its root, whatever number it has.
    if (entry.startTime < since || entry.pid === process.pid) return false;
    const parent = byPid.get(entry.parent);
    const related =
      (!reused && (entry.pid === root.pid || entry.session === root.pid || entry.group === root.pid)) ||
      (parent !== undefined && belongs(parent)) ||
      marked(entry.pid);
    known.set(entry.pid, related);
    return related;
  };
  return table.filter(belongs);
}

/** What of a tree runs now. */
export function runningTree(root: TreeRoot): ProcessEntry[] {
  return treeOf(root, listProcesses(), (pid) => isMarked(pid, root.mark));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended a moment ago (ESRCH), or belongs to another user (EPERM), and then it counts as a survivor.
  }
}

function kill(root: TreeRoot, entries: readonly ProcessEntry[]): void {
  // The whole group at one stroke, while one of the list still holds its number: between single kills it could fork.
  if (entries.some((entry) => entry.group === root.pid)) send(-root.pid, 'SIGKILL');
  sendEach(entries, 'SIGKILL');
}

function sendEach(entries: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  for (const { pid, startTime } of entries) {
    if (readProcess(pid)?.startTime === startTime) send(pid, signal);
  }
}

/**
 * Those that may clean up. The first process of a pid namespace takes all others in it along when it ends, and whoever
 * made the namespace takes it: asked to end, a sandbox would leave no time to what runs in it.
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

/** Sends a signal to the processes of a command, and to none that only holds their namespace. Tells how many that were. */
export function signalTree(entries: readonly ProcessEntry[], signal: NodeJS.Signals): number {
  const asked = askable(entries, isInit);
  sendEach(asked, signal);
  return asked.length;
}

/**
 * Waits until these processes are gone, which is a hundred times cheaper to look at than all of a machine.
 *
 * @returns whether they are, within the time
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

/** Waits until a tree is gone, of which these run now; tells what is left when the time is over. */
async function gone(root: TreeRoot, entries: readonly ProcessEntry[], milliseconds: number): Promise<readonly ProcessEntry[]> {
  const deadline = performance.now() + milliseconds;
  let left = entries;
  // What they may have started meanwhile is theirs.
  while (left.length > 0 && performance.now() < deadline && (await ended(left, deadline - performance.now()))) left = runningTree(root);
  return left.length === 0 ? left : runningTree(root);
}

/**
 * Ends a tree: TERM, some time to clean up, then KILL until nothing is left.
 *
 * @param graceMs milliseconds between TERM and KILL; with 0 there is no TERM
 * @param found what of the tree runs now, for who has looked already
 * @returns how many processes could not be ended
 */
export async function endTree(root: TreeRoot, graceMs: number, found: readonly ProcessEntry[] = runningTree(root)): Promise<number> {
  if (found.length === 0 && root.startTime === undefined) return endGroup(root.pid, graceMs);
  const asked = graceMs === 0 ? [] : askable(found, isInit);
  sendEach(asked, 'SIGTERM');
  let left = asked.length === 0 ? found : await gone(root, found, graceMs);
  const deadline = performance.now() + KILL_WAIT_MS;
  while (left.length > 0 && performance.now() < deadline) {
    kill(root, left);
    left = await gone(root, left, POLL_MS);
  }
  return left.length;
}

/** Without `/proc` the process group is all that is known. */
async function endGroup(pid: number, graceMs: number): Promise<number> {
  send(-pid, 'SIGTERM');
  await delay(graceMs);
  send(-pid, 'SIGKILL');
  return 0;
}
