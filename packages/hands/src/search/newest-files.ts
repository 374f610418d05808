/** A file that was found, by the name that ripgrep gives it. */
export interface Candidate {
  readonly found: Buffer;
  readonly modified: number;
}

const newestFirst = (a: Candidate, b: Candidate): number => b.modified - a.modified || Buffer.compare(a.found, b.found);

/** Keeps the newest of any number of files; of equally new ones, the first by path. */
export class NewestFiles {
  readonly #limit: number;
  #kept: Candidate[] = [];
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  add(candidate: Candidate): void {
    this.#count += 1;
    // A copy: the name is a piece of a large buffer, which it would keep.
    this.#kept.push({ ...candidate, found: Buffer.from(candidate.found) });
    if (this.#kept.length >= 2 * this.#limit + 1_000) this.#cut();
  }

  /** The newest, newest first. */
  list(): readonly Candidate[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept = this.#kept.toSorted(newestFirst).slice(0, this.#limit);
  }
}
