/** Control characters except tab, newline, carriage return and backspace, which are text or are handled as text. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const CONTROL = /[\u0000-\u0007\u000B\u000C\u000E-\u001F\u007F-\u009F]/gu;
/** Control characters that also mean nothing inside a sequence: all except BEL, CAN, SUB and ESC, which end or begin one. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const NOISE = /[\u0000-\u0006\u000B\u000C\u000E-\u0017\u0019\u001C-\u001F\u007F]+/gu;
/** Maximum number of characters in a sequence. A longer one is not expected to end and would hide the text after it. */
const MAX_SEQUENCE = 4_096;

/** The position of the parser in an escape sequence (ECMA-48). */
type State = 'text' | 'escape' | 'control' | 'string' | 'string-escape';

const within = (code: number, from: number, to: number): boolean => code >= from && code <= to;

/** Returns the state after a C1 character, or after ESC and its seven-bit form. */
function introduced(code: number): State {
  if (code === 0x9b) return 'control';
  return [0x90, 0x98, 0x9d, 0x9e, 0x9f].includes(code) ? 'string' : 'text';
}

/** Line ends also end a sequence, so that an unclosed one does not hide the rest of the output. */
const isLineEnd = (code: number): boolean => code === 0x0a || code === 0x0d;

type Step = readonly [state: State, isText: boolean];

/** For each state: the state after a character, and whether the character is text. */
const STEPS: Readonly<Record<State, (code: number) => Step>> = {
  text: (code) => {
    if (code === 0x1b) return ['escape', false];
    if (within(code, 0x80, 0x9f)) return [introduced(code), false];
    return ['text', code === 0x08 || code === 0x09 || isLineEnd(code) || (code >= 0x20 && code !== 0x7f)];
  },
  escape: (code) => {
    if (code === 0x1b || within(code, 0x20, 0x2f)) return ['escape', false];
    if (within(code, 0x40, 0x5f)) return [introduced(code + 0x40), false];
    return within(code, 0x30, 0x7e) ? ['text', false] : STEPS.text(code);
  },
  control: (code) => {
    if (within(code, 0x20, 0x3f)) return ['control', false];
    return within(code, 0x40, 0x7e) ? ['text', false] : STEPS.text(code);
  },
  string: (code) => {
    if (code === 0x1b) return ['string-escape', false];
    // BEL and ST end the string; CAN and SUB cancel it.
    if ([0x07, 0x9c, 0x18, 0x1a].includes(code)) return ['text', false];
    return isLineEnd(code) ? ['text', true] : ['string', false];
  },
  // ESC \ ends the string; any other ESC begins a new sequence.
  'string-escape': (code) => (code === 0x5c ? ['text', false] : STEPS.escape(code)),
};

/**
 * Removes terminal escape sequences and control characters from text in pieces. They mean nothing to a
 * model, and they can attack the terminal that prints them: they set titles and clipboards, and overwrite
 * approved text with other text.
 */
export class EscapeStripper {
  #state: State = 'text';
  #length = 0;

  strip(raw: string): string {
    // Remove noise at once, because binary files are full of it.
    const text = raw.replace(NOISE, '');
    let result = '';
    let index = 0;
    while (index < text.length) {
      if (this.#state === 'text') {
        // Most output is text. Copy it at once and only step through sequences.
        CONTROL.lastIndex = index;
        const end = CONTROL.exec(text)?.index ?? text.length;
        result += text.slice(index, end);
        if (end === text.length) break;
        index = end;
      }
      if (this.#length >= MAX_SEQUENCE) this.#state = 'text';
      const [state, isText] = STEPS[this.#state](text.charCodeAt(index));
      if (isText) result += text.charAt(index);
      this.#length = state === 'text' ? 0 : this.#length + 1;
      this.#state = state;
      index += 1;
    }
    return result;
  }
}

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

/**
 * Invisible characters that reorder text or carry hidden text: bidirectional overrides, tags,
 * zero-width spaces. Joiners are kept, because scripts and emoji need them.
 */
const INVISIBLE = /[[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cc}]--[\t\n]]/gv;

/** Returns untrusted text without characters that act on terminals or are hidden from people. */
export function harmlessText(text: string): string {
  return new EscapeStripper().strip(text).replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(INVISIBLE, '');
}
