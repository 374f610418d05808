/** How much of a value may be seen: a prefix that all values of a kind have. Of a long one, a part. */
export const MAX_SEEN = 8;
const SEEN_PART = 4;

/** The parts of a JSON web token that anyone can read, and that others of the same server begin with as well. Its signature follows. */
const CLAIMS = /^eyJ[\w-]+\.[\w-]+\./u;

/** A value, and the least of its beginning that is found. */
interface Begun {
  readonly value: Buffer;
  readonly start: Buffer;
  /** How much of it another token may begin with. */
  readonly shared: number;
}

/** Letters, digits, `-` and `_`: a token goes on with them. */
const isOfToken = (byte: number | undefined): boolean => byte !== undefined && /[\w-]/u.test(String.fromCharCode(byte));

/**
 * Finds values that are not whole, as where a text was cut: in the lines of a search, or by a server that shows what it got. Only as they are, in
 * no other notation.
 */
export class BegunValues {
  readonly #all: readonly Begun[];

  constructor(values: readonly string[]) {
    this.#all = values.map((text) => {
      const value = Buffer.from(text);
      const start = value.subarray(0, 1 + Math.max(MAX_SEEN, Math.floor(value.length / SEEN_PART)));
      return { value, start, shared: CLAIMS.exec(text)?.[0].length ?? 0 };
    });
  }

  /** @param before the index before which they begin */
  find(bytes: Uint8Array, before: number, onFound: (first: number, end: number) => void): void {
    const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const { value, start, shared } of this.#all) {
      for (let at = given.indexOf(start); at !== -1 && at < before; at = given.indexOf(start, at + 1)) {
        let length = start.length;
        while (length < value.length && given[at + length] === value[length]) length += 1;
        // Another token: what was cut does not go on with other letters.
        if (length <= shared && isOfToken(given[at + length])) continue;
        onFound(at, at + length);
      }
    }
  }
}
