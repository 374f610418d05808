/** Maximum bytes of an index that is read. */
export const MAX_INDEX_BYTES = 64 * 1024 * 1024;

const SIGNATURE = Buffer.from('DIRC');
/** The signature, the version and the number of entries. */
export const INDEX_HEADER_BYTES = 12;
/** Bytes of the SHA-1 at the end. */
export const INDEX_SUM_BYTES = 20;
/** Offsets in an entry: first times, device and inode, then mode, owner and size, object. Flags and the name follow. */
const [MODE_AT, OWNER_AT, OBJECT_AT] = [24, 28, 40] as const;
const FLAGS_BYTES = 2;
const EXTENDED_FLAG = 0x4000;
/**
 * Characters of all names together, which version 4 can make very many of in few bytes: so many for each byte, and so many for a small index.
 */
const [MAX_PER_BYTE, MAX_OF_SMALL] = [4, 1024 * 1024] as const;

/** An entry of an index, as positions in its bytes. */
export interface IndexEntry {
  /** From here to `owner`: the mode. */
  readonly mode: number;
  readonly owner: number;
  /** From here to `flags`: the object. */
  readonly object: number;
  readonly flags: number;
  /** From here to `zero`: the name, or in version 4 what follows the start of the name before. */
  readonly name: number;
  readonly zero: number;
  /** In version 4, how many bytes of the name before are dropped; otherwise all are. */
  readonly dropped: number | undefined;
  readonly end: number;
}

/** Reads a number of variable length, as before names in version 4. */
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

function readEntry(bytes: Buffer, start: number, version: number, sumBytes: number): IndexEntry | undefined {
  const flags = start + OBJECT_AT + sumBytes;
  if (flags + 4 > bytes.length) return undefined;
  const isExtended = version > 2 && (bytes.readUInt16BE(flags) & EXTENDED_FLAG) !== 0;
  const at = flags + FLAGS_BYTES + (isExtended ? FLAGS_BYTES : 0);
  const { value: dropped, end: name } = version === 4 ? readNumber(bytes, at) : { value: undefined, end: at };
  const zero = bytes.indexOf(0, name);
  if (zero === -1) return undefined;
  // Names are padded to eight bytes, except in version 4.
  const end = version === 4 ? zero + 1 : start + (zero - start + 8 - ((zero - start) % 8));
  return { mode: start + MODE_AT, owner: start + OWNER_AT, object: start + OBJECT_AT, flags, name, zero, dropped, end };
}

/**
 * Visits the entries of an index of git (gitformat-index), in order.
 *
 * @param visit returns false to stop
 * @param sumBytes of its objects, and of the sum at the end
 * @returns where its entries end; undefined if it is cut, or of a format that is not understood, or its names are much longer than it, or
 *   it was not visited whole
 */
export function visitIndex(bytes: Buffer, visit: (entry: IndexEntry) => boolean | void, sumBytes = INDEX_SUM_BYTES): number | undefined {
  if (bytes.length < INDEX_HEADER_BYTES + sumBytes || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const [version, entries] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return undefined;
  let start = INDEX_HEADER_BYTES;
  let length = 0;
  let left = MAX_OF_SMALL + bytes.length * MAX_PER_BYTE;
  for (let count = 0; count < entries; count += 1) {
    const entry = readEntry(bytes, start, version, sumBytes);
    if (entry === undefined || entry.end > bytes.length - sumBytes) return undefined;
    length = Math.max(0, length - (entry.dropped ?? length)) + entry.zero - entry.name;
    left -= length;
    if (left < 0 || visit(entry) === false) return undefined;
    start = entry.end;
  }
  return start;
}
