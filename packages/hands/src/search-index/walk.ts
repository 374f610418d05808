import { grown } from './path-pool.ts';

/**
 * Whether a path is that of `.git`, in any case, or in such a folder: a search does not enter these unless it begins there, which ripgrep
 * answers alone.
 */
export const isInGit = (path: string): boolean => /(?:^|\/)\.git(?:\/|$)/iu.test(path);

/** The files that ripgrep searches in a folder under certain ignore rules, as long as they are followed. */
export class Walk {
  /** The folder, relative to the workspace, in latin1. */
  readonly place: string;
  readonly rules: string;
  /** Names that came since it began: whether they are searched is not known. */
  readonly unknown = new Set<string>();
  /** Names that went since it began: what the walk found there is gone. */
  readonly gone = new Set<string>();
  /** The numbers of its files. */
  #ids = new Uint32Array(0);
  #size = 0;
  /** One bit for each number of a file. */
  #members = new Uint8Array(0);

  constructor(place: string, rules: string) {
    this.place = place;
    this.rules = rules;
  }

  /** The numbers of its files, and of those that were removed since. */
  get ids(): Uint32Array {
    return this.#ids.subarray(0, this.#size);
  }

  /** Adds a file. */
  add(id: number): void {
    this.#ids = grown(this.#ids, (length) => new Uint32Array(length), this.#size + 1);
    this.#ids[this.#size] = id;
    this.#size += 1;
    this.#members = grown(this.#members, (length) => new Uint8Array(length), (id >>> 3) + 1);
    this.#members[id >>> 3] = (this.#members[id >>> 3] ?? 0) | (1 << (id & 7));
  }

  has(id: number): boolean {
    return ((this.#members[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  noteUnknown(path: string): void {
    if (this.place !== '' && !path.startsWith(`${this.place}/`)) return;
    this.unknown.add(path);
    this.gone.delete(path);
  }

  noteGone(path: string): void {
    this.unknown.delete(path);
    this.gone.add(path);
  }
}
