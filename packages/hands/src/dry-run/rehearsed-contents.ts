import { hash } from 'node:crypto';
import type { Contents } from '../journal/blob-store.ts';

/** All contents that one dry run holds in memory, in bytes; what is more is known by its hash alone. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** The contents that a dry run meets: in memory, or where they can be read again. Nothing is written. */
export class RehearsedContents implements Contents {
  readonly #held = new Map<string, Buffer>();
  readonly #readers = new Map<string, () => Buffer>();
  readonly #kept: (sum: string) => Buffer | undefined;
  #bytes = 0;

  /** @param kept gives what the journal has */
  constructor(kept: (sum: string) => Buffer | undefined) {
    this.#kept = kept;
  }

  keep(bytes: Uint8Array): string {
    const sum = hash('sha256', bytes);
    if (!this.#held.has(sum) && this.#bytes + bytes.byteLength <= MAX_HELD_BYTES) {
      this.#held.set(sum, Buffer.from(bytes));
      this.#bytes += bytes.byteLength;
    }
    return sum;
  }

  foresee(bytes: Uint8Array): string {
    return this.keep(bytes);
  }

  /** Takes note of a content that stays where it is. */
  refer(read: () => Buffer): { readonly sum: string; readonly size: number } {
    const bytes = read();
    const sum = hash('sha256', bytes);
    this.#readers.set(sum, read);
    return { sum, size: bytes.byteLength };
  }

  read(sum: string): Buffer | undefined {
    const held = this.#held.get(sum);
    if (held !== undefined) return held;
    const bytes = this.#readers.get(sum)?.();
    // What was shown is what is given, or nothing.
    if (bytes !== undefined && hash('sha256', bytes) === sum) return bytes;
    return sum === '' ? undefined : this.#kept(sum);
  }
}
