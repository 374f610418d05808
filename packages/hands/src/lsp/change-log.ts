/** Maximum number of files of which the last change is known. */
const MAX_FILES = 1_000;

/** Which files changed last, in the order in which a server was told of it. */
export class ChangeLog {
  /** The number of the last change of each file, oldest first. */
  readonly #last = new Map<string, number>();
  #count = 0;
  /** The last change that is not known any more. */
  #forgotten = 0;

  /** Number of changes so far. */
  get count(): number {
    return this.#count;
  }

  note(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#last.delete(path);
      this.#last.set(path, (this.#count += 1));
    }
    for (const [path, number] of this.#last) {
      if (this.#last.size <= MAX_FILES) break;
      this.#last.delete(path);
      this.#forgotten = number;
    }
  }

  /** Notes that anything may have changed. */
  noteAll(): void {
    this.#last.clear();
    this.#forgotten = this.#count += 1;
  }

  /** Whether a file other than these changed after that many changes. */
  hasOthersSince(count: number, paths: ReadonlySet<string>): boolean {
    return count < this.#forgotten || [...this.#last].some(([path, number]) => number > count && !paths.has(path));
  }
}
