import { FilterStore } from './filter-store.ts';
import type { ReadFile } from './index-messages.ts';
import type { RequiredGrams } from './required-text.ts';

/** Maximum bytes of all filters. What is beyond is always searched. */
const MAX_FILTER_BYTES = 256 * 1024 * 1024;
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

/** An order to read a file: valid as long as nothing changed since. */
interface Ticket {
  readonly id: number;
  readonly change: number;
}

function grown<A extends Uint8Array | Uint32Array | Float64Array>(array: A, make: (length: number) => A, length: number): A {
  if (length <= array.length) return array;
  const larger = make(Math.max(length, array.length * 2, 1024));
  larger.set(array);
  return larger;
}

/** The files of the index, each with a number: what is known of it, and its filter. Paths are relative to the workspace, in latin1. */
export class IndexedFiles {
  readonly #ids = new Map<string, number>();
  readonly #paths: string[] = [];
  readonly #filters = new FilterStore(MAX_FILTER_BYTES);
  #states = new Uint8Array(0);
  #units = new Uint32Array(0);
  #masks = new Uint32Array(0);
  #changes = new Uint32Array(0);
  #sizes = new Float64Array(0);
  #modified = new Float64Array(0);
  readonly #queue: number[] = [];

  /** Number of files. */
  get size(): number {
    return this.#ids.size;
  }

  /** The first number that is not used. */
  get end(): number {
    return this.#paths.length;
  }

  idOf(path: string): number | undefined {
    return this.#ids.get(path);
  }

  pathOf(id: number): string {
    return this.#paths[id] ?? '';
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
    const known = this.#ids.get(path);
    if (known !== undefined) return known;
    const id = this.#paths.length;
    this.#states = grown(this.#states, (length) => new Uint8Array(length), id + 1);
    this.#units = grown(this.#units, (length) => new Uint32Array(length), id + 1);
    this.#masks = grown(this.#masks, (length) => new Uint32Array(length), id + 1);
    this.#changes = grown(this.#changes, (length) => new Uint32Array(length), id + 1);
    this.#sizes = grown(this.#sizes, (length) => new Float64Array(length), id + 1);
    this.#modified = grown(this.#modified, (length) => new Float64Array(length), id + 1);
    this.#ids.set(path, id);
    this.#paths.push(path);
    this.#states[id] = isRead ? STATE.stale : STATE.closed;
    if (isRead) this.#queue.push(id);
    return id;
  }

  /** Notes a change of a file: it is searched until it was read again. */
  touch(id: number): void {
    const state = this.#states[id];
    this.#changes[id] = (this.#changes[id] ?? 0) + 1;
    if (state === STATE.known) this.#dropFilter(id);
    if (state !== STATE.none && state !== STATE.stale && state !== STATE.closed) {
      this.#states[id] = STATE.stale;
      this.#queue.push(id);
    }
  }

  remove(id: number): void {
    if (this.#states[id] === STATE.known) this.#dropFilter(id);
    this.#states[id] = STATE.none;
    this.#ids.delete(this.pathOf(id));
    this.#paths[id] = '';
  }

  /** Takes files to read. */
  takeStale(atMost: number): Ticket[] {
    const tickets: Ticket[] = [];
    while (tickets.length < atMost && this.#queue.length > 0)
      for (const id of this.#queue.splice(0, atMost - tickets.length))
        if (this.#states[id] === STATE.stale) tickets.push({ id, change: this.#changes[id] ?? 0 });
    return tickets;
  }

  /** Notes a file as it was read. Does nothing if it changed since it was ordered: then it is ordered again. */
  settle({ id, change }: Ticket, { filter, modified, size, isUnreadable }: ReadFile): void {
    if (this.#states[id] !== STATE.stale) return;
    if (this.#changes[id] !== change) {
      this.#queue.push(id);
      return;
    }
    const place = filter === undefined ? undefined : this.#filters.add(filter);
    this.#sizes[id] = size;
    this.#states[id] = isUnreadable ? STATE.unreadable : STATE.open;
    if (place === undefined || modified === undefined) return;
    this.#states[id] = STATE.known;
    this.#units[id] = place.unit;
    this.#masks[id] = place.mask;
    this.#modified[id] = modified;
  }

  isUnreadable(id: number): boolean {
    return this.#states[id] === STATE.unreadable;
  }

  /** Whether a file may hold a line that matches: false only if that is certain. @param required undefined for any line, or none */
  mayMatch(id: number, required: RequiredGrams | undefined): boolean {
    const state = this.#states[id];
    if (state !== STATE.known || required === undefined) return state !== STATE.none;
    const unit = this.#units[id] ?? 0;
    const mask = this.#masks[id] ?? 0;
    for (const grams of required) if (this.#filters.mayHold(unit, mask, grams)) return true;
    return false;
  }

  #dropFilter(id: number): void {
    this.#filters.remove({ unit: this.#units[id] ?? 0, mask: this.#masks[id] ?? 0 });
  }
}
