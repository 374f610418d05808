import { FolderIndex } from '../workspace-index/folder-index.ts';
import { openRoot } from '../workspace/open-root.ts';
import { TreeStore } from '../tree/tree-store.ts';
import type { TreeState } from '../tree/tree-folders.ts';
import { WorkspaceTree } from '../tree/workspace-tree.ts';

/** The content of a folder, for comparisons. */
export interface WorkspaceNow extends Disposable {
  readonly root: string;
  readonly store: TreeStore;
  /** The content now, without some files. */
  tree(hidden: readonly string[]): Promise<TreeState | string>;
}

/** Looks at the content of a folder without opening hands on it: no rule of this machine has a say in what counts. */
export function workspaceNow(folder: string, stateFolder: string): WorkspaceNow {
  const { confinement } = openRoot(folder, stateFolder);
  const { root } = confinement;
  const store = new TreeStore(stateFolder, root);
  const known = new Map<string, Promise<TreeState | string>>();
  const look = async (hidden: ReadonlySet<string>): Promise<TreeState | string> => {
    if (confinement.tier !== 'handle') return 'folders cannot be held open on this system';
    using index = new FolderIndex(confinement);
    using tree = new WorkspaceTree({ confinement, index, store, hides: (path) => hidden.has(path) });
    return await tree.at(await index.look());
  };
  return {
    root,
    store,
    [Symbol.dispose]: () => confinement[Symbol.dispose](),
    tree: (hidden) => {
      const key = hidden.join('\0');
      const found = known.get(key) ?? look(new Set(hidden));
      known.set(key, found);
      return found;
    },
  };
}
