import { closeSync, constants, fstatSync, ftruncateSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { openOwnFile, segmentPath } from './audit-folder.ts';

/** Of what was set aside, more than this is not copied at once. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** The file at the end of a log, open for appending. */
export class SegmentFile implements Disposable {
  readonly number: number;
  readonly #path: string;
  readonly #fd: number;

  constructor(folder: string, number: number) {
    this.number = number;
    this.#path = segmentPath(folder, number);
    // To append: whatever else happens, nothing that stands in the file is ever written over.
    this.#fd = openOwnFile(this.#path, constants.O_APPEND);
  }

  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /** Its size in bytes; undefined once the file has lost its name: a deleted one would take records nobody finds. */
  get sizeIfNamed(): number | undefined {
    const { size, nlink } = fstatSync(this.#fd);
    return nlink > 0 ? size : undefined;
  }

  read(from: number, to: number): Buffer {
    const buffer = Buffer.alloc(Math.min(to - from, MAX_READ_BYTES));
    return buffer.subarray(0, readSync(this.#fd, buffer, 0, buffer.length, from));
  }

  /**
   * Appends bytes, all or none of them.
   * @param before its size until now
   */
  append(bytes: Buffer, before = this.size): void {
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      // A full disk takes a part of a line. It is ours alone, and nobody was told that it stands.
      if (this.size !== before) ftruncateSync(this.#fd, before);
      throw error;
    }
  }

  /** Moves what stands behind a position into a file of its own, and gives that file's name. */
  setAside(from: number): string {
    const bytes = this.read(from, this.size);
    for (let copy = 1; ; copy += 1) {
      const name = `${this.#path}.aside-${from}-${copy}`;
      try {
        writeFileSync(name, bytes, { flag: 'wx', mode: 0o600 });
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue;
        throw error;
      }
      ftruncateSync(this.#fd, from);
      return name.slice(name.lastIndexOf('/') + 1);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
