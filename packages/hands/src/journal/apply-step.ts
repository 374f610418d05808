import { chmodSync, lstatSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync, type BigIntStats } from 'node:fs';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import { applyChanges } from '../workspace/changes/change.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { moveEntry } from '../workspace/changes/move-entry.ts';
import { isMissing, resolveTarget, type Target } from '../workspace/target.ts';
import type { Contents } from '../workspace/changes/capture.ts';
import type { Capture } from '../workspace/changes/capture.ts';
import { type Image, inodeOf, isSwap, loadName, loadPath, sameImage, type Step, type SwapStep } from '../workspace/changes/step.ts';
import { indexMeaning } from './git-index.ts';
import { foundIn } from './inode-map.ts';
import { appliedAt, wholeProblem } from './whole-entry.ts';
import { applySwap, closeAgain, swapState, type SwapPowers } from './swap-entry.ts';

/** Dependencies of the functions that apply steps. */
export interface StepPowers extends SwapPowers {
  readonly confinement: Confinement;
  readonly blobs: Contents;
  /** Reads the current state of an entry and stores its content. */
  readonly capture: Capture;
  /** Whether Synapse changed something else since a time, in milliseconds since 1970, or holds copies that may need what was there. */
  readonly othersSince: (time: number, but: ReadonlySet<number>) => boolean;
}

/** Returns the error for an entry that something else changed. */
function drifted(path: string, problem: string): SynapseError {
  return new SynapseError('conflict', `${path} ${problem}; nothing was undone.`, {
    hint: 'Put it back as the call left it, or undo the later change first.',
    details: { path, problem },
  });
}

const WORDS: Record<Image['type'], string> = { file: 'a file', link: 'a link', folder: 'a folder', other: 'no file, folder or link' };

function difference(expected: Image | null, found: Image | null): string {
  if (found === null) return 'is gone';
  if (expected === null) return 'exists by now';
  if (found.type !== expected.type) return `is ${WORDS[found.type]} by now`;
  if (found.type === 'file' && expected.type === 'file' && found.sha256 === expected.sha256) return 'has other permissions by now';
  return 'was changed since';
}

function withTarget<T>(confinement: Confinement, path: Parameters<typeof loadPath>[0], work: (target: Target) => T): T {
  const wanted = loadPath(path);
  using target = resolveTarget(confinement, wanted, { followLink: false });
  // Steps name real paths. If a link replaced a folder, the step would act on another path, for which no rule was checked.
  if (displayPath(target.location) !== displayPath(wanted)) throw drifted(displayPath(wanted), 'is behind a link by now');
  return work(target);
}

function imageAt({ confinement, capture }: StepPowers, path: Parameters<typeof loadPath>[0]): Image | null {
  try {
    return withTarget(confinement, path, ({ ancestor, name, missing, stat }) =>
      // A new budget for each step: together the steps may exceed what one change may store.
      missing.length > 0 || stat === undefined ? null : capture.afresh().image(ancestor, name),
    );
  } catch (error) {
    // A parent folder is now a file, so the path does not exist.
    if (isMissing(error) || errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}

/** The state of a step: not applied, applied, both, or neither because something else changed the entry. */
export type StepState = 'before' | 'after' | 'both' | 'neither';

function moveState({ confinement, inodeMap }: StepPowers, { from, to, inode }: Extract<Step, { kind: 'move' }>): StepState {
  const at = (path: typeof from): string | undefined =>
    withTarget(confinement, path, ({ missing, stat }) => (missing.length > 0 || stat === undefined ? undefined : inodeOf(stat)));
  const [source, place] = [at(from), at(to)];
  // A file move adds a second link and then removes the first; a kill in between leaves both.
  const isIt = (found: string | undefined): boolean => inodeMap.isSame(inode, found);
  if (isIt(source) && source === place) return 'both';
  if (isIt(source) && place === undefined) return 'before';
  return isIt(place) && source === undefined ? 'after' : 'neither';
}

/** In a half-done exchange the old entry is out and the new one is not in, which counts as both. */
const SWAP_STATES = { before: 'before', half: 'both', after: 'after', neither: 'neither' } as const;

/** Returns the stat of the entry at a path of a step. */
export function statAt({ confinement }: Pick<StepPowers, 'confinement'>, { path }: Pick<SwapStep, 'path'>): BigIntStats | undefined {
  try {
    return withTarget(confinement, path, ({ missing, stat }) => (missing.length > 0 ? undefined : stat));
  } catch (error) {
    if (isMissing(error) || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The step with the index of git that is there, if git wrote it anew since and it says the same; undefined otherwise. */
function refreshedIndex(powers: StepPowers, step: SwapStep, found: BigIntStats | undefined): SwapStep | undefined {
  const { before, path } = step;
  if (before?.type !== 'file' || before.whole?.index === undefined || found?.isFile() !== true || found.nlink > 1n) return undefined;
  const { whole } = before;
  const isSame = withTarget(powers.confinement, path, ({ ancestor, name }) => indexMeaning(ancestor.at(name)) === whole.index);
  if (!isSame) return undefined;
  return { ...step, before: { ...before, inode: inodeOf(found), whole: { ...whole, modified: String(found.mtimeNs), size: String(found.size) } } };
}

function assertSwappable(powers: StepPowers, step: SwapStep): SwapStep {
  const shown = displayPath(loadPath(step.path));
  const found = statAt(powers, step);
  const refreshed = refreshedIndex(powers, step, found);
  if (refreshed !== undefined) return refreshed;
  const state = swapState(powers, step, found);
  if (state === 'half') return step;
  if (state !== 'before') throw drifted(shown, found === undefined ? 'is gone' : step.before === null ? 'exists by now' : 'was changed since');
  if (step.before === null || found === undefined) return step;
  const before = step.before;
  const problem = withTarget(powers.confinement, step.path, (target) => wholeProblem(powers, before, target, appliedAt(powers, step)));
  if (problem !== undefined) throw drifted(shown, problem);
  return step;
}

/** Detects from the disk whether a step was applied. */
export function stateOf(powers: StepPowers, step: Step): StepState {
  try {
    return findState(powers, step);
  } catch (error) {
    // A link in the path leads elsewhere, so its target says nothing about this path.
    if (isSynapseError(error)) return 'neither';
    throw error;
  }
}

function findState(powers: StepPowers, step: Step): StepState {
  if (step.kind === 'move') return moveState(powers, step);
  if (isSwap(step)) return SWAP_STATES[swapState(powers, step, statAt(powers, step))];
  const found = imageAt(powers, step.path);
  const [before, after] = [sameImage(step.before, found), sameImage(step.after, found)];
  if (before && after) return 'both';
  return before ? 'before' : after ? 'after' : 'neither';
}

/**
 * Throws an error with the difference if a step cannot be applied in the current state.
 * @returns the step with the state found, which includes what the call left open, such as the permissions of a new file
 */
export function assertApplicable(powers: StepPowers, step: Step): Step {
  if (step.kind === 'move') {
    const state = moveState(powers, step);
    if (state === 'before' || state === 'both') return step;
    throw drifted(displayPath(loadPath(step.from)), 'is not where the call left it, or its old place is taken');
  }
  if (isSwap(step)) return assertSwappable(powers, step);
  const { after, before, path } = step;
  const shown = displayPath(loadPath(path));
  const found = imageAt(powers, path);
  if (!sameImage(before, found)) throw drifted(shown, difference(before, found));
  if (after?.type === 'other') throw drifted(shown, 'was a pipe, a socket or a device, which cannot be made again');
  if (after?.type === 'file' && (after.sha256 === '' || powers.blobs.read(after.sha256) === undefined)) {
    throw drifted(shown, 'was too large to be kept, or is not kept any more');
  }
  // The undo needs the content.
  return { ...step, before: found?.type === 'file' ? { ...found, kept: true } : found };
}

function remove({ ancestor, name, location }: Target, image: Image): void {
  if (image.type !== 'folder') {
    unlinkSync(ancestor.at(name));
    return;
  }
  try {
    rmdirSync(ancestor.at(name));
  } catch (error) {
    if (errnoOf(error) !== 'ENOTEMPTY') throw error;
    throw drifted(displayPath(location), 'is not empty by now');
  }
}

function make(target: Target, image: Image, blobs: Contents): void {
  const { ancestor, name, location } = target;
  if (image.type === 'file') {
    const bytes = blobs.read(image.sha256);
    if (bytes === undefined) throw drifted(displayPath(location), 'is not kept any more');
    applyChanges([{ kind: 'write', target, bytes, ...(image.mode === null ? {} : { mode: image.mode }) }]);
  } else if (image.type === 'folder') {
    mkdirSync(ancestor.at(name));
    // Use the handle of the new folder: its name may have become a link.
    using made = ancestor.child(name);
    if (image.mode !== null) chmodSync(made.self, image.mode);
  } else if (image.type === 'link') {
    symlinkSync(loadName(image.target), ancestor.at(name));
  }
}

/** Exchanges an entry, compared by inode only: after an interrupted change, timestamps cannot show later changes. */
export function exchange(powers: StepPowers, step: SwapStep): void {
  withTarget(powers.confinement, step.path, (target) => {
    if (target.missing.length > 0) throw drifted(displayPath(target.location), 'is in a folder that is gone');
    applySwap(powers, step, target);
  });
}

/** Completes the cleanup of an exchange that a kill interrupted: restores a folder's permissions. */
export function tidyExchange(powers: StepPowers, step: SwapStep): void {
  const found = statAt(powers, step);
  if (found?.isDirectory() === true) withTarget(powers.confinement, step.path, ({ ancestor, name }) => closeAgain(powers, step, ancestor.at(name)));
}

/** Applies a step after checking that the entry is in the expected state. Returns the step with the state found. */
export function applyStep(powers: StepPowers, wanted: Step): Step {
  const step = assertApplicable(powers, wanted);
  const { confinement, blobs, inodeMap } = powers;
  if (step.kind === 'move') {
    const { from, to } = step;
    withTarget(confinement, from, (origin) => {
      withTarget(confinement, to, (place) => {
        if (place.stat !== undefined && origin.stat !== undefined && inodeOf(place.stat) === inodeOf(origin.stat))
          unlinkSync(origin.ancestor.at(origin.name));
        else moveEntry(origin, place);
      });
      // Of an entry that is not as the call moved it, nothing is known.
      const made = origin.stat === undefined || inodeMap.foundAt(origin.stat) === undefined ? undefined : statAt(powers, { path: to });
      if (made !== undefined && origin.stat !== undefined)
        inodeMap.putBack(made, { inode: inodeOf(origin.stat), changed: String(origin.stat.ctimeNs) });
    });
    return step;
  }
  if (isSwap(step)) {
    exchange(powers, step);
    return step;
  }
  const { before, after, path } = step;
  withTarget(confinement, path, (target) => {
    const replaced = before?.type === 'file' && after?.type === 'file';
    if (before?.type === 'folder' && after?.type === 'folder') {
      using folder = target.ancestor.child(target.name);
      // Without the final dot: reaching that requires permission to search the folder, which a command may have removed.
      if (after.mode !== null) chmodSync(folder.self.replace(/\/\.$/u, ''), after.mode);
      return;
    }
    if (before !== null && !replaced) remove(target, before);
    if (after === null) return;
    const stat = lstatSync(target.ancestor.at(target.name), { bigint: true, throwIfNoEntry: false });
    make({ ...target, stat }, after, blobs);
    if (after.type === 'other' || after.inode === undefined) return;
    const made = lstatSync(target.ancestor.at(target.name), { bigint: true, throwIfNoEntry: false });
    if (made === undefined) return;
    inodeMap.follow(after.inode, inodeOf(made));
    inodeMap.putBack(made, foundIn(after));
  });
  return step;
}
