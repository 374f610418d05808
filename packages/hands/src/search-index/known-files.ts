import { type Stats } from 'node:fs';
import { grown, PathPool } from './path-pool.ts';

/** Milliseconds after a change in which another one may leave the same times: the clock of the file system ticks every 10 ms at most. */
const SAME_TICK_MS = 50;

/** Remembers how files were when they were read, by their numbers. */
export class KnownFiles {
  #paths = new PathPool();
  /** Whether a file has a path, and whether it is known. */
  #hasPath = new Uint8Array(0);
  #isKnown = new Uint8Array(0);
  #inodes = new Float64Array(0);
  #modified = new Float64Array(0);
  #changed = new Float64Array(0);
  #end = 0;

  forgetAll(): void {
    this.#paths = new PathPool();
    this.#hasPath.fill(0);
    this.#isKnown.fill(0);
    this.#end = 0;
  }

  forget(id: number): void {
    this.#isKnown[id] = 0;
  }

  /** Notes a file as it was when it was opened. */
  note(id: number, path: string, { ino, mtimeMs, ctimeMs }: Stats): void {
    this.#grow(id + 1);
    if (this.#hasPath[id] === 0) this.#paths.set(id, path);
    this.#hasPath[id] = this.#isKnown[id] = 1;
    this.#inodes[id] = ino;
    this.#modified[id] = mtimeMs;
    // Not a number, which is not equal to any: the next change may leave the same times.
    this.#changed[id] = Date.now() - ctimeMs < SAME_TICK_MS ? Number.NaN : ctimeMs;
    this.#end = Math.max(this.#end, id + 1);
  }

  /** Returns the files that are not as they were noted. @param look returns how a file is; undefined if it is gone */
  differing(look: (path: string) => Stats | undefined): number[] {
    const differing: number[] = [];
    for (let id = 0; id < this.#end; id += 1) {
      if (this.#isKnown[id] !== 1) continue;
      const now = look(this.#paths.pathOf(id));
      const isSame = now?.nlink === 1 && now.ino === this.#inodes[id] && now.mtimeMs === this.#modified[id] && now.ctimeMs === this.#changed[id];
      if (!isSame) differing.push(id);
    }
    return differing;
  }

  #grow(length: number): void {
    this.#hasPath = grown(this.#hasPath, (size) => new Uint8Array(size), length);
    this.#isKnown = grown(this.#isKnown, (size) => new Uint8Array(size), length);
    this.#inodes = grown(this.#inodes, (size) => new Float64Array(size), length);
    this.#modified = grown(this.#modified, (size) => new Float64Array(size), length);
    this.#changed = grown(this.#changed, (size) => new Float64Array(size), length);
  }
}
