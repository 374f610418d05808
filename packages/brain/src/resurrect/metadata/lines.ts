import type { Fact } from './manifest.ts';

/** A text by lines, to locate parsed values. Parsers of JSON and TOML do not report lines. */
export class Lines {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split(/\r\n|\n|\r/u);
  }

  /** Returns a line by its number, from 1. */
  at(line: number): string {
    return this.#lines[line - 1] ?? '';
  }

  /** Returns the first line at or after `from` that contains all pieces; `from` if none does. */
  find(pieces: readonly string[], from = 1): number {
    const index = this.#lines.findIndex((line, at) => at >= from - 1 && pieces.every((piece) => line.includes(piece)));
    return index === -1 ? from : index + 1;
  }

  /** Returns the first group of the first matching line. */
  match(pattern: RegExp, from = 1): Fact | undefined {
    for (let index = from - 1; index < this.#lines.length; index += 1) {
      const value = pattern.exec(this.#lines[index] ?? '')?.[1];
      if (value !== undefined && value !== '') return { value, line: index + 1 };
    }
    return undefined;
  }

  /** Returns the first group of every matching line. */
  matches(pattern: RegExp): Fact[] {
    return this.#lines.flatMap((line, index) => {
      const value = pattern.exec(line)?.[1];
      return value === undefined || value === '' ? [] : [{ value, line: index + 1 }];
    });
  }

  /** Converts a value to a fact; undefined if it is not a non-empty string. */
  fact(value: unknown, pieces: readonly string[], from = 1): Fact | undefined {
    return typeof value === 'string' && value !== '' ? { value, line: this.find(pieces, from) } : undefined;
  }

  /** Converts the keys of a table, or the strings of a list, to facts. */
  facts(value: unknown, from = 1): Fact[] {
    const names = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : Object.keys(asRecord(value));
    return names.map((name) => ({ value: name, line: this.find([name], from) }));
  }
}

/** Returns a value as an object; an empty object for other values. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
