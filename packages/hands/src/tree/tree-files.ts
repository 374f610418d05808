import { isUtf8 } from 'node:buffer';
import { parentOf } from '../danger/tree-view.ts';
import { pathIn } from '../workspace-index/folder.ts';
import { listingHash, listingText, readListing, treeKind, type Listing, type TreeEntry } from './listing.ts';

/** Finds the listing of a folder by its hash. */
export type ReadListing = (sum: string) => Listing | undefined;

/** Joins sources of listings: the first that has one counts. */
export function listingReader(...sources: ReadonlyArray<(sum: string) => string | undefined>): ReadListing {
  const known = new Map<string, Listing | undefined>();
  return (sum) => {
    if (known.has(sum)) return known.get(sum);
    const text = sources.map((source) => source(sum)).find((found) => found !== undefined);
    const listing = text === undefined ? undefined : readListing(text);
    known.set(sum, listing);
    return listing;
  };
}

/** Maximum number of changed paths. */
const MAX_CHANGED = 1_000;

/** A folder of both trees, or of one. */
interface Pair {
  readonly path: string;
  readonly old: Listing;
  readonly fresh: Listing;
}

/**
 * Returns the paths that differ between two trees, as text; undefined if the listing of a tree is gone. A folder of which no listing is
 * known ends in a slash.
 */
export function changedFiles(read: ReadListing, before: string, now: string): string[] | undefined {
  if (before === now) return [];
  const [old, fresh] = [read(before), read(now)];
  if (old === undefined || fresh === undefined) return undefined;
  const changed: string[] = [];
  const left: Pair[] = [{ path: '', old, fresh }];
  for (let at = left.pop(); at !== undefined && changed.length < MAX_CHANGED; at = left.pop()) {
    for (const name of new Set([...at.old.keys(), ...at.fresh.keys()])) {
      const [was, is] = [at.old.get(name), at.fresh.get(name)];
      if (was?.hash === is?.hash && was?.kind === is?.kind) continue;
      left.push(...compare(read, pathIn(at.path, name), [was, is], changed));
    }
  }
  return [...new Set(changed)].map((path) => Buffer.from(path, 'latin1').toString()).toSorted();
}

/** Notes an entry that changed. @returns the folders to compare for it */
function compare(read: ReadListing, path: string, sides: readonly [TreeEntry | undefined, TreeEntry | undefined], changed: string[]): Pair[] {
  const folders = sides.map((entry) => (entry?.kind === 'd' ? entry : undefined));
  for (const entry of sides) if (entry !== undefined && entry.kind !== 'd') changed.push(path);
  const [old, fresh] = folders;
  if (old === undefined || fresh === undefined) return folders.flatMap((entry) => (entry === undefined ? [] : belowOf(read, path, entry, changed)));
  const [oldListing, freshListing] = [read(old.hash), read(fresh.hash)];
  if (oldListing !== undefined && freshListing !== undefined) return [{ path, old: oldListing, fresh: freshListing }];
  changed.push(`${path}/`);
  return [];
}

const NO_FILES: Listing = new Map();

/** The folder that came or went, to be compared with nothing. */
function belowOf(read: ReadListing, path: string, entry: TreeEntry, changed: string[]) {
  const listing = read(entry.hash);
  if (listing !== undefined) return [{ path, old: listing, fresh: NO_FILES }];
  changed.push(`${path}/`);
  return [];
}

/** Maximum number of files that a receipt lists: about 60 kB. Of more, it has the hashes of folders. */
const MAX_LISTED = 600;

const toBase64 = (entry: TreeEntry): string => entry.kind + Buffer.from(entry.hash, 'hex').toString('base64url');

/**
 * Lists a tree by path, as far as that is short: folders that would make it long stay one entry, which ends in a slash.
 *
 * @param mayShow whether the names of a folder may be shown
 */
export function listTree(read: ReadListing, sum: string, mayShow: (path: string) => boolean): Record<string, string> | undefined {
  const root = read(sum);
  if (root === undefined || root.size > MAX_LISTED) return undefined;
  const open: Array<{ readonly path: string; readonly listing: Listing }> = [{ path: '', listing: root }];
  let count = root.size;
  // Breadth first, so that all of the upper folders are listed before the lower ones.
  for (const { path, listing } of open) {
    for (const [name, entry] of listing) {
      const below = entry.kind === 'd' ? read(entry.hash) : undefined;
      const at = pathIn(path, name);
      if (below === undefined || count + below.size - 1 > MAX_LISTED || ![...below.keys()].every((one) => isShown(pathIn(at, one), mayShow)))
        continue;
      count += below.size - 1;
      open.push({ path: at, listing: below });
    }
  }
  const opened = new Set(open.map(({ path }) => path));
  const files: Record<string, string> = {};
  for (const { path, listing } of open) {
    for (const [name, entry] of listing) {
      const at = pathIn(path, name);
      if (opened.has(at)) continue;
      if (!isShown(at, mayShow)) return undefined;
      files[Buffer.from(at, 'latin1').toString() + (entry.kind === 'd' ? '/' : '')] = toBase64(entry);
    }
  }
  return files;
}

function isShown(path: string, mayShow: (path: string) => boolean): boolean {
  const bytes = Buffer.from(path, 'latin1');
  return isUtf8(bytes) && mayShow(bytes.toString());
}

/** Restores the listings of a tree from {@link listTree}; undefined if they are not those of the tree. */
export function restoreListings(files: Readonly<Record<string, string>>, sum: string): ReadonlyMap<string, string> | undefined {
  const folders = new Map<string, Map<string, TreeEntry>>([['', new Map()]]);
  const folder = (path: string): Map<string, TreeEntry> => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const made = new Map<string, TreeEntry>();
    folders.set(path, made);
    if (path !== '') folder(parentOf(path));
    return made;
  };
  for (const [shown, text] of Object.entries(files)) {
    const kind = treeKind(text.slice(0, 1));
    if (kind === undefined) return undefined;
    const path = Buffer.from(shown.endsWith('/') ? shown.slice(0, -1) : shown).toString('latin1');
    folder(parentOf(path)).set(path.slice(path.lastIndexOf('/') + 1), { kind, hash: Buffer.from(text.slice(1), 'base64url').toString('hex') });
  }
  const texts = new Map<string, string>();
  for (const path of [...folders.keys()].toSorted(
    (one, other) => other.split('/').length - one.split('/').length || Number(one === '') - Number(other === ''),
  )) {
    const text = listingText(folder(path));
    const own = listingHash(text);
    texts.set(own, text);
    if (path === '') return own === sum ? texts : undefined;
    folder(parentOf(path)).set(path.slice(path.lastIndexOf('/') + 1), { kind: 'd', hash: own });
  }
  return undefined;
}
