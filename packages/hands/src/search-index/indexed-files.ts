import { FilterStore } from './filter-store.ts';
import type { ReadFile } from './index-messages.ts';
import { PathNumbers } from './path-numbers.ts';
import { grown } from './path-pool.ts';
import type { RequiredGrams } from './required-text.ts';

/** Maximum bytes of all filters. What is beyond is always searched. */
const MAX_FILTER_BYTES = 256 * 1024 * 1024;
/** What a larger size counts as. */
const MAX_SIZE = 0xffffffff;
/** What is known of a file. Numbers, because there is one for each file in an array. */
const STATE = {
  /** It is gone, and its number is not used again. */
  none: 0,
  /** It is to be read. */
  stale: 1,
  /** It was read, and has a filter. */
  known: 2,
  /** It is always searched until it changes. */
  open: 3,
  /** It must not be read here, and is always searched. */
  closed: 4,
  /** It could not be read: ripgrep says so, even if the file was not asked for. */
  unreadable: 5,
} as const;

/** Bits of a filter for each of its grams: fewer the more files there are, so that there is room for all filters. */
const BITS_PER_GRAM = { least: 3, most: 8, timesFiles: 3_000_000 };
/** Files that were taken from the queue until it is made shorter. */
const MAX_TAKEN = 10_000;

/** An order to read a file: valid as long as nothing changed since. */
interface Ticket {
  readonly id: number;
  readonly change: number;
}

/** The files of the index, each with a number: what is known of it, and its filter. Paths are relative to the workspace, in latin1. */
export class IndexedFiles {
  readonly #paths = new PathNumbers();
  readonly #filters = new FilterStore(MAX_FILTER_BYTES);
  #states = new Uint8Array(0);
  #changes = new Uint32Array(0);
  /** Of files with filters, which are small, and of others up to the largest number. */
  #sizes = new Uint32Array(0);
  #modified = new Float64Array(0);
  readonly #queue: number[] = [];
  /** How many of the queue were taken: to remove each batch would move all that follow. */
  #taken = 0;

  /** Number of files. */
  get size(): number {
    return this.#paths.size;
  }

  /** Bits of a filter for each of its grams, so that there is room for the filters of all files. */
  get bitsPerGram(): number {
    const { least, most, timesFiles } = BITS_PER_GRAM;
    return Math.min(most, Math.max(least, timesFiles / this.size));
  }

  /** Number of files to read, at most. */
  get waiting(): number {
    return this.#queue.length - this.#taken;
  }

  /** The first number that is not used. */
  get end(): number {
    return this.#paths.end;
  }

  idOf(path: string): number | undefined {
    return this.#paths.idOf(path);
  }

  pathOf(id: number): string {
    return this.#paths.pathOf(id);
  }

  /** Whether the last name of the path of a number ends in one of some texts. */
  endsIn(id: number, endings: readonly string[]): boolean {
    return this.#paths.endsIn(id, endings);
  }

  /** Returns the modification time of a file as it is; undefined if it has to be looked up. */
  modified(id: number): number | undefined {
    return this.#states[id] === STATE.known ? this.#modified[id] : undefined;
  }

  /** Returns the size of a file as it was read. */
  bytes(id: number): number {
    return this.#sizes[id] ?? 0;
  }

  /** Adds a file, to be read unless that is not wanted. Returns its number. */
  add(path: string, isRead: boolean): number {
    const known = this.#paths.idOf(path);
    if (known !== undefined) return known;
    const id = this.#paths.add(path);
    this.#states = grown(this.#states, (length) => new Uint8Array(length), id + 1);
    this.#changes = grown(this.#changes, (length) => new Uint32Array(length), id + 1);
    this.#sizes = grown(this.#sizes, (length) => new Uint32Array(length), id + 1);
    this.#modified = grown(this.#modified, (length) => new Float64Array(length), id + 1);
    this.#states[id] = isRead ? STATE.stale : STATE.closed;
    if (isRead) this.#queue.push(id);
    return id;
  }

  /** Notes a change of a file: it is searched until it was read again. */
  touch(id: number): void {
    const state = this.#states[id];
    this.#changes[id] = (this.#changes[id] ?? 0) + 1;
    if (state === STATE.known) this.#filters.remove(id);
    if (state !== STATE.none && state !== STATE.stale && state !== STATE.closed) {
      this.#states[id] = STATE.stale;
      this.#queue.push(id);
    }
  }

  remove(id: number): void {
    if (this.#states[id] === STATE.known) this.#filters.remove(id);
    this.#states[id] = STATE.none;
    this.#paths.remove(id);
  }

  /** Takes files to read. */
  takeStale(atMost: number): Ticket[] {
    const tickets: Ticket[] = [];
    while (tickets.length < atMost && this.#taken < this.#queue.length) {
      const id = this.#queue[this.#taken] ?? 0;
      this.#taken += 1;
      if (this.#states[id] === STATE.stale) tickets.push({ id, change: this.#changes[id] ?? 0 });
    }
    if (this.#taken > MAX_TAKEN || this.#taken === this.#queue.length) this.#taken -= this.#queue.splice(0, this.#taken).length;
    return tickets;
  }

  /** Notes a file as it was read. Does nothing if it changed since it was ordered: then it is ordered again. */
  settle({ id, change }: Ticket, { filter, modified, size, isUnreadable }: ReadFile): void {
    if (this.#states[id] !== STATE.stale) return;
    if (this.#changes[id] !== change) {
      this.#queue.push(id);
      return;
    }
    this.#sizes[id] = Math.min(size, MAX_SIZE);
    this.#states[id] = isUnreadable ? STATE.unreadable : STATE.open;
    if (filter === undefined || modified === undefined || !this.#filters.add(id, filter)) return;
    this.#states[id] = STATE.known;
    this.#modified[id] = modified;
  }

  isUnreadable(id: number): boolean {
    return this.#states[id] === STATE.unreadable;
  }

  /**
   * Returns the files that may hold a line that matches: others certainly do not. Undefined if these are too many.
   *
   * @param required what a line that matches holds
   * @param isAsked whether a file is searched at all
   */
  mayMatch(required: RequiredGrams, isAsked: (id: number) => boolean, atMost: number): number[] | undefined {
    const ids: number[] = [];
    const states = this.#states;
    const take = (id: number): boolean => {
      if (isAsked(id)) ids.push(id);
      return ids.length <= atMost;
    };
    // Without an iterator: there may be a million.
    for (let id = 0; id < this.end; id += 1) if (states[id] !== STATE.known && states[id] !== STATE.none && !take(id)) return undefined;
    this.#filters.find(required, take);
    return ids.length > atMost ? undefined : ids;
  }

  /** Whether a file is there. */
  has(id: number): boolean {
    return this.#states[id] !== STATE.none;
  }
}
