import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, renameSync, unlinkSync, type BigIntStats, type PathLike } from 'node:fs';
import { dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayPath, joinNames, type Name } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { Target } from '../workspace/target.ts';
import { inodeOf, loadPath, type Image, type Step, type Swap } from './step.ts';
import type { Successors } from './successors.ts';

/** A step that exchanges an entry as a whole, by its name and not by its content. */
export type SwapStep = Extract<Step, { kind: 'set' }> & { readonly swap: Swap };

/** What entries are exchanged with. */
export interface SwapPowers {
  /** The folder that the areas of transactions are in; on the workspace's file system. */
  readonly areas: string;
  readonly successors: Successors;
}

/** Where an exchange stands, by what is there. `half`: the old is out and the new is not in. */
export type SwapState = 'before' | 'half' | 'after' | 'neither';

export function isSwap(step: Step): step is SwapStep {
  return step.kind === 'set' && step.swap !== undefined;
}

function inodeIn(image: Image | null): string | undefined {
  return image === null || image.type === 'other' ? undefined : image.inode;
}

const look = (path: PathLike): BigIntStats | undefined => {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // A folder on the way is none.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
};

/**
 * The places where one side of an exchange may be. What a command made is where it made it, as long as the transaction
 * was not applied as a whole: so one that is taken back can be kept for a person.
 */
function placesIn({ areas }: SwapPowers, { path, swap }: SwapStep, side: Swap['keep']): [Buffer | string, ...Array<Buffer | string>] {
  const area = join(areas, swap.area);
  const slot = join(area, side, String(swap.slot));
  const upper = join(area, 'upper');
  if (side === 'old' || !existsSync(upper)) return [slot];
  return [joinNames(upper, loadPath(path)), slot];
}

function isIt({ successors }: SwapPowers, expected: string | undefined, found: BigIntStats | undefined): boolean {
  return expected !== undefined && found !== undefined && successors.isSame(expected, inodeOf(found));
}

/** Tells where an exchange stands. */
export function swapState(powers: SwapPowers, step: SwapStep, found: BigIntStats | undefined): SwapState {
  const [before, after] = [inodeIn(step.before), inodeIn(step.after)];
  if (found === undefined) {
    if (step.before === null) return 'before';
    const isOut = placesIn(powers, step, step.swap.keep).some((place) => isIt(powers, before, look(place)));
    if (!isOut) return 'neither';
    return step.after === null ? 'after' : 'half';
  }
  if (isIt(powers, after, found)) return 'after';
  return isIt(powers, before, found) ? 'before' : 'neither';
}

/** Puts an entry into a folder that has none of its name; nothing is ever replaced. */
function putIn(from: PathLike, to: PathLike, isFolder: boolean): void {
  if (!isFolder) {
    try {
      linkSync(from, to);
      unlinkSync(from);
      return;
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
  rename(from, to);
}

/** A folder that its owner may not write cannot be moved to another, as its `..` is written. */
function rename(from: PathLike, to: PathLike): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const stat = look(from);
    if (errnoOf(error) !== 'EACCES' || stat?.isDirectory() !== true) throw error;
    const mode = Number(stat.mode) & 0o7777;
    chmodSync(from, mode | 0o700);
    try {
      renameSync(from, to);
    } catch (again) {
      chmodSync(from, mode);
      throw again;
    }
    chmodSync(to, mode);
  }
}

/** Takes an entry out of the workspace. Where a file takes its place, it stays until that moment, under both names. */
function takeOut(from: PathLike, to: PathLike, { before, after }: SwapStep): void {
  const isReplaced = after !== null && before?.type !== 'folder' && after.type !== 'folder';
  if (isReplaced) {
    try {
      linkSync(from, to);
      return;
    } catch (error) {
      // Begun before: it has this name already.
      if (errnoOf(error) === 'EEXIST' && look(to)?.ino === look(from)?.ino) return;
      // Another user's file, or a file system without links: it is away for a moment.
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
  rename(from, to);
  // Two names of one file are left as they are by a rename.
  const left = look(from);
  if (left !== undefined && left.ino === look(to)?.ino) unlinkSync(from);
}

/** Lets the owner of folders write in them for as long as that takes: a command may have closed its own, and the workspace has closed ones. */
function withOpenFolders(folders: readonly PathLike[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
    using opened = new DisposableStack();
    for (const folder of folders) {
      const mode = lstatSync(folder).mode & 0o7777;
      if ((mode & 0o700) === 0o700) continue;
      chmodSync(folder, mode | 0o700);
      opened.defer(() => chmodSync(folder, mode));
    }
    work();
  }
}

/** Exchanges an entry. Begun anew after a kill at any moment it comes to the same end. */
export function applySwap(powers: SwapPowers, step: SwapStep, target: Pick<Target, 'ancestor' | 'name' | 'location'>): void {
  const { ancestor, name } = target;
  const at = ancestor.at(name);
  const state = swapState(powers, step, look(at));
  const other = step.swap.keep === 'old' ? 'new' : 'old';
  const incoming = placesIn(powers, step, other).find((place) => isIt(powers, inodeIn(step.after), look(place)));
  if (state === 'after') {
    // Killed between the link and the removal of the other name.
    if (incoming !== undefined) unlinkSync(incoming);
    return;
  }
  if (state === 'neither') throw meddled(target.location);
  if (step.after !== null && incoming === undefined) throw gone(target.location);
  const isUpper = existsSync(join(powers.areas, step.swap.area, 'upper'));
  const [outgoing] = placesIn(powers, step, step.swap.keep);
  const sources = isUpper ? [joinNames(join(powers.areas, step.swap.area, 'upper'), loadPath(step.path).slice(0, -1))] : [];
  withOpenFolders([ancestor.self, ...sources], () => {
    if (step.before !== null && isIt(powers, inodeIn(step.before), look(at))) {
      makeParent(outgoing);
      takeOut(at, outgoing, step);
    }
    if (incoming === undefined) return;
    if (isIt(powers, inodeIn(step.before), look(at))) rename(incoming, at);
    else putIn(incoming, at, step.after?.type === 'folder');
  });
  // What was just made is told from later changes by the time at which all of it was applied.
  const isFirst = step.swap.keep === 'old' && isUpper;
  if (isFirst) return;
  // Of several names of one file, what is done to one is seen at all of them.
  for (const stat of [look(at), look(outgoing)]) if (stat !== undefined) powers.successors.putBack(stat);
}

/** The folder of a slot is there from the start; that of a place in the upper folder may be gone with what it was in. */
function makeParent(place: Buffer | string): void {
  if (typeof place === 'string') mkdirSync(dirname(place), { recursive: true });
}

/** Takes away what an exchange that was only begun left: the second name of what is still in the workspace. */
export function dropSecondName(powers: SwapPowers, step: SwapStep, found: BigIntStats | undefined): void {
  const [slot] = placesIn(powers, step, 'old');
  if (found?.isDirectory() === false && look(slot)?.ino === found.ino) unlinkSync(slot);
}

function meddled(location: readonly Name[]): SynapseError {
  const path = displayPath(location);
  return new SynapseError('conflict', `${path} was changed by something else; nothing was done.`, {
    hint: 'Look at it, and repeat the call.',
    details: { path, problem: 'was changed by something else' },
    retryable: true,
  });
}

function gone(location: readonly Name[]): SynapseError {
  const path = displayPath(location);
  return new SynapseError('conflict', `What ${path} was is not kept any more; nothing was undone.`, {
    details: { path, problem: 'is not kept any more' },
  });
}
