import { bitOf, MAX_SCALED_BITS } from './gram-filter.ts';
import { grown } from './path-pool.ts';
import type { RequiredGrams } from './required-text.ts';

/** Maximum bytes of a block, and maximum number of filters in it: then the bits of all of them for one gram are one line of a cache. */
const BLOCK_BYTES = 256 * 1024;
const MAX_LANES = 512;
const WORD_BITS = 32;

/** Filters of equal length, turned by 90 degrees: a row for each bit, a column for each filter. One look at a row tells of all of them. */
interface Block {
  /** The length of each filter in bits, which is the number of rows. */
  readonly bits: number;
  /** Words of a row. */
  readonly width: number;
  readonly rows: Uint32Array;
  /** One bit for each column that is in use. */
  readonly live: Uint32Array;
  /** The number of the file of each column. */
  readonly files: Uint32Array;
}

/** Places of filters of one length. */
interface Places {
  /** Columns that were used before, and have old bits. */
  readonly free: number[];
  /** The block that is not yet full; undefined if there is none. */
  block: number | undefined;
  /** Its first column without a filter. */
  next: number;
}

/** Keeps filters by the numbers of their files, up to a limit of memory. */
export class FilterStore {
  readonly #maxBytes: number;
  #bytes = 0;
  readonly #blocks: Block[] = [];
  readonly #places = new Map<number, Places>();
  /** Filters that are too long for blocks. */
  readonly #long = new Map<number, Uint8Array>();
  /** One more than the place of the filter of a file: its block, and its column. */
  #placeOf = new Uint32Array(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the filter of a file that has none. Returns false if there is no room. */
  add(id: number, filter: Uint8Array): boolean {
    const bits = filter.length * 8;
    if (bits > MAX_SCALED_BITS) {
      if (this.#bytes + filter.length > this.#maxBytes) return false;
      this.#bytes += filter.length;
      this.#long.set(id, filter);
      return true;
    }
    const place = this.#take(bits);
    const block = place === undefined ? undefined : this.#blocks[Math.floor(place / MAX_LANES)];
    if (place === undefined || block === undefined) return false;
    const { rows, width, live, files } = block;
    const [word, mask] = wordAndMask(place);
    for (let byte = 0; byte < filter.length; byte += 1)
      for (let left = filter[byte] ?? 0; left !== 0; left &= left - 1) {
        const at = (byte * 8 + lowestBit(left)) * width + word;
        rows[at] = (rows[at] ?? 0) | mask;
      }
    live[word] = (live[word] ?? 0) | mask;
    files[place % MAX_LANES] = id;
    this.#placeOf = grown(this.#placeOf, (length) => new Uint32Array(length), id + 1);
    this.#placeOf[id] = place + 1;
    return true;
  }

  remove(id: number): void {
    this.#bytes -= this.#long.get(id)?.length ?? 0;
    this.#long.delete(id);
    const place = (this.#placeOf[id] ?? 0) - 1;
    const block = place < 0 ? undefined : this.#blocks[Math.floor(place / MAX_LANES)];
    if (block === undefined) return;
    this.#placeOf[id] = 0;
    const [word, mask] = wordAndMask(place);
    block.live[word] = (block.live[word] ?? 0) & ~mask;
    this.#places.get(block.bits)?.free.push(place);
  }

  /**
   * Reports the files whose filters may hold all grams of one of the lists.
   *
   * @param take returns whether to go on
   */
  find(required: RequiredGrams, take: (id: number) => boolean): void {
    const [found, kept] = [new Uint32Array(MAX_LANES / WORD_BITS), new Uint32Array(MAX_LANES / WORD_BITS)];
    for (const block of this.#blocks) {
      found.fill(0);
      for (const grams of required)
        if (mayHold(block, grams, kept)) for (let at = 0; at < block.width; at += 1) found[at] = (found[at] ?? 0) | (kept[at] ?? 0);
      for (let at = 0; at < block.width; at += 1)
        for (let left = found[at] ?? 0; left !== 0; left &= left - 1) if (!take(block.files[at * WORD_BITS + lowestBit(left)] ?? 0)) return;
    }
    for (const [id, filter] of this.#long) if (required.some((grams) => holdsAll(filter, grams)) && !take(id)) return;
  }

  /** Returns an empty column; undefined if there is no room. */
  #take(bits: number): number | undefined {
    const places = this.#places.get(bits) ?? { free: [], block: undefined, next: 0 };
    this.#places.set(bits, places);
    const used = places.free.pop();
    if (used !== undefined) {
      const { rows, width } = this.#blocks[Math.floor(used / MAX_LANES)] ?? { rows: new Uint32Array(0), width: 1 };
      const [word, mask] = wordAndMask(used);
      for (let at = word; at < rows.length; at += width) rows[at] = (rows[at] ?? 0) & ~mask;
      return used;
    }
    if (places.block === undefined) {
      const width = Math.min(MAX_LANES, Math.floor((BLOCK_BYTES * 8) / bits / WORD_BITS) * WORD_BITS) / WORD_BITS;
      const bytes = width * bits * 4;
      if (this.#bytes + bytes > this.#maxBytes) return undefined;
      this.#bytes += bytes;
      const [rows, live] = [new Uint32Array(width * bits), new Uint32Array(width)];
      places.block = this.#blocks.push({ bits, width, rows, live, files: new Uint32Array(width * WORD_BITS) }) - 1;
      places.next = 0;
    }
    const place = places.block * MAX_LANES + places.next;
    places.next += 1;
    if (places.next === (this.#blocks[places.block]?.files.length ?? 0)) places.block = undefined;
    return place;
  }
}

const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);

function wordAndMask(place: number): readonly [word: number, mask: number] {
  const lane = place % MAX_LANES;
  return [lane >>> 5, 1 << (lane & 31)];
}

/** Leaves the columns that have all bits of a list. Returns whether there are any. */
function mayHold({ bits, width, rows, live }: Block, grams: Uint32Array, kept: Uint32Array): boolean {
  kept.set(live);
  // Without iterators: this runs for each block.
  for (let index = 0; index < grams.length; index += 1) {
    const row = bitOf(grams[index] ?? 0, bits) * width;
    let any = 0;
    for (let at = 0; at < width; at += 1) any |= kept[at] = (kept[at] ?? 0) & (rows[row + at] ?? 0);
    if (any === 0) return false;
  }
  return true;
}

function holdsAll(filter: Uint8Array, grams: Uint32Array): boolean {
  for (let index = 0; index < grams.length; index += 1) {
    const bit = bitOf(grams[index] ?? 0, filter.length * 8);
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}
