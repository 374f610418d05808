import { breakingPairs } from './breaks.ts';
import type { Notations } from './known-notations.ts';
import { type Reader, readersMade } from './reader.ts';

/** A reader of some of the last bytes. */
interface Thread {
  readonly reader: Reader;
  /** How many bytes it has read. */
  readonly length: number;
}

/** What the bytes so far may be the beginning of. */
interface State {
  readonly id: number;
  readonly key: string;
  readonly threads: readonly Thread[];
  /** The most bytes that a thread has read. */
  readonly longest: number;
  /** How many of the last bytes were read whole. */
  readonly found: number;
}

/** Maximum number of states that are kept: 256 numbers each. Ordinary text has some hundred. */
const MAX_STATES = 8_192;
/** Maximum number of readers that are kept: some KB each. */
const MAX_READERS = 20_000;
/** Maximum number of readers that are made for one stream, some 10 µs each. A whole secret in three notations in each other takes 6,000. */
const MAX_MADE = 10_000;
/** Or, if that is more, for each byte of the longest value: a long one, such as a token with claims, takes up to 16 in two notations in each other. */
const MADE_PER_BYTE = 20;
/** Bytes of one notation, at most: ten for each byte of a secret, and many more where that is short. */
const LONGEST = (length: number): number => 1_024 + 24 * length;
const UNKNOWN = -1;

/** Where a stream is. Only for the automaton that gave it. */
export interface Place {
  state: State;
  /** Which states the automaton had. */
  generation: number;
  /** How many readers were made for it. */
  made: number;
  /** Where it is in the automaton for less. */
  less?: Place;
}

/** What is known of the steps between states. */
interface Table {
  /** Whether two bytes may begin something, by the first one and 256 times the second; 2 if that is not known yet. */
  readonly begins: Uint8Array;
  /** The state after each of the 256 bytes, for each state. */
  readonly next: Int32Array;
  /** How many bytes were read whole at each state. */
  readonly found: Int32Array;
  /** See {@link breakingPairs}. */
  readonly breaks: Uint8Array;
  /** Least number of bytes of a notation. */
  readonly shortest: number;
}

/** What is read, by bytes and by words. */
interface Text {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

const EMPTY = { next: new Int32Array(0), found: new Int32Array(0) };

/** Where the reading of a text is. */
interface Run {
  at: number;
  id: number;
  /** Up to where no pair was found that no notation has. */
  searched: number;
}

/**
 * Goes on to the next byte whose step is not known, or finds something. Apart from all else: this is what each byte costs. Where nothing has
 * begun, most bytes are not looked at.
 */
function walk(text: Text, run: Run, table: Table): void {
  const { bytes } = text;
  const { begins, next, found } = table;
  const last = bytes.length - 1;
  while (run.at <= last) {
    if (run.id === 0 && skip(text, run, table)) continue;
    const { at, id } = run;
    const to = next[id * 256 + (bytes[at] ?? 0)] ?? UNKNOWN;
    if (to < 0 || (found[to] ?? 0) > 0) return;
    if (id === 0 && at < last && begins[((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0)] === 2) return;
    run.id = to;
    run.at = at + 1;
  }
}

/**
 * Goes on to where something may begin: only one pair is looked at in each stretch that is as long as the shortest text, if no notation has that
 * pair. Then pairs are looked up with which something may begin, which do not depend on each other, and take a fraction of the time of a step.
 *
 * @returns whether nothing begins there, as far as it looked
 */
function skip(text: Text, run: Run, { begins, breaks, shortest }: Table): boolean {
  const { bytes } = text;
  const last = bytes.length - 1;
  let { at, searched } = run;
  while (at >= searched && at + shortest <= last) {
    let from = at + shortest - 2;
    while (from >= at && breaks[((bytes[from] ?? 0) << 8) | (bytes[from + 1] ?? 0)] === 0) from -= 1;
    if (from < at) searched = at + shortest - 1;
    else at = from + 1;
  }
  while (at < last && begins[((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0)] === 0) {
    at += 1;
    if (at === searched) break;
  }
  const isEmpty = at === searched && at + shortest <= last;
  // Nothing began in a whole stretch, and no pair in it ends the search: so it is with long runs of one byte.
  if (isEmpty) at = searched = nextBegin(text, at, Math.min(at + LOOKED_UP, last), begins);
  run.at = at;
  run.searched = searched;
  return isEmpty;
}

/** How far pairs are looked up without a search for those that no notation has. */
const LOOKED_UP = 512;

/** The first index at which a pair stands with which something may begin; `end` if there is none before it. */
function nextBegin({ bytes, view }: Text, from: number, end: number, begins: Uint8Array): number {
  let at = from;
  // Three pairs at a time, which are in one word: processors look them up side by side.
  for (const most = end - 3; at < most; at += 3) {
    const word = view.getUint32(at, true);
    if (((begins[word & 0xffff] ?? 0) | (begins[(word >>> 8) & 0xffff] ?? 0) | (begins[word >>> 16] ?? 0)) !== 0) break;
  }
  while (at < end && begins[((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0)] === 0) at += 1;
  return at;
}

/**
 * Reads many notations at once, in one step for each byte. The steps are computed when they are first needed, so that only those exist
 * which some text took. A text that was made to need new ones with each byte is read for fewer notations from there on.
 */
export class Automaton {
  readonly #notations: () => Notations;
  readonly #makeLess: (() => Automaton) | undefined;
  readonly #limit: number;
  readonly #mostMade: number;
  #less: Automaton | undefined;
  #open: Notations;
  #states: State[] = [];
  #byKey = new Map<string, State>();
  #table: Table;
  #generation = 0;

  /**
   * @param texts see {@link breakingPairs}
   * @param less makes an automaton with fewer notations, of which no text needs many states
   */
  constructor(notations: () => Notations, texts: readonly string[], less?: () => Automaton) {
    const lengths = texts.map((text) => text.length);
    this.#notations = notations;
    this.#open = notations();
    this.#makeLess = less;
    const longest = Math.max(0, ...lengths);
    this.#limit = LONGEST(longest);
    this.#mostMade = Math.max(MAX_MADE, MADE_PER_BYTE * longest);
    this.#table = { ...EMPTY, begins: new Uint8Array(65_536).fill(2), breaks: breakingPairs(texts), shortest: Math.min(...lengths) };
    this.#forget();
  }

  /**
   * The beginning of a stream.
   *
   * @param before where an earlier one ended that shares what reading may cost
   */
  place(before?: Place): Place {
    const less = before?.less === undefined ? {} : { less: this.#withLess().place(before.less) };
    return { state: this.#stateOf([], 0), generation: this.#generation, made: before?.made ?? 0, ...less };
  }

  /** Whether two bytes begin anything, which the table keeps. */
  #mayBegin(byte: number, second: number): boolean {
    const begun = this.#open.starts.flatMap((start) => start.after(byte));
    const isBegun = begun.some((reader) => reader.isEnd || reader.after(second).length > 0);
    this.#table.begins[(second << 8) | byte] = isBegun ? 1 : 0;
    return isBegun;
  }

  /** Whether so many readers were made that fewer should be. */
  #isOverfull(made: number): boolean {
    return this.#makeLess !== undefined && readersMade() - made > this.#mostMade;
  }

  /** The state at a place. The states may have been forgotten meanwhile. */
  #stateAt(place: Place): State {
    return place.generation === this.#generation ? place.state : this.#stateOf(place.state.threads, 0);
  }

  #longestOf(id: number): number {
    return this.#states[id]?.longest ?? 0;
  }

  /**
   * Reads bytes from an index to the end.
   *
   * @param onFound called with the indexes of what was found: its first byte, which may be before the index, and the byte after it. Where
   *   bytes before these were passed on, the first one is that of these bytes
   * @returns how many of the last bytes may be the beginning of more
   */
  read(place: Place, bytes: Uint8Array, from: number, onFound: (first: number, end: number) => void): number {
    if (place.less !== undefined) return this.#withLess().read(place.less, bytes, from, onFound);
    const made = readersMade() - place.made;
    let { id } = this.#stateAt(place);
    let searched = 0;
    const text = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
    for (let at = from; at < bytes.length;) {
      const run = { at, id, searched };
      walk(text, run, this.#table);
      ({ at, id, searched } = run);
      const byte = bytes[at];
      if (byte === undefined) break;
      if (id === 0 && at + 1 < bytes.length && !this.#mayBegin(byte, bytes[at + 1] ?? 0)) {
        at += 1;
        continue;
      }
      const to = this.#table.next[id * 256 + byte] ?? UNKNOWN;
      if (to === UNKNOWN && this.#isOverfull(made)) {
        place.less = this.#withLess().place();
        // What may be the beginning of a secret is read again.
        return this.#withLess().read(place.less, bytes, Math.max(0, at - this.#longestOf(id)), onFound);
      }
      id = to === UNKNOWN ? this.#step(id, byte) : to;
      at += 1;
      const length = this.#table.found[id] ?? 0;
      if (length > 0) onFound(Math.max(0, at - length), at);
    }
    const state = this.#states[id] ?? this.#stateOf([], 0);
    place.state = state;
    place.generation = this.#generation;
    place.made = readersMade() - made;
    return Math.min(state.longest, bytes.length);
  }

  /** How many of the last bytes of a stream may be the beginning of something, also those that were passed on. */
  begun({ less, state }: Place): number {
    return less === undefined ? state.longest : this.#withLess().begun(less);
  }

  #withLess(): Automaton {
    this.#less ??= this.#makeLess?.() ?? this;
    return this.#less;
  }

  #step(id: number, byte: number): number {
    const lengths = new Map<Reader, number>();
    const threads = this.#states[id]?.threads ?? [];
    const before = this.#generation;
    if (this.#open.readers.size > MAX_READERS) {
      this.#open = this.#notations();
      this.#forget();
    }
    // Longer ones first: of two that go on alike, the longer one covers the other.
    for (const { reader, length } of threads)
      for (const after of reader.after(byte)) if (length < this.#limit) lengths.set(after, Math.max(length + 1, lengths.get(after) ?? 0));
    for (const begun of this.#open.starts.flatMap((start) => start.after(byte))) if (!lengths.has(begun)) lengths.set(begun, 1);
    let found = 0;
    const going: Thread[] = [];
    for (const [reader, length] of lengths) {
      if (reader.isEnd) found = Math.max(found, length);
      else going.push({ reader, length });
    }
    const state = this.#stateOf(going, found);
    // The states before were forgotten if there were too many.
    if (before === this.#generation) this.#table.next[id * 256 + byte] = state.id;
    return state.id;
  }

  #stateOf(given: readonly Thread[], found: number): State {
    const threads = given.toSorted((one, other) => one.reader.id - other.reader.id);
    const key = `${found} ${threads.map(({ reader, length }) => `${reader.id}:${length}`).join(' ')}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#states.length >= MAX_STATES) this.#forget();
    const id = this.#states.length;
    const state: State = { id, key, threads, longest: threads.reduce((most, { length }) => Math.max(most, length), 0), found };
    this.#states.push(state);
    this.#byKey.set(key, state);
    if (this.#table.found.length <= id) this.#grow();
    this.#table.found[id] = found;
    return state;
  }

  #grow(): void {
    const before = this.#table;
    const capacity = Math.max(64, before.found.length * 2);
    const next = new Int32Array(capacity * 256).fill(UNKNOWN);
    next.set(before.next);
    const found = new Int32Array(capacity);
    found.set(before.found);
    this.#table = { ...before, next, found };
  }

  #forget(): void {
    this.#states = [];
    this.#byKey = new Map();
    this.#table = { ...this.#table, ...EMPTY };
    this.#generation += 1;
    // The first one is that in which nothing has begun.
    this.#stateOf([], 0);
  }
}
