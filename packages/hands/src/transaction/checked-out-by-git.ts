import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { below } from '../danger/tree-view.ts';
import { blobOf } from '../git-format/blob-name.ts';
import { MAX_INDEX_BYTES } from '../git-format/visit-index.ts';
import { stagedObjects } from '../sandbox/staged-objects.ts';
import { joinNames, nameFromBytes } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { readRegular } from '../workspace/read-regular.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { mayBeBrought } from './change-judges.ts';
import type { ReadChanges, WithheldEntry } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Maximum number of files, links and folders to compare, and bytes of a file. A project has few such files, and they are small. */
const MAX_ENTRIES = 1_000;
const MAX_FILE_BYTES = 256 * 1024;

/** The folder that contains a repository, if a location is in its `.git`. */
function repositoryOf(location: WorkspacePath): WorkspacePath | undefined {
  const depth = location.indexOf('.git');
  return depth < 0 || depth === location.length - 1 ? undefined : location.slice(0, depth);
}

/** What may still be read. */
interface Budget {
  entries: number;
}

/** The objects of the files and links in an entry, by path; undefined if it contains anything else, or more than the budget allows. */
function objectsIn(root: string, location: WorkspacePath, budget: Budget): Map<string, string> | undefined {
  const objects = new Map<string, string>();
  const pending = [location];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (budget.entries <= 0) return undefined;
    budget.entries -= 1;
    const path = joinNames(root, at);
    const stat = lstatSync(path);
    if (stat.isDirectory()) {
      for (const name of readdirSync(path, 'buffer')) pending.push([...at, nameFromBytes(name)]);
      continue;
    }
    const bytes = stat.isSymbolicLink() ? readlinkSync(path, 'buffer') : readRegular(path, MAX_FILE_BYTES)?.bytes;
    if (bytes === undefined) return undefined;
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

/** A withheld entry with its objects, by the names that an index has for them. */
interface Candidate {
  readonly entry: WithheldEntry;
  readonly objects: ReadonlyMap<string, string>;
}

/** Those of which git made each file: it is as the new index has it, or was as the old one had it and is in none. */
function madeByGit(candidates: readonly Candidate[], { before, after }: Indexes): WithheldEntry[] {
  const wanted = new Set(candidates.flatMap(({ objects }) => [...objects.keys()]));
  const [old, now] = [stagedObjects(before, wanted), stagedObjects(after, wanted)];
  const isMade = ({ entry: { isThere }, objects }: Candidate): boolean =>
    [...objects].every(([path, object]) => (isThere ? now.get(path) === object : old.get(path) === object && !now.has(path)));
  return candidates.filter(isMade).map(({ entry }) => entry);
}

/** The workspace, with its repository if that is linked. */
interface CheckedOutParts {
  readonly confinement: Confinement;
  readonly linked: LinkedWorktree | undefined;
}

/**
 * Returns what is withheld although git checked it out, such as a checkout, merge or stash: files that are as git's new index has them, or that
 * it has no longer, in a repository that the command changed.
 */
export function checkedOutByGit(
  read: Pick<ReadChanges, 'changes' | 'withheld'>,
  area: TransactionArea,
  { confinement, linked }: CheckedOutParts,
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
  const budget: Budget = { entries: MAX_ENTRIES };
  const candidatesIn = (root: string, entries: readonly WithheldEntry[]): Candidate[] =>
    entries.flatMap((entry) => {
      const objects = objectsIn(entry.isThere ? folders.upper : folders.lower, entry.location, budget);
      return objects === undefined ? [] : [{ entry, objects: new Map(Array.from(objects, ([path, object]) => [below(root, path), object])) }];
    });
  try {
    return [...roots].flatMap(([key, root]) => {
      const others = [...roots.keys()].filter((other) => other !== key && isIn(other, key));
      const isMine = (path: string): boolean => isIn(path, key) && !others.some((other) => isIn(path, other));
      const mine = read.withheld.filter((entry) => mayBeBrought(entry) && isMine(bytePath(entry.location)) && !entry.location.includes('.git'));
      const candidates = candidatesIn(key, mine);
      return candidates.length === 0 ? [] : madeByGit(candidates, indexesOf(area, confinement, [...root, '.git', ...inGit]));
    });
  } catch (error) {
    // What cannot be read stays withheld.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return [];
  }
}

/** Approves what git checks out, and nothing else. */
export function approving<Guards extends Pick<PlaceGuards, 'approved'>>(guards: Guards, checkedOut: readonly WithheldEntry[]): Guards {
  const paths = checkedOut.map(({ location }) => bytePath(location));
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
