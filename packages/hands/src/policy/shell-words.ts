import type { SyntaxNode, Word, WordPart } from 'unbash';
import { isDeceptive } from '../workspace/byte-name.ts';

/** A word of a command, as far as its text tells what the shell makes of it. */
export interface ReadWord {
  /** After quotes and escapes; undefined where it is only known when the command runs. */
  readonly value: string | undefined;
  /** Why that is so, or what else is odd about it. */
  readonly reasons: readonly string[];
  /** Commands inside it, to be judged on their own, and other nodes that may hold some. */
  readonly nested: readonly SyntaxNode[];
  /** Whether unknown text in it can become several words, or options. */
  readonly splits: boolean;
}

const EXPANSION = 'a variable is only known when it runs';
const GLOB = 'a wildcard stands for files that only the shell finds';

/** The parts of a word that POSIX shells and bash do not read in the same way, or that only run time tells. */
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

/** Punctuation of shells that looks the same in another code point, after normalisation. */
const SHELL_MARKS = /[;&|<>()`$"'\\\s]/gu;
const ASCII = /^[\x20-\x7e]*$/u;

/** Why a word is not what it looks like, if so. */
export function deceptionReason(text: string): string | undefined {
  if (ASCII.test(text)) return undefined;
  if (isDeceptive(text.replace(/[\n\t]/gu, '')) || /[\p{Zs}--[ ]]/v.test(text))
    return 'it holds control or invisible characters, or spaces that are none';
  const marks = (form: string): number => form.match(SHELL_MARKS)?.length ?? 0;
  return marks(text.normalize('NFKC')) > marks(text) ? 'it holds characters that look like shell marks' : undefined;
}

/** Reads a word. Only plain and quoted text has a value; everything else says why it has none. */
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
  // bash expands it in `dd if=~/x`, too.
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

/** A second look at what the parser called plain: an unquoted wildcard must not pass as a name. */
function hasBareMark(word: Word): boolean {
  const bare = word.parts === undefined ? word.text : word.parts.map((part) => (part.type === 'Literal' ? part.text : '')).join('');
  const unescaped = bare.replace(/\\[^]/gu, '');
  // `[` and `]` are the command and its end; `{}` is what find puts a name for.
  return /[*?`$]/u.test(unescaped.replace(/\$$/u, '')) || /\[.*\]/su.test(unescaped) || /\{[^}]*(?:,|\.\.)[^}]*\}/u.test(unescaped);
}
