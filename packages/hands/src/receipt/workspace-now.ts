import { openRoot } from '../workspace/open-root.ts';
import { TreeStore } from '../tree/tree-store.ts';
import type { TreeState } from '../tree/tree-folders.ts';
import { wholeTree } from '../tree/whole-tree.ts';

/** The content of a folder, for comparisons. */
export interface WorkspaceNow extends Disposable {
  readonly root: string;
  readonly store: TreeStore;
  /**
   * The content now, without some files.
   *
   * @param readsAll whether each file is read, also one that is as this machine knows it by its inode, size and times
   */
  tree(hidden: readonly string[], readsAll?: boolean): Promise<TreeState | string>;
}

/** Looks at the content of a folder without opening hands on it: no rule of this machine has a say in what counts. */
export function workspaceNow(folder: string, stateFolder: string): WorkspaceNow {
  const { confinement } = openRoot(folder, stateFolder);
  const { root } = confinement;
  const store = new TreeStore(stateFolder, root);
  const known = new Map<string, Promise<TreeState | string>>();
  const look = async (hidden: ReadonlySet<string>, readsAll: boolean): Promise<TreeState | string> =>
    await wholeTree({ confinement, store, hides: (path) => hidden.has(path), readsAll });
  return {
    root,
    store,
    [Symbol.dispose]: () => confinement[Symbol.dispose](),
    tree: (hidden, readsAll = false) => {
      const key = [String(readsAll), ...hidden].join('\0');
      const found = known.get(key) ?? look(new Set(hidden), readsAll);
      known.set(key, found);
      return found;
    },
  };
}
