/** A word of a command as the shell passes it; undefined if it is known only at run time. */
export type KnownWord = string | undefined;

/** One word of a pattern: literal pieces, with a wildcard between each pair. */
interface PatternWord {
  readonly pieces: readonly string[];
}

/** A command pattern of a rule. */
export interface CommandPattern {
  readonly text: string;
  /** The words before the first wildcard word. For a word such as `build:*`, the part before `*` counts. */
  readonly literalWords: readonly string[];
  /** Whether the pattern contains a wildcard. */
  readonly wild: boolean;
  /** For `= text`: the whole command, even one that cannot be parsed. */
  readonly exactText: string | undefined;
  /** The program that it matches whatever its arguments, as in `curl *`; undefined if it is about some arguments, or several programs. */
  readonly program?: string | undefined;
  matches(words: readonly KnownWord[]): boolean;
  /** Whether it may match, as far as the words are known. @param many whether an unknown word may stand for any number of words */
  mayMatch(words: readonly KnownWord[], many: boolean): boolean;
}

/** Marks a wildcard among the characters of a pattern word. */
const WILD = '\0';

/** Whether a backslash before a character makes it literal. */
function isEscaped(character: string, quote: string | undefined): boolean {
  if (quote === "'") return false;
  return character === '*' || character === '\\' || character === quote || (quote === undefined && /["' ]/u.test(character));
}

/** Splits a pattern into words. Quotes and `\*`, `\\` make characters literal, as in a shell. */
function splitPattern(text: string): string[] | string {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  const append = (more: string): void => void (word = (word ?? '') + more);
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character === '\\' && isEscaped(next, quote)) {
      append(next);
      index += 1;
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else append(character);
    } else if (character === '"' || character === "'") {
      quote = character;
      // Nothing in quotes is a word too.
      append('');
    } else if (/[ \t]/u.test(character)) endWord();
    else if (OPERATOR.test(character))
      return `a pattern is about one command: put ${JSON.stringify(character)} in quotes, or write "= " in front for exactly this text`;
    else append(character === '*' ? WILD : character);
  }
  if (quote !== undefined) return `a ${quote} is not closed`;
  endWord();
  return words;
}

/** Matches one word. Uses two pointers instead of a regular expression: linear for one wildcard, never exponential. */
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

/** Matches a pattern whose `*` stands for any words: matches the texts between the stars against the words as one line. */
function matchLine(pieces: readonly string[], words: readonly KnownWord[]): boolean {
  // An unknown word matches only a star.
  const line = words.map((word) => word ?? WILD).join(' ');
  return matchWord({ pieces }, line);
}

/** Follows all readings at once: each position in the pattern that the words may have led to. */
function mayFollow(pattern: readonly PatternWord[], rest: boolean, given: readonly KnownWord[], many: boolean): boolean {
  const end = pattern.length;
  let active = new Set([0]);
  for (const word of given) {
    const next = new Set<number>();
    for (const at of active) {
      const wanted = pattern[at];
      if (wanted === undefined) {
        if (rest || (word === undefined && many)) next.add(end);
      } else if (word === undefined && many) {
        for (let to = at; to <= end; to += 1) next.add(to);
      } else if (word === undefined || matchWord(wanted, word)) next.add(at + 1);
    }
    if (next.size === 0) return false;
    active = next;
  }
  return active.has(end);
}

/** Characters without a special meaning in a shell or a pattern. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/** Escapes a word of a command for a pattern, so that a star of an approved command never becomes a wildcard. */
export function escapeWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `"${word.replace(/[\\*"]/gu, String.raw`\$&`)}"`;
}

/** Characters that end a command or make a word unknown. No unquoted word contains them. */
const OPERATOR = /[;&|<>()`$\n]/u;
/** Maximum length of a pattern with wildcards, in characters. Matching takes up to this many steps for each character of a command. */
const MAX_WILD_LENGTH = 2_000;
const EXACTLY = /^=(?:\s+|$)/u;

function exactly(text: string): CommandPattern | string {
  const exactText = text.trim().replace(EXACTLY, '');
  return exactText === '' ? 'the pattern is empty' : { text, literalWords: [], wild: false, exactText, matches: () => false, mayMatch: () => false };
}

/**
 * Parses a command pattern. `*` inside a word stands for any characters of that word, `*` as a word for
 * one word, and ` *` at the end for any words or none: `git push *` also matches `git push`, and never
 * `git pushx`. `\*` is a literal star. A leading `= ` makes it the text of one whole command without
 * special characters: this is how a rule allows a chain or a loop.
 *
 * @param spans `*` anywhere stands for any characters of any words, as in the rules of Claude Code
 * @returns the pattern, or a message about what is wrong with it
 */
export function compileCommandPattern(text: string, spans = false): CommandPattern | string {
  if (EXACTLY.test(text.trim())) return exactly(text);
  const split = text.includes(WILD) ? 'it holds a NUL character' : splitPattern(text.trim());
  if (typeof split === 'string') return split;
  if (split.length === 0) return 'the pattern is empty';
  const rest = split.at(-1) === WILD;
  const words: PatternWord[] = (rest ? split.slice(0, -1) : split).map((word) => ({ pieces: word.split(WILD) }));
  const firstWild = words.findIndex(({ pieces }) => pieces.length > 1);
  const wild = rest || firstWild !== -1;
  if (wild && text.length > MAX_WILD_LENGTH) return `a pattern with * is longer than ${MAX_WILD_LENGTH} characters`;
  const literal = firstWild === -1 ? words : words.slice(0, firstWild);
  return {
    text,
    literalWords: literal.map(({ pieces }) => pieces[0] ?? ''),
    wild,
    exactText: undefined,
    program: rest && words.length === 1 && firstWild === -1 ? literal[0]?.pieces[0] : undefined,
    // A star of a Claude Code rule may be any words.
    mayMatch: (given, many) => (spans && firstWild !== -1 ? mayFollow(literal, true, given, many) : mayFollow(words, rest, given, many)),
    matches: (given) => {
      if (spans && firstWild !== -1) return matchLine(split.join(' ').split(WILD), given);
      if (rest ? given.length < words.length : given.length !== words.length) return false;
      return words.every((word, index) => matchWord(word, given[index]));
    },
  };
}
