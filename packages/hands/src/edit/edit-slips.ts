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

/** A line end that only one of the two texts has. */
function lineEnd({ text }: SearchedFile, { end }: Match, { old, fresh }: Texts): Slip | undefined {
  if (fresh.trim() === '' || old.endsWith('\n') === fresh.endsWith('\n')) return undefined;
  if (old.endsWith('\n')) {
    return {
      problem: 'has no line end after its last line, and old_text has one, so that line would be joined to the next',
      hint: 'End both texts with a line end, or neither. To join two lines, give the beginning of the second one in old_text too.',
    };
  }
  const next = text.slice(end, end + 2);
  if (!/^\r?\n/u.test(next) || fresh.trimEnd() === old.trimEnd()) return undefined;
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

/** The first line without its indentation, beside others that have theirs. */
function dedentedFirst({ old, fresh }: Texts): Slip | undefined {
  const [[first = '', ...others], [newFirst = '', ...rest]] = [old.split('\n'), fresh.split('\n')];
  const indent = indentOf(first);
  if (indent === '' || isBlank(first) || newFirst !== first.trimStart()) return undefined;
  const kept = new Set(rest);
  if (!others.some((line) => !isBlank(line) && kept.has(line))) return undefined;
  return {
    problem: 'has its first line without the indentation that old_text has, and the other lines with theirs',
    hint: 'Give the first line with its indentation too. To move it alone, give it in an edit of its own.',
  };
}

/** A first line that stands before the place already, where the old text begins with an empty line. */
function repeatedBefore({ text }: SearchedFile, { start }: Match, { old, fresh }: Texts): Slip | undefined {
  const first = fresh.split('\n').find((line) => !isBlank(line));
  if (first === undefined || !isBlank(old.split('\n', 1)[0]) || old.split('\n').includes(first)) return undefined;
  const before = text.slice(0, start).trimEnd();
  if (before.slice(before.lastIndexOf('\n') + 1) !== first.trimEnd()) return undefined;
  return {
    problem: `begins with ${JSON.stringify(first.slice(0, 80))}, which stands before the place already`,
    hint: 'Give that line in old_text too, or leave it out of new_text.',
  };
}

/** Finds a slip in an edit whose place is known. */
export function editSlip(
  file: SearchedFile,
  style: FileStyle,
  match: Match,
  edit: { readonly old_text: string; readonly new_text: string },
): Slip | undefined {
  const { replacement } = match;
  if (typeof replacement === 'string') return undefined;
  const texts = { old: toLineFeeds(edit.old_text), fresh: toLineFeeds(edit.new_text) };
  const lineStart = file.lines.start(file.lines.at(replacement.start));
  const written = toLineFeeds(file.text.slice(lineStart, replacement.start) + replacement.text);
  const isWhole = match.start === file.lines.start(file.lines.at(match.start));
  const general = slipOf({
    path: file.path,
    style,
    old: [...texts.old.split('\n'), ...toLineFeeds(file.text.slice(match.start, match.end)).split('\n')],
    fresh: texts.fresh.split('\n'),
    written: written.split('\n'),
    isWhole,
  });
  return (
    general ?? lineEnd(file, match, texts) ?? repeatedBefore(file, match, texts) ?? (isWhole ? (oneSpace(texts) ?? dedentedFirst(texts)) : undefined)
  );
}
