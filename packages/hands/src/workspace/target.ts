import { lstatSync, mkdirSync, type BigIntStats } from 'node:fs';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { displayPath, type Name } from './byte-name.ts';
import type { Confinement, PinnedDirectory } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** Maximum number of links to follow. A link may lead to another link; the kernel stops at 40. */
const MAX_LINKS = 8;

/** The place of a change: a name in a pinned folder, whether or not it exists. */
export interface Target extends Disposable {
  /** Its real location, below the root. */
  readonly location: WorkspacePath;
  /** The deepest parent folder that exists. */
  readonly ancestor: PinnedDirectory;
  /** Folders between {@link ancestor} and the entry that do not exist yet. */
  readonly missing: readonly Name[];
  readonly name: Name;
  readonly stat: BigIntStats | undefined;
}

function openDeepest(confinement: Confinement, path: WorkspacePath): { ancestor: PinnedDirectory; missing: WorkspacePath } {
  for (let length = path.length; ; length -= 1) {
    try {
      return { ancestor: confinement.openDirectory(path.slice(0, length)), missing: path.slice(length) };
    } catch (error) {
      if (length === 0 || errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

/**
 * Resolves a path to a place. Follows a final link that stays inside, so that writing through it
 * changes its target; with `followLink: false`, the place is the link itself.
 */
export function resolveTarget(confinement: Confinement, path: WorkspacePath, { followLink = true } = {}): Target {
  let wanted = path;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const name = wanted.at(-1);
    if (name === undefined) {
      throw new SynapseError('wrong_type', 'This is the workspace folder itself.', { hint: 'Name a file or folder inside it.' });
    }
    const { ancestor, missing } = openDeepest(confinement, wanted.slice(0, -1));
    try {
      const stat = missing.length === 0 ? lstatSync(ancestor.at(name), { bigint: true, throwIfNoEntry: false }) : undefined;
      if (stat === undefined || !stat.isSymbolicLink() || !followLink) {
        const location = [...ancestor.location, ...missing, name];
        return { location, ancestor, missing, name, stat, [Symbol.dispose]: () => ancestor[Symbol.dispose]() };
      }
    } catch (error) {
      ancestor[Symbol.dispose]();
      throw error;
    }
    ancestor[Symbol.dispose]();
    using entry = confinement.openEntry(wanted);
    wanted = entry.location;
  }
  throw new SynapseError('busy', `${displayPath(path)} changed while it was being resolved.`, { hint: 'Repeat the call.' });
}

/** Creates the missing parent folders and pins the last of them. The caller disposes it. */
export function ensureParent(target: Target): PinnedDirectory {
  let parent = target.ancestor.child('.');
  for (const name of target.missing) {
    try {
      mkdirSync(parent.at(name));
    } catch (error) {
      // Created by another process in the meantime. A folder is fine; child() rejects a link.
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    const child = parent.child(name);
    parent[Symbol.dispose]();
    parent = child;
  }
  return parent;
}

/** Whether an error says that an entry is missing. */
export function isMissing(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT' || (isSynapseError(error) && error.code === 'not_found');
}
