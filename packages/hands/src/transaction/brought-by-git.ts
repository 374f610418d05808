import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { below } from '../danger/tree-view.ts';
import { blobOf, MAX_INDEX_BYTES, readRegular } from '../sandbox/staged-files.ts';
import { stagedObjects } from '../sandbox/staged-objects.ts';
import { joinNames, nameFromBytes } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { mayBeBrought } from './judge-entry.ts';
import type { ReadChanges, WithheldEntry } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Maximum number of entries that a question names. Further ones stay withheld, because nobody would see their names. */
const MAX_BROUGHT = 100;
/** Maximum number of files to compare, and bytes of each. */
const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The folder that contains a repository, if a location is in its `.git`. */
function repositoryOf(location: WorkspacePath): WorkspacePath | undefined {
  const depth = location.indexOf('.git');
  return depth < 0 || depth === location.length - 1 ? undefined : location.slice(0, depth);
}

/** The objects of the files and links in an entry, by path; undefined if it contains anything else, or too much. */
function objectsIn(root: string, location: WorkspacePath): Map<string, string> | undefined {
  const objects = new Map<string, string>();
  const pending = [location];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const path = joinNames(root, at);
    const stat = lstatSync(path);
    if (stat.isDirectory()) {
      for (const name of readdirSync(path, 'buffer')) pending.push([...at, nameFromBytes(name)]);
      continue;
    }
    const bytes = stat.isSymbolicLink() ? readlinkSync(path, 'buffer') : readRegular(path, MAX_FILE_BYTES)?.bytes;
    if (bytes === undefined || objects.size >= MAX_FILES) return undefined;
    objects.set(bytePath(at), blobOf(bytes));
  }
  return objects.size === 0 ? undefined : objects;
}

/** The indexes of a repository before and after the command. */
interface Indexes {
  readonly before: Buffer;
  readonly after: Buffer;
}

function indexesOf(area: TransactionArea, confinement: Confinement, git: WorkspacePath): Indexes {
  using folder = confinement.openDirectory(git);
  const before = readRegular(join(folder.self, 'index'), MAX_INDEX_BYTES)?.bytes ?? Buffer.alloc(0);
  const after = readRegular(joinNames(area.upper, [...git, 'index']), MAX_INDEX_BYTES)?.bytes;
  return { before, after: after ?? before };
}

/** Whether git made an entry what it is now: each file is as the new index has it, or was as the old one had it and is in none. */
function isBrought(
  { location, isThere }: WithheldEntry,
  { before, after }: Indexes,
  folders: { upper: string; lower: string },
  root: string,
): boolean {
  const objects = objectsIn(isThere ? folders.upper : folders.lower, location);
  if (objects === undefined) return false;
  const wanted = new Set(Array.from(objects.keys(), (path) => below(root, path)));
  const staged = stagedObjects(isThere ? after : before, wanted);
  if (![...objects].every(([path, object]) => staged.get(below(root, path)) === object)) return false;
  return isThere || stagedObjects(after, wanted).size === 0;
}

/** The workspace, with its repository if that is linked. */
interface BroughtParts {
  readonly confinement: Confinement;
  readonly linked: LinkedWorktree | undefined;
}

/**
 * Returns what is withheld although git brought it, such as a checkout, merge or stash: files that are as git's new index has them, or that
 * it has no longer, in a repository that the command changed.
 */
export function broughtByGit(
  read: Pick<ReadChanges, 'changes' | 'withheld'>,
  area: TransactionArea,
  { confinement, linked }: BroughtParts,
): WithheldEntry[] {
  const roots = new Map(
    read.changes.flatMap(({ location, isTimeOnly }) => {
      const root = isTimeOnly ? undefined : repositoryOf(location);
      return root === undefined ? [] : [[bytePath(root), root] as const];
    }),
  );
  if (roots.size === 0) return [];
  const isIn = (path: string, root: string): boolean => root === '' || path.startsWith(`${root}/`);
  const inGit = linked === undefined ? [] : ['worktrees', linked.name];
  using workspace = confinement.openDirectory([]);
  const folders = { upper: area.upper, lower: workspace.self };
  const brought: WithheldEntry[] = [];
  try {
    for (const [key, root] of roots) {
      const others = [...roots.keys()].filter((other) => other !== key && isIn(other, key));
      const indexes = indexesOf(area, confinement, [...root, '.git', ...inGit]);
      for (const entry of read.withheld) {
        const path = bytePath(entry.location);
        const isMine = mayBeBrought(entry) && isIn(path, key) && !others.some((other) => isIn(path, other));
        if (isMine && !entry.location.includes('.git') && isBrought(entry, indexes, folders, key)) brought.push(entry);
      }
    }
  } catch (error) {
    // What cannot be read stays withheld.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return [];
  }
  return brought.slice(0, MAX_BROUGHT);
}

/** Approves what git brought, and nothing else. */
export function approving<Guards extends Pick<PlaceGuards, 'approved'>>(guards: Guards, brought: readonly WithheldEntry[]): Guards {
  const paths = brought.map(({ location }) => bytePath(location));
  return {
    ...guards,
    approved(location, isFolder, reason) {
      if (guards.approved(location, isFolder, reason)) return true;
      // A folder that was named may contain orders to git, such as those of another repository, which were not.
      if (reason === undefined || !mayBeBrought({ reason })) return false;
      const path = bytePath(location);
      return paths.some((one) => one === path || path.startsWith(`${one}/`));
    },
  };
}
