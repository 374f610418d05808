import { accessSync, constants, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** An entry of the file system. Views do not show sockets, pipes and devices. */
export type TreeEntry =
  | { readonly kind: 'folder' }
  /** `shared`: the same text for each name of a file that has several (hard links). */
  | { readonly kind: 'file'; readonly shared?: string }
  | { readonly kind: 'link'; readonly target: string };

/** The file system of this machine, from which the view of a command is derived. */
export interface Tree {
  /** The entry at an absolute path; undefined if missing or inaccessible. */
  look(path: string): TreeEntry | undefined;
  /** The names in a folder; empty if it cannot be read. */
  names(path: string): readonly string[];
  /** Whether this user can read a path. Commands do not need paths that the user cannot read. */
  canRead(path: string): boolean;
}

/** The disk, with cached lookups: a view reads the same parents many times. */
export function diskTree(): Tree {
  const known = new Map<string, TreeEntry | undefined>();
  const read = (path: string): TreeEntry | undefined => {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isSymbolicLink() === true) return { kind: 'link', target: readlinkSync(path) };
      if (stat?.isDirectory() === true) return { kind: 'folder' };
      if (stat?.isFile() !== true) return undefined;
      return stat.nlink > 1 ? { kind: 'file', shared: `${stat.dev}:${stat.ino}` } : { kind: 'file' };
    } catch {
      // Closed to this user, so to a command as well.
      return undefined;
    }
  };
  return {
    look(path) {
      if (!known.has(path)) known.set(path, read(path));
      return known.get(path);
    },
    names(path) {
      try {
        return readdirSync(path);
      } catch {
        // Missing, or closed to this user.
        return [];
      }
    },
    canRead(path) {
      try {
        accessSync(path, constants.R_OK);
        return true;
      } catch {
        // Closed to this user.
        return false;
      }
    },
  };
}

/** A resolved path. */
export interface Followed {
  readonly real: string;
  readonly kind: 'folder' | 'file';
  /** The links on the way with their targets, by their real paths. */
  readonly links: ReadonlyMap<string, string>;
}

/** Linux follows at most this many links in one path (MAXSYMLINKS). */
const MAX_LINKS = 40;

/** Resolves a path; undefined if it does not exist. */
export function follow(tree: Tree, path: string): Followed | undefined {
  const links = new Map<string, string>();
  let real = '/';
  let kind: Followed['kind'] = 'folder';
  let steps = 0;
  const names = resolve('/', path).split('/').filter(Boolean);
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const at = real === '/' ? `/${name}` : `${real}/${name}`;
    const entry = tree.look(at);
    if (entry === undefined) return undefined;
    if (entry.kind !== 'link') {
      real = at;
      kind = entry.kind;
      continue;
    }
    steps += 1;
    if (steps > MAX_LINKS) return undefined;
    links.set(at, entry.target);
    names.unshift(...entry.target.split('/').filter((part) => part !== '' && part !== '.'));
    if (entry.target.startsWith('/')) real = '/';
  }
  return { real, kind, links };
}
