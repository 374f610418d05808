import { parentOf, type TreeView } from '../danger/tree-view.ts';

/**
 * Creates a view that records what an answer depends on: each path that was looked at, and the folder that contains it. For a
 * missing one also the folders above it that could appear.
 */
export function recordedView(view: TreeView, seen: Set<string>): TreeView {
  const record = (path: string): void => {
    seen.add(path);
    let folder = parentOf(path);
    seen.add(folder);
    for (; folder !== '' && view.type(folder) !== 'folder'; folder = parentOf(folder)) seen.add(parentOf(folder));
  };
  const recorded =
    <Rest extends unknown[], T>(look: (path: string, ...rest: Rest) => T) =>
    (path: string, ...rest: Rest): T => {
      record(path);
      return look(path, ...rest);
    };
  return {
    type: recorded((path) => view.type(path)),
    readText: recorded((path, maxBytes: number) => view.readText(path, maxBytes)),
    readBytes: recorded((path, maxBytes: number) => view.readBytes(path, maxBytes)),
    linkText: recorded((path) => view.linkText(path)),
    names: recorded((path) => view.names(path)),
  };
}
