/** How much of a value may be seen: a prefix that all values of a kind have. Of a long one, a part. */
export const MAX_SEEN = 8;
const SEEN_PART = 4;

/** A value, and the least of its beginning that is found. */
interface Begun {
  readonly value: Buffer;
  readonly start: Buffer;
}

/**
 * Finds values that are not whole, as where a text was cut: in the lines of a search, or by a server that shows what it got. Only as they are, in
 * no other notation.
 */
export class BegunValues {
  readonly #all: readonly Begun[];

  constructor(values: readonly string[]) {
    this.#all = values.map((text) => {
      const value = Buffer.from(text);
      return { value, start: value.subarray(0, 1 + Math.max(MAX_SEEN, Math.floor(value.length / SEEN_PART))) };
    });
  }

  /** @param before the index before which they begin */
  find(bytes: Uint8Array, before: number, onFound: (first: number, end: number) => void): void {
    const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const { value, start } of this.#all) {
      for (let at = given.indexOf(start); at !== -1 && at < before; at = given.indexOf(start, at + 1)) {
        let length = start.length;
        while (length < value.length && given[at + length] === value[length]) length += 1;
        onFound(at, at + length);
      }
    }
  }
}
