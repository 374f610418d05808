/** What an entry is. */
export type EntryType = 'file' | 'folder' | 'link' | 'other';

/**
 * A tree of files to look at, such as a workspace, or what a command would make of one. Paths are relative to the root,
 * which is the empty one; one character stands for one byte (latin1). No link is followed.
 */
export interface TreeView {
  /** What an entry is; undefined where there is none. */
  readonly type: (path: string) => EntryType | undefined;
  /** The text of a regular file; undefined for all else, for a larger one, and for one that cannot be read. */
  readonly readText: (path: string, maxBytes: number) => string | undefined;
  /** The names in a folder; undefined for all else, and for one that cannot be read. */
  readonly names: (path: string) => readonly string[] | undefined;
}

export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Where a path as it stands in a file leads, by its text; undefined where that is outside the root. */
export function resolveIn(rootPath: string, folder: string, path: string): string | undefined {
  const root = Buffer.from(rootPath).toString('latin1');
  if (path.startsWith('/') && path !== root && !path.startsWith(`${root}/`)) return undefined;
  const names = path.startsWith('/') ? [] : folder.split('/').filter((name) => name !== '');
  for (const name of (path.startsWith('/') ? path.slice(root.length) : path).split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join('/');
}
