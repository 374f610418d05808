import { answeredForms } from './secret-forms.ts';

/** What stands in place of each byte of a secret. As many as the secret has, so that the length of an answer stays right. */
const MASK = '*'.charCodeAt(0);

/** The texts that must not be seen, as bytes: all forms of some values. Made once for many streams. */
export interface Unseen {
  /** Longest first: one may be part of another. */
  readonly forms: readonly Buffer[];
  readonly longest: number;
  /** The bytes that forms begin with. */
  readonly begins: ReadonlySet<number>;
}

/** Prepares values to be taken out of streams. */
export function unseen(values: readonly string[]): Unseen {
  const texts = new Set(values.flatMap(answeredForms));
  const forms = Array.from(texts, (text) => Buffer.from(text)).toSorted((one, other) => other.length - one.length);
  return { forms, longest: forms[0]?.length ?? 0, begins: new Set(forms.map((form) => form[0] ?? 0)) };
}

/** Where the longest end begins that may be the beginning of a secret. */
function heldFrom(bytes: Buffer, { forms, longest, begins }: Unseen): number {
  for (let at = Math.max(0, bytes.length - longest + 1); at < bytes.length; at += 1) {
    if (!begins.has(bytes[at] ?? 0)) continue;
    const left = bytes.length - at;
    if (forms.some((form) => form.length > left && form.compare(bytes, at, bytes.length, 0, left) === 0)) return at;
  }
  return bytes.length;
}

/** Masks all secrets that begin before an index, in these bytes or in a copy of them. Returns the bytes themselves if there are none. */
function masked(bytes: Buffer, before: number, { forms }: Unseen, isOwn: boolean): Buffer {
  let result = bytes;
  for (const form of forms) {
    for (let at = result.indexOf(form); at !== -1 && at < before; at = result.indexOf(form, at + form.length)) {
      if (result === bytes && !isOwn) result = Buffer.from(bytes);
      result.fill(MASK, at, at + form.length);
    }
  }
  return result;
}

/** Masks secrets in these bytes. Returns how many of them may be passed on: the others may be the beginning of a secret. */
export function maskOwn(bytes: Buffer, what: Unseen): number {
  const end = heldFrom(bytes, what);
  masked(bytes, end, what, true);
  return end;
}

/** Takes secrets out of a stream of bytes. A secret may lie across any number of chunks. */
export class Scrubber {
  readonly #unseen: Unseen;
  /** The end of what was pushed, if it may be the beginning of a secret. */
  #held: Buffer = Buffer.alloc(0);

  constructor(what: Unseen) {
    this.#unseen = what;
  }

  /** Adds a chunk. Returns what may be passed on now; what it returns is not the memory of the chunk if that was changed. */
  push(chunk: Uint8Array): Buffer {
    const given = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const bytes = this.#held.length === 0 ? given : Buffer.concat([this.#held, given]);
    const end = heldFrom(bytes, this.#unseen);
    const clean = masked(bytes, end, this.#unseen, false);
    // A copy: the chunk may be reused.
    this.#held = Buffer.from(clean.subarray(end));
    return clean.subarray(0, end);
  }

  /** Returns what was held back at the end of the stream: the beginning of a secret that did not come. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }
}

/** Takes secrets out of a whole text. Returns the same text if there are none. */
export function scrubText(text: string, { forms }: Unseen): string {
  let result = text;
  for (const form of forms) {
    const known = form.toString();
    if (result.includes(known)) result = result.replaceAll(known, '*'.repeat(known.length));
  }
  return result;
}
