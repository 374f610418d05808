/** The text of a turn. A retry repeats what was shown before its stream broke, and an editor cannot take text back. */
export class TurnText {
  #turn = '';
  /** What was shown of the turn before the retry. */
  #shown: string | undefined;
  readonly #between: () => string;

  /** @param between returns what is between a text and another one after it. Default: an empty line */
  constructor(between = (): string => '\n\n') {
    this.#between = between;
  }

  /** Returns the part of the new text to show. */
  add(text: string): string {
    this.#turn += text;
    if (this.#shown === undefined) return text;
    if (this.#shown.startsWith(this.#turn)) return '';
    const isRepeated = this.#turn.startsWith(this.#shown);
    const rest = isRepeated ? this.#turn.slice(this.#shown.length) : `${this.#between()}${this.#turn}`;
    this.#shown = undefined;
    return rest;
  }

  retry(): void {
    this.#shown ??= this.#turn;
    this.#turn = '';
  }

  end(): void {
    this.#turn = '';
    this.#shown = undefined;
  }
}
