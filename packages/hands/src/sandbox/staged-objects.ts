import { createHash } from 'node:crypto';

/** A larger index is not read. */
export const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const SIGNATURE = Buffer.from('DIRC');
const HEADER_BYTES = 12;
/** Offsets in an entry of SHA-1: the object, the flags, the name. */
const [OBJECT_AT, FLAGS_AT, NAME_AT] = [40, 60, 62] as const;
const EXTENDED_FLAG = 0x4000;
const STAGE_FLAGS = 0x3000;

/** Reads a number of variable length, as of names in version 4. */
function readNumber(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let end = start;
  let byte = bytes[end] ?? 0;
  let value = byte & 0x7f;
  while (byte >= 0x80) {
    end += 1;
    byte = bytes[end] ?? 0;
    value = (value + 1) * 0x80 + (byte & 0x7f);
  }
  return { value, end: end + 1 };
}

/** The name of the object that git makes of a content. */
export const blobOf = (bytes: Buffer): string => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/**
 * Returns the objects that an index of git has for files, in hexadecimal digits. Entries in conflict, and those of a format that is not
 * understood, are missing.
 *
 * @param wanted paths relative to the worktree, each character standing for one byte (latin1)
 */
export function stagedObjects(bytes: Buffer, wanted: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return found;
  const [version, entries] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return found;
  let start = HEADER_BYTES;
  let before = '';
  for (let entry = 0; entry < entries && start + NAME_AT < bytes.length; entry += 1) {
    const flags = bytes.readUInt16BE(start + FLAGS_AT);
    const at = start + NAME_AT + (version > 2 && (flags & EXTENDED_FLAG) !== 0 ? 2 : 0);
    const { value: dropped, end: from } = version === 4 ? readNumber(bytes, at) : { value: before.length, end: at };
    const zero = bytes.indexOf(0, from);
    if (zero === -1) break;
    const path = before.slice(0, Math.max(0, before.length - dropped)) + bytes.toString('latin1', from, zero);
    if ((flags & STAGE_FLAGS) === 0 && wanted.has(path)) found.set(path, bytes.toString('hex', start + OBJECT_AT, start + FLAGS_AT));
    before = path;
    // Entries are padded to eight bytes, except in version 4.
    start = version === 4 ? zero + 1 : start + (zero - start + 8 - ((zero - start) % 8));
  }
  return found;
}
