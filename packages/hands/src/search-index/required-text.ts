import { GRAM_BYTES, gramsOf } from './gram-filter.ts';

/** A search for lines. */
export interface LinePattern {
  readonly pattern: string;
  readonly literal: boolean;
  readonly case: 'sensitive' | 'insensitive' | 'smart';
}

/**
 * The grams that each matching line holds: all of one of these lists. A file whose filter lacks one of each list cannot match.
 */
export type RequiredGrams = readonly Uint32Array[];

/** Groups with flags change the meaning of what follows. */
const FLAG_GROUP = /\(\?(?!:|P?<)/u;
/** Escapes that stand for no certain text: classes, and places between characters. */
const CLASS_ESCAPE = /^[bBdDsSwW]$/u;
/** ASCII characters that mean themselves after a backslash. */
const PUNCTUATION = /^[!-/:;=?@[-`{-~ ]$/u;
/** Letters that match characters outside ASCII if case does not count: K and ſ (Unicode, CaseFolding.txt). */
const OTHER_CASES = /[ks]|[^\p{ASCII}]/iu;

/** Reads a regular expression of Rust as far as it is certain which text each match holds. */
class TextReader {
  readonly #pattern: string;
  #at = 0;
  #texts: string[] = [];
  #run: string[] = [];

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** Returns the certain texts of each alternative; undefined for syntax that it does not know. */
  alternatives(): string[][] | undefined {
    const alternatives: string[][] = [];
    for (;;) {
      const character = this.#next();
      if (character === undefined || character === '|') {
        this.#break();
        alternatives.push(this.#texts);
        this.#texts = [];
        if (character === undefined) return alternatives;
      } else if (!this.#read(character)) return undefined;
    }
  }

  #next(): string | undefined {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) return undefined;
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #break(): void {
    if (this.#run.length > 0) this.#texts.push(this.#run.join(''));
    this.#run = [];
  }

  #read(character: string): boolean {
    switch (character) {
      case '\\':
        return this.#escape();
      case '[':
        this.#break();
        return this.#skipClass();
      case '(':
        this.#break();
        return this.#skipGroup();
      case '*':
      case '?':
        this.#run.pop();
        this.#break();
        return true;
      case '{': {
        this.#run.pop();
        this.#break();
        const end = this.#pattern.indexOf('}', this.#at);
        this.#at = end + 1;
        return end !== -1;
      }
      case '.':
      case '^':
      case '$':
        this.#break();
        return true;
      case '+':
        // What it repeats is there at least once, unless a further operator follows.
        if (/[*?+{]/u.test(this.#pattern[this.#at] ?? '')) this.#run.pop();
        this.#break();
        return true;
      case ')':
        return false;
      default:
        this.#run.push(character);
        return true;
    }
  }

  #escape(): boolean {
    const character = this.#next();
    if (character === undefined) return false;
    if (CLASS_ESCAPE.test(character)) {
      this.#break();
      return true;
    }
    if (!PUNCTUATION.test(character)) return false;
    this.#run.push(character);
    return true;
  }

  /** Skips to the end of a class, after its `[`. Classes nest, and a leading `]` is a character. */
  #skipClass(): boolean {
    let depth = 1;
    this.#skipClassStart();
    for (let character = this.#next(); character !== undefined; character = this.#next()) {
      if (character === '\\') this.#next();
      else if (character === '[') {
        depth += 1;
        this.#skipClassStart();
      } else if (character === ']' && (depth -= 1) === 0) return true;
    }
    return false;
  }

  #skipClassStart(): void {
    if (this.#pattern[this.#at] === '^') this.#at += 1;
    if (this.#pattern[this.#at] === ']') this.#at += 1;
  }

  #skipGroup(): boolean {
    let depth = 1;
    for (let character = this.#next(); character !== undefined; character = this.#next()) {
      if (character === '\\') this.#next();
      else if (character === '[' && !this.#skipClass()) return false;
      else if (character === '(') depth += 1;
      else if (character === ')' && (depth -= 1) === 0) return true;
    }
    return false;
  }
}

function textsOf({ pattern, literal }: LinePattern): string[][] | undefined {
  if (literal) return [[pattern]];
  return FLAG_GROUP.test(pattern) ? undefined : new TextReader(pattern).alternatives();
}

function joined(lists: readonly Uint32Array[]): Uint32Array {
  return Uint32Array.from(new Set(lists.flatMap((list) => [...list])));
}

/** Returns what lines must hold to match a pattern; undefined if that is unknown, or too little to choose files by. */
export function requiredGrams(search: LinePattern): RequiredGrams | undefined {
  if (!search.pattern.isWellFormed() || /[\0\r\n]/u.test(search.pattern)) return undefined;
  const alternatives = textsOf(search);
  if (alternatives === undefined) return undefined;
  const required = alternatives.map((texts) => {
    const certain = search.case === 'sensitive' ? texts : texts.flatMap((text) => text.split(OTHER_CASES));
    return joined(
      certain
        .map((text) => Buffer.from(text))
        .filter((text) => text.length >= GRAM_BYTES)
        .map(gramsOf),
    );
  });
  return required.every((grams) => grams.length > 0) ? required : undefined;
}

/** Characters with a meaning in a regular expression. */
const META = /[\\.+*?()|[\]{}^$#&\-~]/u;

/** Returns the text that a pattern stands for if it matches exactly where this text is; undefined for any other pattern. */
export function plainText(search: LinePattern): Buffer | undefined {
  const { pattern, literal } = search;
  const counts = search.case === 'sensitive' || (search.case === 'smart' && /[A-Z]/u.test(pattern));
  const isPlain = literal || !META.test(pattern);
  return counts && isPlain && pattern.isWellFormed() && !/[\0\r\n]/u.test(pattern) ? Buffer.from(pattern) : undefined;
}
