import type { SyntaxNode, Word, WordPart } from 'unbash';
import { isDeceptive } from '../workspace/byte-name.ts';
import type { KnownWord } from './command-pattern.ts';
import type { HeldCommands } from './program.ts';

/** A word of a command, expanded as far as its text shows. */
export interface ReadWord {
  /** Without quotes and escapes; undefined if it is known only at run time. */
  readonly value: string | undefined;
  /** Why it is unknown or irregular. */
  readonly reasons: readonly string[];
  /** Commands inside it, which are judged separately, and nodes that may contain commands. */
  readonly nested: readonly SyntaxNode[];
  /** Whether unknown text in it can become several words or options. */
  readonly splits: boolean;
}

const EXPANSION = 'a variable is only known when it runs';
const GLOB = 'a wildcard stands for files that only the shell finds';

/** Parts of a word that POSIX shells and bash read differently, or that are known only at run time. */
const PART_REASONS: Record<Exclude<WordPart['type'], 'Literal' | 'SingleQuoted' | 'DoubleQuoted' | 'CommandExpansion'>, string> = {
  Glob: GLOB,
  ExtendedGlob: GLOB,
  BraceExpansion: 'braces stand for several words in some shells only',
  SimpleExpansion: EXPANSION,
  ParameterExpansion: EXPANSION,
  ArithmeticExpansion: 'arithmetic is only known when it runs',
  AnsiCQuoted: "$'…' means something else in another shell",
  LocaleString: '$"…" means something else in another shell',
  ProcessSubstitution: '<(…) and >(…) mean something else in another shell',
};

/** Code points that look like shell punctuation after normalization. */
const SHELL_MARKS = /[;&|<>()`$"'\\\s]/gu;
const ASCII = /^[\x20-\x7e]*$/u;

/** Returns why a word is not what it looks like; undefined if it is. */
export function deceptionReason(text: string): string | undefined {
  if (ASCII.test(text)) return undefined;
  if (isDeceptive(text.replace(/[\n\t]/gu, '')) || /[\p{Zs}--[ ]]/v.test(text))
    return 'it holds control or invisible characters, or spaces that are none';
  const marks = (form: string): number => form.match(SHELL_MARKS)?.length ?? 0;
  return marks(text.normalize('NFKC')) > marks(text) ? 'it holds characters that look like shell marks' : undefined;
}

/** Reads a word. Only plain and quoted text has a value; anything else has a reason instead. */
export function readWord(word: Word): ReadWord {
  const reasons: string[] = [];
  const nested: SyntaxNode[] = [];
  let dynamic = false;
  let splits = false;
  const visit = (part: WordPart, quoted: boolean): void => {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
        return;
      case 'DoubleQuoted':
        for (const child of part.parts) visit(child, true);
        return;
      case 'CommandExpansion':
        dynamic = true;
        splits ||= !quoted;
        nested.push(part);
        return;
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
      case 'SimpleExpansion':
      case 'ParameterExpansion':
      case 'ArithmeticExpansion':
      case 'AnsiCQuoted':
      case 'LocaleString':
      case 'ProcessSubstitution':
        dynamic = true;
        splits = true;
        reasons.push(PART_REASONS[part.type]);
        nested.push(part);
    }
  };
  for (const part of word.parts ?? []) visit(part, false);
  // bash also expands the tilde in `dd if=~/x`.
  if (/^(?:[A-Za-z_]\w*=(?:[^"'\\]*:)?)?~/u.test(word.text)) {
    dynamic = true;
    reasons.push('~ is a folder that only the shell knows');
  }
  if (!dynamic && hasBareMark(word)) {
    dynamic = true;
    reasons.push(GLOB);
  }
  const deception = deceptionReason(word.text);
  if (deception !== undefined) reasons.push(deception);
  return { value: dynamic ? undefined : word.value, reasons, nested, splits };
}

/** Whether a text has a `[` and a `]` after it. Expressions for this take time with the square of the length. */
function hasBrackets(text: string): boolean {
  const start = text.indexOf('[');
  return start !== -1 && text.lastIndexOf(']') > start;
}

/** Whether a text has a `,` or `..` between braces. */
function hasBraces(text: string): boolean {
  return text
    .split('}')
    .slice(0, -1)
    .some((part) => {
      const start = part.indexOf('{');
      return start !== -1 && (part.includes(',', start) || part.includes('..', start));
    });
}

/** Checks words that the parser calls plain: an unquoted wildcard must not pass as a name. */
function hasBareMark(word: Word): boolean {
  const bare = word.parts === undefined ? word.text : word.parts.map((part) => (part.type === 'Literal' ? part.text : '')).join('');
  const unescaped = bare.replace(/\\[^]/gu, '');
  // `[` and `]` are the test command and its end; find replaces `{}` with a name.
  return /[*?`$]/u.test(unescaped.replace(/\$$/u, '')) || hasBrackets(unescaped) || hasBraces(unescaped);
}

/** Returns the text that `sh -c` runs; null if it is known only at run time, undefined if there is no text. */
function shellText(words: readonly KnownWord[]): string | null | undefined {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) return null;
    if (/^-[a-zA-Z]*c$|^--command$/u.test(word)) {
      let text = index + 1;
      while (words[text]?.startsWith('-') === true) text += 1;
      return text >= words.length ? undefined : (words[text] ?? null);
    }
    if (word.startsWith('--command=')) return word.slice('--command='.length);
  }
  return undefined;
}

/** Returns the commands of a program that passes text to a shell: `sh -c '…'`. */
export function heldByShell(words: readonly KnownWord[]): HeldCommands {
  const text = shellText(words);
  return { texts: typeof text === 'string' ? [text] : [] };
}
