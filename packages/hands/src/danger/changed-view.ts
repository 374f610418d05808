import { join, nameOf, parentOf, type EntryType, type TreeView } from './tree-view.ts';

/** What an entry becomes. */
export interface ChangedEntry {
  readonly type: EntryType;
  /** The new text of a file; undefined where it is larger, or not known: it is judged as unreadable then. */
  readonly text?: (maxBytes: number) => string | undefined;
}

/** A tree with changes that are not made yet. Null is an entry that goes, with all in it; one that is no folder ends what was in it. */
export function changedView(base: TreeView, changes: ReadonlyMap<string, ChangedEntry | null>): TreeView {
  const made = Map.groupBy(changes.keys(), parentOf);
  /** Whether what the base has at a place is still there, as no folder above it went or became something else. */
  const stands = (path: string): boolean => {
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
      const change = changes.get(folder);
      if (change !== undefined && change?.type !== 'folder') return false;
    }
    return true;
  };
  const type = (path: string): EntryType | undefined => {
    const change = changes.get(path);
    if (change !== undefined) return change?.type;
    return stands(path) ? base.type(path) : undefined;
  };
  return {
    type,
    readText(path, maxBytes) {
      const change = changes.get(path);
      if (change !== undefined) return change?.type === 'file' ? change.text?.(maxBytes) : undefined;
      return stands(path) ? base.readText(path, maxBytes) : undefined;
    },
    names(path) {
      if (type(path) !== 'folder') return undefined;
      const known = stands(path) && changes.get(path) !== null ? (base.names(path) ?? []) : [];
      const all = new Set([...known, ...(made.get(path) ?? []).map(nameOf)]);
      return [...all].filter((name) => type(join(path, name)) !== undefined);
    },
  };
}

/** A tree in which one entry has another name. */
export function movedView(base: TreeView, from: string, to: string): TreeView {
  /** Where the base has what stands at a place now; undefined where that went away. */
  const origin = (path: string): string | undefined => {
    if (path === to || path.startsWith(`${to}/`)) return from + path.slice(to.length);
    return path === from || path.startsWith(`${from}/`) ? undefined : path;
  };
  const type = (path: string): EntryType | undefined => {
    const source = origin(path);
    const own = source === undefined ? undefined : base.type(source);
    // The folders on the way are made with it.
    return own ?? (to.startsWith(`${path}/`) ? 'folder' : undefined);
  };
  return {
    type,
    readText(path, maxBytes) {
      const source = origin(path);
      return source === undefined ? undefined : base.readText(source, maxBytes);
    },
    names(path) {
      if (type(path) !== 'folder') return undefined;
      const source = origin(path);
      const known = source === undefined ? [] : (base.names(source) ?? []);
      const made = path === parentOf(to) ? [nameOf(to)] : to.startsWith(`${path}/`) ? [to.slice(path.length + 1).split('/')[0] ?? ''] : [];
      return [...new Set([...known, ...made])].filter((name) => type(join(path, name)) !== undefined);
    },
  };
}
