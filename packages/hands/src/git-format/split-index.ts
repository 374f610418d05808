import type { IndexedFile, ReadIndex } from './read-index.ts';

const RUN_BITS = 32n;
const RUN_MASK = (1n << RUN_BITS) - 1n;
const WORD_BITS = 64;
const WORD_BYTES = 8;

/** Reads positions from a compressed bitmap (EWAH, gitformat-bitmap); undefined if it is damaged, or one is not below the bound. */
function readPositions(bytes: Buffer, bound: number): { readonly positions: Set<number>; readonly length: number } | undefined {
  if (bytes.length < 12) return undefined;
  const length = 8 + bytes.readUInt32BE(4) * WORD_BYTES;
  if (length + 4 > bytes.length) return undefined;
  const positions = new Set<number>();
  let first = 0;
  for (let at = 8; at < length;) {
    const marker = bytes.readBigUInt64BE(at);
    const run = Number((marker >> 1n) & RUN_MASK) * WORD_BITS;
    if ((marker & 1n) === 1n) {
      if (first + run > bound + WORD_BITS) return undefined;
      for (let position = first; position < first + run; position += 1) positions.add(position);
    }
    first += run;
    at += WORD_BYTES;
    for (let words = Number(marker >> (RUN_BITS + 1n)); words > 0; words -= 1) {
      if (at >= length) return undefined;
      const word = bytes.readBigUInt64BE(at);
      for (let bit = 0; bit < WORD_BITS; bit += 1) if (((word >> BigInt(bit)) & 1n) === 1n) positions.add(first + bit);
      first += WORD_BITS;
      at += WORD_BYTES;
    }
  }
  return [...positions].every((position) => position < bound) ? { positions, length: length + 4 } : undefined;
}

/**
 * Returns the files of an index in two parts (`link`, gitformat-index): those of the shared part, without what was deleted since, with what was
 * replaced, and what was added. Undefined if the parts do not fit.
 */
export function joinParts({ files, sumBytes }: ReadIndex, link: Buffer, shared: ReadIndex): IndexedFile[] | undefined {
  const deleted = readPositions(link.subarray(sumBytes), shared.files.length);
  const replaced = deleted && readPositions(link.subarray(sumBytes + deleted.length), shared.files.length);
  if (deleted === undefined || replaced === undefined || link.length !== sumBytes + deleted.length + replaced.length) return undefined;
  let next = 0;
  const kept = shared.files.flatMap((file, position) => {
    const own = replaced.positions.has(position) ? files[next] : undefined;
    if (own !== undefined) next += 1;
    if (deleted.positions.has(position)) return [];
    return [own === undefined ? file : { ...own, name: file.name }];
  });
  const isFit = next === replaced.positions.size && files.every(({ name }, index) => index >= next || name === '');
  if (!isFit) return undefined;
  return [...kept, ...files.slice(next)].sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}
