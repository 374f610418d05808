import { constants, copyFileSync, lstatSync, renameSync, rmSync, type PathLike } from 'node:fs';
import type { Leftover, LeftoverReason } from '../sandbox/command-sweep.ts';
import { displayName, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { resolveTarget } from '../workspace/target.ts';
import { contentOf, makePlace, prune, removePlace } from './quarantine-folder.ts';

/** What became of something dangerous that a command left. */
export interface Quarantined {
  /** As it can be shown, relative to the workspace. */
  readonly path: string;
  readonly reason: LeftoverReason;
  readonly detail: string;
  /**
   * `moved`: kept at {@link keptAs}. `deleted`: gone. `reported`: still there, for the person to judge. `found`: the same, where
   * an earlier command was cut off: it may be of that, or of a person since.
   */
  readonly action: 'moved' | 'deleted' | 'reported' | 'found';
  /** Path in the quarantine folder; never shown to a model. */
  readonly keptAs?: string;
}

/** The names of a path whose characters stand for bytes. */
export const namesOf = (path: string): Name[] => path.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1')));

/** Takes away what a command left, by handle: a link that takes a name meanwhile is what is moved, never what it leads to. */
export function takeAway(confinement: Confinement, folder: string, found: readonly Leftover[]): Quarantined[] {
  const all = found.map((leftover): Quarantined => {
    const path = displayName(nameFromBytes(Buffer.from(leftover.path, 'latin1')));
    const fate = leftover.remove ? taken(confinement, folder, leftover) : { action: 'reported' as const };
    return { path, reason: leftover.reason, detail: leftover.detail, ...fate };
  });
  if (all.some(({ action }) => action === 'moved')) prune(folder);
  return all;
}

function taken(confinement: Confinement, folder: string, leftover: Leftover): Pick<Quarantined, 'action' | 'keptAs'> {
  try {
    return take(confinement, folder, leftover);
  } catch {
    // A full disk or a folder that the command closed: it stays, and what matters is that this is told.
    return { action: 'reported' };
  }
}

function take(confinement: Confinement, folder: string, { path, reason, detail }: Leftover): Pick<Quarantined, 'action' | 'keptAs'> {
  using target = resolveTarget(confinement, namesOf(path), { followLink: false });
  if (target.stat === undefined) return { action: 'deleted' };
  const at = target.ancestor.at(target.name);
  const id = makePlace(folder, { path, reason, detail, time: new Date().toISOString() });
  const keptAs = contentOf(folder, id);
  try {
    if (moved(at, keptAs, target.stat.isFile())) return { action: 'moved', keptAs };
  } catch (error) {
    removePlace(folder, id);
    throw error;
  }
  removePlace(folder, id);
  return { action: 'deleted' };
}

/** Moves something to a name that is free; to another file system only a file, as anything else is not worth keeping. */
function moved(from: PathLike, to: string, isFile: boolean): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
  }
  if (isFile) copyFileSync(from, to, constants.COPYFILE_EXCL);
  rmSync(from, { recursive: true, force: true });
  return isFile && lstatSync(to, { throwIfNoEntry: false }) !== undefined;
}
