import { createHash } from 'node:crypto';

/** A file of a graph of commits (gitformat-commit-graph). */
export interface CommitGraph {
  /** Its own name, if it is part of a chain: the sum at its end. */
  readonly name: string;
  readonly hashBytes: number;
  /** The names of the files below it in a chain. Their commits come first in all positions. */
  readonly bases: readonly string[];
  /** The names of its commits, in order. */
  readonly hashes: readonly string[];
  /** @param index of a commit in this file */
  readonly commit: (index: number) => GraphedCommit;
}

/** What a graph says of a commit. */
export interface GraphedCommit {
  readonly tree: string;
  /** Positions in the whole chain; undefined if they are damaged. At most one more than asked for: many commits can share a long list. */
  readonly parents: (max: number) => readonly number[] | undefined;
  /** The lower 34 bits of the time of its committer, in seconds. */
  readonly seconds: number;
  /** More than that of each parent, so that git can leave out parts of the history. */
  readonly level: number;
  /** The same as a time; undefined if there is none. */
  readonly corrected: number | undefined;
}

/** Seconds that a graph has room for. */
export const GRAPH_SECONDS = 2 ** 34;

const SIGNATURE = 'CGPH';
const HEADER_BYTES = 8;
const CHUNK_BYTES = 12;
const FANOUT_BYTES = 1024;
/** Parents, level and time, behind the tree. */
const COMMIT_BYTES = 16;
const NO_PARENT = 0x70000000;
/** In the second parent: the others are in a list. In a list: the last one. */
const FLAG = 0x80000000;
const POSITION = 0x7fffffff;
/** An allow-list: of other parts, such as filters of changed paths (`BDAT`), it is not known what git leaves out because of them. */
const KNOWN: ReadonlySet<string> = new Set(['OIDF', 'OIDL', 'CDAT', 'EDGE', 'BASE', 'GDA2', 'GDO2', 'GDAT', 'GDOV']);
const NOTHING = Buffer.alloc(0);
const HASHES = [
  { version: 1, hashBytes: 20, algorithm: 'sha1' },
  { version: 2, hashBytes: 32, algorithm: 'sha256' },
] as const;

/** The parts by name; undefined if they do not follow each other, or one is not known. */
function chunksIn(bytes: Buffer, count: number, end: number): ReadonlyMap<string, Buffer> | undefined {
  const chunks = new Map<string, Buffer>();
  const offset = (index: number): number => Number(bytes.readBigUInt64BE(HEADER_BYTES + index * CHUNK_BYTES + 4));
  if (HEADER_BYTES + (count + 1) * CHUNK_BYTES > end || offset(count) !== end) return undefined;
  for (let index = 0; index < count; index += 1) {
    const at = HEADER_BYTES + index * CHUNK_BYTES;
    const [name, start, next] = [bytes.toString('latin1', at, at + 4), offset(index), offset(index + 1)];
    if (!KNOWN.has(name) || chunks.has(name) || start < HEADER_BYTES || start > next || next > end) return undefined;
    chunks.set(name, bytes.subarray(start, next));
  }
  return chunks;
}

/** The names of commits, which git looks up by a table of their first bytes; undefined if they are not sorted, or the table is false. */
function hashesIn(names: Buffer, fanout: Buffer, hashBytes: number): string[] | undefined {
  if (fanout.length !== FANOUT_BYTES || names.length % hashBytes !== 0) return undefined;
  const hashes: string[] = [];
  const counts = Array.from({ length: 256 }, () => 0);
  for (let at = 0; at < names.length; at += hashBytes) {
    if (at > 0 && names.compare(names, at - hashBytes, at, at, at + hashBytes) <= 0) return undefined;
    hashes.push(names.toString('hex', at, at + hashBytes));
    const first = names[at] ?? 0;
    counts[first] = (counts[first] ?? 0) + 1;
  }
  let sum = 0;
  return counts.every((count, first) => fanout.readUInt32BE(first * 4) === (sum += count)) ? hashes : undefined;
}

/** The time of a commit by which git orders them, from the offsets to the time of the committer. */
function correctedIn(chunks: ReadonlyMap<string, Buffer>, count: number): ((index: number, seconds: number) => number) | undefined | null {
  const [offsets, large = NOTHING] = chunks.has('GDA2') ? [chunks.get('GDA2'), chunks.get('GDO2')] : [chunks.get('GDAT'), chunks.get('GDOV')];
  if (offsets === undefined) return undefined;
  if (offsets.length !== count * 4) return null;
  return (index, seconds) => {
    const offset = offsets.readUInt32BE(index * 4);
    if (offset < FLAG) return seconds + offset;
    const at = (offset & POSITION) * 8;
    return at + 8 <= large.length ? seconds + Number(large.readBigUInt64BE(at)) : Number.NaN;
  };
}

/** The parts of a graph behind a header that says what follows, and the sum at its end. */
interface Parts {
  readonly name: string;
  readonly hashBytes: number;
  readonly chunk: (name: string) => Buffer;
  readonly chunks: ReadonlyMap<string, Buffer>;
  /** Number of files below it in a chain. */
  readonly below: number;
}

function partsOf(bytes: Buffer): Parts | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== SIGNATURE || bytes[4] !== 1) return undefined;
  const kind = HASHES.find(({ version }) => version === bytes[5]);
  if (kind === undefined || bytes.length < HEADER_BYTES + kind.hashBytes) return undefined;
  const end = bytes.length - kind.hashBytes;
  const name = createHash(kind.algorithm).update(bytes.subarray(0, end)).digest('hex');
  const chunks = name === bytes.toString('hex', end) ? chunksIn(bytes, bytes[6] ?? 0, end) : undefined;
  if (chunks === undefined) return undefined;
  return { name, hashBytes: kind.hashBytes, chunks, chunk: (one) => chunks.get(one) ?? NOTHING, below: bytes[7] ?? 0 };
}

/** Reads a graph of commits whole; undefined if it is damaged, or has parts that are not known. */
export function readCommitGraph(bytes: Buffer): CommitGraph | undefined {
  const parts = partsOf(bytes);
  const hashes = parts && hashesIn(parts.chunk('OIDL'), parts.chunk('OIDF'), parts.hashBytes);
  if (parts === undefined || hashes === undefined) return undefined;
  const { name, hashBytes, chunk } = parts;
  const [data, base, edges] = [chunk('CDAT'), chunk('BASE'), chunk('EDGE')];
  const corrected = correctedIn(parts.chunks, hashes.length);
  const size = hashBytes + COMMIT_BYTES;
  if (data.length !== hashes.length * size || base.length !== parts.below * hashBytes || corrected === null) return undefined;
  return {
    name,
    hashBytes,
    hashes,
    bases: Array.from({ length: parts.below }, (_, index) => base.toString('hex', index * hashBytes, (index + 1) * hashBytes)),
    commit(index) {
      const at = index * size + hashBytes;
      const [first, second, high] = [data.readUInt32BE(at), data.readUInt32BE(at + 4), data.readUInt32BE(at + 8)];
      const seconds = (high & 3) * 2 ** 32 + data.readUInt32BE(at + 12);
      return {
        tree: data.toString('hex', at - hashBytes, at),
        parents: (max) => parentsOf(first, second, edges, max),
        seconds,
        level: high >>> 2,
        corrected: corrected?.(index, seconds),
      };
    },
  };
}

function parentsOf(first: number, second: number, edges: Buffer, max: number): number[] | undefined {
  if (first === NO_PARENT) return second === NO_PARENT ? [] : undefined;
  if (second === NO_PARENT) return [first];
  if (second < FLAG) return [first, second];
  const parents = [first];
  for (let at = (second & POSITION) * 4; at + 4 <= edges.length && parents.length <= max; at += 4) {
    const edge = edges.readUInt32BE(at);
    parents.push(edge & POSITION);
    if (edge >= FLAG) return parents;
  }
  return undefined;
}
