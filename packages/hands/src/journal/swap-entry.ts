import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, renameSync, unlinkSync, type BigIntStats, type PathLike } from 'node:fs';
import { dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayPath, joinNames, type Name } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { Target } from '../workspace/target.ts';
import { inodeIn, inodeOf, loadPath, type Swap, type SwapStep } from '../workspace/changes/step.ts';
import { removeByHandleSync } from '../workspace/remove-tree.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { StageFolder } from './stage-folder.ts';
import { foundIn, type InodeMap } from './inode-map.ts';

/** The owner permissions that a folder needs to be moved into another folder. */
const OWNER_ALL = 0o700;

const SIDES = ['old', 'new'] as const;

/** Dependencies of the functions that exchange entries. */
export interface SwapPowers {
  /** The folder with the areas of transactions. */
  readonly areas: string;
  /** The workspace. If the areas are on another file system, entries pass through a folder in the workspace. */
  readonly confinement: Confinement;
  readonly inodeMap: InodeMap;
}

/**
 * The state of an exchange on disk. `half`: the old entry is out and the new one is not in. That is also so while a folder is being deleted of
 * which a copy took its place outside: what is left of it is not the entry any more.
 */
export type SwapState = 'before' | 'half' | 'after' | 'neither';

export const look = (path: PathLike): BigIntStats | undefined => {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // A parent is not a folder.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
};

/**
 * Returns the places where one side of an exchange may be. An entry that a command made stays where it was made until the
 * whole transaction is applied, so that a reverted transaction can be kept for inspection.
 */
export function placesIn({ areas }: Pick<SwapPowers, 'areas'>, { path, swap }: SwapStep, side: Swap['keep'], stage?: StageFolder): Places {
  const area = join(areas, swap.area);
  const slot = join(area, side, String(swap.slot));
  const upper = join(area, 'upper');
  const places: Places = side === 'old' || !existsSync(upper) ? [slot] : [joinNames(upper, loadPath(path)), slot];
  return stage === undefined ? places : [stage.at(side, swap), ...places];
}

type Places = [PathLike, ...PathLike[]];

/** Opens the stage folder of an exchange; returns undefined if the exchange needs none or the folder is gone. */
function openStage({ confinement }: SwapPowers, { swap }: SwapStep): StageFolder | undefined {
  return swap.stage === undefined ? undefined : StageFolder.open(confinement, swap.stage);
}

export function isIt({ inodeMap }: Pick<SwapPowers, 'inodeMap'>, expected: string | undefined, found: BigIntStats | undefined): boolean {
  return expected !== undefined && found !== undefined && inodeMap.isSame(expected, inodeOf(found));
}

/** Returns the state of an exchange. */
export function swapState(powers: SwapPowers, step: SwapStep, found: BigIntStats | undefined): SwapState {
  const [before, after] = [inodeIn(step.before), inodeIn(step.after)];
  if (found === undefined) {
    if (step.before === null) return 'before';
    using stage = openStage(powers, step);
    const isOut = placesIn(powers, step, step.swap.keep, stage).some((place) => isIt(powers, before, look(place)));
    if (!isOut) return 'neither';
    return step.after === null ? 'after' : 'half';
  }
  if (isRemnant(powers, step, found)) return 'half';
  if (isIt(powers, after, found)) return 'after';
  return isIt(powers, before, found) ? 'before' : 'neither';
}

/**
 * Whether a folder of the workspace is what a kill left of it while it was deleted: see {@link takeCopyOut}. By its number only: on an overlay,
 * a folder of the layer below keeps that when something in it is deleted, and gets another time of birth.
 */
function isRemnant(powers: SwapPowers, step: SwapStep, found: BigIntStats): boolean {
  if (!found.isDirectory() || step.swap.stage === undefined) return false;
  using stage = openStage(powers, step);
  const inodes = [step.before, step.after].map(inodeIn).filter((inode) => inode?.split(':')[1] === String(found.ino));
  // A folder has one name only, so both are there if one of them is the copy.
  return SIDES.some((side) => {
    const there = stage === undefined ? undefined : look(stage.at(side, step.swap));
    return there !== undefined && there.ino !== found.ino && inodes.some((inode) => isIt(powers, inode, there));
  });
}

/** Creates a link. An interrupted attempt, or one in a folder that was not open yet, may have created it already. */
function linkUnlessLinked(from: PathLike, to: PathLike): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const [there, wanted] = errnoOf(error) === 'EEXIST' ? [look(to), look(from)] : [];
    if (there === undefined || there.ino !== wanted?.ino || there.dev !== wanted.dev) throw error;
  }
}

/** Moves an entry to a path that does not exist. Never replaces a file. */
function putIn(from: PathLike, to: PathLike, isFolder: boolean): void {
  if (!isFolder) {
    try {
      linkUnlessLinked(from, to);
      unlinkSync(from);
      return;
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
  renameEntry(from, to);
}

/** Renames an entry. A folder that its owner may not write is made writable for the move, because the move writes its `..`. */
export function renameEntry(from: PathLike, to: PathLike): void {
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

/** Moves an entry out of the workspace. A file that another file replaces stays until then, under both names. Returns whether it stays. */
function takeOut(from: PathLike, to: PathLike, { before, after }: SwapStep, otherwise: () => void): boolean {
  const isReplaced = after !== null && before?.type !== 'folder' && after.type !== 'folder';
  if (isReplaced) {
    try {
      linkUnlessLinked(from, to);
      return true;
    } catch (error) {
      // Another user's file, or a file system without links: the path is missing for a moment.
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
  try {
    renameEntry(from, to);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    otherwise();
  }
  // A rename between two names of the same file does nothing.
  const left = look(from);
  if (left !== undefined && left.ino === look(to)?.ino) unlinkSync(from);
  return false;
}

/**
 * Takes a folder out of the workspace that an overlay does not rename: its copy, which was made before, takes its place outside, and the
 * folder itself is deleted. Repeated after a kill, it deletes what is left, and so does what takes it back.
 */
function takeCopyOut(
  { inodeMap }: SwapPowers,
  { swap, before }: SwapStep,
  { ancestor, name, location }: Pick<Target, 'ancestor' | 'name' | 'location'>,
  stage: StageFolder | undefined,
  to: PathLike,
): void {
  const copy = stage?.copyAt(swap.keep, swap);
  const made = copy === undefined ? undefined : look(copy);
  if (copy !== undefined && made !== undefined) {
    using cursor = new TreeCursor(ancestor.self);
    cursor.enter(name);
    visitTreeSync(cursor, (_, { ctimeNs }) => {
      if (ctimeNs >= made.birthtimeNs) throw meddled(location);
    });
    // Before it has its place: from then on, it is the entry, and what is left in the workspace is not.
    const known = inodeIn(before);
    if (known !== undefined) inodeMap.follow(known, inodeOf(made));
    renameSync(copy, to);
  }
  if (look(to) === undefined) throw Object.assign(new Error('The folder cannot be moved.'), { code: 'EXDEV' });
  removeByHandleSync(ancestor.self, name);
}

/** Whether an entry is the one that was looked at before it got a second name. On an overlay, its inode may have changed by that. */
function isUnchanged(found: BigIntStats | undefined, earlier: BigIntStats | undefined): boolean {
  if (found === undefined || earlier === undefined) return false;
  return found.mode === earlier.mode && found.size === earlier.size && found.mtimeNs === earlier.mtimeNs;
}

/** Makes folders writable for their owner during the work if needed: a command or the workspace may have read-only folders. */
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

/** Tells what belongs to the inodes that were put back. A change to one name of a file shows at all of its names. */
function putBackInodes({ inodeMap }: SwapPowers, step: SwapStep, at: PathLike, outgoing: PathLike): void {
  for (const [stat, image] of [
    [look(at), step.after],
    [look(outgoing), step.before],
  ] as const)
    if (stat !== undefined) inodeMap.putBack(stat, image === null ? undefined : foundIn(image));
}

/** Exchanges an entry. A repetition after a kill at any moment has the same result. */
export function applySwap(powers: SwapPowers, step: SwapStep, target: Pick<Target, 'ancestor' | 'name' | 'location'>): void {
  const { ancestor, name } = target;
  const at = ancestor.at(name);
  const found = look(at);
  const state = swapState(powers, step, found);
  const other = step.swap.keep === 'old' ? 'new' : 'old';
  using stage = openStage(powers, step);
  const incoming = placesIn(powers, step, other, stage).find((place) => isIt(powers, inodeIn(step.after), look(place)));
  if (state === 'after') {
    // A kill between the link and the unlink left the other name.
    if (incoming !== undefined) unlinkSync(incoming);
    closeAgain(powers, step, at);
    return;
  }
  if (state === 'neither') throw meddled(target.location);
  if (step.after !== null && incoming === undefined) throw gone(target.location);
  const isUpper = existsSync(join(powers.areas, step.swap.area, 'upper'));
  const [outgoing] = placesIn(powers, step, step.swap.keep, stage);
  const sources = isUpper && stage === undefined ? [joinNames(join(powers.areas, step.swap.area, 'upper'), loadPath(step.path).slice(0, -1))] : [];
  withOpenFolders([ancestor.self, ...sources], () => {
    let stays = false;
    if (step.before !== null && isIt(powers, inodeIn(step.before), look(at))) {
      makeParent(outgoing);
      stays = takeOut(at, outgoing, step, () => takeCopyOut(powers, step, target, stage, outgoing));
      // On an overlay, an entry of the layer below gets another inode when it is moved or linked.
      const [earlier, out] = [found, look(outgoing)];
      if (earlier !== undefined && out !== undefined) powers.inodeMap.follow(inodeOf(earlier), inodeOf(out));
    }
    const left = look(at);
    if (left !== undefined && isRemnant(powers, step, left)) removeByHandleSync(ancestor.self, name);
    if (incoming === undefined) return;
    if (stays && isUnchanged(look(at), found)) renameEntry(incoming, at);
    else putIn(incoming, at, step.after?.type === 'folder');
  });
  for (const place of [at, outgoing]) closeAgain(powers, step, place);
  // On the first application, its time already separates these changes from later ones.
  const isFirst = step.swap.keep === 'old' && isUpper;
  if (isFirst) return;
  putBackInodes(powers, step, at, outgoing);
  if (stage !== undefined && look(at)?.isDirectory() === true) putBackBelow(powers, target);
}

/** Notes that what is in a folder was put back. Its files are copies if it came from another file system, with times of their own. */
function putBackBelow({ inodeMap }: SwapPowers, { ancestor, name }: Pick<Target, 'ancestor' | 'name'>): void {
  using cursor = new TreeCursor(ancestor.self);
  cursor.enter(name);
  visitTreeSync(cursor, (_, stat) => inodeMap.putBack(stat));
}

/** Restores the mode of a folder that was opened to its owner for a move, if a kill left it open. */
export function closeAgain(powers: Pick<SwapPowers, 'inodeMap'>, { before, after }: SwapStep, place: PathLike): void {
  const found = look(place);
  if (found?.isDirectory() !== true) return;
  for (const image of [before, after]) {
    if (image?.type !== 'folder' || image.mode === null || (image.mode & OWNER_ALL) === OWNER_ALL || !isIt(powers, image.inode, found)) continue;
    if ((Number(found.mode) & 0o7777) === (image.mode | OWNER_ALL)) chmodSync(place, image.mode);
  }
}

/** Creates the parent folder. A slot's folder always exists; a place in the upper folder may have lost its parent. */
function makeParent(place: PathLike): void {
  if (typeof place === 'string' && !place.startsWith('/proc/')) mkdirSync(dirname(place), { recursive: true });
}

/** Removes the second name of a file that is still in the workspace, left by an unfinished exchange. Returns whether there was one. */
export function dropSecondName(powers: SwapPowers, step: SwapStep, found: BigIntStats | undefined): boolean {
  using stage = openStage(powers, step);
  const [slot] = placesIn(powers, step, 'old', stage);
  if (found?.isDirectory() !== false || look(slot)?.ino !== found.ino) return false;
  unlinkSync(slot);
  return true;
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
