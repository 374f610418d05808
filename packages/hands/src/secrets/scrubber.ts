import { BegunValues, MAX_SEEN } from './begun-values.ts';
import { Automaton, type Place } from './notations/automaton.ts';
import { notationsOf, simpleNotations, textsOf } from './notations/known-notations.ts';

/** What is in place of each byte of a secret. As many as the secret has, so that the length of an answer stays right. */
const MASK = '*'.charCodeAt(0);

/** The values that must not be seen, in all notations. Made once for many streams. */
export interface Unseen {
  readonly automaton: Automaton;
  /** Minimum number of bytes of a value in any notation. */
  readonly shortest: number;
  readonly begun: BegunValues;
}

/** Maximum number of sets of values that are prepared at once: those of hosts, and all of a user. */
const MAX_PREPARED = 16;
const prepared = new Map<string, Unseen>();

/** Prepares values to be taken out of streams. The same values are prepared once, because what was learned about texts stays. */
export function unseen(values: readonly string[]): Unseen {
  const key = JSON.stringify(values);
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const texts = textsOf(values);
  const less = (): Automaton => new Automaton(() => simpleNotations(values), texts);
  const automaton = new Automaton(() => notationsOf(values), texts, less);
  const what = { automaton, shortest: Math.min(...values.map(({ length }) => length)), begun: new BegunValues(values) };
  if (prepared.size >= MAX_PREPARED) prepared.clear();
  prepared.set(key, what);
  return what;
}

/** How many characters of a secret may be shown where nothing comes after them: few lines end with more of one by chance. */
const MAX_SHOWN = 2;
const SHOWN_PART = 4;
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/**
 * Whether what is held of a stream may be passed on because nothing comes after it: a person or a program may wait for the end of a line,
 * and the last letters of most lines begin a secret in some notation. What was passed on before counts as well, so that a secret which
 * comes in pieces shows no more of it.
 */
function mayShow({ automaton, shortest }: Unseen, place: Place, held: Uint8Array): boolean {
  const spaces = held.length - 1 - held.findLastIndex((byte) => !isSpace(byte));
  return automaton.begun(place) - spaces <= Math.min(MAX_SHOWN, Math.floor(shortest / SHOWN_PART));
}

const maskIn =
  (bytes: Uint8Array) =>
  (first: number, end: number): void =>
    void bytes.fill(MASK, first, end);

/** Masks secrets in the memory of a stream. */
export class Masking {
  readonly #what: Unseen;
  readonly #place: Place;

  constructor(what: Unseen) {
    this.#what = what;
    this.#place = what.automaton.place();
  }

  /**
   * Masks secrets in these bytes.
   *
   * @param from the index of the first byte that was not read before; those before it are what was held
   * @returns how many of the bytes may be passed on: the others are held, because they may be the beginning of a secret
   */
  mask(bytes: Uint8Array, from: number): number {
    const found = maskIn(bytes);
    const clean = bytes.length - this.#what.automaton.read(this.#place, bytes, from, found);
    this.#what.begun.find(bytes, clean, found);
    return clean;
  }

  /** Masks what is held at the end of the stream, if it is more than a little of a secret. */
  end(held: Uint8Array): void {
    this.#what.begun.find(held, held.length, maskIn(held));
  }

  /** Whether bytes that are held may be passed on because nothing comes after them. If a secret comes after all, its rest is masked. */
  mayShow(held: Uint8Array): boolean {
    return mayShow(this.#what, this.#place, held);
  }
}

/** Takes secrets out of a stream of bytes. A secret may span any number of chunks. */
export class Scrubber {
  readonly #what: Unseen;
  readonly #place: Place;
  /** The end of what was pushed, if it may be the beginning of a secret. */
  #held: Buffer = Buffer.alloc(0);

  constructor(what: Unseen) {
    this.#what = what;
    this.#place = what.automaton.place();
  }

  /** Adds a chunk. Returns what may be passed on now; what it returns is not the memory of the chunk if that was changed. */
  push(chunk: Uint8Array): Buffer {
    const given = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const from = this.#held.length;
    let clean = from === 0 ? given : Buffer.concat([this.#held, given]);
    const found = (first: number, end: number): void => {
      if (clean === given) clean = Buffer.from(given);
      clean.fill(MASK, first, end);
    };
    const held = this.#what.automaton.read(this.#place, clean, from, found);
    this.#what.begun.find(clean, clean.length - held, found);
    // A copy: the chunk may be reused.
    this.#held = Buffer.from(clean.subarray(clean.length - held));
    return clean.subarray(0, clean.length - held);
  }

  /** Whether bytes are held back. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Returns what is held back, if it may be shown because nothing comes after it; else nothing. If a secret comes after all, its rest is masked. */
  show(): Buffer {
    return mayShow(this.#what, this.#place, this.#held) ? this.#release() : Buffer.alloc(0);
  }

  /** Returns what was held back at the end of the stream: the beginning of a secret that did not come, masked if it is more than a little of it. */
  end(): Buffer {
    const rest = this.#release();
    this.#what.begun.find(rest, rest.length, maskIn(rest));
    return rest;
  }

  #release(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }
}

/** Takes secrets out of whole texts that come together, such as those of one result. They share what reading a hostile text may cost. */
export class TextScrubber {
  readonly #what: Unseen;
  #place: Place;

  constructor(what: Unseen) {
    this.#what = what;
    this.#place = what.automaton.place();
  }

  /** Returns the same text if there are none. */
  clean(text: string): string {
    if (text.length <= MAX_SEEN && text.length < this.#what.shortest) return text;
    const bytes = Buffer.from(text);
    let isFound = false;
    const found = (first: number, end: number): void => {
      isFound = true;
      bytes.fill(MASK, first, end);
    };
    this.#place = this.#what.automaton.place(this.#place);
    this.#what.automaton.read(this.#place, bytes, 0, found);
    this.#what.begun.find(bytes, bytes.length, found);
    return isFound ? bytes.toString() : text;
  }
}
