import { chmodSync, lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { errnoOf } from './file-error.ts';
import type { Name } from './byte-name.ts';
import { TreeCursor } from './tree-cursor.ts';

/** Other work gets its turn after so many milliseconds. */
const TURN_MS = 8;

/** Deletes a tree of our own, whatever a command did to it: however deep, and closed to its owner or not. */
export async function removeTree(path: string): Promise<void> {
  try {
    // The quick way, which paths that are too long and folders that are closed do not go.
    await rm(path, { recursive: true, force: true });
    return;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  const top = lstatSync(path, { throwIfNoEntry: false });
  if (top === undefined) return;
  if (!top.isDirectory()) return unlinkSync(path);
  chmodSync(path, 0o700);
  using cursor = new TreeCursor(dirname(path), { owned: true });
  cursor.enter(basename(path));
  const pending: Name[][] = [cursor.names()];
  let since = performance.now();
  for (let names = pending.at(-1); names !== undefined; names = pending.at(-1)) {
    const name = names.pop();
    if (name === undefined) {
      const emptied = cursor.location.at(-1);
      pending.pop();
      cursor.leave();
      if (emptied !== undefined) rmdirSync(cursor.at(emptied));
      continue;
    }
    if (cursor.stat(name)?.isDirectory() === true) {
      cursor.enter(name);
      pending.push(cursor.names());
    } else unlinkSync(cursor.at(name));
    if (performance.now() - since < TURN_MS) continue;
    await turn();
    since = performance.now();
  }
}
