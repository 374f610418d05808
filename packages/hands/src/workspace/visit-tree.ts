import type { BigIntStats } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Name } from './byte-name.ts';
import type { TreeCursor } from './tree-cursor.ts';

/** Other work gets its turn after so many milliseconds. */
const TURN_MS = 8;

/** Lets other work run where this one has lasted a while. */
export function turns(signal: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    signal.throwIfAborted();
    return turn().then(() => void (since = performance.now()));
  };
}

/** How much there is below a folder. */
export interface TreeSize {
  files: number;
  bytes: number;
  entries: number;
}

/** What is done with each entry below a folder. */
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
    if (!stat.isDirectory()) continue;
    cursor.enter(name);
    pending.push(cursor.names());
  }
}

/** Visits all that is below the folder of a cursor, which ends where it began. Other work gets its turn meanwhile. */
export async function visitTree(cursor: TreeCursor, visit: Visitor, signal: AbortSignal): Promise<void> {
  const rest = turns(signal);
  for (const _ of walk(cursor, visit)) await rest();
}

/** Visits all that is below the folder of a cursor at once. */
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
