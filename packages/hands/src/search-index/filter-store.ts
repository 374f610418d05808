/** Bytes of one page. The largest filter has half of it. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Filters begin at multiples of this, so that 32 bits name a place. The smallest filter has as many bytes. */
const UNIT_BYTES = 64;
const UNITS_PER_PAGE = PAGE_BYTES / UNIT_BYTES;

/** A place of a filter in a store. */
export interface FilterPlace {
  /** The first unit. */
  readonly unit: number;
  /** Its length in bits, less one. */
  readonly mask: number;
}

/** Keeps filters in few large blocks of memory, up to a limit. */
export class FilterStore {
  readonly #maxBytes: number;
  readonly #pages: Uint8Array[] = [];
  /** Units that are no longer used, by length in bytes. */
  readonly #free = new Map<number, number[]>();
  /** Bytes used of the last page. */
  #used = PAGE_BYTES;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a filter; undefined if there is no room. */
  add(filter: Uint8Array): FilterPlace | undefined {
    const unit = this.#free.get(filter.length)?.pop() ?? this.#newUnit(filter.length);
    if (unit === undefined) return undefined;
    this.#pages[Math.floor(unit / UNITS_PER_PAGE)]?.set(filter, (unit % UNITS_PER_PAGE) * UNIT_BYTES);
    return { unit, mask: filter.length * 8 - 1 };
  }

  remove({ unit, mask }: FilterPlace): void {
    const bytes = (mask + 1) / 8;
    const free = this.#free.get(bytes);
    if (free === undefined) this.#free.set(bytes, [unit]);
    else free.push(unit);
  }

  /** Whether a text with the filter at this place may hold all grams. */
  mayHold(unit: number, mask: number, grams: Uint32Array): boolean {
    const page = this.#pages[Math.floor(unit / UNITS_PER_PAGE)];
    const start = (unit % UNITS_PER_PAGE) * UNIT_BYTES;
    if (page === undefined) return true;
    // Without an iterator: this runs for each file.
    for (let at = 0; at < grams.length; at += 1) {
      const bit = (grams[at] ?? 0) & mask;
      if (((page[start + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }

  #newUnit(bytes: number): number | undefined {
    if (this.#used + bytes > PAGE_BYTES) {
      if ((this.#pages.length + 1) * PAGE_BYTES > this.#maxBytes) return undefined;
      this.#pages.push(new Uint8Array(PAGE_BYTES));
      this.#used = 0;
    }
    const unit = (this.#pages.length - 1) * UNITS_PER_PAGE + this.#used / UNIT_BYTES;
    this.#used += bytes;
    return unit;
  }
}
