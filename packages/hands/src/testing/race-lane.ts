import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './random.ts';

/** Number of files of a lane. */
const FILES = 20;

/** A word that a search has to find in one file; in none if the path is empty. */
export type Expected = readonly [word: string, path: string];

/** Text with a word, of which the length does not tell which word it is. */
const textOf = (word: string): string => `const a = 1;\n// ${word}\n`;

/** Files with words that no other file has. Each change tells where words are from now on. */
export class RaceLane {
  readonly #root: string;
  readonly #outside: string;
  readonly #number: number;
  readonly #random: Random;
  /** The words of each file. */
  readonly #held = new Map<string, readonly string[]>();
  #turn = 0;
  #moves = 0;

  /** @param outside a folder outside of the workspace, on the same file system */
  constructor(root: string, outside: string, number: number, random: Random) {
    this.#root = root;
    this.#outside = outside;
    this.#number = number;
    this.#random = random;
    mkdirSync(this.#at(''), { recursive: true });
    for (let file = 0; file < FILES; file += 1) this.#write(`f${file}.ts`, this.#takeWord());
  }

  /** The word of the next change that writes. */
  get nextWord(): string {
    return `raced${this.#number}x${String(this.#turn).padStart(8, '0')}word`;
  }

  /** Changes what a file holds, or which names there are. Returns what is to be found from now on, old words too. */
  change(what: 'contents' | 'names'): readonly Expected[] {
    const random = this.#random;
    const word = this.#takeWord();
    const [file, other] = [`f${random.below(FILES)}.ts`, `f${random.below(FILES)}.ts`];
    const kind = random.below(what === 'names' ? 150 : 100);
    // A file that is not there has no new name until names may change.
    if (what === 'contents' && !this.#held.has(file)) return [];
    if (kind < 50) return [...this.#gone(file), ...this.#write(file, word)];
    if (kind < 65) return [...this.#gone(file), ...this.#replace(file, word)];
    if (kind < 100) return this.#append(file, word);
    if (kind < 115) return this.#delete(file);
    if (kind < 145) return file === other ? [] : this.#move(file, other);
    return this.#moveFolder();
  }

  #takeWord(): string {
    const word = this.nextWord;
    this.#turn += 1;
    return word;
  }

  #path(file: string): string {
    return `races/lane${this.#number}/${this.#moves % 2 === 0 ? 'one' : 'two'}${file === '' ? '' : `/${file}`}`;
  }

  #at(file: string): string {
    return join(this.#root, this.#path(file));
  }

  #words(file: string): readonly string[] {
    return this.#held.get(file) ?? [];
  }

  #gone(file: string): Expected[] {
    return this.#words(file).map((word) => [word, ''] as const);
  }

  #found(file: string): Expected[] {
    return this.#words(file).map((word) => [word, this.#path(file)] as const);
  }

  /** In place, often to the same size. */
  #write(file: string, word: string): Expected[] {
    writeFileSync(this.#at(file), textOf(word));
    this.#held.set(file, [word]);
    return this.#found(file);
  }

  /** By another file that takes its name, in one step. */
  #replace(file: string, word: string): Expected[] {
    const fresh = join(this.#outside, `lane${this.#number}`);
    writeFileSync(fresh, textOf(word));
    renameSync(fresh, this.#at(file));
    this.#held.set(file, [word]);
    return this.#found(file);
  }

  #append(file: string, word: string): Expected[] {
    appendFileSync(this.#at(file), `// ${word}\n`);
    this.#held.set(file, [...this.#words(file), word]);
    return [[word, this.#path(file)]];
  }

  #delete(file: string): Expected[] {
    const gone = this.#gone(file);
    rmSync(this.#at(file), { force: true });
    this.#held.delete(file);
    return gone;
  }

  #move(file: string, other: string): Expected[] {
    if (!this.#held.has(file)) return [];
    const gone = this.#gone(other);
    renameSync(this.#at(file), this.#at(other));
    this.#held.set(other, this.#words(file));
    this.#held.delete(file);
    return [...gone, ...this.#found(other)];
  }

  #moveFolder(): Expected[] {
    const before = this.#at('');
    this.#moves += 1;
    renameSync(before, this.#at(''));
    return [...this.#held.keys()].slice(0, 3).flatMap((file) => this.#found(file));
  }
}
