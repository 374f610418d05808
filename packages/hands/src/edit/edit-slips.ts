import type { Wanted } from './changed-part.ts';
import type { FileStyle } from './file-style.ts';
import type { Match } from './match-text.ts';
import { toLineFeeds } from './lines.ts';
import { type Slip, slipOf } from './slips.ts';
import { indentOf } from './tiers.ts';
import type { SearchedFile } from './edit-errors.ts';

interface Texts {
  readonly old: string;
  readonly fresh: string;
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

/**
 * Whether a file has one empty line more before every other line that begins like the one behind a position, if it
 * is behind empty lines: two between the classes of Python, for example.
 */
function isUsualGap(text: string, end: number): boolean {
  const [, gap = '', word = ''] = /^\n(\n*)([ \t]*(?:\w+|\S))/u.exec(text.slice(end)) ?? [];
  if (gap === '') return false;
  const gaps = Array.from(text.matchAll(/(?<!\n)\n(\n+)([ \t]*(?:\w+|\S))/gu))
    .filter(({ index, 2: other }) => other === word && index !== end)
    .map(({ 1: blank = '' }) => blank.length);
  return gaps.length > 1 && gaps.every((count) => count === gap.length + 1);
}

/** A line end that only one of the two texts has. */
function lineEnd({ text }: SearchedFile, { end }: Match, { old, fresh }: Texts): Slip | undefined {
  if (fresh.trim() === '') return undefined;
  const [oldEnds, freshEnds] = [old, fresh].map((one) => one.replace(/(?<=\n)[ \t]+$/u, '').endsWith('\n'));
  if (oldEnds === freshEnds) return undefined;
  if (oldEnds) {
    return {
      problem: 'has no line end after its last line, and old_text has one, so that line would be joined to the next',
      hint: 'End both texts with a line end, or neither. To join two lines, give the beginning of the second one in old_text too.',
    };
  }
  const next = text.slice(end, end + 2);
  if (!/^\r?\n/u.test(next) || fresh.trimEnd() === old.trimEnd()) return undefined;
  // One line end too many makes one empty line. More of them, or one that the file has at such places, are meant.
  if (/\n[ \t]*\n[ \t]*$/u.test(fresh) || isUsualGap(toLineFeeds(text), toLineFeeds(text.slice(0, end)).length)) return undefined;
  return {
    problem: 'ends with a line end, and old_text does not, so an empty line would follow',
    hint: 'End both texts with a line end, or neither. For an empty line, give the line after it in both texts.',
  };
}

/** All lines one space further in: the space after the marks of a diff. */
function oneSpace(texts: Texts): Slip | undefined {
  const [old, fresh] = [texts.old.split('\n'), texts.fresh.split('\n')];
  const known = new Map(old.filter((line) => !isBlank(line)).map((line) => [line.trim(), indentOf(line)]));
  const all = fresh.filter((line) => !isBlank(line));
  if (all.length === 0 || !all.every((line) => line.startsWith(' '))) return undefined;
  const kept = all.filter((line) => known.has(line.trim()));
  const stays = kept.some((line) => indentOf(line) === known.get(line.trim()));
  const moves = (line: string, from = ''): boolean => indentOf(line) === ` ${from}`;
  // A comment that begins with stars has a space before them.
  const isComment = [...known.keys()][0]?.startsWith('*') !== true && all.some((line) => line.trimStart().startsWith('*'));
  const first = kept.length === 0 && !isComment && moves(all[0] ?? '', known.values().next().value);
  if (!first && (stays || !kept.some((line) => moves(line, known.get(line.trim()))))) return undefined;
  return { problem: 'has one space more before each line than old_text', hint: 'Send its lines indented as in the file.' };
}

const isOdd = (line: string): boolean => /^(?:  )* (?! )/u.test(line);
const isStar = (line: string): boolean => line.trimStart().startsWith('*');

/** All lines at an odd column, in place of lines at even ones, where the file has none: also the space after the marks of a diff. */
function oddColumns({ old, fresh }: Texts, style: FileStyle): Slip | undefined {
  const [before, after] = [old, fresh].map((text) => text.split('\n').filter((line) => !isBlank(line) && !isStar(line)));
  if (before === undefined || after === undefined || before.length === 0 || after.length === 0) return undefined;
  if (before.some((line) => isOdd(line) || line.startsWith('\t')) || !after.every((line) => isOdd(line) && !style.hasIndentOf(line)))
    return undefined;
  return { problem: 'has one space too many or too few before each line', hint: 'Send its lines indented as in the file.' };
}

/** Returns the word at the end of a text. Uses a loop: an expression would take quadratic time. */
function lastWord(text: string): string {
  let start = text.length;
  while (/\w/u.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start);
}

/** Returns the word at the beginning of a text. */
function firstWord(text: string): string {
  return /^\w+/u.exec(text)?.[0] ?? '';
}

/** A letter that old_text leaves out at its beginning or end, where new_text has it. */
function cutWord({ text }: SearchedFile, { start, end }: Match, { old, fresh }: Texts): Slip | undefined {
  const before = lastWord(text.slice(Math.max(0, start - MAX_WORD), start));
  const after = firstWord(text.slice(end, end + MAX_WORD));
  const [first, last] = [firstWord(old), lastWord(old)];
  const begins = before !== '' && first !== '' && fresh.startsWith(before + first);
  const ends = after !== '' && last !== '' && fresh.endsWith(last + after);
  if (!begins && !ends) return undefined;
  return {
    problem: `${begins ? 'begins' : 'ends'} with ${JSON.stringify(begins ? before : after)}, which is in the file ${begins ? 'before' : 'behind'} what old_text matches`,
    hint: 'Give the whole word in old_text.',
  };
}

/** Characters around a match that are looked at for a word. */
const MAX_WORD = 100;

/** Whether lines are not the same as others, but none of them moves. */
function standAs(now: readonly string[], before: readonly string[], indent: string): boolean {
  if (before.length === 0 || now.length === 0) return false;
  if ([...before, ...now].every((line) => line.startsWith(indent))) return true;
  return before.length === now.length && before.every((line, index) => indentOf(line) === indentOf(now[index] ?? ''));
}

/** The first line without its indentation, beside others that have theirs. */
function dedentedFirst({ old, fresh }: Texts): Slip | undefined {
  const [[first = '', ...others], [newFirst = '', ...rest]] = [old.split('\n'), fresh.split('\n')];
  const indent = indentOf(first);
  if (indent === '' || isBlank(first) || newFirst !== first.trimStart()) return undefined;
  const kept = new Set(rest);
  const isKept = others.some((line) => !isBlank(line) && kept.has(line));
  // It may be alone in old_text; then lines that are added behind it with an indentation tell that it has one as well.
  const isAlone = others.every(isBlank) && rest.some((line) => !isBlank(line) && indentOf(line) === indent);
  const isLast = others.some((line) => !isBlank(line)) && rest.every(isBlank);
  const text = (lines: readonly string[]): string[] => lines.filter((line) => !isBlank(line));
  const staysBehind = standAs(text(rest), text(others), indent);
  if (!isKept && !isAlone && !isLast && !staysBehind) return undefined;
  return {
    problem: 'has its first line without the indentation that old_text has, and the other lines with theirs',
    hint: 'Give the first line with its indentation too. To move it alone, give it in an edit of its own.',
  };
}

/** A first line that is before the place already, where the old text begins with an empty line. */
function repeatedBefore({ text }: SearchedFile, { start }: Match, { old, fresh }: Texts): Slip | undefined {
  const first = fresh.split('\n').find((line) => !isBlank(line));
  if (first === undefined || !isBlank(old.split('\n', 1)[0]) || old.split('\n').includes(first)) return undefined;
  const before = text.slice(0, start).trimEnd();
  if (before.slice(before.lastIndexOf('\n') + 1) !== first.trimEnd()) return undefined;
  return {
    problem: `begins with ${JSON.stringify(first.slice(0, 80))}, which is before the place already`,
    hint: 'Give that line in old_text too, or leave it out of new_text.',
  };
}

/** White space that old_text has on an empty first line, and new_text before the text of its own. */
function spacedFirst({ text }: SearchedFile, { start }: Match, { old, fresh }: Texts): Slip | undefined {
  const space = /^([ \t]+)\n/u.exec(old)?.[1];
  if (space === undefined || !/^\r?\n/u.test(text.slice(start, start + 2)) || !fresh.startsWith(space) || isBlank(fresh.split('\n', 1)[0]))
    return undefined;
  return {
    problem: 'begins with white space that old_text has too, and the file has not',
    hint: 'Leave the white space at the beginning of both texts out. If new_text shall have it, begin old_text as the file has it.',
  };
}

/**
 * Finds a slip in an edit whose place is known.
 * @param given with line feeds; without what was removed from the texts to find the place
 */
export function editSlip(file: SearchedFile, style: FileStyle, match: Match, given: Wanted): Slip | undefined {
  const { replacement } = match;
  if (typeof replacement === 'string') return undefined;
  const texts = { old: given.old, fresh: given.new };
  const lineStart = file.lines.start(file.lines.at(replacement.start));
  const written = toLineFeeds(file.text.slice(lineStart, replacement.start) + replacement.text);
  const isWhole = match.start === file.lines.start(file.lines.at(match.start));
  const general = slipOf({
    path: file.path,
    style,
    given: texts.old.split('\n'),
    old: [...texts.old.split('\n'), ...toLineFeeds(file.text.slice(match.start, match.end)).split('\n')],
    fresh: texts.fresh.split('\n'),
    written: written.split('\n'),
    isWhole,
  });
  return (
    general ??
    spacedFirst(file, match, texts) ??
    lineEnd(file, match, texts) ??
    repeatedBefore(file, match, texts) ??
    cutWord(file, match, texts) ??
    (isWhole ? (oneSpace(texts) ?? oddColumns(texts, style) ?? dedentedFirst(texts)) : undefined)
  );
}
