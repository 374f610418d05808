import { chmodSync, constants, copyFileSync, lstatSync, readlinkSync, renameSync, rmSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { look } from '../journal/swap-entry.ts';
import { sameContent } from '../transaction/change-entry.ts';
import type { Name } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { TreeCopy } from '../workspace/copy-tree.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { namesIn } from '../workspace/list-entries.ts';
import { removeEntry, removeTree } from '../workspace/remove-tree.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { BranchFolder } from './branch-folder.ts';
import { clonedEntry, sourceFacts, type ClonedEntry, type CloneManifest } from './clone-manifest.ts';

const PERMISSIONS = 0o7777;

async function removeIfThere(folder: PinnedDirectory, name: Name, stat: BigIntStats | undefined): Promise<void> {
  if (stat !== undefined) await removeEntry(folder, name);
}

/** Gives entries of a clone the version of the workspace. */
class Settling {
  readonly #manifest: CloneManifest;
  readonly #clone: Confinement;
  readonly #workspace: Confinement;
  readonly #copy: TreeCopy;
  /** What was settled: the entry of the workspace, undefined for none. */
  readonly settled: { readonly location: WorkspacePath; readonly theirs: BigIntStats | undefined }[] = [];

  constructor(manifest: CloneManifest, clone: Confinement, workspace: Confinement, copy: TreeCopy) {
    this.#manifest = manifest;
    this.#clone = clone;
    this.#workspace = workspace;
    this.#copy = copy;
  }

  async settle(location: WorkspacePath): Promise<void> {
    const [parent, name] = [location.slice(0, -1), location.at(-1) ?? ''];
    using to = openIfThere(this.#clone, parent);
    // What the branch has in place of the folder around it is a change that stays.
    if (to === undefined) return;
    using from = openIfThere(this.#workspace, parent);
    const [theirs, own] = [from === undefined ? undefined : look(from.at(name)), look(to.at(name))];
    this.settled.push({ location, theirs });
    if (from === undefined || theirs === undefined) {
      await removeIfThere(to, name, own);
      return;
    }
    const areFolders = theirs.isDirectory() && own?.isDirectory() === true;
    if (areFolders) {
      using folder = to.child(name);
      if (own.mode !== theirs.mode) chmodSync(folder.self, Number(theirs.mode) & 0o7777);
      // In one that both had from the beginning, each entry is a change of its own.
      if (this.#manifest.get(location) !== undefined) return;
    } else if (!isSame(from, to, name, theirs, own)) {
      await removeIfThere(to, name, own);
      await this.#copy.copy({ folder: from.self, name }, { folder: to.self, name });
    }
    if (!theirs.isDirectory()) return;
    using folder = from.child(name);
    for (const below of namesIn(folder)) await this.settle([...location, below]);
  }
}

/**
 * Gives a clone the version of the workspace of entries that were applied, or of which that version counts. Nothing uses the branch
 * meanwhile. After a kill in the middle, what is not settled counts as changed in the branch.
 */
export async function settleClone(
  folder: BranchFolder,
  manifest: CloneManifest,
  workspace: Confinement,
  done: readonly WorkspacePath[],
  signal: AbortSignal,
): Promise<void> {
  const links = join(folder.path, 'links');
  await removeTree(links);
  using clone = new HandleConfinement(folder.clone);
  const settling = new Settling(manifest, clone, workspace, new TreeCopy(links, signal, { owned: false }));
  for (const location of done) await settling.settle(location);
  // Before the copies are looked at: a name less is a change of a file too.
  await removeTree(links);
  const entries = new Map<string, ClonedEntry | null>();
  for (const { location, theirs } of settling.settled) {
    using parent = openIfThere(clone, location.slice(0, -1));
    const own = parent === undefined ? undefined : look(parent.at(location.at(-1) ?? ''));
    entries.set(bytePath(location), own === undefined || theirs === undefined ? null : clonedEntry(own, sourceFacts(theirs)));
  }
  if (entries.size > 0) manifest.add(entries);
}

/** Gives a clone a content of a file that the branch goes on with. */
export function putInClone({ clone, path }: BranchFolder, location: WorkspacePath, file: string): void {
  using opened = new HandleConfinement(clone);
  using parent = opened.openDirectory(location.slice(0, -1));
  const at = parent.at(location.at(-1) ?? '');
  const mode = lstatSync(file).mode & PERMISSIONS;
  if ((lstatSync(at).mode & PERMISSIONS) === mode && sameContent(file, at)) return;
  const made = join(path, 'part');
  rmSync(made, { force: true });
  copyFileSync(file, made, constants.COPYFILE_FICLONE);
  chmodSync(made, mode);
  renameSync(made, at);
}

/** Whether both sides are files or links that say the same. */
function isSame(from: PinnedDirectory, to: PinnedDirectory, name: Name, theirs: BigIntStats, own: BigIntStats | undefined): boolean {
  if (own === undefined) return false;
  if (theirs.isSymbolicLink()) return own.isSymbolicLink() && readlinkSync(from.at(name), 'buffer').equals(readlinkSync(to.at(name), 'buffer'));
  return theirs.isFile() && own.isFile() && theirs.mode === own.mode && theirs.size === own.size && sameContent(from.at(name), to.at(name));
}

function openIfThere(side: Confinement, location: WorkspacePath): PinnedDirectory | undefined {
  try {
    return side.openDirectory(location);
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}
