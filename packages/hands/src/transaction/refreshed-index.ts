import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type PathLike } from 'node:fs';
import { errnoOf } from '../workspace/file-error.ts';

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
 * Whether two index files of git only differ in times, inodes, owners and sizes: `git status` and `git diff`
 * write the index to record that a file is unchanged. Returns false for formats that it does not understand.
 */
export function isRefreshedIndex(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length || one.length < HEADER_BYTES + SUM_BYTES || !one.subarray(0, 4).equals(SIGNATURE)) return false;
  if (!one.subarray(0, HEADER_BYTES).equals(other.subarray(0, HEADER_BYTES)) || !isWhole(one) || !isWhole(other)) return false;
  const [version, entries] = [one.readUInt32BE(4), one.readUInt32BE(8)];
  if (version < 2 || version > 4) return false;
  const isSame = (start: number, end: number): boolean => one.compare(other, start, end, start, end) === 0;
  let start = HEADER_BYTES;
  for (let entry = 0; entry < entries; entry += 1) {
    const end = entryEnd(one, start, version);
    if (end === undefined || end > one.length - SUM_BYTES) return false;
    if (!isSame(start + MODE_AT, start + OWNER_AT) || !isSame(start + OBJECT_AT, end)) return false;
    start = end;
  }
  return isSame(start, one.length - SUM_BYTES);
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
