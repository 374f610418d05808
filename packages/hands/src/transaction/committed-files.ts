import { inflateSync } from 'node:zlib';
import { turns } from '../workspace/tree-cursor.ts';

/** Maximum size of an object, uncompressed. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Maximum number of folders to compare, and of files to count. A commit of more is not counted. */
const MAX_FOLDERS = 2_000;
const MAX_FILES = 100_000;
const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/u;
const FOLDER_MODE = '40000';

/** Number of bytes of objects that may still be read, for all references of a question. */
export interface ObjectBudget {
  bytes: number;
}

/** Where objects are read from. */
export interface ObjectSource {
  /** Returns a compressed object by its hash; undefined if that is not possible. */
  readonly read: (hash: string) => Buffer | undefined;
  /** Shared by all references of a question: a small object can stand for a large one, and name it very often. */
  readonly budget: ObjectBudget;
}

function contentOf({ read, budget }: ObjectSource, hash: string, type: 'commit' | 'tree'): Buffer | undefined {
  const object = HASH.test(hash) && budget.bytes > 0 ? read(hash) : undefined;
  if (object === undefined) return undefined;
  try {
    const bytes = inflateSync(object, { maxOutputLength: Math.min(MAX_BYTES, budget.bytes) });
    budget.bytes -= bytes.length;
    const start = bytes.indexOf(0) + 1;
    return start > 0 && bytes.toString('latin1', 0, start).startsWith(`${type} `) ? bytes.subarray(start) : undefined;
  } catch {
    // Damaged, or larger than what is left.
    budget.bytes -= Math.min(MAX_BYTES, budget.bytes);
    return undefined;
  }
}

interface Entry {
  readonly mode: string;
  readonly hash: string;
}

/** The entries of a folder, by name in latin1; undefined if they cannot be read. */
function entriesOf(source: ObjectSource, hash: string | undefined): Map<string, Entry> | undefined {
  if (hash === undefined) return new Map();
  const bytes = contentOf(source, hash, 'tree');
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

function treeOf(source: ObjectSource, commit: string): string | undefined {
  const text = contentOf(source, commit, 'commit')?.toString('latin1', 0, 100);
  return /^tree (?<hash>[\da-f]{40,64})\n/u.exec(text ?? '')?.groups?.['hash'];
}

const isSame = (one: Entry | undefined, other: Entry | undefined): boolean => one?.hash === other?.hash && one?.mode === other?.mode;

/**
 * Counts the files in which two commits differ, by our own reader: it runs nothing of the repository. Undefined if an object that it
 * needs is packed, damaged or too large.
 */
export async function changedFiles(source: ObjectSource, before: string, after: string, signal: AbortSignal): Promise<number | undefined> {
  const rest = turns(signal);
  const [old, now] = [treeOf(source, before), treeOf(source, after)];
  if (old === undefined || now === undefined) return undefined;
  const folders: Array<readonly [string | undefined, string | undefined]> = [[old, now]];
  let files = 0;
  // More are added on the way.
  for (const [before, after] of folders) {
    await rest();
    const [left, right] = [entriesOf(source, before), entriesOf(source, after)];
    if (left === undefined || right === undefined) return undefined;
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      const [one, other] = [left.get(name), right.get(name)];
      if (isSame(one, other)) continue;
      const below = [one, other].map((entry) => (entry?.mode === FOLDER_MODE ? entry.hash : undefined));
      if (below.some((hash) => hash !== undefined)) folders.push([below[0], below[1]]);
      if ([one, other].some((entry) => entry !== undefined && entry.mode !== FOLDER_MODE)) files += 1;
      if (folders.length > MAX_FOLDERS || files > MAX_FILES) return undefined;
    }
  }
  return files;
}
