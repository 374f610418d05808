import { hash } from 'node:crypto';

/** The kind of an entry: a file, an executable file, a link, or a folder. */
export type TreeKind = 'f' | 'x' | 'l' | 'd';

/** An entry of a folder of a tree. */
export interface TreeEntry {
  readonly kind: TreeKind;
  /** SHA-256 in hexadecimal: of the content, of the target of a link, or of the listing of a folder. */
  readonly hash: string;
}

/** The entries of a folder by name; one character of the name per byte (latin1). */
export type Listing = ReadonlyMap<string, TreeEntry>;

const HASH_CHARACTERS = 64;
/** Separates this hash from one of a file with the same bytes. */
const PREFIX = 'synapse tree\n';

/**
 * Writes a listing as text: the same entries always give the same text. Names end in a zero byte, which none can contain.
 *
 * @param names those of the listing, sorted, if they are at hand
 */
export function listingText(listing: Listing, names: readonly string[] = [...listing.keys()].toSorted()): string {
  let text = '';
  for (const name of names) {
    const entry = listing.get(name);
    if (entry !== undefined) text += `${entry.kind}${entry.hash}${name}\0`;
  }
  return text;
}

/** The hash of a folder: it covers all names, kinds and contents below. */
export function listingHash(text: string): string {
  return hash('sha256', Buffer.from(PREFIX + text, 'latin1'));
}

/** A listing as it is stored, with its hash. */
export interface StoredListing {
  readonly sum: string;
  readonly bytes: Buffer;
}

/** Writes a text of a listing as bytes, once for both its hash and the store. */
export function storedListing(text: string): StoredListing {
  const bytes = Buffer.from(PREFIX + text, 'latin1');
  return { sum: hash('sha256', bytes), bytes: bytes.subarray(PREFIX.length) };
}

const KINDS: ReadonlyMap<string, TreeKind> = new Map([
  ['f', 'f'],
  ['x', 'x'],
  ['l', 'l'],
  ['d', 'd'],
]);

/** Reads the letter of a kind; undefined if there is none. */
export const treeKind = (letter: string): TreeKind | undefined => KINDS.get(letter);

/** Reads a listing back; undefined if the text is not one. */
export function readListing(text: string): Listing | undefined {
  const listing = new Map<string, TreeEntry>();
  if (text === '') return listing;
  if (!text.endsWith('\0')) return undefined;
  for (const line of text.slice(0, -1).split('\0')) {
    const [kind, sum, name] = [treeKind(line.slice(0, 1)), line.slice(1, 1 + HASH_CHARACTERS), line.slice(1 + HASH_CHARACTERS)];
    if (kind === undefined || name === '' || !/^[0-9a-f]{64}$/u.test(sum)) return undefined;
    listing.set(name, { kind, hash: sum });
  }
  return listing;
}

/** The hash of a tree without files. */
export const EMPTY_TREE = listingHash('');

/**
 * A listing that keeps the order of its names, so that a change of one entry does not sort all of them again: it is mostly
 * deleted and then set.
 */
export class OrderedListing<Known extends TreeEntry> extends Map<string, Known> {
  /** All names in order, with those that were deleted since; undefined if others came since. */
  #order: readonly string[] | undefined;
  #deleted: Set<string> | undefined;

  override set(name: string, entry: Known): this {
    if (this.#order !== undefined && !this.has(name) && this.#deleted?.delete(name) !== true) this.#order = undefined;
    return super.set(name, entry);
  }

  override delete(name: string): boolean {
    const was = super.delete(name);
    if (was && this.#order !== undefined) (this.#deleted ??= new Set()).add(name);
    return was;
  }

  /** The names in the order of a listing. */
  names(): readonly string[] {
    if (this.#order === undefined) this.#order = [...this.keys()].toSorted();
    else if (this.#deleted !== undefined) this.#order = this.#order.filter((name) => this.has(name));
    this.#deleted = undefined;
    return this.#order;
  }
}
