import { lstatSync, utimesSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Target } from '../workspace/target.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { inodeOf, storeName, type Image, type Swap, type Whole } from '../workspace/changes/step.ts';
import { nameFromBytes } from '../workspace/byte-name.ts';
import type { SwapPowers } from './swap-entry.ts';

/** Milliseconds between checks for the next tick of the clock for file times. */
const TICK_MS = 1;
/** More checks than the slowest clock for file times needs, which ticks a hundred times a second. */
const MAX_TICKS = 100;

/** Name of a file in a transaction's area. Its ctime is the time at which the transaction was applied or last undone. */
export const APPLIED = 'applied';

export const markIn = (areas: string, area: string): string => join(areas, area, APPLIED);

/** The modification time of a mark whose ctime is later than that of each entry of its exchange, not the same. */
const LATER = 0n;

/** Returns the latest ctime in nanoseconds that an unchanged entry of an exchange may have; undefined if it has not happened. */
export function appliedAt({ areas }: Pick<SwapPowers, 'areas'>, { swap }: { readonly swap: Pick<Swap, 'area'> }): bigint | undefined {
  const mark = lstatSync(markIn(areas, swap.area), { bigint: true, throwIfNoEntry: false });
  return mark?.mtimeNs === LATER ? mark.ctimeNs - 1n : mark?.ctimeNs;
}

/**
 * Makes a mark later than every earlier change. The clock for file times ticks every few milliseconds: until its next tick, a
 * change by something else would have the time of the mark, and look like a part of the exchange.
 */
export async function stampLater(mark: string): Promise<void> {
  const stamp = (): bigint => {
    utimesSync(mark, Number(LATER), Number(LATER));
    return lstatSync(mark, { bigint: true }).ctimeNs;
  };
  const first = stamp();
  for (let tries = 0; tries < MAX_TICKS; tries += 1) {
    if (stamp() > first) return;
    await delay(TICK_MS);
  }
  // The clock stands still. The mark then says no more than when it was made.
  utimesSync(mark, new Date(), new Date());
}

/** Returns the image of an entry that is exchanged as a whole, with the data that identifies it. */
export function wholeImage(stat: BigIntStats, { entries, bytes }: { readonly entries: number; readonly bytes: number }, target?: Buffer): Image {
  const inode = inodeOf(stat);
  const whole = { modified: String(stat.mtimeNs), changed: String(stat.ctimeNs), size: String(stat.size), entries, bytes };
  const mode = Number(stat.mode) & 0o7777;
  if (stat.isDirectory()) return { type: 'folder', mode, inode, whole };
  if (stat.isSymbolicLink()) return { type: 'link', target: storeName(nameFromBytes(target ?? Buffer.alloc(0))), inode, whole };
  return { type: 'file', sha256: '', size: Number(stat.size), mode, kept: false, inode, whole };
}

/**
 * Whether an undo put an entry back as it was at a time. What a call replaced after it, something else may have changed before that call: a person's
 * edit is no part of the exchange because a later call on the file was undone.
 */
export function isPutBackFrom({ inodeMap }: Pick<SwapPowers, 'inodeMap'>, stat: BigIntStats, since: bigint | undefined): boolean {
  if (!inodeMap.isPutBack(stat)) return false;
  const found = inodeMap.foundAt(stat);
  return found === undefined || since === undefined || found <= since;
}

/** What tells a file, or a link, that was changed since it was exchanged; undefined if it is unchanged. */
export function leafProblem(
  powers: Pick<SwapPowers, 'inodeMap'>,
  { modified, size }: Pick<Whole, 'modified' | 'size'>,
  stat: BigIntStats,
  since: bigint | undefined,
): string | undefined {
  if (isPutBackFrom(powers, stat, since)) return undefined;
  const isSame = String(stat.mtimeNs) === modified && String(stat.size) === size;
  return isSame && (since === undefined || stat.ctimeNs <= since) ? undefined : 'was changed since';
}

/** Describes what was changed in an entry since it was exchanged; undefined if it is unchanged. */
export function wholeProblem(
  powers: SwapPowers,
  expected: Image,
  { ancestor, name, stat }: Pick<Target, 'name' | 'stat'> & { readonly ancestor: PinnedDirectory },
  since: bigint | undefined,
): string | undefined {
  if (stat === undefined || expected.type === 'other' || expected.whole === undefined) return undefined;
  if (!stat.isDirectory()) return leafProblem(powers, expected.whole, stat, since);
  if (since === undefined) return undefined;
  const isSettled = (found: BigIntStats): boolean => found.ctimeNs <= since || isPutBackFrom(powers, found, since);
  using cursor = new TreeCursor(ancestor.self);
  let closed = cursor.isClosed(name, stat);
  let changed = closed && !isSettled(stat);
  let entries = 0;
  cursor.enter(name);
  visitTreeSync(cursor, (below, found) => {
    entries += 1;
    const isShut = found.isDirectory() && cursor.isClosed(below, found);
    if (isShut) closed = true;
    // A folder's timestamps only show that entries were added or removed, which the entries show too, unless it is closed:
    // then nobody like this user got in without opening it first, which sets its ctime.
    if ((isShut || !found.isDirectory()) && !isSettled(found)) changed = true;
  });
  const isOther = closed ? entries > expected.whole.entries : entries !== expected.whole.entries;
  return changed || isOther ? 'has other contents by now' : undefined;
}
