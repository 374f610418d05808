import { extension } from '../structure/languages.ts';

/** How a language marks what is not code. Sources of patterns; unterminated text ends with the file. */
interface Syntax {
  readonly comments: readonly string[];
  /** Strings that document something, or hold text of other languages. Never code. */
  readonly texts?: readonly string[];
  /** Strings. Kept, because imports name files in them, unless they span lines. */
  readonly strings: readonly string[];
}

const upTo = (start: string, end: string): string => `${start}[\\s\\S]*?(?:${end}|$)`;
const DOUBLE = String.raw`"(?:\\[\s\S]|[^"\\\n])*"`;
const SINGLE = String.raw`'(?:\\[\s\S]|[^'\\\n])*'`;
/** Strings that may span lines. */
const LONG_DOUBLE = String.raw`"(?:\\[\s\S]|[^"\\])*"`;
const BACKTICKS = '`(?:\\\\[\\s\\S]|[^`\\\\])*`';
const SLASHES = String.raw`\/\/[^\n]*`;
const STARS = upTo(String.raw`\/\*`, String.raw`\*\/`);
const HASH = String.raw`(?<![^\s;&|()])#[^\n]*`;
/** A regular expression follows an operator or a keyword; after a value, the slash divides. */
const SCRIPT_PATTERN = String.raw`\/(?<=(?:[=(,:;!&|?{}[]|\breturn|^)\s*\/)(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/`;
const TRIPLE = [upTo('"""', '"""'), upTo("'''", "'''")];

const C_LIKE: Syntax = { comments: [SLASHES, STARS], strings: [DOUBLE, SINGLE] };
const SCRIPT: Syntax = { comments: [SLASHES, STARS], strings: [DOUBLE, SINGLE, BACKTICKS, SCRIPT_PATTERN] };
const HASHES: Syntax = { comments: [HASH], strings: [DOUBLE, SINGLE] };
const JVM: Syntax = { comments: [SLASHES, STARS], texts: [upTo('"""', '"""')], strings: [DOUBLE, SINGLE] };

/** Syntax by file extension. */
const SYNTAXES: ReadonlyArray<readonly [endings: string, syntax: Syntax]> = [
  ['ts tsx mts cts js jsx mjs cjs', SCRIPT],
  ['c h cc cpp cxx hh hpp m mm zig sol css scss less', C_LIKE],
  ['java kt kts scala groovy swift dart cs fs', JVM],
  ['go', { comments: [SLASHES, STARS], strings: [DOUBLE, SINGLE, '`[^`]*`'] }],
  // A single quote also begins a lifetime.
  ['rs', { comments: [SLASHES, STARS], texts: [upTo('r#"', '"#')], strings: [LONG_DOUBLE, String.raw`'(?:\\[^\n']*|[^\\'\n])'`] }],
  ['php', { comments: [SLASHES, STARS, String.raw`#(?!\[)[^\n]*`], strings: [LONG_DOUBLE, SINGLE] }],
  ['py pyi', { comments: [String.raw`#[^\n]*`], texts: TRIPLE, strings: [DOUBLE, SINGLE] }],
  ['rb rake gemspec', { comments: [HASH, upTo(String.raw`(?<=^|\n)=begin\b`, String.raw`\n=end\b`)], strings: [DOUBLE, SINGLE] }],
  ['ex exs', { comments: [String.raw`#[^\n]*`], texts: TRIPLE, strings: [DOUBLE, SINGLE] }],
  ['jl nim', { comments: [upTo('#=', '=#'), String.raw`#[^\n]*`], texts: [upTo('"""', '"""')], strings: [DOUBLE] }],
  ['sh bash zsh fish pl pm r yml yaml toml cmake mk tf nix ps1 dockerfile', HASHES],
  [
    'lua',
    {
      comments: [upTo(String.raw`--\[\[`, String.raw`\]\]`), String.raw`--[^\n]*`],
      texts: [upTo(String.raw`\[\[`, String.raw`\]\]`)],
      strings: [DOUBLE, SINGLE],
    },
  ],
  ['sql', { comments: [String.raw`--[^\n]*`, STARS], strings: [SINGLE] }],
  ['hs elm', { comments: [upTo(String.raw`\{-`, String.raw`-\}`), String.raw`--[^\n]*`], strings: [DOUBLE] }],
  ['ml mli', { comments: [upTo(String.raw`\(\*`, String.raw`\*\)`)], strings: [DOUBLE] }],
  ['clj cljs cljc el lisp scm', { comments: [';[^\\n]*'], strings: [LONG_DOUBLE] }],
  ['erl hrl tex', { comments: ['%[^\\n]*'], strings: [DOUBLE] }],
];

const PATTERN_OF: ReadonlyMap<string, string> = new Map(
  SYNTAXES.flatMap(([endings, { comments, texts = [], strings }]) => {
    const groups = [`(?<comment>${comments.join('|')})`, ...(texts.length === 0 ? [] : [`(?<text>${texts.join('|')})`]), `(?:${strings.join('|')})`];
    return endings.split(' ').map((ending) => [ending, groups.join('|')] as const);
  }),
);

/** A file with comments and code apart. Both have the lines and columns of the file, with blanks instead of the rest. */
export interface CodeLines {
  readonly code: readonly string[];
  readonly comments: readonly string[];
}

const blank = (text: string): string => text.replaceAll(/[^\n]+/gu, (line) => ' '.repeat(line.length));

/** Separates code from comments, docstrings and strings of several lines; undefined for an unknown language. */
export function codeLines(text: string, path: string): CodeLines | undefined {
  const pattern = PATTERN_OF.get(extension(path));
  if (pattern === undefined) return undefined;
  let code = '';
  let comments = '';
  let end = 0;
  for (const { 0: part, index, groups = {} } of text.matchAll(new RegExp(pattern, 'gu'))) {
    const before = text.slice(end, index);
    const isComment = groups['comment'] !== undefined;
    const isCode = !isComment && groups['text'] === undefined && !part.includes('\n');
    code += before + (isCode ? part : blank(part));
    comments += blank(before) + (isComment ? part : blank(part));
    end = index + part.length;
  }
  const rest = text.slice(end);
  return { code: (code + rest).split('\n'), comments: (comments + blank(rest)).split('\n') };
}

/** Returns a text with blanks instead of comments, docstrings and strings of several lines; unchanged for an unknown language. */
export function codeOnly(text: string, path: string): string {
  return codeLines(text, path)?.code.join('\n') ?? text;
}
