/** A word of a command as the shell will pass it on; undefined where nobody knows before it runs. */
export type KnownWord = string | undefined;

/** One word of a pattern: literal pieces with a wildcard between each two. */
interface PatternWord {
  readonly pieces: readonly string[];
}

/** A command as a rule names it. */
export interface CommandPattern {
  readonly text: string;
  /** The words before the first wildcard word. A word such as `build:*` counts with what is before its `*`. */
  readonly literalWords: readonly string[];
  /** Whether the pattern holds a wildcard at all. */
  readonly wild: boolean;
  /** For `= text`: the whole command, which may also be one that cannot be understood. */
  readonly exactText: string | undefined;
  matches(words: readonly KnownWord[]): boolean;
}

/** Marks a wildcard among the characters of a pattern word. */
const WILD = '\0';

/** Splits a pattern into words. Quotes and `\*`, `\\` make characters literal, as in a shell. */
function splitPattern(text: string): string[] | string {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character === '\\' && quote !== "'" && (next === '*' || next === '\\' || next === quote || (quote === undefined && /["' ]/u.test(next)))) {
      word = (word ?? '') + next;
      index += 1;
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/[ \t]/u.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (OPERATOR.test(character)) {
      return `a pattern is about one command: put ${JSON.stringify(character)} in quotes, or write "= " in front for exactly this text`;
    } else word = (word ?? '') + (character === '*' ? WILD : character);
  }
  if (quote !== undefined) return `a ${quote} is not closed`;
  if (word !== undefined) words.push(word);
  return words;
}

/** Two pointers instead of a regular expression: linear for one wildcard, never exponential. */
function matchWord({ pieces }: PatternWord, word: KnownWord): boolean {
  if (pieces.length === 1) return word === pieces[0];
  if (word === undefined) return pieces.length === 2 && pieces[0] === '' && pieces[1] === '';
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (!word.startsWith(first)) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = word.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return word.length - last.length >= from && word.endsWith(last);
}

/** Characters that mean themselves in a shell and in a pattern. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/** One word of a command as a pattern word: a star of an approved command never becomes a wildcard. */
export function escapeWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `"${word.replace(/[\\*"]/gu, String.raw`\$&`)}"`;
}

/** What ends a command, or makes a word that nobody knows: no word of one command holds it outside quotes. */
const OPERATOR = /[;&|<>()`$\n]/u;
const EXACTLY = /^=(?:\s+|$)/u;

function exactly(text: string): CommandPattern | string {
  const exactText = text.trim().replace(EXACTLY, '');
  return exactText === '' ? 'the pattern is empty' : { text, literalWords: [], wild: false, exactText, matches: () => false };
}

/**
 * Reads a command pattern. `*` inside a word stands for any characters of that word, `*` as a word for
 * one word, and ` *` at the end for any words or none: `git push *` also means `git push`, and never
 * `git pushx`. `\*` is a star. `= ` in front makes it the text of one whole command, in which nothing has
 * a meaning of its own: how a chain or a loop is allowed.
 *
 * @returns the pattern, or in words what is wrong with it
 */
export function compileCommandPattern(text: string): CommandPattern | string {
  if (EXACTLY.test(text.trim())) return exactly(text);
  const split = text.includes(WILD) ? 'it holds a NUL character' : splitPattern(text.trim());
  if (typeof split === 'string') return split;
  if (split.length === 0) return 'the pattern is empty';
  const rest = split.at(-1) === WILD;
  const words: PatternWord[] = (rest ? split.slice(0, -1) : split).map((word) => ({ pieces: word.split(WILD) }));
  const firstWild = words.findIndex(({ pieces }) => pieces.length > 1);
  const literal = firstWild === -1 ? words : words.slice(0, firstWild);
  return {
    text,
    literalWords: literal.map(({ pieces }) => pieces[0] ?? ''),
    wild: rest || firstWild !== -1,
    exactText: undefined,
    matches: (given) => {
      if (rest ? given.length < words.length : given.length !== words.length) return false;
      return words.every((word, index) => matchWord(word, given[index]));
    },
  };
}
