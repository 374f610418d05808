const MASK = '*'.charCodeAt(0);

/** How much of a value may be seen: a prefix that all values of a kind have, and never more than a part of it. */
export const MAX_SEEN = 8;
const SEEN_PART = 4;

/** A value, and the least of its beginning that is masked. */
interface Begun {
  readonly value: Buffer;
  readonly start: Buffer;
}

/** Masks values that are not whole, as where a text was cut: in the lines of a search, or by a server that shows what it got. Only as they are, in no other notation. */
export class BegunValues {
  readonly #all: readonly Begun[];

  constructor(values: readonly string[]) {
    this.#all = values.map((text) => {
      const value = Buffer.from(text);
      return { value, start: value.subarray(0, 1 + Math.max(MAX_SEEN, Math.floor(value.length / SEEN_PART))) };
    });
  }

  /** Whether some of them begin before an index. */
  isIn(bytes: Buffer, before: number): boolean {
    return this.#all.some(({ start }) => {
      const at = bytes.indexOf(start);
      return at !== -1 && at < before;
    });
  }

  /** Masks them in bytes before an index. Returns whether there were any. */
  mask(bytes: Uint8Array, before: number): boolean {
    const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let isFound = false;
    for (const { value, start } of this.#all) {
      for (let at = given.indexOf(start); at !== -1 && at < before; at = given.indexOf(start, at + 1)) {
        let length = start.length;
        while (length < value.length && given[at + length] === value[length]) length += 1;
        given.fill(MASK, at, at + length);
        isFound = true;
      }
    }
    return isFound;
  }
}
