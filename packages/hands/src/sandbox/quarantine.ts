import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { displayName, nameFromBytes } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { resolveTarget } from '../workspace/target.ts';
import type { Leftover, LeftoverReason } from './command-sweep.ts';

/** What became of something dangerous that a command left. */
export interface Quarantined {
  /** As it can be shown, relative to the workspace. */
  readonly path: string;
  readonly reason: LeftoverReason;
  readonly detail: string;
  /** `moved`: kept at {@link keptAs}. `deleted`: gone. `reported`: still there, for the person to judge. */
  readonly action: 'moved' | 'deleted' | 'reported';
  /** Path in the quarantine folder; never shown to a model. */
  readonly keptAs?: string;
}

/** Takes away what a command left, by handle: a link that takes a name meanwhile is what is moved, never what it leads to. */
export function quarantine(confinement: Confinement, folder: string, found: readonly Leftover[]): Quarantined[] {
  return found.map((leftover): Quarantined => {
    const path = displayName(nameFromBytes(Buffer.from(leftover.path, 'latin1')));
    const fate = leftover.remove ? taken(confinement, folder, leftover.path) : { action: 'reported' as const };
    return { path, reason: leftover.reason, detail: leftover.detail, ...fate };
  });
}

function taken(confinement: Confinement, folder: string, path: string): Pick<Quarantined, 'action' | 'keptAs'> {
  try {
    return take(confinement, folder, path);
  } catch {
    // A full disk or a folder that the command closed: it stays, and what matters is that this is told.
    return { action: 'reported' };
  }
}

function take(confinement: Confinement, folder: string, path: string): Pick<Quarantined, 'action' | 'keptAs'> {
  const names = path.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1')));
  using target = resolveTarget(confinement, names, { followLink: false });
  if (target.stat === undefined) return { action: 'deleted' };
  const at = target.ancestor.at(target.name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keptAs = join(folder, randomUUID());
  try {
    renameSync(at, keptAs);
    return { action: 'moved', keptAs };
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
  }
  // Another file system: a file is copied, anything else is not worth keeping.
  const isFile = target.stat.isFile();
  if (isFile) {
    copyFileSync(at, keptAs, constants.COPYFILE_EXCL);
  }
  rmSync(at, { recursive: true, force: true });
  return isFile && lstatSync(keptAs, { throwIfNoEntry: false }) !== undefined ? { action: 'moved', keptAs } : { action: 'deleted' };
}
