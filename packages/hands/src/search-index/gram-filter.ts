/** Number of bytes of a gram. Three bytes are in nearly every large file: grams of four left a tenth of the files to search. */
export const GRAM_BYTES = 4;

const NEWLINE = 0x0a;
const GRAM_BITS = 24;
/** Maximum number of different grams in one filter: files with more are always searched. */
const MAX_GRAMS = 1 << 21;
const MIN_FILTER_BITS = 256;
/** Up to this length, filters have one of four lengths between two powers of two; longer ones have a power of two. */
export const MAX_SCALED_BITS = 1 << 16;
/** The longest filter has a bit for each hash. */
const MAX_FILTER_BITS = 1 << GRAM_BITS;
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** Maps ASCII capitals to small letters, so that one filter serves searches that ignore case. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

function mixed(gram: number): number {
  const first = Math.imul(gram, 0x9e3779b1);
  return Math.imul(first ^ (first >>> 15), 0x85ebca77) >>> (32 - GRAM_BITS);
}

/** Returns the bit of a hash in a filter with this number of bits. */
export function bitOf(hash: number, bits: number): number {
  return bits > MAX_SCALED_BITS ? hash & (bits - 1) : ((hash >>> (GRAM_BITS - 16)) * bits) >>> 16;
}

/** Returns the length of a filter, at least as many bits as wanted unless it is the longest. */
function lengthFor(wanted: number): number {
  let bits = MIN_FILTER_BITS;
  while (bits < wanted && bits < MAX_FILTER_BITS) bits *= 2;
  if (bits > MAX_SCALED_BITS || bits === MIN_FILTER_BITS) return bits;
  const quarter = bits / 8;
  return bits / 2 + Math.ceil((wanted - bits / 2) / quarter) * quarter;
}

/** Returns the hashes of the grams of a text without line ends; empty if it is too short. */
export function gramsOf(text: Uint8Array): Uint32Array {
  const grams = new Uint32Array(Math.max(0, text.length - GRAM_BYTES + 1));
  let gram = 0;
  for (let at = 0; at < text.length; at += 1) {
    gram = (gram << 8) | (FOLDED[text[at] ?? 0] ?? 0);
    if (at >= GRAM_BYTES - 1) grams[at - GRAM_BYTES + 1] = mixed(gram);
  }
  return grams;
}

/**
 * Makes filters of files, block by block: one bit for the hash of each gram in a line. ripgrep reads a file up to its first NUL, so the
 * rest does not count. Keeps its memory between files.
 */
export class GramFilters {
  readonly #seen = new Uint32Array(1 << (GRAM_BITS - 5));
  readonly #grams = new Uint32Array(MAX_GRAMS);
  #count = 0;
  #gram = 0;
  /** Bytes since the last line end. */
  #length = 0;
  #isFirst = true;
  #isFiltered = true;

  /** Adds the next block of the file. Returns whether further ones count. */
  add(bytes: Buffer): boolean {
    // ripgrep converts such a file.
    if (this.#isFirst && UTF16_MARKS.some((mark) => bytes.subarray(0, mark.length).equals(mark))) this.#isFiltered = false;
    this.#isFirst = false;
    if (!this.#isFiltered) return false;
    const nul = bytes.indexOf(0);
    this.#collect(nul === -1 ? bytes : bytes.subarray(0, nul));
    if (this.#count === MAX_GRAMS) this.#isFiltered = false;
    return this.#isFiltered && nul === -1;
  }

  /**
   * Ends the file. Returns its filter; undefined if it is not searched byte by byte, or has too many grams.
   *
   * @param bitsPerGram bits of the filter for each of its grams, at least, unless it is the longest
   */
  end(bitsPerGram: number): Uint8Array | undefined {
    const filter = this.#isFiltered ? this.#filter(bitsPerGram) : undefined;
    for (let at = 0; at < this.#count; at += 1) this.#seen[(this.#grams[at] ?? 0) >>> 5] = 0;
    this.#count = this.#gram = this.#length = 0;
    this.#isFirst = this.#isFiltered = true;
    return filter;
  }

  #filter(bitsPerGram: number): Uint8Array {
    const bits = lengthFor(this.#count * bitsPerGram);
    const filter = new Uint8Array(bits / 8);
    for (let at = 0; at < this.#count; at += 1) {
      const bit = bitOf(this.#grams[at] ?? 0, bits);
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
    return filter;
  }

  #collect(bytes: Buffer): void {
    const [seen, grams] = [this.#seen, this.#grams];
    let [count, gram, length] = [this.#count, this.#gram, this.#length];
    for (let at = 0; at < bytes.length && count < MAX_GRAMS; at += 1) {
      const byte = FOLDED[bytes[at] ?? 0] ?? 0;
      if (byte === NEWLINE) {
        length = 0;
        continue;
      }
      gram = (gram << 8) | byte;
      length += 1;
      if (length < GRAM_BYTES) continue;
      const hash = mixed(gram);
      const [word, mask] = [hash >>> 5, 1 << (hash & 31)];
      const before = seen[word] ?? 0;
      if ((before & mask) !== 0) continue;
      seen[word] = before | mask;
      grams[count] = hash;
      count += 1;
    }
    this.#count = count;
    this.#gram = gram;
    this.#length = length;
  }
}
