import { isSynapseError } from '@synapse/protocol';
import { isObjectPath } from '../git-format/object-path.ts';
import { isSwap, placesOf } from '../workspace/changes/step.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { bytePath, foldersAround, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { StepPowers } from './apply-step.ts';
import type { JournalEntry } from './journal-database.ts';

/** Most entries of a repository that are looked at. In a larger one, objects stay. */
const MOST_ENTRIES = 20_000;
/** Milliseconds by which the time of a file may be behind the clock: a tick of the kernel, and some. */
const TICK_MS = 20;
const STORE = 'objects';

/** Every change of a file since a time, in milliseconds since 1970, has this time or a later one, in nanoseconds. */
export const fileTimeBefore = (time: number): bigint => BigInt(time - TICK_MS) * 1_000_000n;

/** Objects of git that calls added, and that may be needed by now. */
export type MayBeNeeded = (place: WorkspacePath) => boolean;

/**
 * Tells for objects of git that entries added whether anything may have come to need them: a tag, a branch, another worktree, a later call, a
 * branch of Synapse or changes that wait. Without them, that would be broken. If nothing else changed since, nothing can.
 */
export function neededObjects(entries: readonly JournalEntry[], { confinement, othersSince }: StepPowers): MayBeNeeded {
  const time = Math.min(...entries.map((entry) => entry.time));
  const steps = entries.flatMap((entry) => entry.steps);
  const own = new Set(steps.flatMap(placesOf).map(bytePath));
  // Such a step stands for all that is in the folder, and is only undone if nothing else is.
  const made = new Set(
    steps
      .filter((step) => isSwap(step) && step.before === null && step.after?.type === 'folder')
      .flatMap(placesOf)
      .map(bytePath),
  );
  const isOwn = (place: WorkspacePath): boolean => own.has(bytePath(place)) || foldersAround(place).some((folder) => made.has(bytePath(folder)));
  const known = new Map<string, boolean>();
  let hasOthers: boolean | undefined;
  return (place) => {
    if (!isObjectPath(bytePath(place))) return false;
    hasOthers ??= othersSince(time, new Set(entries.map(({ id }) => id)));
    if (hasOthers) return true;
    const repository = place.slice(0, place.lastIndexOf(STORE));
    const key = bytePath(repository);
    const changed = known.get(key) ?? isChangedSince(confinement, repository, { since: fileTimeBefore(time), isOwn });
    known.set(key, changed);
    return changed;
  };
}

/** Whether something in a repository but its objects, and but what is known, was changed since a time. If that cannot be told, it may be. */
function isChangedSince(
  confinement: Confinement,
  repository: WorkspacePath,
  { since, isOwn }: { readonly since: bigint; readonly isOwn: (place: WorkspacePath) => boolean },
): boolean {
  let left = MOST_ENTRIES;
  let isChanged = false;
  try {
    using folder = confinement.openDirectory(repository);
    using cursor = new TreeCursor(folder.self);
    visitTreeSync(
      cursor,
      (name, stat) => {
        left -= 1;
        if (left < 0 || stat.isSymbolicLink()) isChanged = true;
        if (!stat.isDirectory() && stat.ctimeNs >= since && !isOwn([...repository, ...cursor.location, name])) isChanged = true;
      },
      { isEnough: () => isChanged, enters: (name) => name !== STORE || cursor.location.length > 0 },
    );
    return isChanged;
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return true;
  }
}
