import type { FileStyle } from './file-style.ts';
import { elidedLine } from './elisions.ts';
import { indentOf, LINE_KEY, PLAIN, plainOf, TYPOGRAPHIC_QUOTE } from './tiers.ts';
import { visibleCharacter } from './visible.ts';
import { isText } from './lines.ts';

/** New text, and the file that it is for. */
export interface NewText {
  readonly path: string;
  readonly style: FileStyle;
  /** The lines that it replaces, as given. */
  readonly given: readonly string[];
  /** The same lines, as given and as the file has them. */
  readonly old: readonly string[];
  /** All new lines. */
  readonly fresh: readonly string[];
  /** The lines as they would be written. */
  readonly written: readonly string[];
  /** Whether it begins at the beginning of a line. */
  readonly isWhole: boolean;
}

/** Why a text would hardly be meant as given, and what to send instead. */
export interface Slip {
  readonly problem: string;
  readonly hint: string;
}

/** Returns the new lines that are not among the old ones. */
function added({ old, written }: Pick<NewText, 'old' | 'written'>): string[] {
  const known = new Set(old);
  return written.filter((line) => isText(line) && !known.has(line));
}

function elision({ path, style, old, fresh }: NewText): Slip | undefined {
  const line = elidedLine({ old: old.join('\n'), fresh: fresh.join('\n'), path, style });
  if (line === undefined) return undefined;
  return {
    problem: `has ${JSON.stringify(line)}, which would be written as it stands`,
    hint: 'Give all of the text that is to be there, or one edit for each part that changes. A file that shall have that line takes write_file.',
  };
}

const MARKED = /^[-+]/u;
/** What lines that begin with a + can be in a file: borders of tables, marks and items of lists. Each line is of one kind. */
const PLUS_LINES = [/^\+[-=:|][-=+:| \t]*$/mu, /^\+$/mu, /^\+[ \t]/mu];
/** Other lines that begin with a +: text that the lines beside them must have as well. */
const PLUS_TEXT = /^\+(?![ \t]|$|[-=:|][-=+:| \t]*$)/mu;

function diffMarks({ style, old, fresh, isWhole }: NewText): Slip | undefined {
  const known = new Set(old);
  const lines = fresh.filter((line) => isText(line) && !known.has(line));
  if (!isWhole || lines.length === 0 || !lines.some((line) => line.startsWith('+')) || !lines.every((line) => MARKED.test(line))) return undefined;
  // Old lines that begin with a + themselves do not have it from a diff.
  const isCopy = !old.some((line) => line.startsWith('+')) && lines.some((line) => line.slice(1).trim() !== '' && known.has(line.slice(1)));
  const kinds = PLUS_LINES.filter((kind) => lines.some((line) => kind.test(line)));
  const hasText = lines.some((line) => PLUS_TEXT.test(line));
  if (!isCopy && kinds.every((kind) => style.matches(kind)) && (!hasText || old.some((line) => PLUS_TEXT.test(line)))) return undefined;
  return {
    problem: 'has a + before its lines, as in a diff, and the lines of the file have none',
    hint: 'Send the lines alone, without the marks. In apply_patch, each added line has one + before it.',
  };
}

/** Quotes that stand where only those of a language can. */
const DELIMITERS = /[=([{:,]\s*[“‘”’]/u;

/** Whether typographic quotes of a kind delimit a value in a line that has no plain one, whatever other lines have. */
function isDelimiter(text: string, plain: string, others: string): boolean {
  const isQuote = plain === '"' || plain === "'";
  const [quote] = isQuote ? [new RegExp(`[=([{:,]\\s*[${others}]`, 'u')] : [];
  return quote !== undefined && text.split('\n').some((line) => !line.includes(plain) && quote.test(line));
}

/** A dash within a name, such as that of an option, or before a number. */
const IN_A_NAME = /[\w\s][\u2010-\u2015\u2212]\w|[([{,=:<>+*/][\u2010-\u2015\u2212]\d/u;

/** An ellipsis in the place of arguments or elements, where only the three dots of a language can stand. */
const ELLIPSIS_IN_BRACKETS = /[([{,]\s*…\s*[)\]}]/u;

const NOT_ASCII = /[\u0080-\u{10ffff}]/u;
/** Files of prose, where a typographic apostrophe is as usual as a plain one. */
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc|html?|tex|org)$/iu;
const APOSTROPHE_IN_WORD = /\p{L}[\u2018\u2019]\p{L}/u;

/** Whether a word has a typographic apostrophe, in code that is all ASCII. */
const isForeignApostrophe = (lines: string, plain: string, { path, style }: NewText): boolean =>
  plain === "'" && APOSTROPHE_IN_WORD.test(lines) && !PROSE.test(path) && /\.\w+$/u.test(path) && !style.matches(NOT_ASCII);

/** Text in typographic quotes, or between two closing ones. */
const QUOTED = /(?<![\p{L}\p{N}])[\u2018-\u201f][^\s\u2018-\u201f][^\n\u2018-\u201f]*[\u2019\u201b\u201d](?!\p{L})/u;

/** Whether text is in typographic quotes, in code that is all ASCII. */
const isForeignQuote = (lines: string, plain: string, { path, style }: NewText): boolean =>
  (plain === "'" || plain === '"') && QUOTED.test(lines) && !PROSE.test(path) && /\.\w+$/u.test(path) && !style.matches(NOT_ASCII);

/** A dash in an arrow, which only code has. */
const IN_AN_ARROW = /[\u2010-\u2015\u2212][>=]|[<=][\u2010-\u2015\u2212]/u;

/** An ellipsis as the body of a function or class, where only the three dots of Python can stand. */
const ELLIPSIS_AS_BODY = /^[ \t]*(?:async def|def|class)\b.*:[ \t]*\u2026[ \t]*$/mu;

const COMMENT_MARK = /^[ \t]*(?:\/\/|\/?\*|#|--|;)/u;

/** Whether a character for three dots is within code that a comment names. */
function hasEllipsisInCodeSpan(text: string): boolean {
  let isComment = false;
  const parts = text.split('`');
  return parts.some((part, index) => {
    if (isComment && index < parts.length - 1 && part.includes('…')) return true;
    const lineStart = part.lastIndexOf('\n') + 1;
    // Code that a comment begins to name may end on another line.
    if (index === 0 || lineStart > 0) isComment = COMMENT_MARK.test(part.slice(lineStart));
    return false;
  });
}

/** Whether a character for three dots stands where only those of a language can. */
function hasEllipsisOfCode(text: string): boolean {
  return ELLIPSIS_IN_BRACKETS.test(text) || ELLIPSIS_AS_BODY.test(text) || hasEllipsisInCodeSpan(text);
}

/** Files of a language that spreads values with three dots before them. */
const SPREADS = /\.[cm]?[jt]sx?$/u;
const SPREAD = /[([{,]\s*…[\p{L}_$]/u;

/** Whether a character for three dots spreads a value: not within a comment or a text. */
const isSpread = (lines: string, { path }: NewText): boolean =>
  SPREADS.test(path) && lines.split('\n').some((line) => !COMMENT_MARK.test(line) && SPREAD.test(line.split(/["'`]|\/[/*]/u, 1)[0] ?? ''));

/** A line that the old text has with plain characters, in new text that also changes others. */
function copyOf({ style, old, fresh, written }: NewText): Slip | undefined {
  const plain = (line: string): string => LINE_KEY.unicode(line).trim();
  const known = new Set(old.map((line) => line.trim()));
  const line = added({ old, written }).find((one) => known.has(plain(one)) && !known.has(one.trim()));
  const found = Array.from(line ?? '').find((character) => plainOf(character) !== undefined);
  if (line === undefined || found === undefined || style.includes(found)) return undefined;
  // New text whose only difference is its characters is meant.
  const others = new Set(old.map(plain));
  if (fresh.every((one) => others.has(plain(one)))) return undefined;
  return typographySlip(found, plainOf(found) ?? '');
}

function typographySlip(found: string, plain: string): Slip {
  return {
    problem: `has ${visibleCharacter(found)} where plain text has ${visibleCharacter(plain[0])}`,
    hint: `Send it with ${JSON.stringify(plain)}. If the other character is meant, write the text with the plain one first, and then change nothing but the character in an edit of its own.`,
  };
}

/** Whether nothing but the characters of the lines changes: then they are meant. */
function changesCharactersAlone({ given, fresh }: NewText): boolean {
  return given.length === fresh.length && fresh.every((line, index) => LINE_KEY.unicode(line) === LINE_KEY.unicode(given[index] ?? ''));
}

/** Files of texts for people, each in plain quotes. */
const TRANSLATION = /\.(?:po|pot|strings|arb)$/iu;
const IN_PLAIN_QUOTES = /^[^"\u2018-\u201f]*"/u;

/** Whether typographic quotes are in texts for people alone. */
const isTranslation = (lines: string, { path }: NewText): boolean =>
  TRANSLATION.test(path) &&
  lines
    .split('\n')
    .filter((line) => TYPOGRAPHIC_QUOTE.test(line))
    .every((line) => IN_PLAIN_QUOTES.test(line.trim()));

/** What shows that a character other than the plain one was not meant, in a file that does not have it. One of these is enough. */
const SHOWN_BY: ReadonlyArray<(plain: string, lines: string, text: NewText) => boolean> = [
  (plain, _lines, { style }) => style.includes(plain),
  (plain, lines, text) => isForeignApostrophe(lines, plain, text),
  (plain, lines, text) => isForeignQuote(lines, plain, text),
  (_plain, lines) => DELIMITERS.test(lines),
  (plain, lines, { path }) => plain === '-' && (IN_A_NAME.test(lines) || (!PROSE.test(path) && IN_AN_ARROW.test(lines))),
  (plain, lines, text) => plain === '...' && !PROSE.test(text.path) && (hasEllipsisOfCode(text.fresh.join('\n')) || isSpread(lines, text)),
];

/** Whether a character that was found in lines has to be the plain one. */
function isSlip(found: string, plain: string, lines: string, text: NewText): boolean {
  const isKnown = text.style.includes(found);
  // A space of another kind cannot be seen, and is rarely meant.
  if (plain === ' ') return !isKnown || !lines.includes(plain);
  return !isKnown && SHOWN_BY.some((shows) => shows(plain, lines, text));
}

/** Characters that look like plain ones and that the file does not use, where it uses the plain ones. */
function typography(text: NewText): Slip | undefined {
  if (changesCharactersAlone(text)) return undefined;
  const lines = added(text)
    .map((line) => line.replace(/^[ \t]+/u, '').replace(/[ \t]$/u, ''))
    .join('\n');
  for (const [plain, others] of PLAIN) {
    const found = Array.from(lines).find((character) => others.includes(character));
    // Text that has both kinds tells them apart.
    const hasBoth = lines.includes(plain);
    if (found === undefined || (hasBoth && plain !== ' ' && !isDelimiter(lines, plain, others))) continue;
    if ((plain === "'" || plain === '"') && isTranslation(lines, text)) continue;
    if (isSlip(found, plain, lines, text)) return typographySlip(found, plain);
  }
  return copyOf(text);
}

const TAB_INDENT = /^\t+\S/mu;
/** One space is that of a block comment. */
const SPACE_INDENT = /^ {2,}\S/mu;

/** Lines that move from spaces to a tab and are as before otherwise, or items of lists, none of which the file indents by tabs. */
function tabForSpaces({ path, style, old, written }: NewText): Slip | undefined {
  const bad = added({ old, written }).filter((line) => /^\t+\S/u.test(line));
  if (bad.length === 0) return undefined;
  const spaced = new Set(old.flatMap((line) => (/^ +\S/u.test(line) ? [line.trim()] : [])));
  const isList = (line: string): boolean => /^\t+[-*+] /u.test(line) && /\.mdx?$/u.test(path) && !style.matches(/^\t+[-*+] /mu);
  const first = bad.find((line) => spaced.has(line.trim()) || isList(line));
  if (first === undefined) return undefined;
  return {
    problem: 'is indented by tabs where the file has spaces',
    hint: `Send it with spaces, as in the file. The first such line is ${JSON.stringify(first.slice(0, 80))}.`,
  };
}

/** The lines that are in no fenced block, which has an indentation of its own. */
function outsideFences(lines: readonly string[]): string[] {
  let isFenced = false;
  return lines.filter((line) => {
    if (!FENCE.test(line)) return !isFenced;
    isFenced = !isFenced;
    return false;
  });
}

const TAB_AND_SPACES = /^\t+ +[^\s*]/u;
/** What a line ends or begins with that goes on on the next one, or goes on with the one before it. A bracket that begins a block is none. */
const GOES_ON = /(?:[\\,([=?+*/%^]|&&|\|\||[<|&-])$/u;
const CONTINUES = /^(?:&&|\|\||[-+*/%?:.<>=^,)\]]=?\s)/u;

/** Returns the lines with tabs and spaces that go on with the one before them: the spaces then align them, as in C and Makefiles. */
function continuations(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    const before = lines[index - 1];
    if (before === undefined || !TAB_AND_SPACES.test(line) || !isText(before)) return false;
    const [tabs] = /^\t*/u.exec(line) ?? [''];
    // Behind the first line that goes on, others are aligned with it.
    if (!before.startsWith(tabs) || before[tabs.length] === '\t') return false;
    return GOES_ON.test(before.trimEnd()) || CONTINUES.test(line.trimStart());
  });
}

/** Tabs beside lines that are indented by spaces, in a file that has both. */
function mixedIndentation(text: NewText): Slip | undefined {
  // The stars of a block comment have a space before them, whatever the file is indented by.
  const beside = outsideFences(text.old).filter((line) => isText(line) && indentOf(line) !== '' && !line.startsWith(' *'));
  const bad = added({ old: text.old, written: outsideFences(text.written) }).filter((line) => line.startsWith('\t'));
  // A tab and spaces, as no line of the file has.
  const aligned = new Set([...continuations(text.fresh), ...continuations(text.written)]);
  // What is written may end before the end of its last line.
  const last = text.written.at(-1) ?? '';
  if (TAB_AND_SPACES.test(last) && [...aligned].some((line) => line.startsWith(last))) aligned.add(last);
  const mixed = bad.find((line) => TAB_AND_SPACES.test(line) && !aligned.has(line));
  if (mixed !== undefined && !text.style.matches(/^\t+ +[^\s*]/mu)) {
    return {
      problem: 'is indented by tabs and spaces, and no line of the file by both',
      hint: `Send it as the lines around it. The first such line is ${JSON.stringify(mixed.slice(0, 80))}.`,
    };
  }
  if (bad.length === 0 || beside.length === 0 || beside.some((line) => indentOf(line).includes('\t'))) return undefined;
  return {
    problem: 'is indented by tabs, and the lines that it replaces or is next to by spaces',
    hint: `Send it with spaces, as those lines. The first line with a tab is ${JSON.stringify(bad[0]?.slice(0, 80))}.`,
  };
}

/** Files that are indented by spaces unless they have tabs already. YAML allows no others. */
const SPACED = /\.(?:ya?ml|pyi?|rst)$/iu;

const FENCE = /^\s*(?:```|~~~)/u;

/** Files in which only recipes have tabs. */
const MAKEFILE = /(?:^|\/)(?:GNU)?[Mm]akefile(?:\.\w+)?$|\.(?:mk|mak|make)$/u;

/** Returns the lines that a line without indentation goes on with: of a list in a Makefile, not of a recipe. */
function unindentedLists(lines: readonly string[]): ReadonlySet<string> {
  let isList = false;
  return new Set(
    lines.filter((_, index) => {
      const before = lines[index - 1] ?? '';
      isList = before.trimEnd().endsWith('\\') && (isList || indentOf(before) === '');
      return isList;
    }),
  );
}

/** Tabs in a file indented by spaces, or the other way round. */
function indentation(text: NewText): Slip | undefined {
  const tabs = text.style.matches(TAB_INDENT);
  const spaces = text.style.matches(SPACE_INDENT) || (!tabs && SPACED.test(text.path));
  if (tabs && spaces) return mixedIndentation(text);
  // The stars of a block comment have a space before them, whatever the file is indented by.
  const lines = added(text).filter((line) => indentOf(line) !== '' && (spaces || line.trimStart()[0] !== '*'));
  if (lines.length === 0 || tabs === spaces) return undefined;
  const loose = tabs && MAKEFILE.test(text.path) ? unindentedLists(text.written) : undefined;
  const bad = lines.filter((line) => (tabs ? /^(?: {2}| +\t)/u : /^ *\t/u).test(line) && loose?.has(line) !== true);
  if (bad.length === 0 || (tabs && bad.length < lines.length)) return undefined;
  const [own, other] = tabs ? ['spaces', 'tabs'] : ['tabs', 'spaces'];
  return {
    problem: `is indented by ${own}, and the file by ${other}`,
    hint: `Send it with ${other}, as the lines around it. The first such line is ${JSON.stringify(bad[0]?.slice(0, 80))}.`,
  };
}

const CHECKS = [elision, diffMarks, typography, indentation, tabForSpaces];

/** Finds the first slip in new text that would otherwise be written as given. One list for edits and patches. */
export function slipOf(text: NewText): Slip | undefined {
  for (const check of CHECKS) {
    const slip = check(text);
    if (slip !== undefined) return slip;
  }
  return undefined;
}
