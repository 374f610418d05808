import { setTimeout as delay } from 'node:timers/promises';
import { listProcesses, readProcess, type ProcessEntry } from './process-table.ts';
import { isMarked, type TreeMark } from './tree-mark.ts';

/** How often a dying tree is looked at, in milliseconds: at first often, since most are gone within one. */
const FIRST_POLL_MS = 1;
const POLL_MS = 10;
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

function signalAll(root: TreeRoot, entries: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  // The whole group at one stroke, while one of the list still holds its number: between single kills it could fork.
  if (entries.some((entry) => entry.group === root.pid)) send(-root.pid, signal);
  for (const { pid, startTime } of entries) {
    if (readProcess(pid)?.startTime === startTime) send(pid, signal);
  }
}

/** Waits until a tree is gone; tells what is left when the time is over. */
async function gone(root: TreeRoot, milliseconds: number): Promise<ProcessEntry[]> {
  const deadline = performance.now() + milliseconds;
  let left = runningTree(root);
  for (let wait = FIRST_POLL_MS; left.length > 0 && performance.now() < deadline; wait = Math.min(2 * wait, POLL_MS)) {
    await delay(wait);
    // To look at these few is a hundred times cheaper than to look at all, which is for what they may have started.
    const some = left.some(({ pid, startTime }) => readProcess(pid)?.startTime === startTime);
    if (!some || performance.now() >= deadline) left = runningTree(root);
  }
  return left;
}

/**
 * Ends a tree: TERM, some time to clean up, then KILL until nothing is left.
 *
 * @param graceMs milliseconds between TERM and KILL
 * @returns how many processes could not be ended
 */
export async function endTree(root: TreeRoot, graceMs: number): Promise<number> {
  const first = runningTree(root);
  if (first.length === 0 && root.startTime === undefined) {
    return endGroup(root.pid, graceMs);
  }
  signalAll(root, first, 'SIGTERM');
  let left = await gone(root, graceMs);
  const deadline = performance.now() + KILL_WAIT_MS;
  while (left.length > 0 && performance.now() < deadline) {
    signalAll(root, left, 'SIGKILL');
    left = await gone(root, POLL_MS);
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
