import { hash } from 'node:crypto';

/** Number of texts that are kept. A text is asked for as what a change left, and as what the next one found. */
const KEPT = 4;

/** The SHA-256 of texts. Keeps the last ones, because each is needed several times in a row. */
export class TextSums {
  #kept: Array<{ readonly text: string; readonly sum: string }> = [];

  /** Notes the sum of a text that is known. */
  note(text: string, sum: string): void {
    this.#kept = [{ text, sum }, ...this.#kept.slice(0, KEPT - 1)];
  }

  of(text: string): string {
    const known = this.#kept.find((one) => one.text === text)?.sum;
    if (known !== undefined) return known;
    const sum = hash('sha256', text);
    this.note(text, sum);
    return sum;
  }
}
