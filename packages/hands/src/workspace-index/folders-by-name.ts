import { join, type TreeView } from '../danger/tree-view.ts';

/** Yields each folder with its names, without handles of its own: for systems where the index cannot hold folders open. */
export function* foldersByName(view: TreeView): Generator<readonly [path: string, names: readonly string[]]> {
  const left = [''];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const names = view.names(path) ?? [];
    yield [path, names];
    for (const name of names) if (view.type(join(path, name)) === 'folder') left.push(join(path, name));
  }
}
