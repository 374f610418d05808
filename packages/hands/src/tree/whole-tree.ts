import { closeSync, lstatSync } from 'node:fs';
import { nameOf, parentOf } from '../danger/tree-view.ts';
import { TimeSlice } from '../events/timing.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { entriesOf, pathIn, type Folder } from '../workspace-index/folder.ts';
import { bytesOf, isSameFolder, openFolderBelow } from '../workspace-index/open-folder.ts';
import { MOVED, walkFolders, type WalkStart, type WalkVisitor } from '../workspace-index/walk-folders.ts';
import { FolderReader } from './folder-reader.ts';
import { TreeFolders, type TreeState } from './tree-folders.ts';
import type { SavedFolder, TreeStore } from './tree-store.ts';

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
    const { folders, read, problem } = await walk({ root: root.descriptor, place: placeOf(root.descriptor, confinement.root), reader, known });
    if (problem === MOVED && walks < MAX_WALKS) continue;
    if (problem !== undefined) return 'a folder of the workspace cannot be read';
    const state = folders.sealAll({ store, reader });
    if (reader.hasRead) store.save(folders.toSave(state, read));
    return state;
  }
}

interface Walk {
  /** The open workspace. */
  readonly root: number;
  /** Its path, if that leads to it. */
  readonly place: string | undefined;
  readonly reader: FolderReader;
  /** What this machine knows of its folders; undefined to read all. */
  readonly known: ReadonlyMap<string, SavedFolder> | undefined;
}

interface Walked {
  readonly folders: TreeFolders;
  readonly read: ReadonlyMap<string, Folder>;
  readonly problem?: string;
}

/** The path of an open folder, one character per byte (latin1); undefined if it leads elsewhere now. */
function placeOf(folder: number, path: string): string | undefined {
  const place = Buffer.from(path).toString('latin1');
  const stat = lstatSync(bytesOf(place), { throwIfNoEntry: false });
  return stat !== undefined && isSameFolder(folder, { device: stat.dev, inode: stat.ino }) ? place : undefined;
}

/** A folder with the open one above it. */
function startOf(root: number, path: string, failed: WalkVisitor['failed']): (WalkStart & Disposable) | undefined {
  if (path === '') return { parent: root, name: '.', path, [Symbol.dispose]: () => {} };
  try {
    const parent = openFolderBelow(root, parentOf(path));
    return { parent, name: nameOf(path), path, [Symbol.dispose]: () => closeSync(parent) };
  } catch (error) {
    // The folder above was there just now.
    failed(path, { kind: 'unreadable', reason: errnoOf(error) === 'ENOENT' ? MOVED : (errnoOf(error) ?? 'unknown') });
    return undefined;
  }
}

/** The folder if it is as it was known, by its path: to open it first takes four times as long. */
function sameFolder(place: string | undefined, known: SavedFolder | undefined): Folder | undefined {
  if (place === undefined || known?.names === undefined) return undefined;
  const { inode, modified, changed, listing } = known.names;
  try {
    const { dev, ino, mtimeMs, ctimeMs } = lstatSync(bytesOf(place));
    return ino === inode && mtimeMs === modified && ctimeMs === changed ? { device: dev, inode, listing, times: { modified, changed } } : undefined;
  } catch {
    // The look by its handle says what is wrong with it.
    return undefined;
  }
}

/**
 * A folder or file that has the inode, the size and the times of one that was read is that one, whichever way led to it. So these are
 * looked at by their paths, and all others through handles.
 */
async function walk({ root, place, reader, known }: Walk): Promise<Walked> {
  const read = new Map<string, Folder>();
  const folders = new TreeFolders();
  const slice = new TimeSlice();
  const problems: string[] = [];
  const at = (path: string): string | undefined => (place === undefined || path === '' ? place : `${place}/${path}`);
  const enter = (path: string, folder: Folder, handle: number | undefined): Promise<void> => {
    const parent = path === '' ? undefined : folders.get(parentOf(path));
    const rules = parent === undefined ? reader.rulesOfRoot() : reader.rulesBelow(parent, nameOf(path));
    const entries = entriesOf(folder);
    const node = reader.nodeFor(path, rules, entries);
    folders.set(path, node);
    read.set(path, folder);
    return reader.fill(node, entries, known?.get(path), slice, { handle, place: at(path) });
  };
  const below = (path: string): string[] => [...(folders.get(path)?.folders ?? [])].map((name) => pathIn(path, name));
  const failed: WalkVisitor['failed'] = (path, failure) => {
    if (failure.kind === 'unreadable') problems.push(failure.reason);
    else if (path === '') problems.push('it is gone');
  };
  const left = [''];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const before = known?.get(path);
    const same = sameFolder(at(path), before);
    if (same === undefined) {
      // In a folder that is new, all are.
      const into = before === undefined ? (one: string) => folders.get(one)?.folders ?? [] : () => [];
      using start = startOf(root, path, failed);
      if (start !== undefined) await walkFolders(start, { opened: () => {}, read: enter, into, failed }, slice);
      if (before === undefined) continue;
    } else await enter(path, same, undefined);
    left.push(...below(path));
    if (slice.isOver) await slice.next();
  }
  const problem = problems.find((reason) => reason !== MOVED) ?? problems[0];
  return { folders, read, ...(problem === undefined ? {} : { problem }) };
}
