import type { ErrorLine } from './cut-text.ts';

/** Messages of compilers, test runners and shells about errors. `TypeError` must match too, so there is no word boundary before `error`. */
const LOOKS_LIKE_ERROR =
  /(?:error|exception|failure)s?\b|\b(?:fail(?:ed|s)?|fatal|panic(?:ked)?|traceback|assert(?:ion)?|undefined reference|cannot|not found|denied|segmentation fault|E\d{4})\b|[✗✘✖]/iu;
/** Maximum number of UTF-16 units of a line that are checked and kept. */
const MAX_LINE = 400;
/** Maximum number of error lines in each of the two lists. The first errors say most about the cause. */
const MAX_LINES = 40;
/** Number of lines kept after each error: the expected value, and the location. */
const AFTER = 3;

/** Whether a line looks like an error. */
export function looksLikeError(line: string): boolean {
  return LOOKS_LIKE_ERROR.test(line.slice(0, MAX_LINE));
}

/** A list of kept lines, and the number of them that look like errors. */
interface Place {
  readonly lines: ErrorLine[];
  errors: number;
}

/** Finds the lines of a text that look like errors, with the lines after them. The text may arrive in any pieces. */
export class ErrorLines {
  readonly #pattern = new RegExp(LOOKS_LIKE_ERROR, 'giu');
  readonly #from: number;
  readonly #early: Place = { lines: [], errors: 0 };
  readonly #late: Place = { lines: [], errors: 0 };
  /** The beginning of an incomplete line, and its offset. */
  #partial = '';
  #partialAt = 0;
  #length = 0;
  /** Number of next lines to keep after an error, and the list of that error. */
  #owed = 0;
  #owedTo = this.#early;

  /** @param from number of UTF-16 units at the beginning that are shown anyway; errors there do not enter the second list */
  constructor(from: number) {
    this.#from = from;
  }

  get found(): readonly ErrorLine[] {
    return [...this.#early.lines, ...this.#late.lines];
  }

  take(text: string): void {
    const offset = this.#length;
    this.#length += text.length;
    if (this.#isFull()) return;
    const first = text.indexOf('\n');
    if (first === -1) {
      this.#grow(text);
      return;
    }
    this.#grow(text.slice(0, Math.min(first, MAX_LINE)));
    this.#judge(this.#partialAt, this.#partial);
    const last = text.lastIndexOf('\n');
    // One search over all lines. A search per line takes ten times as long.
    const lines = text.slice(first + 1, last + 1);
    for (let next = 0; next < lines.length && !this.#isFull();) {
      const start = this.#owed > 0 ? next : this.#nextMatch(lines, next);
      if (start === undefined) break;
      const end = lines.indexOf('\n', start);
      this.#judge(offset + first + 1 + start, lines.slice(start, Math.min(end, start + MAX_LINE)));
      next = end + 1;
    }
    this.#partial = text.slice(last + 1, last + 1 + MAX_LINE);
    this.#partialAt = offset + last + 1;
  }

  /** Returns the offset of the next line that looks like an error. */
  #nextMatch(lines: string, from: number): number | undefined {
    this.#pattern.lastIndex = from;
    const match = this.#pattern.exec(lines);
    return match === null ? undefined : lines.lastIndexOf('\n', match.index) + 1;
  }

  #isFull(): boolean {
    return this.#late.errors >= MAX_LINES && this.#owed === 0;
  }

  #grow(text: string): void {
    if (this.#partial.length < MAX_LINE) this.#partial += text.slice(0, MAX_LINE - this.#partial.length);
  }

  #judge(at: number, line: string): void {
    const isError = looksLikeError(line);
    if (isError) {
      const place = this.#early.errors < MAX_LINES ? this.#early : this.#late;
      const isKept = place.errors < MAX_LINES && (place === this.#early || at >= this.#from);
      this.#owed = isKept ? AFTER + 1 : 0;
      this.#owedTo = place;
      if (isKept) place.errors += 1;
    }
    if (this.#owed === 0) return;
    this.#owed -= 1;
    // A line cut by length may end with half a pair. Copy the line, because a substring keeps the whole string in memory.
    this.#owedTo.lines.push({ at, text: Buffer.from(line.trimEnd(), 'utf8').toString('utf8') });
  }
}
