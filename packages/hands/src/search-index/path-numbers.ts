import { hashOf, PathPool } from './path-pool.ts';

/** A slot whose path was removed: what was put behind it is still found. */
const REMOVED = 0xffffffff;
const FIRST_SLOTS = 1024;

/** Numbers paths, in order of their first appearance. A number is not used again. Paths have one character per byte (latin1). */
export class PathNumbers {
  readonly #pool = new PathPool();
  /** A hash table: one more than the number of a path, 0 where there is none. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** Slots that are not 0. */
  #taken = 0;
  #size = 0;
  #end = 0;

  /** Number of paths. */
  get size(): number {
    return this.#size;
  }

  /** The first number that is not used. */
  get end(): number {
    return this.#end;
  }

  idOf(path: string): number | undefined {
    const at = this.#find(path);
    return at === undefined ? undefined : (this.#slots[at] ?? 0) - 1;
  }

  /** The path of a number, even if it was removed. */
  pathOf(id: number): string {
    return this.#pool.pathOf(id);
  }

  /** Whether the last name of the path of a number ends in one of some texts. */
  endsIn(id: number, endings: readonly string[]): boolean {
    return this.#pool.endsIn(id, endings);
  }

  /** Adds a path that has no number. */
  add(path: string): number {
    if ((this.#taken + 1) * 2 > this.#slots.length) this.#rebuild();
    const id = this.#end;
    this.#end += 1;
    this.#size += 1;
    this.#pool.set(id, path);
    this.#put(id);
    return id;
  }

  remove(id: number): void {
    const at = this.#find(this.#pool.pathOf(id));
    if (at === undefined || this.#slots[at] !== id + 1) return;
    this.#slots[at] = REMOVED;
    this.#size -= 1;
  }

  #find(path: string): number | undefined {
    const end = path.lastIndexOf('/');
    const folder = this.#pool.folderNumber(path.slice(0, Math.max(0, end)));
    if (folder === undefined) return undefined;
    const name = path.slice(end + 1);
    const mask = this.#slots.length - 1;
    for (let at = hashOf(folder, name) & mask; ; at = (at + 1) & mask) {
      const slot = this.#slots[at] ?? 0;
      if (slot === 0) return undefined;
      if (slot !== REMOVED && this.#pool.is(slot - 1, folder, name)) return at;
    }
  }

  #put(id: number): void {
    const mask = this.#slots.length - 1;
    let at = this.#pool.hash(id) & mask;
    while (this.#slots[at] !== 0) at = (at + 1) & mask;
    this.#slots[at] = id + 1;
    this.#taken += 1;
  }

  /** Makes room, and leaves out what was removed. */
  #rebuild(): void {
    const before = this.#slots;
    let length = FIRST_SLOTS;
    while (length < (this.#size + 1) * 3) length *= 2;
    this.#slots = new Uint32Array(length);
    this.#taken = 0;
    for (const slot of before) if (slot !== 0 && slot !== REMOVED) this.#put(slot - 1);
  }
}
