import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, openSync, readSync, fstatSync } from 'node:fs';
import { join } from 'node:path';

/** Output beyond this is not kept for reading again; the call's result has its end all the same. */
const MAX_BYTES = 67_108_864;

/** The output of calls while they run, in files, so that a reader can go on from any byte. */
export class Spools {
  readonly #folder: string;
  readonly #sizes = new Map<string, number>();

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
  }

  // An id is what a brain made it: its hash is a safe name for a file.
  #file(id: string): string {
    return join(this.#folder, createHash('sha256').update(id).digest('hex'));
  }

  /** Adds output, and tells at which byte it starts. */
  append(id: string, data: string): number {
    const at = this.#sizes.get(id) ?? 0;
    const bytes = Buffer.from(data);
    if (at + bytes.length <= MAX_BYTES) appendFileSync(this.#file(id), bytes, { mode: 0o600 });
    this.#sizes.set(id, at + bytes.length);
    return at;
  }

  /** Up to so many bytes from an offset on, and how many there are. */
  read(id: string, from: number, max: number): { readonly bytes: Uint8Array; readonly total: number } {
    let descriptor: number;
    try {
      descriptor = openSync(this.#file(id), 'r');
    } catch (error) {
      // Without output there is no file.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { bytes: new Uint8Array(), total: 0 };
      throw error;
    }
    try {
      const buffer = Buffer.alloc(max);
      const read = readSync(descriptor, buffer, 0, max, from);
      return { bytes: buffer.subarray(0, read), total: fstatSync(descriptor).size };
    } finally {
      closeSync(descriptor);
    }
  }

  /** The call ended: what comes no more needs no count. */
  end(id: string): void {
    this.#sizes.delete(id);
  }
}
