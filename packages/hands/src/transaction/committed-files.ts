import { inflateSync } from 'node:zlib';

/** Maximum size of an object, uncompressed. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Maximum number of folders to compare, and of files to count. A commit of more is not counted. */
const MAX_FOLDERS = 2_000;
const MAX_FILES = 100_000;
const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/u;
const FOLDER_MODE = '40000';

/** Reads a compressed object by its hash; undefined if that is not possible. */
type ReadObject = (hash: string) => Buffer | undefined;

function contentOf(read: ReadObject, hash: string, type: 'commit' | 'tree'): Buffer | undefined {
  const object = HASH.test(hash) ? read(hash) : undefined;
  if (object === undefined) return undefined;
  try {
    const bytes = inflateSync(object, { maxOutputLength: MAX_BYTES });
    const start = bytes.indexOf(0) + 1;
    return start > 0 && bytes.toString('latin1', 0, start).startsWith(`${type} `) ? bytes.subarray(start) : undefined;
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly mode: string;
  readonly hash: string;
}

/** The entries of a folder, by name in latin1; undefined if they cannot be read. */
function entriesOf(read: ReadObject, hash: string | undefined): Map<string, Entry> | undefined {
  if (hash === undefined) return new Map();
  const bytes = contentOf(read, hash, 'tree');
  if (bytes === undefined) return undefined;
  const entries = new Map<string, Entry>();
  const width = hash.length / 2;
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 1 + width > bytes.length) return undefined;
    entries.set(bytes.toString('latin1', space + 1, end), {
      mode: bytes.toString('latin1', at, space),
      hash: bytes.toString('hex', end + 1, end + 1 + width),
    });
    at = end + 1 + width;
  }
  return entries;
}

function treeOf(read: ReadObject, commit: string): string | undefined {
  const text = contentOf(read, commit, 'commit')?.toString('latin1', 0, 100);
  return /^tree (?<hash>[\da-f]{40,64})\n/u.exec(text ?? '')?.groups?.['hash'];
}

/**
 * Counts the files in which two commits differ, by our own reader: it runs nothing of the repository. Undefined if an object that it
 * needs is packed, damaged or too large.
 */
export function changedFiles(read: ReadObject, before: string, after: string): number | undefined {
  const [old, now] = [treeOf(read, before), treeOf(read, after)];
  if (old === undefined || now === undefined) return undefined;
  const pending: Array<readonly [string | undefined, string | undefined]> = [[old, now]];
  let files = 0;
  for (let count = 0; pending.length > 0; count += 1) {
    const next = pending.pop();
    const [left, right] = [entriesOf(read, next?.[0]), entriesOf(read, next?.[1])];
    if (left === undefined || right === undefined || count > MAX_FOLDERS || files > MAX_FILES) return undefined;
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      const [one, other] = [left.get(name), right.get(name)];
      if (one?.hash === other?.hash && one?.mode === other?.mode) continue;
      const folders = [one, other].map((entry) => (entry?.mode === FOLDER_MODE ? entry.hash : undefined));
      if (folders.some((hash) => hash !== undefined)) pending.push([folders[0], folders[1]]);
      if ([one, other].some((entry) => entry !== undefined && entry.mode !== FOLDER_MODE)) files += 1;
    }
  }
  return files;
}
