import { accessSync, constants, copyFileSync, existsSync, renameSync, rmSync, statfsSync, writeFileSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { count, size as sizeText } from '../text/amounts.ts';
import { displayPath, joinNames } from '../workspace/byte-name.ts';
import { TreeCopy, type CopyOptions } from '../workspace/copy-tree.ts';
import { errnoOf, fileError } from '../workspace/file-error.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { addTo, TreeCursor, visitTree, type TreeSize } from '../workspace/tree-cursor.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { contentAt } from './base-log.ts';
import { clearBases } from './bases-folder.ts';
import { foldersBelow, type BranchFolder } from './branch-folder.ts';
import { writeRecord, type BranchRecord } from './branch-record.ts';
import { IS_CLONE } from './branch-state.ts';
import type { CloneLimits } from './clone-limits.ts';
import { clonedEntry, CloneManifest, sourceFacts, type ClonedEntry } from './clone-manifest.ts';

/** Permission with which everybody may read a file. */
const OPEN_TO_ALL = 0o004n;

/** What making a clone requires. */
export interface CloneParts {
  readonly folder: BranchFolder;
  readonly record: BranchRecord;
  readonly stateFolder: string;
  readonly limits: CloneLimits;
  readonly signal: AbortSignal;
}

/** The entries of what is cloned, before they are. */
interface Source {
  readonly facts: Map<string, Pick<ClonedEntry, 'inode' | 'changed'>>;
  readonly size: TreeSize;
  /** A file with content. */
  readonly sample: WorkspacePath | undefined;
}

/**
 * Copies the workspace, or the clone that a branch is based on. Until it is complete, the branch has none.
 *
 * @returns why it is not possible; undefined once it is done
 */
export async function makeClone(parts: CloneParts, reflinks: Exclude<CopyOptions['reflinks'], 'try' | undefined>): Promise<string | undefined> {
  const { folder, record, stateFolder, limits, signal } = parts;
  if (existsSync(folder.clone)) return undefined;
  const base = baseOf(folder);
  if (base === 'overlay') return `the branch ${record.from ?? ''}, on which it is based, is an overlay`;
  const from = base?.clone ?? record.root;
  if (`${stateFolder}/`.startsWith(`${record.root}/`)) return 'the state folder of Synapse is in the workspace (set XDG_STATE_HOME)';
  // Before anything is read: what is changed later may not be in the clone.
  const startedAt = String(await kernelTick(folder.path));
  const source = await readSource(from, base, limits, signal);
  if (typeof source === 'string') return source;
  const problem = reflinks === 'always' ? reflinkProblem(folder, from, source.sample) : copyProblem(folder, source.size, limits);
  if (problem !== undefined) return problem;
  try {
    await copyAll(folder, from, reflinks, signal);
    CloneManifest.write(folder.manifest, await readCopy(fresh(folder), source, signal));
    writeFileSync(join(folder.state, IS_CLONE), '');
    clearBases(folder.state);
    writeRecord(folder, { ...record, startedAt });
    renameSync(fresh(folder), folder.clone);
  } catch (error) {
    await removeTree(fresh(folder));
    if (errnoOf(error) === undefined) throw error;
    throw unclonable(error, from);
  }
  return undefined;
}

/** Forgets the clone of a branch in which nothing is changed. The next use makes one of the workspace as it is then. */
export async function dropClone(folder: BranchFolder): Promise<void> {
  if (existsSync(folder.clone)) renameSync(folder.clone, fresh(folder));
  for (const path of [folder.manifest, folder.made, join(folder.state, IS_CLONE)]) rmSync(path, { force: true });
  await removeTree(fresh(folder));
}

/** What is not complete, or not needed any more. */
const fresh = ({ clone }: BranchFolder): string => `${clone}.new`;

/** The nearest branch below that is a clone; undefined for the workspace, `overlay` if one has changes that only an overlay shows. */
function baseOf(folder: BranchFolder): BranchFolder | 'overlay' | undefined {
  for (const base of foldersBelow(folder)) {
    if (existsSync(base.clone)) return base;
    if (!base.isUntouched) return 'overlay';
  }
  return undefined;
}

async function readSource(from: string, base: BranchFolder | undefined, limits: CloneLimits, signal: AbortSignal): Promise<Source | string> {
  const below = base === undefined ? undefined : CloneManifest.of(base);
  const facts: Source['facts'] = new Map();
  const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
  let sample: WorkspacePath | undefined;
  let closed: string | undefined;
  using cursor = new TreeCursor(from, { owned: base !== undefined });
  await visitTree(
    cursor,
    (name, stat) => {
      const location = [...cursor.location, name];
      addTo(size, stat);
      if (sample === undefined && stat.isFile() && stat.size > 0n) sample = location;
      if (closed === undefined && isClosed(cursor, name, stat)) closed = displayPath(location);
      const own = below === undefined ? sourceFacts(stat) : below.isUnchanged(location, stat) ? below.get(location) : undefined;
      if (own !== undefined) facts.set(bytePath(location), own);
    },
    signal,
    () => closed !== undefined || size.entries > limits.entries,
  );
  if (closed !== undefined) return `${closed} cannot be read by this user`;
  if (size.entries > limits.entries) return `the workspace has more than ${count(limits.entries, 'entry', 'entries')}`;
  return { facts, size, sample };
}

/** Whether this user cannot read an entry, which the clone would lack. */
function isClosed(cursor: TreeCursor, name: WorkspacePath[number], stat: BigIntStats): boolean {
  if (!stat.isFile() || (stat.mode & OPEN_TO_ALL) !== 0n) return stat.isDirectory() && cursor.isClosed(name, stat);
  try {
    accessSync(cursor.at(name), constants.R_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EACCES';
  }
}

function copyProblem({ path }: BranchFolder, { bytes }: TreeSize, limits: CloneLimits): string | undefined {
  if (bytes > limits.bytes) return `the workspace has ${sizeText(bytes)}, and up to ${sizeText(limits.bytes)} are copied`;
  const { bavail, bsize } = statfsSync(path);
  return bytes > bavail * bsize ? `a copy of the workspace takes ${sizeText(bytes)}, and the disk of the state folder has less` : undefined;
}

/** Tries it with one file: a file system tells only that. */
function reflinkProblem({ path }: BranchFolder, from: string, sample: WorkspacePath | undefined): string | undefined {
  const trial = join(path, 'reflink');
  try {
    rmSync(trial, { force: true });
    if (sample !== undefined) copyFileSync(joinNames(from, sample), trial, constants.COPYFILE_FICLONE_FORCE);
    return undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return 'the file system of the workspace and the state folder has no reflinks';
  } finally {
    rmSync(trial, { force: true });
  }
}

async function copyAll(folder: BranchFolder, from: string, reflinks: 'always' | 'never', signal: AbortSignal): Promise<void> {
  const links = join(folder.path, 'links');
  for (const path of [links, fresh(folder)]) await removeTree(path);
  try {
    const copy = new TreeCopy(links, signal, { owned: false, reflinks });
    await copy.copy({ folder: dirname(from), name: basename(from) }, { folder: folder.path, name: basename(fresh(folder)) });
  } finally {
    await removeTree(links);
  }
}

/** What was copied. What appeared in the workspace meanwhile is there too, without the entry that it came from. */
async function readCopy(folder: string, { facts }: Source, signal: AbortSignal): Promise<Map<string, ClonedEntry>> {
  const entries = new Map<string, ClonedEntry>();
  using clone = new HandleConfinement(folder);
  using cursor = new TreeCursor(folder, { owned: true });
  await visitTree(
    cursor,
    (name, stat) => {
      const location = [...cursor.location, name];
      const key = bytePath(location);
      const source = facts.get(key);
      entries.set(key, clonedEntry(stat, source, source === undefined ? contentIn(clone, location, stat) : null));
    },
    signal,
  );
  return entries;
}

function contentIn(clone: HandleConfinement, location: WorkspacePath, stat: BigIntStats): string | null {
  if (!stat.isFile()) return null;
  using parent = clone.openDirectory(location.slice(0, -1));
  return contentAt(parent, location.at(-1) ?? '', location, stat)?.content ?? null;
}

function unclonable(error: unknown, from: string): SynapseError {
  const { code, message } = fileError(error, from);
  return new SynapseError(code, `The workspace cannot be copied for the branch: ${message}`, {
    hint: 'Nothing was changed. Remove the cause, and repeat it.',
  });
}
