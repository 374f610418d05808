import { INDEX_HEADER_BYTES, visitIndex } from './visit-index.ts';

/** A file that an index of git has. */
export interface IndexedFile {
  /** One character per byte (latin1). */
  readonly name: string;
  readonly mode: number;
  /** Where its object begins in the bytes of its index. */
  readonly object: number;
  readonly bytes: Buffer;
  /** Whether it is in conflict. */
  readonly isStaged: boolean;
  /** Whether git takes the file for unchanged without a look at it: `assume-unchanged`, or `skip-worktree` of a sparse checkout. */
  readonly isSkipped: boolean;
  /** Where it begins in the bytes of the index. */
  readonly start: number;
}

/** An index of git, read whole. */
export interface ReadIndex {
  /** Of its objects: 20 of SHA-1, or 32 of SHA-256. */
  readonly sumBytes: number;
  readonly files: readonly IndexedFile[];
  readonly end: number;
  readonly extensions: ReadonlyArray<readonly [name: string, content: Buffer]>;
}

const NAME_MASK = 0xfff;
const STAGE_MASK = 0x3000;
const ASSUME_UNCHANGED = 0x8000;
const EXTENDED = 0x4000;
/** In the flags behind those that say that there are more. */
const SKIP_WORKTREE = 0x4000;
/** Of a name and a length. */
const HEADER_BYTES = 8;

function isSkipped(bytes: Buffer, flags: number): boolean {
  const bits = bytes.readUInt16BE(flags);
  return (bits & ASSUME_UNCHANGED) !== 0 || ((bits & EXTENDED) !== 0 && (bytes.readUInt16BE(flags + 2) & SKIP_WORKTREE) !== 0);
}

/** The parts after the entries; undefined if they do not end where the sum begins. */
function extensionsIn(bytes: Buffer, start: number, sumBytes: number): ReadIndex['extensions'] | undefined {
  const end = bytes.length - sumBytes;
  const found: Array<readonly [string, Buffer]> = [];
  let at = start;
  while (at + HEADER_BYTES <= end) {
    const next = at + HEADER_BYTES + bytes.readUInt32BE(at + 4);
    if (next > end) return undefined;
    found.push([bytes.toString('latin1', at, at + 4), bytes.subarray(at + HEADER_BYTES, next)]);
    at = next;
  }
  return at === end ? found : undefined;
}

/**
 * Reads an index of git, but none that git would read otherwise: git goes by the length of a name in its flags, not by the zero behind it.
 *
 * @param sumBytes of its objects: 20 of SHA-1, or 32 of SHA-256
 */
export function readIndex(bytes: Buffer, sumBytes: number): ReadIndex | undefined {
  const files: IndexedFile[] = [];
  let [before, start] = ['', INDEX_HEADER_BYTES];
  const end = visitIndex(
    bytes,
    ({ mode, object, flags, name: at, zero, dropped = before.length, end: next }) => {
      const own = bytes.toString('latin1', at, zero);
      const name = dropped === before.length ? own : before.slice(0, Math.max(0, before.length - dropped)) + own;
      const bits = bytes.readUInt16BE(flags);
      if (dropped > before.length || Math.min(name.length, NAME_MASK) !== (bits & NAME_MASK)) return false;
      files.push({
        name,
        mode: bytes.readUInt32BE(mode),
        object,
        bytes,
        isStaged: (bits & STAGE_MASK) !== 0,
        isSkipped: isSkipped(bytes, flags),
        start,
      });
      [before, start] = [name, next];
      return true;
    },
    sumBytes,
  );
  const extensions = end === undefined ? undefined : extensionsIn(bytes, end, sumBytes);
  return end === undefined || extensions === undefined ? undefined : { sumBytes, files, end, extensions };
}
