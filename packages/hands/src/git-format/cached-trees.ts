import { hash } from 'node:crypto';
import type { IndexedFile, ReadIndex } from './read-index.ts';

/** A folder, as an index remembers the tree that it made of it. */
interface CachedTree {
  readonly name: string;
  /** The number of entries in it; negative if its tree is not known. */
  readonly count: number;
  readonly object: Buffer | undefined;
  readonly folders: readonly CachedTree[];
}

/** Maximum depth of folders. */
const MAX_DEPTH = 1_000;
/** Maximum bytes of the path of a folder. git checks out none that is longer than 4,096. */
const MAX_PATH_BYTES = 65_536;
const SHA1_BYTES = 20;
const FOLDER_MODE = 0o40000;
const NEWLINE = 0x0a;

/** Reads the extension `TREE` (gitformat-index); undefined if it is damaged. */
function readTrees(bytes: Buffer, sumBytes: number): CachedTree | undefined {
  let at = 0;
  const read = (depth: number, above: number): CachedTree | undefined => {
    const [zero, line] = [bytes.indexOf(0, at), bytes.indexOf(NEWLINE, bytes.indexOf(0, at))];
    const path = above + zero + 1 - at;
    if (zero === -1 || line === -1 || depth > MAX_DEPTH || path > MAX_PATH_BYTES) return undefined;
    const numbers = /^(?<count>-?\d{1,9}) (?<folders>\d{1,9})$/u.exec(bytes.toString('latin1', zero + 1, line))?.groups;
    if (numbers === undefined) return undefined;
    const [name, count] = [bytes.toString('latin1', at, zero), Number(numbers['count'])];
    at = line + 1;
    const object = count < 0 ? undefined : bytes.subarray(at, at + sumBytes);
    at += object?.length ?? 0;
    const folders: CachedTree[] = [];
    for (let left = Number(numbers['folders']); left > 0; left -= 1) {
      const folder = read(depth + 1, path);
      if (folder === undefined) return undefined;
      folders.push(folder);
    }
    return { name, count, object, folders };
  };
  const root = read(0, 0);
  return root?.name === '' && at === bytes.length ? root : undefined;
}

/** The first of sorted files whose name is not before a text. */
function firstFrom(files: readonly IndexedFile[], text: string): number {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((files[middle]?.name ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of `tree`, a length and a zero. */
const MAX_HEADER_BYTES = 32;

/** An object of a tree, as it is built: with room for its header, which needs its length. */
class TreeObject {
  #bytes = Buffer.allocUnsafe(4_096);
  #end = MAX_HEADER_BYTES;

  clear(): void {
    this.#end = MAX_HEADER_BYTES;
  }

  add(mode: number, name: string, object: Buffer, start: number, end: number): void {
    const text = `${mode.toString(8)} ${name}\0`;
    const after = this.#end + text.length + end - start;
    if (after > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], after * 2);
    this.#bytes.write(text, this.#end, 'latin1');
    object.copy(this.#bytes, this.#end + text.length, start, end);
    this.#end = after;
  }

  sum(algorithm: string): Buffer {
    const header = `tree ${this.#end - MAX_HEADER_BYTES}\0`;
    const start = MAX_HEADER_BYTES - header.length;
    this.#bytes.write(header, start, 'latin1');
    // Half the time of an object for each sum: a large index remembers ten thousands of trees.
    return hash(algorithm, this.#bytes.subarray(start, this.#end), 'buffer');
  }
}

/**
 * Whether the trees that an index remembers (`TREE`) are those of its files. git takes them into the next commit as they are: a false one
 * brings files there that neither `git status` nor `git diff --cached` shows.
 */
export function hasTrueTrees(extension: Buffer, { files, sumBytes }: Pick<ReadIndex, 'files' | 'sumBytes'>): boolean {
  const root = readTrees(extension, sumBytes);
  const algorithm = sumBytes === SHA1_BYTES ? 'sha1' : 'sha256';
  const content = new TreeObject();
  /** Adds a file, or the folder that begins with it, to the tree of a folder. @returns how many files that is; 0 if it cannot be there */
  const addEntry = (file: IndexedFile | undefined, folders: ReadonlyMap<string, CachedTree>, path: string): number => {
    if (file === undefined || file.isStaged || !file.name.startsWith(path)) return 0;
    const slash = file.name.indexOf('/', path.length);
    if (slash === -1) {
      content.add(file.mode, file.name.slice(path.length), file.bytes, file.object, file.object + sumBytes);
      return 1;
    }
    const folder = folders.get(file.name.slice(path.length, slash));
    if (folder?.object === undefined || folder.count < 1) return 0;
    content.add(FOLDER_MODE, folder.name, folder.object, 0, sumBytes);
    return folder.count;
  };
  /** Whether the trees of the folders in a folder are true, and its own. */
  const isTrue = (tree: CachedTree, path: string): boolean => {
    const known = new Map(tree.folders.map((folder) => [folder.name, folder]));
    if (known.size < tree.folders.length) return false;
    if (!tree.folders.every((folder) => folder.name !== '' && !folder.name.includes('/') && isTrue(folder, `${path}${folder.name}/`))) return false;
    return tree.object === undefined || isOwnTrue(tree.object, tree.count, known, path);
  };
  const isOwnTrue = (object: Buffer, count: number, folders: ReadonlyMap<string, CachedTree>, path: string): boolean => {
    const start = path === '' ? 0 : firstFrom(files, path);
    const end = start + count;
    if (end > files.length || files[end]?.name.startsWith(path) === true) return false;
    const only = count === 1 ? files[start] : undefined;
    // A folder that is not checked out is one entry.
    if (only?.mode === FOLDER_MODE && only.name === path) return object.equals(only.bytes.subarray(only.object, only.object + sumBytes));
    content.clear();
    for (let at = start; at < end;) {
      const added = addEntry(files[at], folders, path);
      if (added === 0) return false;
      at += added;
    }
    return object.equals(content.sum(algorithm));
  };
  return root !== undefined && isTrue(root, '');
}
