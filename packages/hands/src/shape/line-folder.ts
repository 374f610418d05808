/** Moves that a terminal makes within a line. */
const MOVES = /[\r\b]/u;
const PIECES = /\r|\n|[\b]|[^\r\n\b]+/gu;
/** A line longer than this is no progress bar: it is given on, and a carriage return then begins a new line. */
const MAX_LINE = 8_192;

/**
 * Shows lines as a terminal would after all was printed: of a line that was written over and over, as
 * progress bars are, its last state. A backspace takes back a character. Text comes in pieces.
 */
export class LineFolder {
  /** What the current line shows; given on when it ends. */
  #line = '';
  /** UTF-16 units of the current line, with those already given on. */
  #length = 0;
  /** A carriage return came, and it is open whether a line end or other text follows. */
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
          // Too long to have been held back: it cannot be taken back either.
          if (this.#length > MAX_LINE) result += `${this.#line}\n`;
          this.#reset();
        }
        result += this.#plain(piece);
      }
    }
    return result;
  }

  /** Gives the last line, which may have no end. */
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
