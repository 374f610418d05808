import { hash } from 'node:crypto';
import type { Contents } from '../workspace/changes/capture.ts';

/** Maximum size of all contents that a dry run holds in memory, in bytes. Beyond it, contents are known only by their hash. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** The contents of a dry run, held in memory. Nothing is written. */
export class DryRunContents implements Contents {
  readonly #held = new Map<string, Buffer>();
  readonly #kept: (sum: string) => Buffer | undefined;
  #bytes = 0;

  /** @param kept returns contents that the journal keeps */
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

  read(sum: string): Buffer | undefined {
    const held = this.#held.get(sum);
    if (held !== undefined) return held;
    return sum === '' ? undefined : this.#kept(sum);
  }
}
