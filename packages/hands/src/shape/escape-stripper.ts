/** Control characters except tab, newline, carriage return and backspace; those are text, or dealt with as such. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u0007\u000B\u000C\u000E-\u001F\u007F-\u009F]/gu;
/** Of these, what means nothing inside a sequence either: not BEL, CAN, SUB and ESC, which end or begin one. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const NOISE = /[\u0000-\u0006\u000B\u000C\u000E-\u0017\u0019\u001C-\u001F\u007F]+/gu;
/** A sequence that is longer than this was never meant to end: it would hide what comes after it. */
const MAX_SEQUENCE = 4_096;

/** Where in an escape sequence of ECMA-48 the text is. */
type State = 'text' | 'escape' | 'control' | 'string' | 'string-escape';

const within = (code: number, from: number, to: number): boolean => code >= from && code <= to;

/** What introduces a sequence in one character of the C1 set, or after ESC as its seven-bit form. */
function introduced(code: number): State {
  if (code === 0x9b) return 'control';
  return [0x90, 0x98, 0x9d, 0x9e, 0x9f].includes(code) ? 'string' : 'text';
}

/** No sequence spans lines: one that is never closed must not swallow the rest of the output. */
const isLineEnd = (code: number): boolean => code === 0x0a || code === 0x0d;

type Step = readonly [state: State, isText: boolean];

/** By state: the state after a character, and whether that character is text. */
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
    // BEL and ST end it, CAN and SUB break it off.
    if ([0x07, 0x9c, 0x18, 0x1a].includes(code)) return ['text', false];
    return isLineEnd(code) ? ['text', true] : ['string', false];
  },
  // ESC \ ends the string; any other ESC begins a new sequence.
  'string-escape': (code) => (code === 0x5c ? ['text', false] : STEPS.escape(code)),
};

/**
 * Takes terminal escape sequences and control characters out of a text that comes in pieces. They carry
 * nothing for a model, and are an attack on whoever prints them: they set titles and clipboards, and
 * overwrite what was approved with what was not.
 */
export class EscapeStripper {
  #state: State = 'text';
  #length = 0;

  strip(raw: string): string {
    // At once: a binary file is full of it.
    const text = raw.replace(NOISE, '');
    let result = '';
    let index = 0;
    while (index < text.length) {
      if (this.#state === 'text') {
        // Most of an output is text: that is copied at once, and only sequences are gone through.
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
