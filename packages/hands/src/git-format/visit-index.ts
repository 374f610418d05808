/** Maximum bytes of an index that is read. */
export const MAX_INDEX_BYTES = 64 * 1024 * 1024;

const SIGNATURE = Buffer.from('DIRC');
/** The signature, the version and the number of entries. */
export const INDEX_HEADER_BYTES = 12;
/** Bytes of the SHA-1 at the end. */
export const INDEX_SUM_BYTES = 20;
/** Offsets in an entry with SHA-1: first times, device and inode, then mode, owner and size, object, flags, name. */
const [MODE_AT, OWNER_AT, OBJECT_AT, FLAGS_AT, NAME_AT] = [24, 28, 40, 60, 62] as const;
const EXTENDED_FLAG = 0x4000;

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

function readEntry(bytes: Buffer, start: number, version: number): IndexEntry | undefined {
  const flags = start + FLAGS_AT;
  if (flags + 4 > bytes.length) return undefined;
  const isExtended = version > 2 && (bytes.readUInt16BE(flags) & EXTENDED_FLAG) !== 0;
  const at = start + NAME_AT + (isExtended ? 2 : 0);
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
 * @returns where its entries end; undefined if it is cut, or of a format that is not understood
 */
export function visitIndex(bytes: Buffer, visit: (entry: IndexEntry) => void): number | undefined {
  if (bytes.length < INDEX_HEADER_BYTES + INDEX_SUM_BYTES || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const [version, entries] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return undefined;
  let start = INDEX_HEADER_BYTES;
  for (let count = 0; count < entries; count += 1) {
    const entry = readEntry(bytes, start, version);
    if (entry === undefined || entry.end > bytes.length - INDEX_SUM_BYTES) return undefined;
    visit(entry);
    start = entry.end;
  }
  return start;
}
