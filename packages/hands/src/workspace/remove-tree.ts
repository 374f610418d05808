import { chmodSync, lstatSync, opendirSync, rmdirSync, unlinkSync } from 'node:fs';
import type { PinnedDirectory } from './confinement.ts';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TimeSlice } from '../events/timing.ts';
import { errnoOf } from './file-error.ts';
import type { Name } from './byte-name.ts';
import { TreeCursor } from './tree-cursor.ts';

/** Entries deleted synchronously, which takes less than a millisecond. */
const MAX_AT_ONCE = 40;

/** How often a tree is deleted in which something else deletes too, and milliseconds in between: some seconds. */
const [MAX_TRIES, BETWEEN_TRIES_MS] = [200, 10] as const;

/** Deletes a tree that Synapse created, regardless of its depth and of permissions that a command changed. */
export async function removeTree(path: string): Promise<void> {
  try {
    if (removeFew(path, MAX_AT_ONCE, rmdirSync) >= 0) return;
    // The fast way. It fails for paths that are too long and for folders without permissions.
    await rm(path, { recursive: true, force: true });
    return;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  for (let tries = 1; ; tries += 1) {
    try {
      const top = lstatSync(path, { throwIfNoEntry: false });
      if (top === undefined) return;
      if (!top.isDirectory()) return unlinkSync(path);
      chmodSync(path, 0o700);
      return await removeByHandle(dirname(path), basename(path));
    } catch (error) {
      // What the fast way began elsewhere in the tree goes on after it failed, and takes entries away meanwhile.
      if (errnoOf(error) !== 'ENOENT' || tries === MAX_TRIES) throw error;
      await delay(BETWEEN_TRIES_MS);
    }
  }
}

/**
 * Deletes what is in a tree that Synapse created. Of a small tree, empty folders remain.
 *
 * @returns deletes them too. It takes a millisecond for each where the file system discards its block at once.
 */
export async function removeContent(path: string): Promise<() => Promise<void>> {
  const emptied: string[] = [];
  try {
    if (removeFew(path, MAX_AT_ONCE, (folder) => emptied.push(folder)) >= 0) return async () => await removeEmptied(path, emptied);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  await removeTree(path);
  return () => Promise.resolve();
}

/** Deletes empty folders, those in others first. */
async function removeEmptied(path: string, folders: readonly string[]): Promise<void> {
  try {
    for (const folder of folders) await rmdir(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    await removeTree(path);
  }
}

/**
 * Deletes a tree of a few entries synchronously: awaiting each takes ten times as long.
 *
 * @param onEmptied called with each folder when nothing is left in it, those in others first
 * @returns the remaining number of entries; negative if something is left
 */
function removeFew(path: string, most: number, onEmptied: (folder: string) => void): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return most;
  if (!stat.isDirectory()) {
    unlinkSync(path);
    return most - 1;
  }
  let left = most - 1;
  for (const name of firstNames(path, most)) if (left >= 0) left = removeFew(`${path}/${name}`, left, onEmptied);
  if (left >= 0) onEmptied(path);
  return left;
}

function firstNames(path: string, most: number): string[] {
  const folder = opendirSync(path);
  try {
    const names: string[] = [];
    for (let entry = folder.readSync(); entry !== null && names.length <= most; entry = folder.readSync()) names.push(entry.name);
    return names;
  } finally {
    folder.closeSync();
  }
}

/** Deletes a folder that Synapse created, or one that others can write to. Never follows a link that replaced a name. */
export async function removeByHandle(folder: string, name: Name): Promise<void> {
  const slice = new TimeSlice();
  for (const _ of removal(folder, name)) if (slice.isOver) await slice.next();
}

/** Deletes an entry of any type. Never follows a link. */
export async function removeEntry(folder: PinnedDirectory, name: Name): Promise<void> {
  if (lstatSync(folder.at(name)).isDirectory()) await removeByHandle(folder.self, name);
  else unlinkSync(folder.at(name));
}

/** The same, where nothing may happen in between. */
export function removeByHandleSync(folder: string, name: Name): void {
  for (const _ of removal(folder, name));
}

function* removal(folder: string, top: Name): Generator<void> {
  using cursor = new TreeCursor(folder, { owned: true });
  cursor.enter(top);
  const pending: Name[][] = [cursor.names()];
  for (let names = pending.at(-1); names !== undefined; names = pending.at(-1)) {
    yield;
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
  }
}
