import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type PathLike } from 'node:fs';
import { errnoOf } from '../workspace/file-error.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

const SIGNATURE = Buffer.from('DIRC');
const HEADER_BYTES = 12;
/** Offsets in an entry: first times, device and inode, then mode, owner and size, then object and flags. */
const [MODE_AT, OWNER_AT, OBJECT_AT, NAME_AT] = [24, 28, 40, 62] as const;
const EXTENDED_FLAG = 0x4000;
/** Bytes of the SHA-1 at the end, which git sets to zeros if `index.skipHash` is set. */
const SUM_BYTES = 20;
/** Maximum bytes of an index. Comparing a larger one takes longer than a refresh by git. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** The end of an entry; undefined if it is truncated. Names are padded to eight bytes, except in version 4. */
function entryEnd(bytes: Buffer, start: number, version: number): number | undefined {
  if (start + NAME_AT + 2 > bytes.length) return undefined;
  const isExtended = version > 2 && (bytes.readUInt16BE(start + NAME_AT - 2) & EXTENDED_FLAG) !== 0;
  let name = start + NAME_AT + (isExtended ? 2 : 0);
  // In version 4 a variable-length number precedes the name: all of its bytes but the last have the high bit set.
  if (version === 4) {
    while ((bytes[name] ?? 0) >= 0x80) name += 1;
    name += 1;
  }
  const zero = bytes.indexOf(0, name);
  if (zero === -1) return undefined;
  return version === 4 ? zero + 1 : start + (zero - start + 8 - ((zero - start) % 8));
}

function isWhole(bytes: Buffer): boolean {
  const sum = bytes.subarray(-SUM_BYTES);
  return sum.equals(Buffer.alloc(SUM_BYTES)) || sum.equals(createHash('sha1').update(bytes.subarray(0, -SUM_BYTES)).digest());
}

/**
 * Returns the parts of an index of git that say what is staged: without the times, inodes, owners and sizes by which git knows files
 * again. Undefined for formats that are not understood.
 */
function meaningOf(bytes: Buffer): Buffer[] | undefined {
  if (bytes.length < HEADER_BYTES + SUM_BYTES || !bytes.subarray(0, 4).equals(SIGNATURE) || !isWhole(bytes)) return undefined;
  const [version, entries] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return undefined;
  const parts = [bytes.subarray(0, HEADER_BYTES)];
  let start = HEADER_BYTES;
  for (let entry = 0; entry < entries; entry += 1) {
    const end = entryEnd(bytes, start, version);
    if (end === undefined || end > bytes.length - SUM_BYTES) return undefined;
    parts.push(bytes.subarray(start + MODE_AT, start + OWNER_AT), bytes.subarray(start + OBJECT_AT, end));
    start = end;
  }
  parts.push(bytes.subarray(start, bytes.length - SUM_BYTES));
  return parts;
}

/**
 * Whether two index files of git only differ in times, inodes, owners and sizes: `git status` and `git diff`
 * write the index to record that a file is unchanged. Returns false for formats that it does not understand.
 */
export function isRefreshedIndex(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length) return false;
  const [first, second] = [meaningOf(one), meaningOf(other)];
  return (
    first !== undefined &&
    second !== undefined &&
    first.length === second.length &&
    first.every((part, index) => part.equals(second[index] ?? Buffer.alloc(0)))
  );
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function readIndex(path: PathLike): Buffer | undefined {
  const fd = openSync(path, READ);
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_INDEX_BYTES ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}

/** {@link isRefreshedIndex} for two files. False if one cannot be read. */
export function areRefreshedIndexes(one: PathLike, other: PathLike): boolean {
  try {
    const [first, second] = [readIndex(one), readIndex(other)];
    return first !== undefined && second !== undefined && isRefreshedIndex(first, second);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Whether a path is that of an index of git. */
export function isIndexPath(location: WorkspacePath): boolean {
  return location.at(-1) === 'index' && location.includes('.git');
}

/** Returns a hash of what an index of git says, which is the same after `git status` has written it anew; undefined if it is none. */
export function indexMeaning(path: PathLike): string | undefined {
  try {
    const parts = meaningOf(readIndex(path) ?? Buffer.alloc(0));
    if (parts === undefined) return undefined;
    const hash = createHash('sha256');
    // With the length of each part, so that no two lists of parts are the same text.
    for (const part of parts) hash.update(`${part.length}:`).update(part);
    return hash.digest('hex');
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
