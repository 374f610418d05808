import { constants, copyFileSync, lstatSync, type PathLike, renameSync, rmSync } from 'node:fs';
import { displayName, type Name, nameFromBytes } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { resolveTarget } from '../workspace/target.ts';
import { contentOf, makePlace, prune, removePlace } from './quarantine-folder.ts';
import type { DangerReason } from '../danger/executable-git-config.ts';

/** Why an item left by a command is dangerous; `not-searched` if not everything could be checked. */
export type LeftoverReason = DangerReason | 'denied' | 'not-searched';

/** An item that a command created or changed and that another program would execute or take instructions from. */
export interface Leftover {
  /** Relative to the root. Each character stands for one byte (latin1). */
  readonly path: string;
  readonly reason: LeftoverReason;
  /** What was found in the item, such as the names of settings. */
  readonly detail: string;
  /** Whether to remove the item; otherwise it is only reported. */
  readonly remove: boolean;
}

/** The outcome for a dangerous item left by a command. */
export interface Quarantined {
  /** Relative to the workspace and safe to display. */
  readonly path: string;
  readonly reason: LeftoverReason;
  readonly detail: string;
  /**
   * `moved`: kept at {@link keptAs}. `deleted`: gone. `reported`: still there, for a person to judge. `found`: also still there,
   * after an earlier command was interrupted; the change may come from that command or from a person since then.
   */
  readonly action: 'moved' | 'deleted' | 'reported' | 'found';
  /** Path in the quarantine folder. Never shown to a model. */
  readonly keptAs?: string;
}

/** Splits a path whose characters stand for bytes into names. */
export const namesOf = (path: string): Name[] => path.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1')));

/** Quarantines what a command left, by handle: if a name becomes a link in the meantime, the link is moved, never its target. */
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
    // The disk is full, or the command removed permissions. The item stays and is reported.
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

/** Moves an item to an unused path. To another file system it only moves files, and deletes anything else. Returns whether it was kept. */
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
