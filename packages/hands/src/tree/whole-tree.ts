import { nameOf, parentOf } from '../danger/tree-view.ts';
import { TimeSlice } from '../events/timing.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { entriesOf, type Folder } from '../workspace-index/folder.ts';
import { MOVED, walkFolders } from '../workspace-index/walk-folders.ts';
import { FolderReader } from './folder-reader.ts';
import { TreeFolders, type TreeState } from './tree-folders.ts';
import type { TreeStore } from './tree-store.ts';

export interface WholeTreeOptions {
  readonly confinement: Confinement;
  readonly store: TreeStore;
  /** Whether commands cannot read a path, relative to the workspace. */
  readonly hides: (path: string) => boolean;
  /** Whether each file is read, also one that is as this machine knows it by its inode, size and times. */
  readonly readsAll: boolean;
}

/** Maximum number of walks if folders move during a walk. */
const MAX_WALKS = 3;

/**
 * Looks once at what commands can read in a workspace, folder by folder, each through the handle of its parent. What git ignores is not
 * entered.
 *
 * @returns the tree, or why it cannot be known
 */
export async function wholeTree({ confinement, store, hides, readsAll }: WholeTreeOptions): Promise<TreeState | string> {
  using root = confinement.openDirectory([]);
  if (confinement.tier !== 'handle' || root.descriptor === undefined) return 'folders cannot be held open on this system';
  using reader = new FolderReader(confinement, hides);
  reader.lookAtTracked();
  // Also says which listings are stored.
  const saved = store.saved();
  const known = readsAll ? undefined : saved;
  for (let walks = 1; ; walks += 1) {
    const { folders, read, problem } = await walk(root.descriptor, reader, known);
    if (problem === MOVED && walks < MAX_WALKS) continue;
    if (problem !== undefined) return 'a folder of the workspace cannot be read';
    const state = folders.sealAll({ store, reader });
    if (reader.hasRead) store.save(folders.toSave(state, read));
    return state;
  }
}

type Known = ReturnType<TreeStore['saved']>;

interface Walked {
  readonly folders: TreeFolders;
  readonly read: ReadonlyMap<string, Folder>;
  readonly problem?: string;
}

async function walk(root: number, reader: FolderReader, known: Known | undefined): Promise<Walked> {
  const read = new Map<string, Folder>();
  const folders = new TreeFolders();
  const slice = new TimeSlice();
  const problems: string[] = [];
  await walkFolders(
    { parent: root, name: '.', path: '' },
    {
      opened: () => {},
      known: (path, { dev, ino, mtimeMs, ctimeMs }) => {
        const names = known?.get(path)?.names;
        if (names === undefined || names.inode !== ino || names.modified !== mtimeMs || names.changed !== ctimeMs) return undefined;
        const { modified, changed, listing } = names;
        return { device: dev, inode: ino, listing, times: { modified, changed } };
      },
      read: (path, folder, handle) => {
        const parent = path === '' ? undefined : folders.get(parentOf(path));
        const rules = parent === undefined ? reader.rulesOfRoot() : reader.rulesBelow(parent, nameOf(path));
        const entries = entriesOf(folder);
        const node = reader.nodeFor(path, rules, entries);
        folders.set(path, node);
        read.set(path, folder);
        return reader.fill(node, entries, known?.get(path), slice, handle);
      },
      into: (path) => folders.get(path)?.folders ?? [],
      failed: (path, failure) => {
        if (failure.kind === 'unreadable') problems.push(failure.reason);
        else if (path === '') problems.push('it is gone');
      },
    },
    slice,
  );
  const problem = problems.find((reason) => reason !== MOVED) ?? problems[0];
  return { folders, read, ...(problem === undefined ? {} : { problem }) };
}
