import type { FileStyle } from './file-style.ts';

const COMMENT = /^(?:\/\/|#|--|;|%|\/\*|\{\/\*|<!--|\*|"""|''')\s*/u;
const COMMENT_END = /(?:\*\/\}?|-->|"""|''')$/u;
const DOTS = /^[[({<]?(?:\.{3}|…)/u;
/** Dots alone, perhaps in brackets. */
const BARE = /^(?:\.{3}|…|\[(?:\.{3}|…)\]|\((?:\.{3}|…)\)|<(?:\.{3}|…)>)$/u;
/** Dots, a space and a word are prose; dots without the space are spread syntax. */
const DOTS_AND_PROSE = /^[[({<]?\s*(?:\.{3}|…)\s+\p{L}/u;
const LEFT_OUT =
  /\b(?:existing|rest of|remaining|remainder|unchanged|unmodified|same as|stays? the same|previous|original|omitted|other (?:code|lines|methods|functions|imports|fields|properties)|(?:more )?code (?:here|above|below|continues))\b/iu;
/** Prose without leading dots, such as "rest of the file unchanged". */
const REST =
  /^[[({<]?(?:the )?(?:rest of|remaining|existing|other) (?:of )?(?:the )?(?:code|file|function|class|method|methods|functions|imports?|content|logic|implementation|body|lines|tests|component|module)\b.*(?:\.{3}|…|unchanged|unmodified|same|omitted)/iu;

const PYTHON = /\.(?:pyi?|pyx|pxd|ipynb)$/u;
/** Other files in which a line of three dots is an argument. */
const HAS_DOTS = /\.(?:r|R|jl|lua|pl|raku|hs|c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|php)$/u;
/** The line that begins a function or class of Python, or the last line of one. */
const STUB_HEAD = /^\s*(?:(?:async\s+)?def|class)\b.*:$|^\s*\).*:$/u;
/** What three dots replace where a body was empty before. */
const EMPTY_BODY = /^(?:pass|raise NotImplementedError\b.*|""".*""")$/u;
/** Returns a trimmed line without its comment marks; undefined if it is no comment. */
function commentOf(line: string): string | undefined {
  const [mark] = COMMENT.exec(line) ?? [];
  return mark === undefined ? undefined : line.slice(mark.length).replace(COMMENT_END, '').trimEnd();
}

/** Whether a line says in words that text is left out. */
function saysSo(line: string): boolean {
  if (line.length > 200) return false;
  const comment = commentOf(line);
  if (comment === undefined) return DOTS_AND_PROSE.test(line) && LEFT_OUT.test(line);
  return (DOTS.test(comment) && LEFT_OUT.test(comment)) || REST.test(comment);
}

const indentWidth = (line: string): number => line.length - line.trimStart().length;

/** Old lines and new ones, with the place of the dots among these. */
interface Dots {
  readonly lines: readonly string[];
  readonly at: number;
  readonly old: ReadonlySet<string>;
  /** The old lines that are not among the new ones. */
  readonly dropped: readonly string[];
  readonly isPython: boolean;
}

/** The next line with text in one direction; undefined if there is none. */
function textBeside({ lines, at }: Dots, step: 1 | -1): string | undefined {
  for (let index = at + step; index >= 0 && index < lines.length; index += step) if ((lines[index] ?? '').trim() !== '') return lines[index];
  return undefined;
}

/** Whether three dots are the only statement of a function or class of Python. */
function isStub({ lines, at, old, dropped, isPython }: Dots, before: string, after: string | undefined): boolean {
  const indent = indentWidth(lines[at] ?? '');
  const isInside = indent > indentWidth(before);
  if (!isPython || isInside !== before.endsWith(':') || (after !== undefined && indentWidth(after) >= indent)) return false;
  const wasEmpty = dropped.every((line) => EMPTY_BODY.test(line));
  // A body that had a statement and is now three dots was left out. Blocks such as `if` have one.
  return isInside ? STUB_HEAD.test(before) && (wasEmpty || (dropped.length === 1 && !old.has(before.trim()))) : wasEmpty;
}

/** Whether three dots are code: the only statement of a function or class of Python, or the last of several arguments. */
function isCode(dots: Dots): boolean {
  const { lines, at, isPython } = dots;
  const [before, after] = [textBeside(dots, -1)?.trimEnd(), textBeside(dots, 1)];
  if (before === undefined) return false;
  if (/(?::|"""|''')$/u.test(before)) return isStub(dots, before, after);
  // Dots alone in brackets are on one line with them.
  if (!before.endsWith(',') || after === undefined || !/^\s*[)\]}]/u.test(after)) return false;
  const indent = indentWidth(lines[at] ?? '');
  const opening = lines.slice(0, at).findLast((line) => line.trim() !== '' && indentWidth(line) < indent);
  return opening !== undefined && (isPython ? /\w\[$/u : /\w\s*[([]$/u).test(opening.trimEnd());
}

/** What an elision is looked for in. */
export interface ElisionQuestion {
  readonly old: string;
  readonly fresh: string;
  /** The file and its path: dots stand for different things in different languages. */
  readonly path?: string;
  readonly style?: Pick<FileStyle, 'hasLine'>;
}

/** Returns a line that says in words that text is left out, and that the old text does not have. */
export function wordedElision(old: string, fresh: string): string | undefined {
  const known = new Set(old.split('\n').map((line) => line.trim()));
  return fresh
    .split('\n')
    .map((line) => line.trim())
    .find((line) => saysSo(line) && !known.has(line));
}

/**
 * Returns a line of new text that stands for lines left out, such as `// ... existing code ...`. It would be written
 * literally. A line that the old text has too is none, nor are dots alone where they are code, or where the file has such lines.
 */
export function elidedLine({ old: oldText, fresh, path = '', style }: ElisionQuestion): string | undefined {
  const given = fresh.split('\n');
  const lines = given.map((line) => line.trim());
  const old = new Set(oldText.split('\n').map((line) => line.trim()));
  const worded = wordedElision(oldText, fresh);
  if (worded !== undefined) return worded;
  const isBare = (line: string): boolean => BARE.test(commentOf(line) ?? line);
  const bare = lines.findIndex((line) => isBare(line) && !old.has(line));
  const found = lines[bare];
  if (found === undefined || style?.hasLine(found) === true) return undefined;
  const now = new Set(lines);
  const dropped = [...old].filter((line) => line !== '' && !now.has(line));
  const isPython = PYTHON.test(path) || !/\.\w+$/u.test(path);
  // Dots in brackets, or as one character, are no statement.
  return found === '...' && (isPython || HAS_DOTS.test(path)) && isCode({ lines: given, at: bare, old, dropped, isPython }) ? undefined : found;
}
