/** Pieces are joined when there are so many: each costs as much as some dozen characters. */
const MAX_PIECES = 256;

/** Keeps the end of a text that comes in pieces, without copying what is dropped soon after. */
export class TextTail {
  readonly #length: number;
  #pieces: string[] = [];
  #held = 0;

  /** @param length UTF-16 units of the end that are wanted; up to a piece more may be kept */
  constructor(length: number) {
    this.#length = length;
  }

  add(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#held += text.length;
    let drop = 0;
    for (let first = this.#pieces[drop]; first !== undefined && this.#held - first.length >= this.#length; first = this.#pieces[drop]) {
      this.#held -= first.length;
      drop += 1;
    }
    if (drop > 0) this.#pieces.splice(0, drop);
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [this.#pieces.join('')];
  }

  get text(): string {
    return this.#pieces.join('');
  }
}
