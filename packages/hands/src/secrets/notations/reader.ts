/**
 * What may still come of some notations of a text, after the bytes that were read. Immutable, and the same object for the same state: what
 * it is after a byte is computed once.
 */
export interface Reader {
  readonly id: number;
  /** Whether bytes of the text were read. */
  readonly isBegun: boolean;
  /** Whether the text was read whole. Nothing comes after. */
  readonly isEnd: boolean;
  /** What may come after a byte; nothing if no notation has it here. */
  after(byte: number): readonly Reader[];
  /** Whether something may come after a byte. Faster than `after`. */
  may(byte: number): boolean;
}

type NewReader = Pick<Reader, 'isBegun' | 'isEnd' | 'after' | 'may'>;

class MemoizedReader implements Reader {
  readonly id: number;
  readonly isBegun: boolean;
  readonly isEnd: boolean;
  readonly #reader: NewReader;
  #after: Map<number, readonly Reader[]> | undefined;
  /** A bit for each byte for which it is known, and then one for each that may come: there are many readers. */
  #may: Uint8Array | undefined;

  constructor(id: number, reader: NewReader) {
    this.id = id;
    this.isBegun = reader.isBegun;
    this.isEnd = reader.isEnd;
    this.#reader = reader;
  }

  after(byte: number): readonly Reader[] {
    let after = this.#after?.get(byte);
    if (after === undefined) {
      after = this.isEnd ? [] : this.#reader.after(byte);
      this.#after ??= new Map();
      this.#after.set(byte, after);
    }
    return after;
  }

  may(byte: number): boolean {
    this.#may ??= new Uint8Array(64);
    const [at, bit] = [byte >> 3, 1 << (byte & 7)];
    if (((this.#may[at] ?? 0) & bit) === 0) {
      this.#may[at] = (this.#may[at] ?? 0) | bit;
      if (!this.isEnd && this.#reader.may(byte)) this.#may[32 + at] = (this.#may[32 + at] ?? 0) | bit;
    }
    return ((this.#may[32 + at] ?? 0) & bit) !== 0;
  }
}

/** Each reader has a number of its own, so that those of different sets are never mixed up. */
let made = 0;

/** How many readers this process has made: what reading has cost. */
export const readersMade = (): number => made;

/** Maximum number of readers that are known by their keys: some KB each. */
const MAX_KNOWN = 25_000;

/** Makes readers, each once while it is known. A stream may go on with readers of a set that is not used otherwise anymore. */
export class Readers {
  readonly #made = new Map<string, Reader>();

  get size(): number {
    return this.#made.size;
  }

  /** @param key the same for readers that are the same */
  make(key: string, reader: () => NewReader): Reader {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    if (this.#made.size >= MAX_KNOWN) this.#made.clear();
    made += 1;
    const one = new MemoizedReader(made, reader());
    this.#made.set(key, one);
    return one;
  }

  /** Several readers as one. */
  anyOf(given: readonly Reader[]): Reader[] {
    const ends = given.find(({ isEnd }) => isEnd);
    const going = [...new Set(given)].filter(({ isEnd }) => !isEnd).toSorted((one, other) => one.id - other.id);
    const [first, second] = going;
    const rest = second === undefined ? first : this.make(`any ${going.map(({ id }) => id).join(' ')}`, () => this.#together(going));
    return [ends, rest].filter((reader) => reader !== undefined);
  }

  #together(readers: readonly Reader[]): NewReader {
    return {
      isBegun: readers.some(({ isBegun }) => isBegun),
      isEnd: false,
      after: (byte) => this.anyOf(readers.flatMap((reader) => (reader.may(byte) ? reader.after(byte) : []))),
      may: (byte) => readers.some((reader) => reader.may(byte)),
    };
  }
}

/** Whether a reader goes on with one of the bytes from the first to the last. */
export function mayRead(reader: Reader, first: number, last: number): boolean {
  for (let byte = first; byte <= last; byte += 1) if (reader.may(byte)) return true;
  return false;
}

/** Reads bytes as they are. */
export function plain(readers: Readers, bytes: Buffer): Reader {
  const text = bytes.toString('latin1');
  const at = (index: number): Reader =>
    readers.make(`plain ${index} ${text}`, () => ({
      isBegun: index > 0,
      isEnd: index === bytes.length,
      after: (byte) => (bytes[index] === byte ? [at(index + 1)] : []),
      may: (byte) => bytes[index] === byte,
    }));
  return at(0);
}
