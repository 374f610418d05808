import type { Fact } from './manifest.ts';

/** A text by lines, for finding where a parser's value stands. Parsers of JSON and TOML do not tell. */
export class Lines {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split(/\r\n|\n|\r/u);
  }

  /** The first line at or after `from` that holds all the pieces; the line `from` where none does. */
  find(pieces: readonly string[], from = 1): number {
    const index = this.#lines.findIndex((line, at) => at >= from - 1 && pieces.every((piece) => line.includes(piece)));
    return index === -1 ? from : index + 1;
  }

  /** The first line that a pattern matches, with its first group. */
  match(pattern: RegExp, from = 1): Fact | undefined {
    for (let index = from - 1; index < this.#lines.length; index += 1) {
      const value = pattern.exec(this.#lines[index] ?? '')?.[1];
      if (value !== undefined && value !== '') return { value, line: index + 1 };
    }
    return undefined;
  }

  /** Every line that a pattern matches, with its first group. */
  matches(pattern: RegExp): Fact[] {
    return this.#lines.flatMap((line, index) => {
      const value = pattern.exec(line)?.[1];
      return value === undefined || value === '' ? [] : [{ value, line: index + 1 }];
    });
  }

  /** A value as a fact; nothing where it is no text. */
  fact(value: unknown, pieces: readonly string[], from = 1): Fact | undefined {
    return typeof value === 'string' && value !== '' ? { value, line: this.find(pieces, from) } : undefined;
  }

  /** The keys of a table, or the texts of a list, as facts. */
  facts(value: unknown, from = 1): Fact[] {
    const names = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : Object.keys(asRecord(value));
    return names.map((name) => ({ value: name, line: this.find([name], from) }));
  }
}

/** A value as an object; anything else has no fields. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
