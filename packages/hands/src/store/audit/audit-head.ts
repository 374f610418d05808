import { closeSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { openOwnFile } from './audit-folder.ts';
import { FIRST_PREVIOUS } from './chain.ts';

/** Every write replaces the whole of it, within one page: it is old or new, never half of each. */
const HEAD_BYTES = 512;
const SPACE = 0x20;
const NEWLINE = 0x0a;

const HASH = z.string().regex(/^[0-9a-f]{64}$/u);

/** Where a log ends. Kept beside it, so that lines cut off at its end are missed. */
const Head = z.object({
  segment: z.int().min(1),
  /** Bytes of that segment. */
  size: z.int().min(0),
  /** Records since the log began. */
  count: z.int().min(0),
  /** Hash of the last of them. */
  hash: HASH,
  /** Hashes of the records that are being appended, in order: after a crash they may stand there or not. */
  pending: z.array(HASH).max(2).readonly(),
});
export type Head = z.infer<typeof Head>;

export const EMPTY_HEAD: Head = { segment: 1, size: 0, count: 0, hash: FIRST_PREVIOUS, pending: [] };

/** The file that says where the log ends. */
export class HeadFile implements Disposable {
  readonly #fd: number;
  readonly #buffer = Buffer.alloc(HEAD_BYTES);
  readonly #known = Buffer.alloc(HEAD_BYTES);
  #head: Head | undefined;

  constructor(folder: string) {
    // Not for appending: Linux ignores the position of a write then.
    this.#fd = openOwnFile(join(folder, 'head'), 0);
  }

  /** Where the log ends; undefined where that was never written, or is damaged. */
  read(): Head | undefined {
    const length = readSync(this.#fd, this.#buffer, 0, HEAD_BYTES, 0);
    // Most of the time nobody else wrote.
    if (length === HEAD_BYTES && this.#head !== undefined && this.#buffer.equals(this.#known)) return this.#head;
    try {
      return Head.parse(JSON.parse(this.#buffer.toString('utf8', 0, length)));
    } catch {
      // Whoever asks finds the end of the log in another way, and says so in it.
      return undefined;
    }
  }

  write(head: Head): void {
    const { segment, size, count, hash, pending } = head;
    const end = this.#known.write(JSON.stringify({ segment, size, count, hash, pending }), 'latin1');
    this.#known.fill(SPACE, end, HEAD_BYTES - 1);
    this.#known[HEAD_BYTES - 1] = NEWLINE;
    this.#head = undefined;
    if (writeSync(this.#fd, this.#known, 0, HEAD_BYTES, 0) === HEAD_BYTES) this.#head = head;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
