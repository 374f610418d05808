import type { BigIntStats } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Name } from './byte-name.ts';
import type { TreeCursor } from './tree-cursor.ts';

/** Milliseconds after which other work gets a turn. */
const TURN_MS = 8;

/** Returns a function that lets other work run when the current turn has been long. */
export function turns(signal: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    signal.throwIfAborted();
    return turn().then(() => void (since = performance.now()));
  };
}

/** The number and size of entries below a folder. */
export interface TreeSize {
  files: number;
  bytes: number;
  entries: number;
}

/** Called for each entry below a folder. Of a folder that is closed to this user, only the folder itself is visited. */
type Visitor = (name: Name, stat: BigIntStats) => void;

function* walk(cursor: TreeCursor, visit: Visitor): Generator<void> {
  const pending: Name[][] = [cursor.names()];
  for (let names = pending.at(-1); names !== undefined; names = pending.at(-1)) {
    yield;
    const name = names.pop();
    if (name === undefined) {
      pending.pop();
      if (pending.length > 0) cursor.leave();
      continue;
    }
    const stat = cursor.stat(name);
    if (stat === undefined) continue;
    visit(name, stat);
    if (!stat.isDirectory() || cursor.isClosed(name, stat)) continue;
    cursor.enter(name);
    pending.push(cursor.names());
  }
}

/**
 * Visits everything below the cursor's folder and returns to it. Other work gets turns in between.
 *
 * @param isEnough whether to end the visit where it is; the cursor then stays there
 */
export async function visitTree(cursor: TreeCursor, visit: Visitor, signal: AbortSignal, isEnough?: () => boolean): Promise<void> {
  const rest = turns(signal);
  for (const _ of walk(cursor, visit)) {
    if (isEnough?.() === true) return;
    await rest();
  }
}

/** Visits everything below the cursor's folder synchronously. */
export function visitTreeSync(cursor: TreeCursor, visit: Visitor): void {
  for (const _ of walk(cursor, visit));
}

/** Adds an entry to a size. */
export function addTo(size: TreeSize, stat: BigIntStats): void {
  size.entries += 1;
  if (!stat.isFile()) return;
  size.files += 1;
  size.bytes += Number(stat.size);
}
