/** Characters with which a terminal moves within a line. */
const MOVES = /[\r\b]/u;
const PIECES = /\r|\n|[\b]|[^\r\n\b]+/gu;
/** Maximum length of a held line. A longer line is no progress bar: it is emitted, and a carriage return then begins a new line. */
const MAX_LINE = 8_192;

/**
 * Shows lines in their final state on a terminal: of a line that is overwritten repeatedly, such as a progress
 * bar, only the last state. A backspace removes a character. Accepts text in pieces.
 */
export class LineFolder {
  /** The text of the current line; emitted when the line ends. */
  #line = '';
  /** UTF-16 units of the current line, including text already emitted. */
  #length = 0;
  /** Whether the last character was a carriage return, which either a line end or other text may follow. */
  #returned = false;

  take(text: string): string {
    if (!this.#returned && !MOVES.test(text)) return this.#plain(text);
    let result = '';
    for (const [piece] of text.matchAll(PIECES)) {
      if (piece === '\n') {
        result += `${this.#line}\n`;
        this.#reset();
      } else if (piece === '\r') {
        this.#returned = true;
      } else if (piece === '\b') {
        if (!this.#returned && this.#line !== '') {
          this.#line = this.#line.replace(/.$/su, '');
          this.#length = this.#line.length;
        }
      } else {
        if (this.#returned) {
          // The line was too long to be held, so it cannot be replaced.
          if (this.#length > MAX_LINE) result += `${this.#line}\n`;
          this.#reset();
        }
        result += this.#plain(piece);
      }
    }
    return result;
  }

  /** Returns the last line, which may have no end. */
  finish(): string {
    const line = this.#line;
    this.#reset();
    return line;
  }

  #plain(text: string): string {
    const end = text.lastIndexOf('\n') + 1;
    let result = '';
    if (end > 0) {
      result = this.#line + text.slice(0, end);
      this.#reset();
    }
    const rest = end === 0 ? text : text.slice(end);
    this.#line += rest;
    this.#length += rest.length;
    if (this.#length > MAX_LINE) {
      result += this.#line;
      this.#line = '';
    }
    return result;
  }

  #reset(): void {
    this.#line = '';
    this.#length = 0;
    this.#returned = false;
  }
}
