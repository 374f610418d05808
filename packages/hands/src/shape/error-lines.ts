import type { ErrorLine } from './cut-text.ts';

/** What a compiler, a test runner or a shell writes when something is wrong; `TypeError` too, hence no word boundary before it. */
const LOOKS_LIKE_ERROR =
  /(?:error|exception|failure)s?\b|\b(?:fail(?:ed|s)?|fatal|panic(?:ked)?|traceback|assert(?:ion)?|undefined reference|cannot|not found|denied|segmentation fault|E\d{4})\b|[✗✘✖]/iu;
/** Of a line so many UTF-16 units are looked at and kept. */
const MAX_LINE = 400;
/** The first lines that are found say most about the cause. */
const MAX_LINES = 40;

/** Whether a line looks as if it told of an error. */
export function looksLikeError(line: string): boolean {
  return LOOKS_LIKE_ERROR.test(line.slice(0, MAX_LINE));
}

/** Finds the lines of a text that look like errors, however the text is cut into pieces. */
export class ErrorLines {
  readonly #pattern = new RegExp(LOOKS_LIKE_ERROR, 'giu');
  readonly #from: number;
  readonly #early: ErrorLine[] = [];
  readonly #late: ErrorLine[] = [];
  /** The beginning of a line whose end has not come, and where it begins. */
  #partial = '';
  #partialAt = 0;
  #length = 0;

  /** @param from UTF-16 units at the beginning that are shown anyway, so that they may not use up the places */
  constructor(from: number) {
    this.#from = from;
  }

  get found(): readonly ErrorLine[] {
    return [...this.#early, ...this.#late];
  }

  take(text: string): void {
    const offset = this.#length;
    this.#length += text.length;
    if (this.#late.length >= MAX_LINES) return;
    const first = text.indexOf('\n');
    if (first === -1) {
      this.#grow(text);
      return;
    }
    this.#grow(text.slice(0, Math.min(first, MAX_LINE)));
    this.#judge(this.#partialAt, this.#partial);
    const last = text.lastIndexOf('\n');
    // One search over all lines at once: asking line by line costs ten times as much.
    const lines = text.slice(first + 1, last + 1);
    this.#pattern.lastIndex = 0;
    for (let match = this.#pattern.exec(lines); match !== null; match = this.#pattern.exec(lines)) {
      const start = lines.lastIndexOf('\n', match.index) + 1;
      const end = lines.indexOf('\n', match.index);
      this.#judge(offset + first + 1 + start, lines.slice(start, Math.min(end, start + MAX_LINE)));
      if (this.#late.length >= MAX_LINES) return;
      this.#pattern.lastIndex = end + 1;
    }
    this.#partial = text.slice(last + 1, last + 1 + MAX_LINE);
    this.#partialAt = offset + last + 1;
  }

  #grow(text: string): void {
    if (this.#partial.length < MAX_LINE) this.#partial += text.slice(0, MAX_LINE - this.#partial.length);
  }

  #judge(at: number, line: string): void {
    if (!looksLikeError(line)) return;
    const place = this.#early.length < MAX_LINES ? this.#early : at >= this.#from ? this.#late : undefined;
    // Cut by length, a line may end with half of a pair.
    if (place !== undefined && place.length < MAX_LINES) place.push({ at, text: line.toWellFormed().trimEnd() });
  }
}
