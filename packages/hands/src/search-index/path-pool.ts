/** Bytes of one page of names. */
const PAGE_BITS = 20;
const PAGE_BYTES = 1 << PAGE_BITS;

/** Returns an array that is long enough, with the same beginning. */
export function grown<A extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(array: A, make: (length: number) => A, length: number): A {
  if (length <= array.length) return array;
  const larger = make(Math.max(length, Math.ceil(array.length * 1.5), 1024));
  larger.set(array);
  return larger;
}

/**
 * Paths by number, one character per byte (latin1), in little memory: each folder once, and the names of its files in large blocks. A
 * million strings would take several times as much.
 */
export class PathPool {
  readonly #folders = new Map<string, number>();
  readonly #folderPaths: string[] = [];
  readonly #pages: Buffer[] = [];
  /** Bytes used of the last page. */
  #used = PAGE_BYTES;
  #folderOf = new Uint32Array(0);
  #starts = new Uint32Array(0);
  #lengths = new Uint16Array(0);

  /** Returns the number of a folder; undefined if no path is in it. */
  folderNumber(folder: string): number | undefined {
    return this.#folders.get(folder);
  }

  /** Sets a path of a number that has none. */
  set(id: number, path: string): void {
    const end = path.lastIndexOf('/');
    const folder = path.slice(0, Math.max(0, end));
    const name = path.slice(end + 1);
    this.#folderOf = grown(this.#folderOf, (length) => new Uint32Array(length), id + 1);
    this.#starts = grown(this.#starts, (length) => new Uint32Array(length), id + 1);
    this.#lengths = grown(this.#lengths, (length) => new Uint16Array(length), id + 1);
    let number = this.#folders.get(folder);
    if (number === undefined) {
      number = this.#folderPaths.length;
      this.#folders.set(folder, number);
      this.#folderPaths.push(folder);
    }
    // It always fits: Linux lists no name of 4,096 bytes or more (PATH_MAX), and takes no path of that length.
    if (this.#used + name.length > PAGE_BYTES) {
      this.#pages.push(Buffer.alloc(PAGE_BYTES));
      this.#used = 0;
    }
    this.#pages.at(-1)?.write(name, this.#used, 'latin1');
    this.#folderOf[id] = number;
    this.#starts[id] = (this.#pages.length - 1) * PAGE_BYTES + this.#used;
    this.#lengths[id] = name.length;
    this.#used += name.length;
  }

  /** Returns the path of a number; empty if it has none. */
  pathOf(id: number): string {
    const folder = this.#folderPaths[this.#folderOf[id] ?? 0] ?? '';
    return folder === '' ? this.nameOf(id) : `${folder}/${this.nameOf(id)}`;
  }

  /** Returns the last name of a path. */
  nameOf(id: number): string {
    const start = this.#starts[id] ?? 0;
    const at = start & (PAGE_BYTES - 1);
    return this.#pages[start >>> PAGE_BITS]?.toString('latin1', at, at + (this.#lengths[id] ?? 0)) ?? '';
  }

  /** Whether the last name of a path ends in one of some texts. */
  endsIn(id: number, endings: readonly string[]): boolean {
    const length = this.#lengths[id] ?? 0;
    const start = this.#starts[id] ?? 0;
    const page = this.#pages[start >>> PAGE_BITS];
    const end = (start & (PAGE_BYTES - 1)) + length;
    return endings.some((ending) => {
      if (ending.length > length) return false;
      for (let back = 1; back <= ending.length; back += 1) if (page?.[end - back] !== ending.charCodeAt(ending.length - back)) return false;
      return true;
    });
  }

  /** Whether a number has a path with this folder and name. */
  is(id: number, folder: number, name: string): boolean {
    if (this.#folderOf[id] !== folder || this.#lengths[id] !== name.length) return false;
    const start = this.#starts[id] ?? 0;
    const page = this.#pages[start >>> PAGE_BITS];
    const at = start & (PAGE_BYTES - 1);
    for (let index = 0; index < name.length; index += 1) if (page?.[at + index] !== name.charCodeAt(index)) return false;
    return true;
  }

  /** Returns a number that is the same for the same folder and name. */
  hash(id: number): number {
    return hashOf(this.#folderOf[id] ?? 0, this.nameOf(id));
  }
}

/** Returns a number of 32 bits that is the same for the same folder and name. */
export function hashOf(folder: number, name: string): number {
  let hash = Math.imul(folder + 1, 0x9e3779b1);
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca77) >>> 0;
}
